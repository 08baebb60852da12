"""Tillseal for Python: sign fiscal receipts, with an outbox that survives the loss of the connection."""

from .client import Answer, Client
from .errors import AccessDeniedError, ConflictError, FieldError, InvalidRequestError, NoAnswerError, NotFoundError
from .errors import OutboxError, ProblemError, TillsealError, UnavailableError, WebhookError
from .outcomes import Drained, Halted, LastFailure, Outcome, Queued, Report, Sale, SetAside, Signed, Status
from .taxes import TaxSums, tax_sums
from .webhooks import verify_webhook

__version__ = "0.3.0"
__all__ = ["Answer", "Client", "TaxSums", "tax_sums", "verify_webhook"]
__all__ += ["AccessDeniedError", "ConflictError", "FieldError", "InvalidRequestError", "NoAnswerError", "NotFoundError"]
__all__ += ["OutboxError", "ProblemError", "TillsealError", "UnavailableError", "WebhookError"]
__all__ += ["Drained", "Halted", "LastFailure", "Outcome", "Queued", "Report", "Sale", "SetAside", "Signed", "Status"]
