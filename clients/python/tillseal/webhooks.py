"""Webhooks of Tillseal, signed as Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import Any, Mapping, Optional, Union

from . import exact_json
from .errors import WebhookError


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: Union[bytes, str],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> Any:
    """The JSON of a webhook that is genuine and not older than `tolerance` seconds; raises `WebhookError` otherwise.

    `body` is what was received, byte for byte: JSON that was read and written again has another signature.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message, moment, signatures = (given[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
        age = abs((time.time() if now is None else now) - int(moment))
    except KeyError as error:
        raise WebhookError(f"the header {error.args[0]} is missing") from None
    except ValueError:
        raise WebhookError("webhook-timestamp is not a number of seconds") from None
    if age > tolerance:
        raise WebhookError(f"webhook-timestamp is {age:.0f} seconds away from this machine's clock")

    raw = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    digest = hmac.new(key, f"{message}.{moment}.".encode() + raw, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # Several while a secret is being replaced.
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")):
        raise WebhookError("webhook-signature does not match the body and the secret")
    return exact_json.read(raw.decode()) if raw else None
