"""The tax sums of a receipt by the published rules, so that a till can show totals while it is offline."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

Exact = Union[Decimal, int, str]


@dataclass(frozen=True)
class TaxSums:
    taxes: List[Dict[str, Optional[Decimal]]]
    """The receipt's `Taxes`, in the order in which the percentages first appear on its lines."""
    total_amount: Decimal
    """The receipt's `TotalAmount`."""


def tax_sums(lines: Sequence[Mapping[str, Any]], is_tax_inclusive: bool) -> TaxSums:
    """From `ReceiptLines` (`LineTotal`, `TaxPercent`; None is exempt) and `ReceiptLinesTaxInclusive`.

    Tax is computed once for each percentage, on the sum of its lines, and rounded to cents, half to even.
    """
    sums: Dict[Optional[Decimal], Fraction] = {}
    for line in lines:
        percent = None if line["TaxPercent"] is None else _exact(line["TaxPercent"])
        sums[percent] = sums.get(percent, Fraction()) + Fraction(_exact(line["LineTotal"]))

    taxes: List[Dict[str, Optional[Decimal]]] = []
    total = Fraction()
    for percent, amount in sums.items():
        rate = Fraction(percent or 0) / 100
        # `round` of a fraction is exact, and half to even.
        tax = amount - round(amount / (1 + rate), 2) if is_tax_inclusive else round(amount * rate, 2)
        sales = amount if is_tax_inclusive else amount + tax
        total += sales
        taxes.append({"TaxPercent": percent, "SalesAmountWithTax": _cents(sales), "TaxAmount": _cents(tax)})
    return TaxSums(taxes, _cents(total))


def _exact(value: Exact) -> Decimal:
    if isinstance(value, float):
        raise TypeError(f"{value!r} is not exact: write amounts as Decimal('12.50')")
    return Decimal(value)


def _cents(amount: Fraction) -> Decimal:
    cents = amount * 100
    if cents.denominator != 1:
        raise ValueError("a LineTotal has at most 2 decimals")
    # From its digits, not by a division: that would round to the precision of the caller's context.
    return Decimal(f"{cents.numerator}E-2")
