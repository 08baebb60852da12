import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections import deque
from decimal import Decimal

from scripted_service import Reply, ScriptedService, receipt, refused, sealed

from tillseal import Client, Conflict, Halted, InvalidRequest, Outbox, OutboxError, Parked, Queued, Refused, Signed
from tillseal.journal import Journal

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


FAR = 50
"""A deadline in seconds: a slow machine must not decide what becomes of a sale."""


class OutboxTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "till.journal")
        self.service = ScriptedService().__enter__()
        self.addCleanup(self.service.__exit__)
        self.reports = []

    def outbox(self, **options) -> Outbox:
        return Outbox(self.path, self.service.client, report=self.reports.append, **{"deadline": FAR, **options})

    def reply_with(self, *replies: Reply) -> None:
        """These one after the other, then seals."""
        left = deque(replies)
        self.service.script = lambda asked: left.popleft() if left else sealed(asked)

    def test_a_sale_is_on_the_disk_before_it_is_sent_and_is_signed_with_exact_decimals(self) -> None:
        on_disk = []

        def script(asked):
            with open(self.path, encoding="utf-8") as file:
                on_disk.append(file.read())
            return Reply(200, '{"Reference":"A-1","DeviceSignature":"x","TotalAmount":9999999999999999.99}')

        self.service.script = script
        outcome = self.outbox().sell(receipt("A-1", TotalAmount=Decimal("9999999999999999.99"), Name="Mazoe – 2 ℓ"))
        self.assertIn('"Kind":"Sale"', on_disk[0])
        self.assertIsInstance(outcome, Signed)
        self.assertEqual(outcome.receipt["TotalAmount"], Decimal("9999999999999999.99"))
        self.assertIn('"TotalAmount":9999999999999999.99', self.service.asked[0].text)
        self.assertIn("Mazoe – 2 ℓ", self.service.asked[0].text)
        self.assertEqual(self.service.asked[0].headers["authorization"], "Bearer tsk_test")

    def test_every_answer_does_what_the_table_says(self) -> None:
        ahead = refused(400, errors=[{"Field": "Date", "Code": "RCPT031", "Message": "ahead"}])
        page = Reply(200, "<html>Please log in</html>", {"Content-Type": "text/html"})
        proxy = Reply(403, "<html>Forbidden</html>")
        for number, (reply, expected) in enumerate((
            (refused(400), "parked"),
            (refused(409, "ReferenceConflict"), "parked"),
            (refused(413, "BodyTooLarge"), "parked"),
            (Reply(413, "<html>nginx</html>"), "parked"),
            (refused(415), "parked"),
            (refused(401, "Unauthorized"), "halted"),
            (refused(403, "Forbidden"), "halted"),
            (ahead, "open"),
            (page, "open"),
            (Reply(200, {"Reference": "of another", "DeviceSignature": "x"}), "open"),
            (Reply(200, '{"Reference":'), "open"),
            (proxy, "open"),
            (Reply(400, "bad request"), "open"),
            (Reply(302, "", {"Location": "http://127.0.0.1:1/"}), "open"),
            (refused(404, "NotFound"), "open"),
            (refused(429, "DeviceBusy"), "open"),
            (refused(500, "InternalError"), "open"),
            (refused(503, "MaintenanceWindow"), "open"),
            (Reply(is_lost=True), "open"),
        )):
            with self.subTest(expected, reply=reply):
                self.path += str(number)
                # The device would have to wait longer than the deadline, so what is not settled is queued at once.
                reply.headers["Retry-After"] = "600"
                self.reply_with(reply)
                self.reports.clear()
                outbox = self.outbox(deadline=0.9 if reply.is_lost else FAR)
                outcome = outbox.sell(receipt(f"A-{number}"))
                status = outbox.status()
                self.assertEqual(type(outcome), Refused if expected == "parked" else Queued)
                self.assertEqual(len(status.parked), 1 if expected == "parked" else 0)
                self.assertEqual(status.halted is not None, expected == "halted")
                self.assertEqual(status.open, 0 if expected == "parked" else 1)
                self.assertEqual([type(one) for one in self.reports], {"parked": [Parked], "halted": [Halted], "open": []}[expected])

    def test_a_refusal_carries_its_typed_problem(self) -> None:
        self.reply_with(refused(400, errors=[{"Field": "Taxes[0].TaxAmount", "Code": "RCPT026", "Message": "must be 0.47"}]))
        outcome = self.outbox().sell(receipt("A-1"))
        self.assertIsInstance(outcome.problem, InvalidRequest)
        [error] = outcome.problem.errors
        self.assertEqual((error.field, error.code, error.message), ("Taxes[0].TaxAmount", "RCPT026", "must be 0.47"))
        self.reply_with(refused(409, "ReferenceConflict"))
        self.assertIsInstance(self.outbox().sell(receipt("A-2")).problem, Conflict)

    def test_a_lost_answer_is_settled_by_the_same_request_which_is_late(self) -> None:
        self.reply_with(Reply(is_lost=True))
        self.assertIsInstance(self.outbox().sell(receipt("A-1", Total=Decimal("1.50"))), Signed)
        first, second = self.service.asked
        self.assertEqual(first.text, second.text)
        self.assertNotIn("late-receipt", first.headers)
        self.assertEqual(second.headers["late-receipt"], "true")

    def test_retry_after_is_obeyed_and_a_new_process_tries_at_once(self) -> None:
        busy = refused(503, "FiscalDayNotOpen")
        busy.headers["Retry-After"] = "3600"
        self.reply_with(busy)
        outbox = self.outbox()
        started = time.monotonic()
        self.assertIsInstance(outbox.sell(receipt("A-1")), Queued)
        self.assertIsInstance(outbox.sell(receipt("A-2")), Queued)
        outbox.drain()
        self.assertLess(time.monotonic() - started, FAR)  # Nobody waits for what will not come in time.
        self.assertEqual(len(self.service.asked), 1)
        self.assertEqual(self.outbox().drain().open, 0)
        self.assertEqual(self.service.references(), ["A-1", "A-1", "A-2"])
        self.assertEqual([asked.headers.get("late-receipt") for asked in self.service.asked], [None, "true", "true"])

    def test_waits_grow_from_one_second_to_a_minute(self) -> None:
        outbox = self.outbox()
        for longest in (1, 2, 4, 8, 16, 32, 60, 60):
            before = time.monotonic()
            outbox._wait(1)
            after = time.monotonic()
            self.assertGreaterEqual(outbox._due(1) - before, longest)
            self.assertLessEqual(outbox._due(1) - after, longest * 1.2)

    def test_a_device_that_has_to_wait_holds_up_only_itself_and_keeps_its_order(self) -> None:
        self.service.script = lambda asked: refused(429, "DeviceBusy") if '"AuthorityDeviceId":1,' in asked.text else sealed(asked)
        outbox = self.outbox(deadline=0)
        for number in range(3):
            for device in (1, 2):
                self.assertIsInstance(outbox.sell(receipt(f"{device}-{number}", device)), Queued)
        self.assertEqual(outbox.drain().open, 3)
        self.assertEqual([one for one in self.service.references() if one[0] == "2"], ["2-0", "2-1", "2-2"])
        self.service.script = sealed
        self.service.asked.clear()
        self.assertEqual(self.outbox().drain().open, 0)
        self.assertEqual(self.service.references(), ["1-0", "1-1", "1-2"])

    def test_a_parked_sale_lets_the_next_pass_and_can_be_retried_or_discarded(self) -> None:
        self.reply_with(refused(400), refused(400))
        outbox = self.outbox()
        self.assertIsInstance(outbox.sell(receipt("A-1", Cashier="x")), Refused)
        self.assertIsInstance(outbox.sell(receipt("A-1", Cashier="x")), Refused)  # The same sale; not sent again.
        self.assertIsInstance(outbox.sell(receipt("A-2")), Refused)
        self.assertIsInstance(outbox.sell(receipt("A-3")), Signed)
        with self.assertRaisesRegex(OutboxError, "A-3 is not parked"):
            outbox.retry("A-3")
        outbox.retry("A-2")
        self.assertEqual([parked.reference for parked in outbox.drain().parked], ["A-1"])
        with self.assertRaisesRegex(OutboxError, "other content"):
            outbox.sell(receipt("A-1", Cashier="y"))
        outbox.discard("A-1")
        self.assertIsInstance(outbox.sell(receipt("A-1", Cashier="y")), Signed)
        self.assertEqual(self.service.references(), ["A-1", "A-2", "A-3", "A-2", "A-1"])

    def test_a_refused_token_halts_everything_until_it_is_resumed(self) -> None:
        self.reply_with(refused(401, "Unauthorized"))
        outbox = self.outbox()
        started = time.monotonic()
        self.assertIsInstance(outbox.sell(receipt("A-1")), Queued)
        self.assertIsInstance(self.outbox().sell(receipt("A-2", 2)), Queued)
        self.assertLess(time.monotonic() - started, FAR)
        self.assertEqual(outbox.drain().halted.problem.code, "Unauthorized")
        self.assertEqual(len(self.service.asked), 1)
        outbox.resume()
        status = outbox.drain()
        self.assertEqual((status.open, status.halted), (0, None))

    def test_the_deadline_holds_though_the_answer_comes_byte_by_byte(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def trickle() -> None:
            connection, _ = listener.accept()
            try:
                for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2000:
                    connection.send(bytes([byte]))
                    time.sleep(0.05)
            except OSError:
                connection.close()

        threading.Thread(target=trickle, daemon=True).start()
        client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", "")
        started = time.monotonic()
        self.assertIsInstance(Outbox(self.path, client, deadline=0.5).sell(receipt("A-1")), Queued)
        self.assertLess(time.monotonic() - started, 20)  # Without a deadline an attempt takes 30 seconds.

    def test_nothing_is_lost_when_nobody_listens(self) -> None:
        outbox = Outbox(self.path, Client("http://127.0.0.1:1", ""), deadline=0.2)
        self.assertIsInstance(outbox.sell(receipt("A-1")), Queued)
        status = outbox.status()
        self.assertEqual(status.open, 1)
        self.assertRegex(status.oldest, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_what_a_sale_must_have(self) -> None:
        outbox = self.outbox()
        for wrong, error in (({"Reference": "A-1"}, ValueError), (receipt("A-1", TotalAmount=1.1), TypeError)):
            with self.assertRaises(error):
                outbox.sell(wrong)
        self.assertEqual(outbox.status().open, 0)

    def test_it_drains_in_the_background(self) -> None:
        outbox = self.outbox(deadline=0)
        outbox.start()
        self.addCleanup(outbox.stop)
        outbox.sell(receipt("A-1"))
        until = time.monotonic() + 60
        while outbox.status().open and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(outbox.status().open, 0)

    def test_a_sale_is_answered_from_what_another_process_drained(self) -> None:
        other = Journal(self.path)
        held = other.drain_lock.take()
        outcomes = []
        outbox = self.outbox()
        thread = threading.Thread(target=lambda: outcomes.append(outbox.sell(receipt("A-1"))))
        thread.start()
        while not other.sales:
            other.refresh()
        answer = '{"Reference":"A-1","DeviceSignature":"x","GlobalCounter":5}'
        other.append(lambda: {"Kind": "Signed", "Reference": "A-1", "Answer": answer})
        thread.join()
        held.release()
        self.assertEqual(outcomes[0].receipt["GlobalCounter"], 5)
        self.assertEqual(self.service.asked, [])

    def test_a_sale_that_had_to_wait_is_late_and_so_are_those_behind_it(self) -> None:
        outbox = self.outbox(deadline=0)
        outbox.sell(receipt("A-1"))
        self.assertIsInstance(outbox.sell(receipt("A-2"), deadline=FAR), Signed)
        self.assertIsInstance(outbox.sell(receipt("A-3"), deadline=FAR), Signed)
        self.assertEqual([asked.headers.get("late-receipt") for asked in self.service.asked], ["true", "true", None])

    def test_a_sale_that_is_written_is_queued_whatever_becomes_of_the_disk(self) -> None:
        outbox = self.outbox()

        def fail():
            raise OSError(28, "No space left on device")

        outbox._journal.drain_lock.try_take = fail
        self.assertIsInstance(outbox.sell(receipt("A-1")), Queued)
        self.assertEqual([type(one) for one in self.reports], [OutboxError])
        self.assertEqual(self.outbox().status().open, 1)

    def test_a_sale_that_another_process_ends_at_the_last_moment_sends_nothing(self) -> None:
        outbox = self.outbox()
        lock, other = outbox._journal.drain_lock, Journal(self.path)
        real_take = lock.try_take

        def take_late():
            answer = '{"Reference":"A-1","DeviceSignature":"x","GlobalCounter":5}'
            other.append(lambda: {"Kind": "Signed", "Reference": "A-1", "Answer": answer})
            other.append(lambda: {"Kind": "Sale", "Reference": "A-2", "AuthorityDeviceId": 1001, "Body": "{}"})
            return real_take()

        lock.try_take = take_late
        self.assertEqual(outbox.sell(receipt("A-1")).receipt["GlobalCounter"], 5)
        self.assertEqual(self.service.asked, [])

    def test_a_drainer_that_lost_its_lock_sends_and_writes_nothing_more(self) -> None:
        outbox = self.outbox(deadline=0)
        outbox.sell(receipt("A-1", 1))
        outbox.sell(receipt("A-2", 2))

        def steal(asked):
            lock = Journal(self.path).drain_lock
            generation = max(lock.generations())
            with open(lock.path(generation + 1), "w") as file:
                file.write('{"Pid":1,"Start":"","Init":"","Token":"0"}')
            return sealed(asked)

        self.service.script = steal
        self.assertEqual(outbox.drain().open, 2)
        self.assertEqual(self.service.references(), ["A-1"])

    def test_tills_killed_at_any_moment_have_every_sale_sealed_once_and_in_order(self) -> None:
        seals = []

        def script(asked):
            if asked.reference not in seals:
                seals.append(asked.reference)
            return Reply(is_lost=True) if len(self.service.asked) % 7 == 0 else sealed(asked)

        self.service.script = script
        words = [sys.executable, "till.py", "sell", "--url", self.service.url, "--token", "t", "--journal", self.path]
        words += ["--device", "1", "--sales", "25", "--prefix"]
        tills = {name: None for name in ("P", "Q")}
        kills = 0
        until = time.monotonic() + 300
        while time.monotonic() < until and any(till is None or till.poll() != 0 for till in tills.values()):
            for name, till in tills.items():
                if till is None or till.poll() not in (None, 0):
                    tills[name] = subprocess.Popen([*words, name], cwd=PYTHON, stdout=subprocess.DEVNULL)
            time.sleep(0.3)
            victim = tills["PQ"[kills % 2]]
            if kills < 6 and victim.poll() is None:
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                kills += 1
        self.assertGreaterEqual(kills, 2)
        self.assertEqual(self.outbox().drain().open, 0)
        for name in tills:
            self.assertEqual([one for one in seals if one[0] == name], [f"{name}-{number}" for number in range(1, 26)])
