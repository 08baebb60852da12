"""What an answer to a sign request means for the sale (docs/outbox.md, "What the answer means")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional

from . import exact_json
from .client import Answer
from .errors import ProblemError


@dataclass(frozen=True)
class Verdict:
    kind: str
    """`Signed`, `Again`, `SetAside` or `Stop`."""
    words: str = ""
    """Of any but `Signed`, for people."""
    is_stranger: bool = False
    """Something answered that is not Tillseal."""
    answer: Optional[Answer] = None
    """If it is from Tillseal."""
    receipt: Optional[Dict[str, Any]] = None
    problem: Optional[ProblemError] = None
    after_seconds: Optional[int] = None

    @property
    def is_misdated(self) -> bool:
        """Only its date is wrong: the till's clock is behind or ahead."""
        return self.problem is not None and self.problem.status == 400 and _has_only(self.problem, "RCPT030", "RCPT031")


def judge(reference: str, answer: Answer) -> Verdict:
    if answer.status == 200:
        receipt = _sealed(answer.text, reference)
        if receipt is not None:
            return Verdict("Signed", answer=answer, receipt=receipt)
    else:
        problem = ProblemError.of(answer.status, answer.text, answer.retry_after_seconds)
        if problem.code is not None:
            after = answer.retry_after_seconds
            after = after if after is None else min(max(after, 1), 300)
            return Verdict(_then(problem), str(problem), answer=answer, problem=problem, after_seconds=after)
    kind = answer.headers.get("content-type", "no content type")
    return Verdict("Again", f"what answered is not Tillseal: status {answer.status}, {kind}", is_stranger=True)


def _then(problem: ProblemError) -> str:
    if problem.then in ("Again", "SetAside", "Stop"):
        return problem.then
    # An older service, whose answers have no `Then`.
    if problem.status in (401, 403):
        return "Stop"
    passes = problem.code == "DeviceBlocked" or _has_only(problem, "DeviceBlocked", "RCPT031")
    return "SetAside" if problem.status in (400, 409, 413, 415) and not passes else "Again"


def _has_only(problem: ProblemError, *codes: str) -> bool:
    return bool(problem.errors) and all(error.code in codes for error in problem.errors)


def _sealed(text: str, reference: str) -> Optional[Dict[str, Any]]:
    try:
        receipt = exact_json.read(text)
    except ValueError:
        return None
    if not isinstance(receipt, dict) or receipt.get("Reference") != reference:
        return None
    return receipt if isinstance(receipt.get("DeviceSignature"), str) else None
