"""The outbox: what was sold is on the disk before it is sent, and is sealed exactly once, in order (docs/outbox.md)."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple, Union

from . import exact_json
from .client import Answer, Client
from .errors import NoAnswer, OutboxError, Problem
from .journal import Journal, Record, Sale
from .locks import Held

ATTEMPT_SECONDS = 30.0
LONGEST_WAIT_SECONDS = 60.0
LOOK_AGAIN_SECONDS = 0.05
COMPACT_SECONDS = 60.0
_log = logging.getLogger("tillseal")


@dataclass(frozen=True)
class Signed:
    reference: str
    receipt: Dict[str, Any]
    """The answer of Tillseal: the receipt with its seal."""


@dataclass(frozen=True)
class Queued:
    """It is in the journal, and will be sealed when Tillseal can be reached."""

    reference: str


@dataclass(frozen=True)
class Refused:
    """It is parked. `discard` it and sell a corrected one, or mend the cause and `retry` it."""

    reference: str
    problem: Problem


@dataclass(frozen=True)
class Parked:
    reference: str
    problem: Problem


@dataclass(frozen=True)
class Halted:
    """The token was refused. Nothing is sent until `resume`."""

    problem: Problem


@dataclass(frozen=True)
class Status:
    open: int
    oldest: Optional[str]
    """When the first of the open ones was sold; None when there is none."""
    parked: List[Parked]
    halted: Optional[Halted]


Outcome = Union[Signed, Queued, Refused]
Report = Union[Parked, Halted, OutboxError]


class Outbox:
    """The sales of one or more devices in one file, which several threads and processes may share."""

    def __init__(
        self,
        path: str,
        client: Client,
        *,
        deadline: float = 5.0,
        report: Optional[Callable[[Report], None]] = None,
    ) -> None:
        """`report` hears of what a person has to do something about; by default it is logged as a warning."""
        self._journal = Journal(path)
        self._client = client
        self._deadline = deadline
        self._report = report or (lambda event: _log.warning("%s", event))
        self._waits: Dict[int, Tuple[float, int]] = {}
        """By device: until when (monotonic), and after how many failures in a row."""
        self._unsent: Set[str] = set()
        """By a `sell` that is still running, and with nothing before them on their device: their dates are not late."""
        self._compact_at = 0.0
        self._stopping = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._journal.refresh()
        with self._draining():
            pass  # Compacts what an earlier process left.

    def sell(self, receipt: Mapping[str, Any], *, deadline: Optional[float] = None) -> Outcome:
        """Takes a sale. Raises `OutboxError` if it cannot be written to the disk; never because of the network.

        The same receipt again is the same sale: after a crash, sell it again to learn what became of it.
        """
        reference, device = receipt.get("Reference"), receipt.get("AuthorityDeviceId")
        if not isinstance(reference, str) or not isinstance(device, int):
            raise ValueError("a receipt needs a Reference (str) and an AuthorityDeviceId (int)")
        body = exact_json.write(receipt)
        is_first = False

        def decide() -> Optional[Record]:
            nonlocal is_first
            is_first = not any(sale.device == device and sale.end is None for sale in self._journal.sales.values())
            known = self._journal.sales.get(reference)
            if known is None or known.end == "Discarded":
                return {"Kind": "Sale", "Reference": reference, "AuthorityDeviceId": device, "Body": body}
            if known.body != body:
                raise OutboxError(f"{reference} was already sold with other content: use a new Reference")
            return None

        if self._journal.append(decide) and is_first:
            self._unsent.add(reference)
        try:
            seconds = self._deadline if deadline is None else deadline
            return self._await_end(reference, device, time.monotonic() + seconds)
        except OutboxError as error:
            # The sale is in the journal, whatever has become of the disk since.
            self._report(error)
            return Queued(reference)
        finally:
            self._unsent.discard(reference)

    def drain(self) -> Status:
        """Sends what is open, as far as that is possible now. Sends nothing if another process is doing it."""
        with self._draining() as held:
            if held is not None:
                self._send_open(held)
        return self.status()

    def start(self) -> None:
        """Drains in the background, in a daemon thread, until `stop`."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tillseal-outbox", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Returns when the attempt that is on its way has ended."""
        if self._thread is not None:
            self._stopping.set()
            self._thread.join()
            self._thread = None
            self._stopping.clear()

    def status(self) -> Status:
        self._journal.refresh()
        sales = list(self._journal.sales.values())
        open_sales = [sale for sale in sales if sale.end is None]
        halt = self._journal.halt
        return Status(
            open=len(open_sales),
            oldest=open_sales[0].at if open_sales else None,
            parked=[Parked(sale.reference, _problem(sale)) for sale in sales if sale.end == "Parked"],
            halted=Halted(Problem.of(halt.status, halt.answer)) if halt else None,
        )

    def retry(self, reference: str) -> None:
        """Opens a parked sale again, at its old place."""
        self._settle("Retried", reference)

    def discard(self, reference: str) -> None:
        """Gives a parked sale up. Its Reference is free for a corrected one."""
        self._settle("Discarded", reference)

    def resume(self) -> None:
        """Ends a halt, when the token is good again."""
        self._journal.append(lambda: {"Kind": "Resumed"} if self._journal.halt else None)
        self._waits.clear()

    def _settle(self, kind: str, reference: str) -> None:
        def decide() -> Record:
            sale = self._journal.sales.get(reference)
            if sale is None or sale.end != "Parked":
                raise OutboxError(f"{reference} is not parked")
            return {"Kind": kind, "Reference": reference}

        self._journal.append(decide)

    def _await_end(self, reference: str, device: int, until: float) -> Outcome:
        """The end of a sale that is in the journal, which this process sends unless another one is sending."""
        while True:
            self._journal.refresh()
            sale = self._journal.sales.get(reference)
            if sale is not None and sale.end == "Signed":
                return Signed(reference, exact_json.read(sale.answer))
            if sale is not None and sale.end == "Parked":
                return Refused(reference, _problem(sale))
            if self._journal.halt or max(time.monotonic(), self._due(device)) >= until:
                return Queued(reference)
            if self._due(device) <= time.monotonic():
                with self._draining() as held:
                    outcome = self._send_open(held, until, device, reference) if held is not None else None
                if outcome is not None:
                    return outcome
            time.sleep(LOOK_AGAIN_SECONDS)

    # Draining.

    def _run(self) -> None:
        while not self._stopping.wait(1.0):
            try:
                self.drain()
            except OutboxError as error:
                self._report(error)

    @contextmanager
    def _draining(self) -> Iterator[Optional[Held]]:
        """The drain lock, or None if another has it. Compacts in the end."""
        held: Optional[Held] = None
        try:
            held = self._journal.drain_lock.try_take()
            yield held
            if held is not None:
                self._compact(held)
        except OSError as error:
            raise OutboxError(f"{self._journal.path} cannot be drained: {error.strerror or error}") from error
        finally:
            if held is not None:
                held.release()

    def _compact(self, held: Held) -> None:
        if time.monotonic() < self._compact_at:
            return
        self._compact_at = time.monotonic() + COMPACT_SECONDS
        try:
            self._journal.compact(held)
        except OutboxError as error:
            # The disk is full, for example. The journal is as good as before.
            self._report(error)

    def _send_open(
        self, held: Held, until: float = math.inf, device: Optional[int] = None, wanted: Optional[str] = None
    ) -> Optional[Outcome]:
        """Sends the first open sale of each device (or of one), again and again, until none is left that may be sent now.

        With `wanted` only up to that sale, whose outcome it gives.
        """
        while True:
            self._journal.refresh(flushed=True)
            firsts = self._firsts_due(device)
            if not firsts or (wanted is not None and not self._is_open(wanted)):
                return None
            for sale in firsts:
                seconds = min(ATTEMPT_SECONDS, until - time.monotonic())
                if self._journal.halt or self._stopping.is_set() or seconds <= 0 or not held.is_mine():
                    return None
                held.renew()
                outcome = self._attempt(held, sale, seconds)
                if sale.reference == wanted:
                    return outcome

    def _attempt(self, held: Held, sale: Sale, seconds: float) -> Optional[Outcome]:
        is_late = sale.reference not in self._unsent
        self._unsent.discard(sale.reference)
        headers = {"Late-Receipt": "true"} if is_late else None
        try:
            answer = self._client.send("POST", "/api/receipt/sign", sale.body, headers=headers, timeout=seconds)
        except NoAnswer:
            self._wait(sale.device)
            return None
        problem = Problem.of(answer.status, answer.text)
        outcome: Optional[Outcome] = None
        report: Optional[Report] = None
        record: Record = {"Kind": _ending(answer, problem, sale), "Answer": answer.text}
        if record["Kind"] == "Signed":
            record["Reference"] = sale.reference
            outcome = Signed(sale.reference, exact_json.read(answer.text))
        elif record["Kind"] == "Parked":
            record.update(Reference=sale.reference, Status=answer.status)
            outcome, report = Refused(sale.reference, problem), Parked(sale.reference, problem)
        elif record["Kind"] == "Halted":
            record["Status"] = answer.status
            report = Halted(problem)
        else:
            self._wait(sale.device, answer.retry_after)
            return None
        self._waits.pop(sale.device, None)
        if not held.is_mine():
            return None  # Another process has sent it too by now, and writes what became of it.
        try:
            self._journal.append(lambda: record if self._is_open(sale.reference) else None)
        except OutboxError as error:
            # It stays open; sending it again will get the same answer.
            self._wait(sale.device)
            self._report(error)
        if report is not None:
            self._report(report)
        return outcome

    def _firsts_due(self, device: Optional[int]) -> List[Sale]:
        firsts: Dict[int, Sale] = {}
        # A copy, because another thread may be selling.
        for sale in list(self._journal.sales.values()):
            if sale.end is None and device in (None, sale.device):
                firsts.setdefault(sale.device, sale)
        return [sale for sale in firsts.values() if self._due(sale.device) <= time.monotonic()]

    def _is_open(self, reference: str) -> bool:
        sale = self._journal.sales.get(reference)
        return sale is not None and sale.end is None

    def _due(self, device: int) -> float:
        return self._waits.get(device, (0.0, 0))[0]

    def _wait(self, device: int, retry_after: Optional[float] = None) -> None:
        failures = self._waits.get(device, (0.0, 0))[1]
        seconds = retry_after or min(2.0**failures, LONGEST_WAIT_SECONDS)
        # Not all tills at the same moment.
        self._waits[device] = (time.monotonic() + seconds * random.uniform(1.0, 1.2), failures + 1)


def _problem(sale: Sale) -> Problem:
    return Problem.of(sale.status, sale.answer)


def _ending(answer: Answer, problem: Problem, sale: Sale) -> Optional[str]:
    """The record that an answer leads to; None: try again. What is not from Tillseal, a log-in page for example, is none."""
    if answer.status == 200:
        return "Signed" if _is_seal(answer.text, sale.reference) else None
    if answer.status in (400, 401, 403, 409) and not problem.code:
        return None
    if answer.status in (401, 403):
        return "Halted"
    if answer.status == 400 and any(error.code == "RCPT031" for error in problem.errors):
        return None  # The till's clock is ahead of Tillseal's.
    return "Parked" if answer.status in (400, 409, 413, 415) else None


def _is_seal(text: str, reference: str) -> bool:
    try:
        sealed = exact_json.read(text)
    except ValueError:
        return False
    return isinstance(sealed, dict) and sealed.get("Reference") == reference and "DeviceSignature" in sealed
