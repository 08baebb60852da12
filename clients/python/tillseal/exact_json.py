"""JSON whose decimals stay exact: `Decimal` in Python, plain numbers on the wire, never a binary float between them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Mapping


def read(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)
    except (RecursionError, ArithmeticError) as error:
        # Thousands of nested brackets, or an exponent of twenty digits.
        raise ValueError(f"not JSON that can be read: {error}") from None


def write(value: Any) -> str:
    """Written here, because `json.dumps` knows no numbers but int and float."""
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    if isinstance(value, (float, Decimal)):
        raise TypeError(f"{value!r} is not exact: write amounts as Decimal('12.50')")
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
