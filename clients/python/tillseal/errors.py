"""What can go wrong. Everything that this package raises on purpose is a `TillsealError`, but for wrong arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional

from . import exact_json


class TillsealError(Exception):
    """The base of them all."""


class NoAnswerError(TillsealError):
    """There was no answer, or not one from Tillseal. Whether the request arrived is unknown: send the same again, unchanged."""


class OutboxError(TillsealError):
    """The outbox's file cannot be read or written, or does not allow what was asked. Raised by `sell`: nothing was sent."""


class WebhookError(TillsealError):
    """The webhook is not genuine, or too old. Answer it with 400."""


@dataclass(frozen=True)
class FieldError:
    field: str
    code: str
    message: str


class ProblemError(TillsealError):
    """Any answer from Tillseal but success. `code` is stable and in the error catalogue; `errors` names every wrong field."""

    def __init__(self, status: int, text: str, retry_after_seconds: Optional[int] = None) -> None:
        try:
            document = exact_json.read(text)
        except ValueError:
            document = None
        document = document if isinstance(document, dict) else {}
        self.status = status
        self.text = text
        self.retry_after_seconds = retry_after_seconds
        self.code = _text(document.get("Code"))
        self.title = _text(document.get("title"))
        self.detail = _text(document.get("detail"))
        self.then = _text(document.get("Then"))
        self.request_id = _text(document.get("requestId"))
        errors = document.get("errors")
        self.errors: List[FieldError] = [
            FieldError(_text(error.get("Field")) or "", _text(error.get("Code")) or "", _text(error.get("Message")) or "")
            for error in (errors if isinstance(errors, list) else [])
            if isinstance(error, dict)
        ]
        words = [f"{error.field}: {error.message}" for error in self.errors] or [self.detail or self.title or ""]
        super().__init__(" ".join([str(status), self.code or "", "; ".join(words)]).strip())

    @staticmethod
    def of(status: int, text: str, retry_after_seconds: Optional[int] = None) -> "ProblemError":
        """The error for the problem's status."""
        kind = UnavailableError if status >= 500 else _KINDS.get(status, ProblemError)
        return kind(status, text, retry_after_seconds)


class InvalidRequestError(ProblemError):
    """400, 413, 415: correct the request."""


class AccessDeniedError(ProblemError):
    """401, 403: use a valid token."""


class NotFoundError(ProblemError):
    """404: it does not exist, or is not yours."""


class ConflictError(ProblemError):
    """409: the reference is already used for other data; `errors` names the fields that differ."""


class UnavailableError(ProblemError):
    """429 and 5xx: send the same again after `retry_after_seconds`."""


_KINDS = {
    400: InvalidRequestError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    401: AccessDeniedError,
    403: AccessDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: UnavailableError,
}


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None
