"""Tillseal for Python: sign fiscal receipts, with an outbox that survives the loss of the connection."""

from .client import Answer, Client
from .errors import (
    Conflict,
    FieldError,
    InvalidRequest,
    JournalDamaged,
    NoAnswer,
    NotFound,
    OutboxError,
    Problem,
    TillsealError,
    Unauthorized,
    Unavailable,
    WebhookError,
)
from .outbox import Halted, Outbox, Parked, Queued, Refused, Signed, Status
from .taxes import TaxSums, tax_sums
from .webhooks import verify_webhook

__version__ = "0.2.0"
__all__ = [
    "Answer",
    "Client",
    "Conflict",
    "FieldError",
    "Halted",
    "InvalidRequest",
    "JournalDamaged",
    "NoAnswer",
    "NotFound",
    "Outbox",
    "OutboxError",
    "Parked",
    "Problem",
    "Queued",
    "Refused",
    "Signed",
    "Status",
    "TaxSums",
    "TillsealError",
    "Unauthorized",
    "Unavailable",
    "WebhookError",
    "tax_sums",
    "verify_webhook",
]
