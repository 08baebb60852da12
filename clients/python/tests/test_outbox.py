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

from tillseal import OutboxError, SetAside, Signed
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
