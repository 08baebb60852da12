"""A Tillseal that answers as a test tells it to, and remembers what it was asked."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Union

from tillseal import Client


@dataclass
class Asked:
    method: str
    path: str
    headers: Dict[str, str]
    text: str

    @property
    def reference(self) -> str:
        return json.loads(self.text)["Reference"]


@dataclass
class Reply:
    status: int = 200
    body: Union[str, bytes, Dict[str, Any]] = ""
    headers: Dict[str, str] = field(default_factory=dict)
    is_lost: bool = False
    """The request is carried out, and its answer never arrives."""


def sealed(asked: Asked) -> Reply:
    return Reply(200, {"Reference": asked.reference, "DeviceSignature": "c2VhbA==", "GlobalCounter": 17})


def refused(status: int, code: str, *errors: str, then: Optional[str] = None, **headers: str) -> Reply:
    listed = [{"Field": "Date", "Code": error, "Message": "Not so."} for error in errors]
    problem = {"status": status, "Code": code, "title": code, "detail": "Not so.", "errors": listed, "Then": then}
    return Reply(status, problem, {name.replace("_", "-"): value for name, value in headers.items()})


class ScriptedService:
    """Use as a context manager. `script` gives the reply to each request; by default everything is sealed."""

    def __init__(self, script: Callable[[Asked], Reply] = sealed) -> None:
        self.script = script
        self.asked: List[Asked] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                asked = Asked(
                    self.command,
                    self.path,
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(length).decode(),
                )
                service.asked.append(asked)
                reply = service.script(asked)
                if reply.is_lost:
                    self.close_connection = True
                    return
                is_json = isinstance(reply.body, dict)
                body = json.dumps(reply.body) if is_json else reply.body
                raw = body.encode() if isinstance(body, str) else body
                self.send_response(reply.status)
                usual = {"Content-Type": "application/json", "Content-Length": str(len(raw))}
                for name, value in {**usual, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST

            def log_message(self, *words: Any) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    pass  # The client has given up.

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.client = Client(self.url, "tsk_test")

    def references(self) -> List[str]:
        return [asked.reference for asked in self.asked]

    def __enter__(self) -> "ScriptedService":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


def receipt(reference: str, device: int = 1001, **more: Any) -> Dict[str, Any]:
    return {"AuthorityDeviceId": device, "Reference": reference, **more}
