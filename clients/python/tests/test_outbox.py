import multiprocessing
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from unittest import mock

from scripted_service import Reply, ScriptedService, receipt, refused, sealed

from tillseal import InvalidRequestError, OutboxError, Queued, SetAside, Signed
from tillseal.outbox import Outbox

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAR = 50
"""A deadline in seconds: a slow machine must not decide what becomes of a sale."""
AGAIN = {"then": "Again", "Retry_After": "300"}
"""The device would have to wait longer than the deadline, so what is not settled is queued at once."""
HAS_STRACE = shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"]).returncode == 0
"""Some containers have it and forbid it."""


class Clock:
    """Moves only when a test moves it, or when code sleeps."""

    def __init__(self) -> None:
        self.passed = 0.0

    def time(self) -> float:
        return 1_800_000_000 + self.passed

    def monotonic(self) -> float:
        return self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += seconds


class OutboxTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "till.outbox")
        self.service = ScriptedService().__enter__()
        self.addCleanup(self.service.__exit__)
        self.reports = []
        self.clock = Clock()

    def outbox(self, **options) -> Outbox:
        report = options.pop("report", self.reports.append)
        return Outbox(self.service.client, self.path, report=report, **{"deadline_seconds": FAR, **options})

    def reply_with(self, *replies: Reply) -> None:
        """These one after the other, then seals."""
        left = deque(replies)
        self.service.script = lambda asked: left.popleft() if left else sealed(asked)

    def kinds(self):
        return [report.kind for report in self.reports]

    def late(self):
        return [asked.headers.get("late-receipt") for asked in self.service.asked]

    def sql(self, text, *values):
        db = sqlite3.connect(self.path)
        try:
            with db:
                return db.execute(text, values).fetchall()
        finally:
            db.close()


class SellingTest(OutboxTest):
    def test_a_sale_is_on_the_disk_before_it_is_sent_and_is_signed_with_exact_decimals(self) -> None:
        on_disk = []

        def script(asked):
            on_disk.extend(self.sql("select state, attempts, body from sales"))
            return Reply(200, '{"Reference":"A-1","DeviceSignature":"x","GlobalCounter":5,"Total":9999999999999999.99}')

        self.service.script = script
        outcome = self.outbox().sell(receipt("A-1", Total=Decimal("9999999999999999.99"), Name="Mazoe – 2 ℓ"))
        [asked] = self.service.asked
        self.assertEqual(on_disk, [("Queued", 1, asked.text)])
        self.assertEqual((outcome.number, outcome.receipt["Total"]), (5, Decimal("9999999999999999.99")))
        self.assertIn('"Total":9999999999999999.99,"Name":"Mazoe – 2 ℓ"', asked.text)
        self.assertEqual(asked.headers["authorization"], "Bearer tsk_test")
        self.assertEqual(asked.headers["outbox-backlog"], "waiting=1, seconds=0")
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)

    def test_each_verdict_has_its_outcome_status_and_report(self) -> None:
        for number, (reply, kind, report) in enumerate((
            (refused(400, "InvalidRequest", "RCPT026"), "SetAside", ["SetAside"]),
            (refused(401, "Unauthorized"), "Stop", ["Halted"]),
            (refused(503, "MaintenanceWindow", **AGAIN), "Again", []),
            (Reply(200, "<html>Please log in</html>"), "Again", ["Stranger"]),
            (Reply(200, '{"Reference":"A-1","DeviceSignature":null}'), "Again", ["Stranger"]),
            (Reply(302, "", {"Location": "http://127.0.0.1:1/"}), "Again", ["Stranger"]),
            (Reply(503, "[" * 10**5), "Again", ["Stranger"]),
            (refused(503, "\ud800", Retry_After="²"), "Again", []),
        )):
            with self.subTest(reply=reply):
                self.path += str(number)
                self.reports.clear()
                self.service.script = lambda asked: reply
                outbox = self.outbox(deadline_seconds=1)
                outcome, status = outbox.sell(receipt("A-1")), outbox.status()
                self.assertEqual(type(outcome), SetAside if kind == "SetAside" else Queued)
                self.assertEqual([one.reference for one in status.set_aside], ["A-1"] if kind == "SetAside" else [])
                self.assertEqual(status.halted is not None, kind == "Stop")
                self.assertEqual(status.queued, 0 if kind == "SetAside" else 1)
                self.assertEqual(self.kinds(), report)
                if isinstance(outcome, Queued):
                    self.assertEqual(outcome.last_failure, status.last_failure)
                    self.assertTrue(status.last_failure.message)
                else:
                    self.assertEqual((type(outcome.problem), outcome.problem.errors[0].code), (InvalidRequestError, "RCPT026"))

    def test_a_lost_answer_is_settled_by_the_same_request_which_is_late(self) -> None:
        self.reply_with(Reply(is_lost=True))
        outbox = self.outbox()
        self.assertIsInstance(outbox.sell(receipt("A-1", Total=Decimal("1.50"))), Signed)
        self.assertEqual(self.service.asked[0].text, self.service.asked[1].text)
        self.assertEqual(self.late(), [None, "true"])
        self.assertEqual((outbox.find("A-1").attempts, outbox.find("A-1").last_failure), (2, None))

    def test_a_clock_that_is_wrong_is_answered_at_once_with_a_late_receipt(self) -> None:
        ahead = refused(400, "InvalidRequest", "RCPT031", then="Again")
        moved = Reply(200, '{"Reference":"A-1","DeviceSignature":"x","GlobalCounter":5}', {"Date-Advanced": "-600"})
        self.reply_with(ahead, moved)
        outbox = self.outbox(clock=self.clock)
        self.assertEqual(outbox.sell(receipt("A-1")).clock_ahead_seconds, 600)
        self.assertEqual((self.late(), self.clock.passed, self.kinds()), ([None, "true"], 0, ["ClockAhead"]))
        behind = refused(400, "InvalidRequest", "RCPT030", then="SetAside")
        self.reply_with(behind)
        self.assertIsInstance(outbox.sell(receipt("A-2")), Signed)
        self.reply_with(behind, behind)
        self.assertIsInstance(outbox.sell(receipt("A-3")), SetAside)
        self.reply_with(ahead, ahead)
        self.assertIsInstance(outbox.sell(receipt("A-4"), deadline_seconds=0.5), Queued)
        self.assertEqual((self.late(), self.clock.passed), ([None, "true"] * 4, 0))

    def test_a_number_is_a_whole_number_and_a_clock_that_is_ahead_by_nothing_is_not_ahead(self) -> None:
        for reference, number in (("A-1", "true"), ("A-2", "1.5"), ("A-3", '"17"'), ("A-4", str(2**63))):
            seal = f'{{"Reference":"{reference}","DeviceSignature":"x","GlobalCounter":{number}}}'
            self.reply_with(Reply(200, seal, {"Date-Advanced": "-0"}))
            outcome = self.outbox().sell(receipt(reference))
            self.assertEqual((type(outcome), outcome.number, outcome.clock_ahead_seconds), (Signed, None, None))
        self.assertEqual(self.sql("select distinct number, clock_ahead from sales"), [(None, None)])
        self.assertEqual(self.kinds(), [])

    def test_what_is_queued_tells_the_latest_failure_of_its_device(self) -> None:
        outbox = self.outbox(deadline_seconds=0, clock=self.clock)
        for number, device in ((1, 1), (2, 1), (3, 2)):
            outbox.sell(receipt(f"A-{number}", device))
            failed = "update sales set failing_since = 1, failed_at = ?, failure = reference where reference = ?"
            self.sql(failed, number, f"A-{number}")
        self.assertEqual(outbox.sell(receipt("A-1", 1)).last_failure.message, "A-2")
        self.assertEqual(outbox.status().last_failure.message, "A-3")

    def test_a_drain_ends_after_a_minute(self) -> None:
        self.service.script = lambda asked: refused(503, "Overloaded", **AGAIN)
        outbox = self.outbox(deadline_seconds=0, clock=self.clock)
        outbox.sell(receipt("A-1"))
        self.assertEqual(outbox.drain().status.queued, 1)
        self.assertAlmostEqual(self.clock.passed, 60)

    def test_waits_grow_to_a_minute_and_obey_only_a_sensible_retry_after_of_tillseal(self) -> None:
        outbox = self.outbox(clock=self.clock, deadline_seconds=0)
        outbox.sell(receipt("A-1"))
        page = Reply(503, "<html>", {"Retry-After": "86400"})
        replies = [(Reply(503, "<html>"), wait) for wait in (1, 2, 4, 8, 16, 32, 60)] + [(page, 60)] * 2
        for given, taken in (("0", 1), ("7", 7), ("86400", 300), ("9" * 30, 300), ("9" * 5000, 300), ("²", 60), ("1.5", 60)):
            replies.append((refused(503, "Overloaded", Retry_After=given), taken))
        for reply, wait in replies:
            self.service.script = lambda asked: reply
            outbox.drain(within_seconds=0)
            self.assertTrue(wait <= outbox._sender.due(1001) - self.clock.passed <= wait * 1.2, (reply, wait))
            self.clock.passed = outbox._sender.due(1001)
        outbox._sender._waits[1001] = (0, 5000)
        outbox.drain(within_seconds=0)
        self.assertLessEqual(outbox._sender.due(1001) - self.clock.passed, 72)

    def test_nobody_waits_for_what_will_not_come_in_time_and_a_new_process_tries_at_once(self) -> None:
        self.reply_with(refused(503, "FiscalDayNotOpen", **AGAIN))
        outbox = self.outbox(clock=self.clock)
        self.assertIsInstance(outbox.sell(receipt("A-1")), Queued)
        self.assertIsInstance(outbox.sell(receipt("A-2")), Queued)
        self.assertEqual(outbox.drain(within_seconds=0).status.queued, 2)
        self.assertEqual((len(self.service.asked), self.clock.passed), (1, 0))
        self.clock.passed = 9
        drained = self.outbox(clock=self.clock).drain()
        self.assertEqual((drained.signed, drained.set_aside, drained.status.queued), (2, 0, 0))
        self.assertEqual(self.service.references(), ["A-1", "A-1", "A-2"])
        self.assertEqual(self.late(), [None, "true", "true"])
        self.assertEqual(self.service.asked[1].headers["outbox-backlog"], "waiting=2, seconds=9")

    def test_a_device_that_has_to_wait_holds_up_only_itself_and_keeps_its_order(self) -> None:
        busy = refused(429, "DeviceBusy", **AGAIN)
        self.service.script = lambda asked: busy if '"AuthorityDeviceId":1,' in asked.text else sealed(asked)
        outbox = self.outbox(deadline_seconds=0)
        for number in range(3):
            for device in (1, 2):
                outbox.sell(receipt(f"{device}-{number}", device))
        self.assertEqual(outbox.drain(within_seconds=1).signed, 3)
        self.assertEqual([one for one in self.service.references() if one[0] == "2"], ["2-0", "2-1", "2-2"])
        self.service.script = sealed
        self.service.asked.clear()
        self.assertIsInstance(self.outbox().sell(receipt("1-3", 1)), Signed)
        self.assertEqual(self.service.references(), ["1-0", "1-1", "1-2", "1-3"])
        self.assertEqual(self.late(), ["true"] * 4)

    def test_the_deadline_holds_though_the_name_is_not_found(self) -> None:
        started = time.monotonic()
        with mock.patch("socket.getaddrinfo", lambda *_: time.sleep(30)):
            outcome = self.outbox(deadline_seconds=0.5).sell(receipt("A-1"))
        self.assertIn("none within", outcome.last_failure.message)
        self.assertLess(time.monotonic() - started, 20)

    def test_threads_that_sell_at_once_send_each_sale_once(self) -> None:
        outbox = self.outbox()
        with ThreadPoolExecutor(12) as threads:
            outcomes = list(threads.map(lambda number: outbox.sell(receipt(f"A-{number}")), range(12)))
        self.assertEqual({type(outcome) for outcome in outcomes}, {Signed})
        self.assertEqual(self.service.references(), [row[0] for row in self.sql("select reference from sales order by place")])

    def test_what_a_sale_must_have(self) -> None:
        outbox = self.outbox()
        for wrong, error in (
            ({"Reference": "A-1"}, ValueError),
            (receipt("A-1", 2**63), ValueError),
            (receipt("\ud800"), ValueError),
            (receipt("A-1", TotalAmount=1.1), TypeError),
        ):
            with self.assertRaises(error):
                outbox.sell(wrong)
        self.assertEqual(outbox.status().queued, 0)


class PersonTest(OutboxTest):
    def test_a_sale_that_is_set_aside_lets_the_next_pass_and_can_be_retried_or_discarded(self) -> None:
        wrong = refused(400, "InvalidRequest", "RCPT026")
        self.reply_with(wrong, wrong, wrong)
        outbox = self.outbox()
        for reference in ("A-1", "A-1", "A-2", "A-3"):  # The same sale twice is sent once.
            self.assertIsInstance(outbox.sell(receipt(reference)), SetAside)
        self.assertIsInstance(outbox.sell(receipt("A-4")), Signed)
        with self.assertRaisesRegex(OutboxError, "A-4 is not set aside"):
            outbox.retry("A-4")
        outbox.retry("A-2")
        self.assertEqual([one.reference for one in outbox.drain().status.set_aside], ["A-1", "A-3"])
        outbox.retry()
        outbox.retry()
        self.reply_with(wrong)
        drained = outbox.drain()
        self.assertEqual((drained.signed, drained.set_aside), (1, 1))
        outbox.discard("A-1")
        self.assertEqual(outbox.find("A-1").state, "Discarded")
        self.assertIsInstance(outbox.sell(receipt("A-1", Cashier="y")), Signed)
        self.assertEqual(self.service.references(), ["A-1", "A-2", "A-3", "A-4", "A-2", "A-1", "A-3", "A-1"])

    def test_a_reference_with_other_data_is_told_what_it_already_is(self) -> None:
        outbox = self.outbox()
        outbox.sell(receipt("A-1"))
        outbox.sell(receipt("A-2"), deadline_seconds=0)
        with self.assertRaisesRegex(OutboxError, r'A-1 is already in .*/till.outbox \(signed as number 17\).*find\("A-1"\)'):
            outbox.sell(receipt("A-1", Cashier="y"))
        with self.assertRaisesRegex(OutboxError, r"\(queued\) with other data"):
            outbox.sell(receipt("A-2", Cashier="y"))

    def test_a_queued_sale_is_discarded_only_when_its_last_answer_proves_that_it_is_not_sealed(self) -> None:
        proofs = [refused(400, "InvalidRequest", "RCPT031", then="Again"), refused(503, "DeviceOnHold")]
        no_proofs = [refused(503, "Unavailable"), refused(404, "NotFound"), Reply(400, "<html>"), Reply(is_lost=True)]
        outbox = self.outbox(deadline_seconds=0)
        for number, reply in enumerate(proofs + no_proofs):
            reference = f"A-{number}"
            outbox.sell(receipt(reference, number))
            self.service.script = lambda asked: reply
            outbox.drain(within_seconds=0)
            self.sql("update sales set attempts = attempts + 1 where reference = ?", reference)
            with self.assertRaisesRegex(OutboxError, "may be sealed"):
                outbox.discard(reference)  # Something was sent since.
            self.sql("update sales set attempts = attempts - 1 where reference = ?", reference)
            if reply in no_proofs:
                self.assertRaisesRegex(OutboxError, "may be sealed", outbox.discard, reference)
            else:
                outbox.discard(reference)
                self.assertEqual(outbox.find(reference).state, "Discarded")
        outbox.sell(receipt("B-1"))
        outbox.discard("B-1")  # It was never sent.
        self.assertRaisesRegex(OutboxError, "neither", outbox.discard, "B-1")
        self.assertRaisesRegex(OutboxError, "neither", outbox.discard, "never sold")

    def test_a_seal_that_comes_after_all_is_kept_and_reported(self) -> None:
        def slow(asked):
            # While this one is on its way its lease ends, and another process gets a refusal.
            self.clock.passed += 6
            self.service.script = lambda asked: refused(400, "InvalidRequest", "RCPT026")
            other.drain()
            other.discard("A-1")
            return sealed(asked)

        other = self.outbox(clock=self.clock)
        self.service.script = slow
        self.assertIsInstance(self.outbox(clock=self.clock).sell(receipt("A-1")), Signed)
        self.assertEqual(self.kinds(), ["SetAside", "SignedAfterAll"])
        found = other.find("A-1")
        self.assertEqual((found.state, found.number, found.receipt["GlobalCounter"]), ("Signed", 17, 17))

    def test_a_refusal_that_comes_late_is_kept_though_a_later_attempt_was_answered(self) -> None:
        def slow(asked):
            self.clock.passed += 6
            self.service.script = lambda asked: refused(503, "Overloaded", **AGAIN)
            other.drain(within_seconds=0)
            return refused(400, "InvalidRequest", "RCPT026")

        other = self.outbox(clock=self.clock)
        self.service.script = slow
        outbox = self.outbox(clock=self.clock)
        self.assertIsInstance(outbox.sell(receipt("A-1")), SetAside)
        self.assertEqual(self.sql("select state, status, answered, attempts from sales"), [("SetAside", 400, 1, 2)])
        self.assertEqual(outbox.status().set_aside[0].problem.errors[0].code, "RCPT026")

    def test_a_sale_that_is_discarded_while_it_is_sold_is_not_queued(self) -> None:
        for change in ("update sales set state = 'Discarded'", "delete from sales"):
            self.service.script = lambda asked: self.sql(change) and None or Reply(is_lost=True)
            with self.assertRaisesRegex(OutboxError, "A-1 was discarded meanwhile"):
                self.outbox().sell(receipt("A-1"))

    def test_a_later_refusal_does_not_take_a_seal_away(self) -> None:
        def slow(asked):
            # While the second attempt is on its way, another process records the answer to the first.
            seal = '{"Reference":"A-1","GlobalCounter":17}'
            self.sql("update sales set state = 'Signed', ended_at = 1, number = 17, answered = 1, status = 200, answer = ?", seal)
            return refused(400, "InvalidRequest", "RCPT026")

        scripts = deque([lambda asked: Reply(is_lost=True), slow])
        self.service.script = lambda asked: scripts.popleft()(asked)
        outbox = self.outbox()
        self.assertEqual(outbox.sell(receipt("A-1")), Signed("A-1", 17, {"Reference": "A-1", "GlobalCounter": 17}, None))
        self.assertEqual((self.kinds(), outbox.find("A-1").state, outbox.find("A-1").problem), ([], "Signed", None))

    def test_a_refused_token_halts_everything_until_it_is_good_again(self) -> None:
        bad = refused(401, "Unauthorized", then="Stop")
        self.reply_with(bad, bad)
        outbox = self.outbox(clock=self.clock)
        self.assertIsInstance(outbox.sell(receipt("A-1")), Queued)
        self.assertIsInstance(outbox.sell(receipt("A-2", 2)), Queued)
        self.assertEqual(outbox.drain().status.halted.problem.code, "Unauthorized")
        self.assertEqual((len(self.service.asked), self.clock.passed), (1, 0))
        since = outbox.status().halted.since
        self.clock.passed = 300
        self.assertEqual(outbox.drain().status.halted.since, since)
        self.assertEqual((len(self.service.asked), self.kinds()), (2, ["Halted", "Stuck"]))
        self.clock.passed = 599
        outbox.drain()
        self.assertEqual(len(self.service.asked), 2)
        self.clock.passed = 600
        self.assertIsInstance(outbox.sell(receipt("A-3", 3)), Signed)
        self.assertIsNone(outbox.status().halted)
        self.assertEqual(outbox.drain().status.queued, 0)

        self.reply_with(bad, bad)
        outbox.sell(receipt("B-1"))
        outbox.resume()
        self.assertIsNotNone(outbox.drain().status.halted)
        self.clock.passed -= 100  # A clock that was set back does not keep the till waiting.
        self.assertEqual(outbox.drain().signed, 1)

    def test_what_goes_on_is_reported_once_in_a_while(self) -> None:
        self.service.script = lambda asked: Reply(502, "<html>")
        outbox = self.outbox(clock=self.clock)
        outbox.sell(receipt("A-1"), deadline_seconds=0)
        for passed, kinds in (
            (0, ["Stranger"]),
            (299, ["Stranger"]),
            (420, ["Stranger", "Stuck", "Stranger"]),
            (4000, ["Stranger", "Stuck", "Stranger", "Stranger"]),
            (4020 + 60, ["Stranger", "Stuck", "Stranger", "Stranger", "Stuck"]),
        ):
            self.clock.passed = passed
            outbox.drain(within_seconds=0)
            self.assertEqual(self.kinds(), kinds)
        self.assertEqual({report.reference for report in self.reports}, {"A-1"})
        self.reports.clear()
        outbox.sell(receipt("B-1", 2), deadline_seconds=0)  # Each device for itself.
        for passed in (4100, 4500):
            self.clock.passed = passed
            outbox.drain(within_seconds=0)
        stuck = [report.reference for report in self.reports if report.kind == "Stuck"]
        self.assertEqual((stuck, self.kinds().count("Stranger")), (["B-1"], 3))

    def test_a_device_that_had_recovered_is_reported_as_stuck_again_after_five_minutes(self) -> None:
        outbox = self.outbox(clock=self.clock)
        for reference in ("A-1", "A-2"):
            self.service.script = lambda asked: refused(503, "Overloaded", **AGAIN)
            outbox.sell(receipt(reference), deadline_seconds=0)
            for _ in range(3):
                outbox.drain(within_seconds=0)
                self.clock.passed += 361
            self.service.script = sealed
            outbox.drain(within_seconds=0)
        self.assertEqual([(report.kind, report.reference) for report in self.reports], [("Stuck", "A-1"), ("Stuck", "A-2")])

    def test_an_outcome_that_cannot_be_recorded_is_reported_and_the_others_go_on(self) -> None:
        outbox = self.outbox(deadline_seconds=0, clock=self.clock)
        for device in (1, 2):
            outbox.sell(receipt(f"A-{device}", device))
        record = outbox._sender._record

        def fail(db, claim, *more):
            if claim.device == 1:
                raise OutboxError("the disk is full")
            return record(db, claim, *more)

        with mock.patch.object(outbox._sender, "_record", fail):
            self.assertEqual(outbox.drain().status.queued, 1)
        self.assertEqual([(report.kind, report.reference) for report in self.reports], [("Failed", "A-1")])
        self.assertIsNotNone(outbox.drain())
        self.assertEqual(outbox.status().queued, 0)

    def test_buyers_data_is_emptied_after_a_minute_and_the_rest_forgotten_after_ninety_days(self) -> None:
        self.reply_with(refused(400, "InvalidRequest", "RCPT026"))
        outbox = self.outbox(clock=self.clock)
        outbox.sell(receipt("A-1"))
        outbox.sell(receipt("A-2"))
        full = "select reference, body is not null, answer is not null from sales"
        for passed, expected in ((59, [("A-1", 1, 1), ("A-2", 1, 1)]), (61, [("A-1", 1, 1), ("A-2", 0, 0)])):
            self.clock.passed = passed
            self.outbox(clock=self.clock)
            self.assertEqual(self.sql(full), expected)
        self.assertEqual((outbox.find("A-2").number, outbox.find("A-2").receipt), (17, None))
        again = outbox.sell(receipt("A-2"))  # Tillseal is asked for the same seal once more.
        self.assertEqual((again.number, again.receipt["GlobalCounter"], self.late()[-1]), (17, 17, "true"))
        self.service.script = lambda asked: Reply(502)
        self.assertEqual(outbox.sell(receipt("A-2")), Signed("A-2", 17, None, None))
        self.assertEqual(outbox.status().queued, 0)
        with self.assertRaisesRegex(OutboxError, "signed as number 17"):
            outbox.sell(receipt("A-2", Cashier="y"))
        self.clock.passed = 91 * 24 * 3600
        outbox.drain()
        self.assertEqual(self.sql(full), [("A-1", 1, 1)])
        self.assertIsNone(outbox.find("A-2"))


class FileTest(OutboxTest):
    def test_a_locked_file_is_waited_for_and_then_nothing_is_sent(self) -> None:
        outbox = self.outbox()
        other = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        self.addCleanup(other.close)
        other.execute("begin exclusive")
        threading.Timer(0.5, other.execute, ["rollback"]).start()
        self.assertIsInstance(outbox.sell(receipt("A-1")), Signed)
        other.execute("begin exclusive")
        with mock.patch.object(outbox._file.transaction.__func__, "__kwdefaults__", {"writes": True, "patience_seconds": 0.3}):
            with self.assertRaisesRegex(OutboxError, "locked"):
                outbox.sell(receipt("A-2"))
        self.assertEqual(self.service.references(), ["A-1"])

    def test_a_full_disk_takes_no_sale(self) -> None:
        outbox = self.outbox()
        outbox.sell(receipt("A-1"))
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        try:
            with self.assertRaisesRegex(OutboxError, "The same receipt may be sold again, unchanged|cannot be"):
                outbox.sell(receipt("A-2"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual((self.service.references(), outbox.status().queued), (["A-1"], 0))
        self.assertIsInstance(outbox.sell(receipt("A-2")), Signed)

    def test_a_file_that_is_deleted_replaced_or_emptied_is_not_written_until_it_is_opened_again(self) -> None:
        file = Path(self.path)
        self.outbox()
        another = file.read_bytes()
        for content in (None, b"", another):
            file.unlink()
            outbox = self.outbox()
            outbox.sell(receipt("A-1"))
            file.unlink() if content is None else file.write_bytes(content)
            for operation in (lambda: outbox.sell(receipt("A-2")), outbox.status, outbox.drain, outbox.resume):
                with self.assertRaisesRegex(OutboxError, "deleted or replaced"):
                    operation()
            self.assertEqual(file.read_bytes() if file.exists() else None, content)
            self.assertIsInstance(self.outbox().sell(receipt("A-2")), Signed)

    def test_a_seal_that_cannot_be_recorded_is_still_told(self) -> None:
        def script(asked):
            os.unlink(self.path)
            return sealed(asked)

        self.service.script = script
        self.assertIsInstance(self.outbox().sell(receipt("A-1")), Signed)
        self.assertEqual(self.kinds(), ["Failed"])
        self.service.script = lambda asked: script(asked) and Reply(is_lost=True)
        with self.assertRaisesRegex(OutboxError, "deleted or replaced"):
            self.outbox().sell(receipt("A-1"))  # Nobody would send it, so it is not queued.

    def test_a_file_that_is_damaged_during_a_sale_fails_it_unless_it_has_the_seal(self) -> None:
        def script(asked):
            Path(self.path).write_bytes(b"x" * 5000)
            return reply or sealed(asked)

        self.service.script = script
        for reply in (None, Reply(is_lost=True), refused(400, "InvalidRequest", "RCPT026")):
            self.path += "x"
            outbox = self.outbox()
            if reply is None:
                self.assertIsInstance(outbox.sell(receipt("A-1")), Signed)
                continue
            with self.assertRaisesRegex(OutboxError, "damaged"):
                outbox.sell(receipt("A-1"))

    def test_what_is_no_sound_outbox_is_refused_and_left_alone(self) -> None:
        self.outbox().sell(receipt("A-1", Text="x" * 20_000))
        self.sql("vacuum")
        file = Path(self.path)
        good = file.read_bytes()
        self.sql("update meta set version = 2")
        newer = file.read_bytes()
        self.sql("drop table meta")
        other = file.read_bytes()
        for content, words in (
            (newer, "version 2"),
            (other, "something else"),
            (good[:4096] + b"x" * 8192 + good[12288:], r"damaged.*till.outbox-journal.*\.recover"),
            (b"x" * 5000, "damaged"),
        ):
            with self.subTest(words):
                file.write_bytes(content)
                with self.assertRaisesRegex(OutboxError, words):
                    self.outbox()
                self.assertEqual(file.read_bytes(), content)
        self.path = os.path.join(os.path.dirname(self.path), "no folder", "till.outbox")
        with self.assertRaisesRegex(OutboxError, "No such file or directory"):
            self.outbox()

    def test_a_python_without_sqlite_says_what_to_install_and_can_do_the_rest(self) -> None:
        program = (
            "import sys; sys.modules['sqlite3'] = None\n"
            "import tillseal\n"
            "try: tillseal.Client('http://127.0.0.1', '').open_outbox('x')\n"
            "except tillseal.OutboxError as error: print(error)"
        )
        said = subprocess.run([sys.executable, "-c", program], cwd=PYTHON, capture_output=True, text=True, check=True)
        self.assertIn("needs the module sqlite3", said.stdout)

    @unittest.skipUnless(HAS_STRACE, "without strace no single system call can be made to fail")
    def test_whatever_flush_fails_a_sale_is_either_refused_or_kept(self) -> None:
        """Sold again, it is sealed: once."""
        program = (
            "import sys; from tillseal import Client, OutboxError\n"
            "outbox = Client(sys.argv[1], '').open_outbox(sys.argv[2])\n"
            "try: print(type(outbox.sell({'Reference': 'A-1', 'AuthorityDeviceId': 1})).__name__)\n"
            "except OutboxError as error: print('Failed', error)"
        )
        self.outbox()
        new = Path(self.path).read_bytes()
        said = []
        for number in range(1, 7):
            Path(self.path).write_bytes(new)
            self.service.asked.clear()
            fault = ["strace", "-f", "-o", "/dev/null", "-e", f"inject=fsync,fdatasync:error=EIO:when={number}"]
            words = [*fault, sys.executable, "-c", program, self.service.url, self.path]
            said.append(subprocess.run(words, cwd=PYTHON, capture_output=True, text=True, check=True).stdout)
            self.assertEqual(len(self.service.asked), 1 if said[-1] == "Signed\n" else 0, said)
            self.assertIsInstance(self.outbox().sell({"Reference": "A-1", "AuthorityDeviceId": 1}), Signed)
            self.assertEqual(self.outbox().drain().status.queued, 0)
        self.assertIn("The same receipt may be sold again, unchanged.", said[0])
        self.assertIn("Signed\n", said)


class BackgroundTest(OutboxTest):
    def until(self, is_so) -> None:
        deadline = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_it_drains_in_the_background_and_survives_whatever_happens(self) -> None:
        def report(_) -> None:
            self.reports.append(_)
            raise SystemExit

        self.reply_with(
            refused(503, "Overloaded", Retry_After="²"), Reply(503, "[" * 10**5), refused(400, "InvalidRequest", "RCPT026")
        )
        outbox = self.outbox(deadline_seconds=0, report=report)
        outbox.start()
        outbox.start()
        self.addCleanup(outbox.stop)
        with self.assertLogs("tillseal", "ERROR"):
            for number in range(3):
                outbox.sell(receipt(f"A-{number}", number))
            self.until(lambda: outbox.status().queued == 0)
            os.rename(self.path, self.path + ".away")
            self.until(lambda: "Failed" in self.kinds())
        os.rename(self.path + ".away", self.path)
        outbox.sell(receipt("A-9"))
        self.until(lambda: outbox.status().queued == 0)
        self.assertEqual(self.kinds(), ["Stranger", "SetAside", "Failed"])
        outbox.stop()
        outbox.sell(receipt("A-10"))
        self.assertEqual([thread for thread in threading.enumerate() if thread.name == "tillseal-outbox"], [])
        self.assertEqual(outbox.status().queued, 1)

    def test_a_report_that_cannot_be_written_changes_nothing(self) -> None:
        program = (
            "import sys; from tillseal import Client\n"
            "outbox = Client(sys.argv[1], '').open_outbox(sys.argv[2], deadline_seconds=1)\n"
            "sys.stderr.close()\n"
            "print(type(outbox.sell({'Reference': 'A-1', 'AuthorityDeviceId': 1})).__name__)"
        )
        self.service.script = lambda asked: refused(400, "InvalidRequest", "RCPT026")
        words = [sys.executable, "-c", program, self.service.url, self.path]
        said = subprocess.run(words, cwd=PYTHON, capture_output=True, text=True)
        self.assertEqual(said.stdout, "SetAside\n")

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_child_that_was_forked_in_the_middle_of_things_can_sell(self) -> None:
        outbox = self.outbox()
        outbox.start()
        busy = threading.Event()
        seller = threading.Thread(target=lambda: [outbox.sell(receipt(f"P-{n}")) for n in range(60)] and busy.set())
        seller.start()
        fork = multiprocessing.get_context("fork")
        for number in range(12):
            child = fork.Process(target=lambda: outbox.sell(receipt(f"C-{number}", 2), deadline_seconds=0))
            child.start()
            self.addCleanup(child.kill)
            child.join(60)
            self.assertEqual(child.exitcode, 0)
        seller.join()
        outbox.stop()
        self.assertEqual(outbox.drain().status.queued, 0)
        self.assertEqual(len(set(self.service.references())), 72)
