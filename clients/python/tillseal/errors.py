"""What can go wrong. Everything that this package raises on purpose is a `TillsealError`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional

from . import exact_json


class TillsealError(Exception):
    """The base of them all."""


class NoAnswer(TillsealError):
    """No answer came. Whether the request was carried out is unknown; sending a receipt again, unchanged, settles it."""


class OutboxError(TillsealError):
    """The journal cannot be written or read. Raised by `sell`, it means that the sale was not taken and nothing was sent."""


class JournalDamaged(OutboxError):
    """A line in the middle of the journal is wrong: the disk is damaged. The file is left as it is."""

    def __init__(self, path: str, line: int) -> None:
        super().__init__(
            f"{path}: line {line} does not match its checksum, and there are lines behind it. The disk is damaged; "
            "nothing was changed. Copy the file, then remove that line from it."
        )
        self.line = line


class WebhookError(TillsealError):
    """The webhook is not from Tillseal, or too old. Answer it with 400."""


@dataclass(frozen=True)
class FieldError:
    field: str
    code: str
    message: str


class Problem(TillsealError):
    """An answer other than success. `code` is stable and in the error catalogue; `errors` names every wrong field."""

    def __init__(self, status: int, text: str, retry_after: Optional[float] = None) -> None:
        try:
            document = exact_json.read(text)
        except ValueError:
            document = None
        document = document if isinstance(document, dict) else {}
        self.status = status
        self.retry_after = retry_after
        self.text = text
        self.code = _text(document.get("Code"))
        self.title = _text(document.get("title"))
        self.detail = _text(document.get("detail"))
        self.request_id = _text(document.get("requestId"))
        errors = document.get("errors")
        self.errors: List[FieldError] = [
            FieldError(_text(error.get("Field")), _text(error.get("Code")), _text(error.get("Message")))
            for error in (errors if isinstance(errors, list) else [])
            if isinstance(error, dict)
        ]
        words = [f"{error.field}: {error.message}" for error in self.errors] or [self.detail or self.title]
        super().__init__(" ".join([str(status), self.code, "; ".join(words)]).strip())

    @staticmethod
    def of(status: int, text: str, retry_after: Optional[float] = None) -> "Problem":
        """The problem as the type for its status."""
        kind = Unavailable if status >= 500 else _KINDS.get(status, Problem)
        return kind(status, text, retry_after)


class InvalidRequest(Problem):
    """400, 413, 415: the request is refused for what it is."""


class Unauthorized(Problem):
    """401, 403: the token is refused."""


class NotFound(Problem):
    """404: there is nothing of this name, or it is not yours."""


class Conflict(Problem):
    """409: the reference is taken by other content; `errors` names the differing fields."""


class Unavailable(Problem):
    """429 and 5xx: not now. Send the same request again after `retry_after` seconds."""


_KINDS = {
    400: InvalidRequest,
    413: InvalidRequest,
    415: InvalidRequest,
    401: Unauthorized,
    403: Unauthorized,
    404: NotFound,
    409: Conflict,
    429: Unavailable,
}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
