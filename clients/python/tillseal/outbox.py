"""The outbox: every sale is on the disk before it is sent, and is sealed exactly once, in order (docs/outbox.md)."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from sqlite3 import Connection, Row
from typing import Any, List, Mapping, Optional, Tuple

from . import exact_json
from .client import Client
from .errors import NoAnswerError, OutboxError, ProblemError
from .outbox_file import CommitError, GoneError, OutboxFile
from .outcomes import Drained, Halted, LastFailure, Outcome, Queued, Report, Sale, SetAside, Signed, Status, Tell
from .sender import ATTEMPT_SECONDS, Claim, End, Sender, end_halt, first_queued, moment
from .verdict import judge

LOOK_AGAIN_SECONDS = 0.05
EMPTIED_SECONDS = 60
FORGOTTEN_SECONDS = 90 * 24 * 60 * 60
UNSEALED = ("MaintenanceWindow", "FiscalDayNotOpen", "FiscalDayTooLong", "TaxUnclear", "DeviceOnHold")
"""Codes of a 503 that prove that the receipt is not sealed."""


class Outbox:
    """The sales of one or more devices in one file, which threads and processes may share. `Client.open_outbox` opens it."""

    def __init__(
        self, client: Client, path: str, *, deadline_seconds: float, report: Optional[Tell], clock: Any = time
    ) -> None:
        self._client = client
        self._file = OutboxFile(path)
        self._deadline = deadline_seconds
        self._clock = clock
        self._sender = Sender(client, self._file, report, clock)
        self._empty_at = -math.inf
        self._stopping = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._empty()

    def sell(self, receipt: Mapping[str, Any], *, deadline_seconds: Optional[float] = None) -> Outcome:
        """Takes a sale. Raises `OutboxError` if it cannot be written to the disk; never because of the network.

        The same receipt again is the same sale: after a crash, sell it again to learn what became of it.
        """
        reference, device = receipt.get("Reference"), receipt.get("AuthorityDeviceId")
        if not isinstance(reference, str) or not reference or not isinstance(device, int) or not 0 <= device < 2**63:
            raise ValueError("a receipt needs a Reference (str) and an AuthorityDeviceId (int)")
        body = exact_json.write(receipt)
        until = self._clock.monotonic() + (self._deadline if deadline_seconds is None else deadline_seconds)
        place, claim = self._write(reference, device, body, until)
        try:
            return self._await_end(reference, place, device, body, until, claim)
        except GoneError:
            raise
        except OutboxError as error:
            # The sale is on the disk, even if the disk has failed since.
            self._sender.tell(Report("Failed", str(error), reference))
            return Queued(reference, None)
        finally:
            self._empty()

    def status(self) -> Status:
        """What waits, and why."""

        def look(db: Connection) -> Status:
            queued, oldest = db.execute("select count(*), min(sold_at) from sales where state = 'Queued'").fetchone()
            set_aside = db.execute("select * from sales where state = 'SetAside' order by place")
            since, status, answer = db.execute("select halted_at, halted_status, halted_answer from meta").fetchone()
            return Status(
                queued,
                oldest=None if oldest is None else moment(oldest),
                last_failure=_last_failure(_last_failed(db)),
                set_aside=[_set_aside(row) for row in set_aside],
                halted=None if since is None else Halted(moment(since), ProblemError.of(status, answer)),
            )

        return self._file.transaction(look, writes=False)

    def find(self, reference: str) -> Optional[Sale]:
        """What became of a sale; None if it is not there. It is deleted 90 days after its end."""

        def look(db: Connection) -> Optional[Sale]:
            row = db.execute("select * from sales where reference = ?", [reference]).fetchone()
            if row is None:
                return None
            state, sold_at, status, answer = row["state"], moment(row["sold_at"]), row["status"], row["answer"]
            receipt = exact_json.read(answer) if answer is not None and status == 200 else None
            problem = ProblemError.of(status, answer) if answer is not None and status != 200 else None
            return Sale(reference, state, sold_at, row["attempts"], row["number"], receipt, problem, _last_failure(row))

        return self._file.transaction(look, writes=False)

    def retry(self, reference: Optional[str] = None) -> None:
        """Queues a sale that is set aside again, at its old place; without a reference all of them."""

        def queue(db: Connection) -> None:
            again = "update sales set state = 'Queued', ended_at = null, leased_until = 0 where state = 'SetAside'"
            if reference is None:
                db.execute(again)
            elif db.execute(again + " and reference = ?", [reference]).rowcount == 0:
                raise OutboxError(f"{reference} is not set aside.")

        self._file.transaction(queue)

    def discard(self, reference: str) -> None:
        """Gives a sale up that is set aside, never sent or proved not to be sealed. Its Reference is free again."""

        def give_up(db: Connection) -> None:
            row = db.execute("select * from sales where reference = ?", [reference]).fetchone()
            if row is None or row["state"] not in ("SetAside", "Queued"):
                raise OutboxError(f"{reference} is neither set aside nor queued.")
            if row["state"] == "Queued" and not _is_surely_unsealed(row):
                raise OutboxError(f"{reference} may be sealed. It can be discarded after an answer that proves that it is not.")
            ended = "update sales set state = 'Discarded', ended_at = ?, leased_until = 0 where place = ?"
            db.execute(ended, [int(self._clock.time()), row["place"]])

        self._file.transaction(give_up)

    def resume(self) -> None:
        """Ends a halt, when the token is good again."""
        self._file.transaction(end_halt)

    def drain(self, *, within_seconds: float = 60.0) -> Drained:
        """Sends until nothing is queued, the outbox is halted or the time is up."""
        ended = self._send_queued(self._clock.monotonic() + within_seconds)
        self._empty()
        signed = sum(isinstance(one, Signed) for one in ended)
        return Drained(signed, len(ended) - signed, self.status())

    def start(self) -> None:
        """Drains in the background, in a daemon thread, until `stop`. After a fork the child has to start its own."""
        if self._thread is None or not self._thread.is_alive():
            self._stopping = threading.Event()
            self._thread = threading.Thread(target=self._run, args=[self._stopping], name="tillseal-outbox", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Returns when the current attempt has ended."""
        thread, self._thread = self._thread, None
        if thread is not None and thread.is_alive():
            self._stopping.set()
            if thread is not threading.current_thread():
                thread.join()

    def _write(self, reference: str, device: int, body: str, until: float) -> Tuple[int, Optional[Claim]]:
        """Its place, and its first attempt if it may be sent immediately."""
        sha256 = hashlib.sha256(body.encode()).hexdigest()
        written: Tuple[int, Optional[Claim]] = (0, None)

        def write(db: Connection) -> None:
            nonlocal written
            known = db.execute("select * from sales where reference = ?", [reference]).fetchone()
            if known is not None and known["state"] != "Discarded":
                if known["body_sha256"] != sha256:
                    raise self._other_data(known)
                written = known["place"], None
                return
            db.execute("delete from sales where reference = ?", [reference])
            is_sent = first_queued(db, device) is None and self._clock.monotonic() < until
            place = db.execute(
                "insert into sales (reference, device, sold_at, state, body, body_sha256, attempts, answered, leased_until)"
                " values (?, ?, ?, 'Queued', ?, ?, 0, 0, 0)",
                [reference, device, int(self._clock.time()), body, sha256],
            ).lastrowid
            written = place or 0, self._sender.claim(db, device, is_late=False) if is_sent else None

        try:
            self._file.transaction(write)
        except CommitError as error:
            # Perhaps only the last flush failed. Writing the row once more flushes it.
            again = "update sales set leased_until = leased_until + 1 where reference = ? and body_sha256 = ? and state <> 'Discarded'"
            try:
                is_there = self._file.transaction(lambda db: db.execute(again, [reference, sha256]).rowcount == 1)
            except OutboxError:
                is_there = False
            if not is_there:
                raise OutboxError(f"{error} Nothing was sent. The same receipt may be sold again, unchanged.") from error
        return written

    def _other_data(self, known: Row) -> OutboxError:
        reference, number = known["reference"], known["number"]
        signed = "signed" if number is None else f"signed as number {number}"
        state = {"Queued": "queued", "SetAside": "set aside"}.get(known["state"], signed)
        return OutboxError(
            f"{reference} is already in {self._file.path} ({state}) with other data. If this is the same sale, "
            f'do not sell it again: find("{reference}") says what became of it. '
            "If it is another sale, it needs a Reference of its own."
        )

    def _await_end(
        self, reference: str, place: int, device: int, body: str, until: float, claim: Optional[Claim]
    ) -> Outcome:
        while True:
            if claim is not None:
                end = self._sender.attempt(claim, min(ATTEMPT_SECONDS, until - self._clock.monotonic()))
                if end is not None and claim.place == place:
                    return end
            now, due = self._clock.monotonic(), self._sender.due(device)
            may_send = due <= now < until

            def look(db: Connection) -> Tuple[Optional[Row], Optional[Claim], Optional[Queued]]:
                row = db.execute("select * from sales where place = ?", [place]).fetchone()
                is_queued = row is not None and row["state"] == "Queued"
                claim = self._sender.claim(db, device) if is_queued and may_send else None
                is_over = claim is None and (max(now, due) >= until or self._sender.is_halted(db))
                return row, claim, Queued(reference, _last_failure(_last_failed(db, device))) if is_over else None

            row, claim, queued = self._file.transaction(look, writes=may_send)
            if row is None or row["state"] == "Discarded":
                raise GoneError(f"{reference} was discarded meanwhile.")
            if row["state"] == "Signed":
                return self._signed_before(row, body, until)
            if row["state"] == "SetAside":
                return _set_aside(row)
            if queued is not None:
                return queued
            if claim is None:
                self._clock.sleep(LOOK_AGAIN_SECONDS)

    def _signed_before(self, row: Row, body: str, until: float) -> Signed:
        """Ended by an earlier `sell` or another process. If its answer was removed, Tillseal is asked for the same seal."""
        reference, receipt = row["reference"], None
        seconds = min(ATTEMPT_SECONDS, until - self._clock.monotonic())
        if row["answer"] is not None:
            receipt = exact_json.read(row["answer"])
        elif seconds > 0:
            late = {"Late-Receipt": "true"}
            try:
                answer = self._client.send("POST", "/api/receipt/sign", body, headers=late, seconds=seconds)
                receipt = judge(reference, answer).receipt
            except NoAnswerError:
                pass
        return Signed(reference, row["number"], receipt, row["clock_ahead"])

    def _run(self, stopping: threading.Event) -> None:
        while not stopping.wait(1.0):
            try:
                self._send_queued(None, stopping)
                self._empty()
            except Exception as error:
                self._sender.tell_seldom(Report("Failed", str(error) or repr(error)))

    def _send_queued(self, until: Optional[float], stopping: Optional[threading.Event] = None) -> List[End]:
        """Each device in turn; returns what has ended. Without a time, until nothing can be sent at the moment."""
        ended: List[End] = []
        while True:
            is_idle = True
            devices = self._file.transaction(self._queued_devices, writes=False)
            for device in devices:
                if self._sender.due(device) > self._clock.monotonic():
                    continue
                claim = self._file.transaction(lambda db: self._sender.claim(db, device))
                if claim is not None:
                    is_idle = False
                    end = self._sender.attempt(claim)
                    ended += [end] if end is not None else []
                if stopping is not None and stopping.is_set():
                    return ended
            now = self._clock.monotonic()
            if not devices or (is_idle if until is None else now >= until):
                return ended
            if is_idle and until is not None:
                soonest = max(LOOK_AGAIN_SECONDS, min(self._sender.due(device) for device in devices) - now)
                self._clock.sleep(min(soonest, until - now, 1.0))

    def _queued_devices(self, db: Connection) -> List[int]:
        if self._sender.is_halted(db):
            return []
        return [device for (device,) in db.execute("select distinct device from sales where state = 'Queued'")]

    def _empty(self) -> None:
        """Removes what may be buyers' data as soon as it is not needed. If that fails, it is done a little later."""
        if self._clock.monotonic() < self._empty_at:
            return
        now = int(self._clock.time())

        def empty(db: Connection) -> None:
            # Each condition is that of an index.
            filled = "state in ('Signed', 'Discarded') and (body is not null or answer is not null)"
            db.execute(f"update sales set body = null, answer = null where {filled} and ended_at <= ?", [now - EMPTIED_SECONDS])
            old = "select place from sales where body is null and answer is null and ended_at <= ? limit 1000"
            db.execute(f"delete from sales where place in ({old})", [now - FORGOTTEN_SECONDS])

        try:
            self._file.transaction(empty, patience_seconds=0)
            self._empty_at = self._clock.monotonic() + EMPTIED_SECONDS
        except OutboxError:
            pass


def _is_surely_unsealed(row: Row) -> bool:
    if row["answered"] != row["attempts"]:
        return False
    if row["attempts"] == 0:
        return True
    return row["status"] == 400 or (row["status"] == 503 and ProblemError(503, row["answer"]).code in UNSEALED)


def _set_aside(row: Row) -> SetAside:
    return SetAside(row["reference"], ProblemError.of(row["status"], row["answer"]))


def _last_failed(db: Connection, device: Optional[int] = None) -> Optional[Row]:
    """The queued sale that failed last, of one device or of all."""
    query = (
        "select * from sales where state = 'Queued' and failed_at is not null and device = coalesce(?, device)"
        " order by failed_at desc limit 1"
    )
    row: Optional[Row] = db.execute(query, [device]).fetchone()
    return row


def _last_failure(row: Optional[Row]) -> Optional[LastFailure]:
    if row is None or row["failed_at"] is None:
        return None
    return LastFailure(moment(row["failed_at"]), moment(row["failing_since"]), row["failure"])
