"""The API: the calls a till makes most by name, all others through `call`."""

from __future__ import annotations

import http.client
import os
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Union
from urllib.parse import urlencode, urlsplit

from . import exact_json
from .errors import NoAnswerError, OutboxError, ProblemError, UnavailableError
from .outcomes import Tell

if TYPE_CHECKING:
    from .outbox import Outbox

Receipt = Mapping[str, Any]
LONGEST_ANSWER = 16 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """An answer with any status, unchanged."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def retry_after_seconds(self) -> Optional[int]:
        """Whole seconds only: a date would depend on this machine's clock."""
        digits = self.headers.get("retry-after", "")
        # Nine digits are long enough, and `int` refuses thousands of them.
        return int(digits.lstrip("0")[:9] or "0") if re.fullmatch("[0-9]+", digits) else None


class Client:
    """Talks to one Tillseal with one token. May be shared between threads."""

    def __init__(
        self, url: str, token: str, *, timeout_seconds: float = 30.0, tls: Optional[ssl.SSLContext] = None
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as https://tillseal.example")
        if not re.fullmatch("[!-~]*", token):
            raise ValueError("the token has a space, a line's end or another character that no token has")
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._token = token
        self._timeout = timeout_seconds

    def sign(self, receipt: Receipt, *, late: bool = False) -> Dict[str, Any]:
        """Seals a receipt. `late` marks one that was sold while the connection was down, whose date may be moved.

        Raises `NoAnswerError` when the connection fails: call it again with the same receipt. Better, use an outbox.
        """
        return self._object("POST", "/api/receipt/sign", receipt, headers={"Late-Receipt": "true"} if late else {})

    def check(self, receipt: Receipt) -> Dict[str, Any]:
        """What `sign` would answer, without sealing: the receipt in its normalised form, or the problem."""
        return self._object("POST", "/api/receipt/check", receipt)

    def calculate(self, receipt: Receipt) -> Dict[str, Any]:
        """Completes a receipt without `Taxes`, `TotalAmount` and the amount of its only payment; ready to sign."""
        return self._object("POST", "/api/receipt/calculate", receipt)

    def events(self, after: int = 0, *, wait_seconds: int = 30) -> Iterator[Dict[str, Any]]:
        """Everything that happened after number `after`, in order, without gaps; then waits for more, without end.

        With `wait_seconds=0` it ends with the last event there is. Keep the `Number` of the last event that you have
        handled, and continue from there.
        """
        delay = 1
        while True:
            query = {"After": after, "Wait": wait_seconds, "Limit": 500}
            try:
                page = self._object("GET", "/api/events", query=query, seconds=wait_seconds + self._timeout)
            except (NoAnswerError, UnavailableError) as error:
                if wait_seconds == 0:
                    raise
                time.sleep(min(getattr(error, "retry_after_seconds", None) or delay, 300))
                delay = min(delay * 2, 60)
                continue
            delay = 1
            for event in page["Events"]:
                yield event
                after = event["Number"]
            if not page["Events"] and wait_seconds == 0:
                return

    def call(self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Any operation of the API. The answer's JSON with exact decimals; bytes when it is not JSON; None when empty."""
        return self._call(method, path, body, query)

    def open_outbox(
        self,
        file: Union[str, "os.PathLike[str]"],
        *,
        deadline_seconds: float = 5.0,
        report: Optional[Tell] = None,
    ) -> "Outbox":
        """Opens the outbox in this file, or creates it. Raises `OutboxError` if it cannot be used.

        `sell` tries for `deadline_seconds`. `report` is told what a person should know; by default it is logged.
        """
        try:
            import sqlite3  # noqa: F401
        except ImportError:
            raise OutboxError(
                "An outbox needs the module sqlite3, which this Python was built without: "
                "use a Python that has it, such as your system's python3, or install SQLite's headers and build yours again."
            ) from None
        from .outbox import Outbox

        return Outbox(self, os.fspath(file), deadline_seconds=deadline_seconds, report=report)

    def send(
        self,
        method: str,
        path: str,
        body: Optional[str] = None,
        *,
        headers: Optional[Mapping[str, str]] = None,
        seconds: Optional[float] = None,
    ) -> Answer:
        """One request and its answer with any status. Redirects are not followed."""
        seconds = self._timeout if seconds is None else seconds
        all_headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", **(headers or {})}
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        connection = self._connection(seconds)
        results: List[Union[Answer, Exception]] = []

        def exchange() -> None:
            try:
                connection.connect()
                if results:
                    return  # It was given up while the name was being looked up.
                connection.request(method, self._prefix + path, body and body.encode(), all_headers)
                response = connection.getresponse()
                names = {name.lower(): value for name, value in response.getheaders()}
                results.append(Answer(response.status, names, _read(response)))
            except Exception as error:
                results.append(error)
            finally:
                connection.close()

        # In a separate thread, because a socket's timeout starts again with every byte, and looking up a name has no timeout.
        try:
            worker = threading.Thread(target=exchange, name="tillseal-request", daemon=True)
            worker.start()
        except RuntimeError as error:
            raise NoAnswerError(f"nothing was sent to {self._host}: {error}") from error
        worker.join(seconds)
        if not results:
            results.append(TimeoutError(f"none within {seconds:.1f} seconds"))
            _cut(connection.sock)
        result = results[0]
        if isinstance(result, Exception):
            raise NoAnswerError(f"no answer from {self._host}: {result or type(result).__name__}") from result
        return result

    def _object(self, *words: Any, **more: Any) -> Dict[str, Any]:
        result = self._call(*words, **more)
        if not isinstance(result, dict):
            raise NoAnswerError(f"what {self._host} answered is not Tillseal's")
        return result

    def _call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        seconds: Optional[float] = None,
    ) -> Any:
        if query:
            path += "?" + urlencode({name: value for name, value in query.items() if value is not None})
        text = None if body is None else exact_json.write(body)
        answer = self.send(method, path, text, headers=headers, seconds=seconds)
        if not 200 <= answer.status < 300:
            problem = ProblemError.of(answer.status, answer.text, answer.retry_after_seconds)
            if problem.code is None:
                raise NoAnswerError(f"what {self._host} answered is not Tillseal's: status {answer.status}")
            raise problem
        if not answer.body:
            return None
        if "json" not in answer.headers.get("content-type", ""):
            return answer.body
        try:
            return exact_json.read(answer.text)
        except ValueError as error:
            raise NoAnswerError(f"what {self._host} answered is not Tillseal's: {error}") from error

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)


def _read(response: http.client.HTTPResponse) -> bytes:
    body = bytearray()
    while True:
        piece = response.read(65536)
        body += piece
        if len(body) > LONGEST_ANSWER:
            raise ValueError(f"it is longer than {LONGEST_ANSWER} bytes")
        if not piece:
            break
    if response.length:
        # When it is read in pieces, a torn answer looks complete.
        raise http.client.IncompleteRead(bytes(body), response.length)
    return bytes(body)


def _cut(connected: Optional[socket.socket]) -> None:
    """Ends any wait for the socket. Not `SSLSocket.shutdown`, which would first talk to the other side."""
    try:
        if connected is not None:
            socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        pass
