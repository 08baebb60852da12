"""The API: the calls a till makes most by name, all others through `call`."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import urlencode, urlsplit

from . import exact_json
from .errors import NoAnswer, Problem, Unavailable

Receipt = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """An answer as it came, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def retry_after(self) -> Optional[float]:
        seconds = self.headers.get("retry-after", "")
        return float(seconds) if seconds.isdigit() else None


class Client:
    """Speaks to one Tillseal with one token. May be shared between threads."""

    def __init__(
        self, url: str, token: str, *, timeout: float = 30.0, tls: Optional[ssl.SSLContext] = None
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as https://tillseal.example")
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._token = token
        self._timeout = timeout

    def sign(self, receipt: Receipt, *, late: bool = False) -> Dict[str, Any]:
        """Seals a receipt. `late` marks one that was sold while the connection was down, whose date may be moved.

        Raises `NoAnswer` when the connection fails: call it again with the same receipt. Better, sell through an `Outbox`.
        """
        return self._receipt("sign", receipt, {"Late-Receipt": "true"} if late else None)

    def check(self, receipt: Receipt) -> Dict[str, Any]:
        """What `sign` would say, without sealing: the receipt in its normalised form, or the problem."""
        return self._receipt("check", receipt)

    def calculate(self, receipt: Receipt) -> Dict[str, Any]:
        """Completes a receipt without `Taxes`, `TotalAmount` and the amount of its only payment; ready to sign."""
        return self._receipt("calculate", receipt)

    def _receipt(self, what: str, receipt: Receipt, headers: Optional[Mapping[str, str]] = None) -> Dict[str, Any]:
        answer: Dict[str, Any] = self.call("POST", f"/api/receipt/{what}", receipt, headers=headers)
        return answer

    def events(self, after: int = 0, *, wait: int = 30) -> Iterator[Dict[str, Any]]:
        """Everything that happened after number `after`, in order, without gaps; then waits for more, without end.

        With `wait=0` it ends with the last event there is. Keep the `Number` of what you have dealt with, and go on from there.
        """
        delay = 1.0
        while True:
            query = {"After": after, "Wait": wait, "Limit": 500}
            try:
                events = self.call("GET", "/api/events", query=query, timeout=wait + self._timeout)["Events"]
            except (NoAnswer, Unavailable) as error:
                if wait == 0:
                    raise
                time.sleep(getattr(error, "retry_after", None) or delay)
                delay = min(delay * 2, 60.0)
                continue
            delay = 1.0
            for event in events:
                yield event
                after = event["Number"]
            if not events and wait == 0:
                return

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Any operation of the API. The answer's JSON with exact decimals; bytes when it is not JSON; None when empty."""
        if query:
            path += "?" + urlencode({name: value for name, value in query.items() if value is not None})
        text = None if body is None else exact_json.write(body)
        answer = self.send(method, path, text, headers=headers, timeout=timeout)
        if not 200 <= answer.status < 300:
            raise Problem.of(answer.status, answer.text, answer.retry_after)
        if not answer.body:
            return None
        return exact_json.read(answer.text) if "json" in answer.headers.get("content-type", "") else answer.body

    def send(
        self,
        method: str,
        path: str,
        body: Optional[str] = None,
        *,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        """One request and its answer, whatever the status. Redirects are not followed."""
        seconds = self._timeout if timeout is None else timeout
        all_headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", **(headers or {})}
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        connection = self._connection(seconds)
        started = time.monotonic()
        watchdog: Optional[threading.Timer] = None
        try:
            connection.connect()
            # The timeout of a socket begins again with every byte. This one does not.
            watchdog = threading.Timer(max(0.0, started + seconds - time.monotonic()), _cut, [connection.sock])
            watchdog.daemon = True
            watchdog.start()
            connection.request(method, self._prefix + path, body and body.encode(), all_headers)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"no answer from {self._host}: {error or type(error).__name__}") from error
        finally:
            if watchdog:
                watchdog.cancel()
            connection.close()

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)


def _cut(connected: socket.socket) -> None:
    """Ends whatever the socket waits for. Not `SSLSocket.shutdown`, which would say goodbye first."""
    try:
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        pass
