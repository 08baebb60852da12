"""The results of an outbox. Times are in UTC; what is absent is None."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, List, Optional, Union

from .errors import ProblemError


@dataclass(frozen=True)
class LastFailure:
    at: datetime
    since: datetime
    """When the first attempt in a row failed."""
    message: str


@dataclass(frozen=True)
class Signed:
    reference: str
    number: Optional[int]
    receipt: Optional[Dict[str, Any]]
    """Tillseal's answer. None only for a sale that was signed more than a minute ago and is sold again while Tillseal is away."""
    clock_ahead_seconds: Optional[int]
    """By how much the receipt's date was ahead of Tillseal's clock."""


@dataclass(frozen=True)
class Queued:
    """It is on the disk, and will be sealed when Tillseal can be reached."""

    reference: str
    last_failure: Optional[LastFailure]


@dataclass(frozen=True)
class SetAside:
    """It was refused because of its content. Fix the cause and `retry` it, or `discard` it and sell a corrected one."""

    reference: str
    problem: ProblemError


Outcome = Union[Signed, Queued, SetAside]


@dataclass(frozen=True)
class Halted:
    """Nothing of this token or address passes. It is tried again every five minutes, and immediately after `resume`."""

    since: datetime
    problem: ProblemError


@dataclass(frozen=True)
class Status:
    queued: int
    oldest: Optional[datetime]
    """When the first of the queued ones was sold."""
    last_failure: Optional[LastFailure]
    set_aside: List[SetAside]
    halted: Optional[Halted]


@dataclass(frozen=True)
class Sale:
    reference: str
    state: str
    """`Queued`, `Signed`, `SetAside` or `Discarded`."""
    sold_at: datetime
    attempts: int
    number: Optional[int]
    receipt: Optional[Dict[str, Any]]
    problem: Optional[ProblemError]
    last_failure: Optional[LastFailure]


@dataclass(frozen=True)
class Drained:
    signed: int
    set_aside: int
    status: Status


@dataclass(frozen=True)
class Report:
    kind: str
    """`SetAside`, `Halted`, `Stuck`, `Stranger`, `ClockAhead`, `SignedAfterAll` or `Failed`."""
    message: str
    reference: Optional[str] = None
    problem: Optional[ProblemError] = None


Tell = Callable[[Report], None]
