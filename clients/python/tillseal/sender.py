"""Sending what is queued: claiming, one attempt, and recording the result (docs/outbox.md, "Sending")."""

from __future__ import annotations

import contextlib
import logging
import math
import random
import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from sqlite3 import Connection, Row
from typing import Any, Dict, List, Optional, Tuple, Union

from .client import Client
from .errors import NoAnswerError, OutboxError
from .outbox_file import OutboxFile
from .outcomes import Report, SetAside, Signed, Tell
from .verdict import Verdict, judge

ATTEMPT_SECONDS = 30.0
LEASE_MS = 5000
LONGEST_WAIT_SECONDS = 60
FIVE_MINUTES = 300
HOUR = 3600
REPORTED_EVERY = {"Stuck": HOUR, "Stranger": FIVE_MINUTES, "ClockAhead": FIVE_MINUTES, "Failed": FIVE_MINUTES}
End = Union[Signed, SetAside]
_log = logging.getLogger("tillseal")


@dataclass(frozen=True)
class Claim:
    """An attempt that is counted in the file and may now be sent."""

    place: int
    reference: str
    device: int
    body: str
    attempt: int
    is_late: bool
    backlog: str


class Sender:
    def __init__(self, client: Client, file: OutboxFile, report: Optional[Tell], clock: Any) -> None:
        self._client = client
        self._file = file
        self._report = report or (lambda report: _log.warning("%s", report.message))
        self._clock = clock
        self._waits: Dict[int, Tuple[float, int]] = {}
        """By device: until when (monotonic), and after how many failures in a row."""
        self._told: Dict[Tuple[str, Optional[int]], float] = {}
        """When (monotonic) it was last reported."""

    def is_halted(self, db: Connection) -> bool:
        """False when a try is due: every five minutes, or when the clock has been set back."""
        meta = db.execute("select halted_at, tried_at from meta").fetchone()
        return meta["halted_at"] is not None and 0 <= self._now() - (meta["tried_at"] or 0) < FIVE_MINUTES

    def claim(self, db: Connection, device: int, *, is_late: bool = True) -> Optional[Claim]:
        """The next attempt of a device, if it may be sent now."""
        first, now = first_queued(db, device), self._clock.time()
        if first is None or self.is_halted(db) or 0 < first["leased_until"] - now * 1000 <= LEASE_MS:
            return None
        db.execute(
            "update sales set attempts = attempts + 1, leased_until = ? where place = ?",
            [int(now * 1000) + LEASE_MS, first["place"]],
        )
        db.execute("update meta set tried_at = ? where halted_at is not null", [int(now)])
        queued = "select count(*) from sales where state = 'Queued' and device = ?"
        waiting, seconds = db.execute(queued, [device]).fetchone()[0], max(0, int(now) - first["sold_at"])
        backlog = f"waiting={waiting}, seconds={seconds}"
        place, reference, body, attempts = (first[name] for name in ("place", "reference", "body", "attempts"))
        return Claim(place, reference, device, body, attempts + 1, is_late, backlog)

    def attempt(self, claim: Claim, seconds: float = ATTEMPT_SECONDS) -> Optional[End]:
        """Sends it, records the result and reports it. Returns the sale's end, if it has ended."""
        verdict = self._send(claim, seconds)
        if verdict.is_misdated and not claim.is_late:
            # As a late receipt it gets an acceptable date, so it is immediately sent as one.
            verdict = replace(verdict, kind="Again")
        elif verdict.kind == "Again":
            self._wait(claim.device, verdict.after_seconds)
        else:
            self._waits.pop(claim.device, None)
            if verdict.kind != "Stop":
                self._told.pop(("Stuck", claim.device), None)
        signed = _signed(verdict, claim.reference)
        try:
            state, reports, stuck = self._file.transaction(lambda db: self._record(db, claim, verdict, signed))
        except OutboxError as error:
            # It stays queued, and the next attempt gets the same answer.
            self._wait(claim.device)
            words = f"what became of {claim.reference} could not be recorded: {error}"
            self.tell_seldom(Report("Failed", words, claim.reference), claim.device)
            return signed
        for sale in stuck:
            words = f"{sale['reference']} has failed since {moment(sale['failing_since'])}: {sale['failure']}"
            self.tell_seldom(Report("Stuck", words, sale["reference"], verdict.problem), sale["device"])
        for report in reports:
            self.tell_seldom(report, claim.device)
        if verdict.kind == "SetAside" and verdict.problem is not None and state == "Queued":
            return SetAside(claim.reference, verdict.problem)
        return signed

    def due(self, device: int) -> float:
        """Until when (monotonic) it waits."""
        return self._waits.get(device, (-math.inf, 0))[0]

    def tell_seldom(self, report: Report, device: Optional[int] = None) -> None:
        """The same report is not repeated too soon."""
        now, key = self._clock.monotonic(), (report.kind, device)
        if now - self._told.get(key, -math.inf) >= REPORTED_EVERY.get(report.kind, 0):
            self._told[key] = now
            self.tell(report)

    def tell(self, report: Report) -> None:
        try:
            self._report(report)
        except (Exception, SystemExit):
            # Logging fails, too, when standard error is closed.
            with contextlib.suppress(Exception, SystemExit):
                _log.exception("the outbox's report function failed with: %s", report.message)

    def _send(self, claim: Claim, seconds: float) -> Verdict:
        if seconds <= 0:
            return Verdict("Again", "the time was up before it was sent")
        headers = {"Outbox-Backlog": claim.backlog, **({"Late-Receipt": "true"} if claim.is_late else {})}
        try:
            answer = self._client.send("POST", "/api/receipt/sign", claim.body, headers=headers, seconds=seconds)
        except NoAnswerError as error:
            return Verdict("Again", str(error))
        return judge(claim.reference, answer)

    def _wait(self, device: int, after_seconds: Optional[int] = None) -> None:
        failures = self._waits.get(device, (0.0, 0))[1]
        seconds = after_seconds or min(2 ** min(failures, 6), LONGEST_WAIT_SECONDS)
        # So that tills do not all come back at the same moment.
        self._waits[device] = (self._clock.monotonic() + seconds * random.uniform(1.0, 1.2), failures + 1)

    def _record(
        self, db: Connection, claim: Claim, verdict: Verdict, signed: Optional[Signed]
    ) -> Tuple[str, List[Report], List[Row]]:
        """Its state before, what is to be reported, and the sales that are stuck."""
        now, reference, answer, problem = self._now(), claim.reference, verdict.answer, verdict.problem
        reports: List[Report] = []
        stuck: List[Row] = []
        row = db.execute("select * from sales where place = ?", [claim.place]).fetchone()
        if row is None:
            # It was discarded, and its Reference sold again.
            row = {"state": "Discarded", "answered": claim.attempt}
        state = row["state"]

        def update(assignments: str, *values: Any) -> None:
            db.execute(f"update sales set {assignments} where place = ?", [*values, claim.place])

        ended = "state = ?, ended_at = ?, failing_since = null, failed_at = null, failure = null"
        update("leased_until = 0")
        # Only a seal changes a sale that has ended. An end is recorded even if a later attempt was answered earlier.
        is_kept = state == "Queued" and (claim.attempt > row["answered"] or verdict.kind == "SetAside")
        if answer is not None and (is_kept or (signed is not None and state != "Signed")):
            update("answered = ?, status = ?, answer = ?", claim.attempt, answer.status, answer.text)
        if answer is not None and verdict.kind != "Stop":
            end_halt(db)

        if signed is not None:
            if state != "Signed":
                update("number = ?, clock_ahead = ?", signed.number, signed.clock_ahead_seconds)
                update(ended, "Signed", now)
            if state in ("SetAside", "Discarded"):
                was = "set aside" if state == "SetAside" else "discarded"
                words = f"{reference} was sealed as number {signed.number} after all: it had been {was}"
                reports.append(Report("SignedAfterAll", words, reference))
            if signed.clock_ahead_seconds is not None:
                words = f"this till's clock is {signed.clock_ahead_seconds} seconds ahead of Tillseal's"
                reports.append(Report("ClockAhead", words, reference))
        elif verdict.kind == "SetAside":
            if state == "Queued":
                update(ended, "SetAside", now)
                reports.append(Report("SetAside", f"{reference} was set aside: {verdict.words}", reference, problem))
        elif state == "Queued":
            # Half a character, which JSON allows, cannot be stored.
            failure = verdict.words.encode("utf-8", "replace").decode()[:500]
            update("failing_since = coalesce(failing_since, ?), failed_at = ?, failure = ?", now, now, failure)
            # During a halt one device is tried for all of them.
            query = "select * from sales where state = 'Queued' and failing_since <= ? and (place = ? or ?) order by device, place"
            stuck = db.execute(query, [now - FIVE_MINUTES, claim.place, verdict.kind == "Stop"]).fetchall()

        if verdict.is_stranger:
            reports.append(Report("Stranger", verdict.words, reference))
        if verdict.kind == "Stop" and answer is not None:
            if db.execute("select halted_at from meta").fetchone()["halted_at"] is None:
                reports.append(Report("Halted", f"nothing is sent: {verdict.words}", reference, problem))
            db.execute(
                "update meta set halted_at = coalesce(halted_at, ?), halted_status = ?, halted_answer = ?, tried_at = ?",
                [now, answer.status, answer.text, now],
            )
        return state, reports, stuck

    def _now(self) -> int:
        return int(self._clock.time())


def first_queued(db: Connection, device: int) -> Optional[Row]:
    query = "select * from sales where state = 'Queued' and device = ? order by place limit 1"
    row: Optional[Row] = db.execute(query, [device]).fetchone()
    return row


def end_halt(db: Connection) -> None:
    nothing = "halted_at = null, halted_status = null, halted_answer = null, tried_at = null"
    db.execute(f"update meta set {nothing} where halted_at is not null")


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)


def _signed(verdict: Verdict, reference: str) -> Optional[Signed]:
    if verdict.receipt is None or verdict.answer is None:
        return None
    number, advanced = verdict.receipt.get("GlobalCounter"), verdict.answer.headers.get("date-advanced", "")
    # `True` is an int too.
    number = number if type(number) is int and abs(number) < 2**63 else None
    clock_ahead = (-int(advanced) or None) if re.fullmatch("-[0-9]{1,9}", advanced) else None
    return Signed(reference, number, verdict.receipt, clock_ahead)
