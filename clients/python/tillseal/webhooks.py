"""Webhooks of Tillseal, signed as Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from typing import Any, Mapping, Optional, Union

from . import exact_json
from .errors import WebhookError

TOLERANCE_SECONDS = 300


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: Union[bytes, str], *, now: Optional[float] = None
) -> Any:
    """The JSON of a webhook that is genuine and not older than five minutes; raises `WebhookError` otherwise.

    `body` is what was received, byte for byte: JSON that was read and written again has another signature.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message, moment, signatures = (given[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise WebhookError(f"the header {error.args[0]} is missing") from None
    if not re.fullmatch("[0-9]{1,12}", moment):
        raise WebhookError("webhook-timestamp is not a number of seconds")
    age = abs((time.time() if now is None else now) - int(moment))
    if age > TOLERANCE_SECONDS:
        raise WebhookError(f"webhook-timestamp is {age:.0f} seconds away from this machine's clock")

    raw = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    signed = f"{message}.{moment}.".encode("utf-8", "replace") + raw
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Several while a secret is being replaced.
    if not any(hmac.compare_digest(expected, one.encode("utf-8", "replace")) for one in signatures.split(" ")):
        raise WebhookError("webhook-signature does not match the body and the secret")
    return exact_json.read(raw.decode()) if raw else None
