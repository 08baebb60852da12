import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

from scripted_service import ScriptedService, receipt

from tillseal import Client, JournalDamaged, Outbox, OutboxError
from tillseal.journal import Journal, now
from tillseal.locks import start_of

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def line(text: str) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text.encode()), text.encode())


HEADER = line('{"Kind":"Outbox","Version":1,"Id":"0123456789abcdef"}')
SALE = line('{"Kind":"Sale","At":"2026-11-16T09:30:00Z","Reference":"A-1","AuthorityDeviceId":1001,"Body":"{}"}')


def sale(reference: str, **more):
    return {"Kind": "Sale", "Reference": reference, "AuthorityDeviceId": 1001, "Body": "{}", **more}


class JournalTest(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "till.journal")
        self.outbox_of_nobody = lambda: Outbox(self.path, Client("http://127.0.0.1:1", ""))

    def write(self, *parts: bytes) -> None:
        with open(self.path, "wb") as file:
            file.write(b"".join(parts))

    def content(self) -> bytes:
        with open(self.path, "rb") as file:
            return file.read()

    def child(self, program: str, **options) -> subprocess.Popen:
        """Another process, with `journal` in its hands."""
        words = [sys.executable, "-c", f"import sys; from tillseal.journal import *; journal = Journal({self.path!r})\n{program}"]
        started = subprocess.Popen(words, cwd=PYTHON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(lambda: (started.kill(), started.communicate()))
        return started

    def test_the_file_is_as_documented_and_only_for_its_owner(self) -> None:
        Journal(self.path).append(lambda: sale("A-1", At="2026-11-16T09:30:00Z"))
        header, rest = self.content().split(b"\n", 1)
        self.assertRegex(header, rb'^[0-9a-f]{8} {"Kind":"Outbox","Version":1,"Id":"[0-9a-f]{16}"}$')
        self.assertEqual(line(header[9:].decode()), header + b"\n")
        self.assertEqual(rest, SALE)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)

    def test_a_torn_last_line_is_ignored_and_cut_by_the_next_append(self) -> None:
        wrong = SALE.replace(b"A-1", b"A-2")
        for torn in (SALE[:-1].replace(b"A-1", b"A-2"), SALE[:20], b"\0" * 40, wrong):
            self.write(HEADER, SALE, torn)
            journal = Journal(self.path)
            journal.refresh()
            self.assertEqual(list(journal.sales), ["A-1"])
            self.assertEqual(self.content(), HEADER + SALE + torn)
            journal.append(lambda: sale("A-3"))
            self.assertEqual(list(read_again(self.path).sales), ["A-1", "A-3"])
            self.assertTrue(self.content().startswith(HEADER + SALE))

    def test_an_empty_file_is_a_new_journal(self) -> None:
        self.write(b"")
        Journal(self.path).append(lambda: sale("A-1"))
        self.assertEqual(list(read_again(self.path).sales), ["A-1"])

    def test_a_wrong_line_in_the_middle_stops_everything_and_changes_nothing(self) -> None:
        damaged = HEADER + SALE.replace(b"A-1", b"A-X") + SALE
        self.write(damaged)
        with self.assertRaisesRegex(JournalDamaged, "line 2"):
            self.outbox_of_nobody()
        with self.assertRaisesRegex(JournalDamaged, "line 2"):
            Journal(self.path).append(lambda: sale("A-3"))
        self.assertEqual(self.content(), damaged)

    def test_what_is_no_journal_of_this_version_is_left_alone(self) -> None:
        for text in (b"milk", b"milk\n", b"milk\nbread\n", SALE, HEADER[:-9], line('{"Kind":"Outbox","Version":2}')):
            self.write(text)
            with self.assertRaises(OutboxError):
                Journal(self.path).append(lambda: sale("A-1"))
            self.assertEqual(self.content(), text)

    def test_a_full_disk_is_said_before_the_sale(self) -> None:
        Journal(self.path).append(lambda: sale("A-1"))
        before = self.content()
        with ScriptedService() as service:
            result = self.limited(len(before) + 50, service, receipt("A-2"))
            self.assertIn("OutboxError", result)
            self.assertIn("File too large", result)
            self.assertEqual(service.asked, [])
        self.assertEqual(self.content(), before)

    def test_a_disk_that_fills_up_after_the_sale_costs_no_seal(self) -> None:
        with ScriptedService() as service:
            with ScriptedService() as other:
                Outbox(self.path, other.client).sell(receipt("A-0"))
            size = len(self.content()) + len(line('{"Kind":"Sale","At":"2026-11-16T09:30:00Z","Reference":"A-1",'
                '"AuthorityDeviceId":1001,"Body":"{\\"AuthorityDeviceId\\":1001,\\"Reference\\":\\"A-1\\"}"}'))
            self.assertIn("Signed(reference='A-1'", self.limited(size, service, receipt("A-1")))
            outbox = Outbox(self.path, service.client)
            self.assertEqual(outbox.status().open, 1)
            self.assertEqual(outbox.drain().open, 0)
            self.assertEqual([asked.headers.get("late-receipt") for asked in service.asked], [None, "true"])

    def limited(self, file_size: int, service: ScriptedService, sold) -> str:
        """What comes of a sale where no file may grow beyond this."""
        child = self.child(
            f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({file_size}, {file_size}))\n"
            f"from tillseal import *\noutbox = Outbox({self.path!r}, Client({service.url!r}, ''))\n"
            f"try: print(outbox.sell({sold!r}))\nexcept OutboxError as error: print(type(error), error)",
            stderr=subprocess.PIPE,
        )
        return child.communicate()[0]

    def test_compaction_leaves_nothing_of_the_buyers_and_keeps_the_rest(self) -> None:
        journal = Journal(self.path)
        for name in ("old", "parked", "open", "fresh", "again"):
            journal.append(lambda: sale(name, At=now(-3600), Body='{"BuyerName":"Rudo of %s"}' % name))
        journal.append(lambda: {"Kind": "Signed", "At": now(-61), "Reference": "old", "Answer": "{}"})
        for name in ("parked", "again"):
            journal.append(lambda: {"Kind": "Parked", "At": now(-3600), "Reference": name, "Status": 400, "Answer": "{}"})
        journal.append(lambda: {"Kind": "Discarded", "At": now(-3600), "Reference": "again"})
        journal.append(lambda: sale("again", Body="{}"))
        journal.append(lambda: {"Kind": "Signed", "Reference": "fresh", "Answer": "{}"})
        journal.append(lambda: {"Kind": "Halted", "Status": 401, "Answer": "{}"})
        journal.append(lambda: {"Kind": "Resumed"})
        journal.append(lambda: {"Kind": "Halted", "Status": 403, "Answer": "{}", "Extra": 1})
        journal.append(lambda: {"Kind": "FromTheFuture", "Reference": "x"})
        inode = os.stat(self.path).st_ino
        held = journal.drain_lock.try_take()
        journal.compact(held)
        held.release()
        self.assertNotEqual(os.stat(self.path).st_ino, inode)
        text = self.content().decode()
        for gone in ("Rudo of old", "Rudo of again", "Resumed", "401"):
            self.assertNotIn(gone, text)
        for kept in ("Rudo of parked", "Rudo of open", "Rudo of fresh", "FromTheFuture", '"Extra":1'):
            self.assertIn(kept, text)
        self.assertEqual(list(read_again(self.path).sales), ["parked", "open", "fresh", "again"])
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertFalse(os.path.exists(self.path + ".new"))

    def test_a_reader_keeps_its_place_through_two_compactions(self) -> None:
        writer, reader = Journal(self.path), Journal(self.path)
        for number in range(20):
            writer.append(lambda: sale(f"A-{number}", At=now(-3600)))
            reader.refresh()
            for _ in range(2):
                writer.append(lambda: {"Kind": "Signed", "At": now(-3600), "Reference": f"A-{number}", "Answer": "{}"})
                writer.append(lambda: sale(f"B-{number}", At=now(-3600), Body="x" * 500))
                held = writer.drain_lock.try_take()
                writer.compact(held)
                held.release()
            reader.refresh()
            self.assertEqual(list(reader.sales), list(writer.sales))

    # Locks.

    def test_the_lock_of_a_killed_process_is_free_at_once(self) -> None:
        for is_reaped in (True, False):
            child = self.child("journal._append_lock.take(); print('taken', flush=True); sys.stdin.read()")
            child.stdout.readline()
            child.send_signal(signal.SIGKILL)
            if is_reaped:
                child.wait()
            else:
                os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # Dead, and still a zombie.
            started = time.monotonic()
            Journal(self.path).append(lambda: sale(f"A-{is_reaped}"))
            self.assertLess(time.monotonic() - started, 50)  # That of a process that is not known to be dead is broken after 60.

    def test_the_lock_of_a_living_process_is_waited_for(self) -> None:
        child = self.child("held = journal.drain_lock.take(); print('taken', flush=True); sys.stdin.read(); held.release()")
        child.stdout.readline()
        lock = Journal(self.path).drain_lock
        self.assertIsNone(lock.try_take())
        child.communicate("")
        self.assertIsNotNone(lock.try_take())

    def test_a_process_that_was_stopped_for_a_minute_loses_its_lock_and_no_line_is_lost(self) -> None:
        journal = Journal(self.path)
        journal.append(lambda: sale("A-1"))
        child = self.child(
            "def decide():\n"
            "    if 'B-1' in journal.sales: return None\n"
            "    print('deciding', flush=True); sys.stdin.readline()\n"
            "    return {'Kind': 'Sale', 'Reference': 'B-1', 'AuthorityDeviceId': 1, 'Body': '{}'}\n"
            "journal.append(decide); print('done', flush=True)"
        )
        self.assertEqual(child.stdout.readline(), "deciding\n")
        child.send_signal(signal.SIGSTOP)
        [generation] = journal._append_lock.generations()
        past = time.time() - 61
        os.utime(journal._append_lock.path(generation), (past, past))
        journal.append(lambda: {"Kind": "Signed", "At": now(-3600), "Reference": "A-1", "Answer": "{}"})
        journal.append(lambda: sale("A-2"))
        held = journal.drain_lock.try_take()
        journal.compact(held)
        held.release()
        child.send_signal(signal.SIGCONT)
        self.assertEqual(child.communicate("\n\n")[0], "deciding\ndone\n")
        self.assertEqual(list(read_again(self.path).sales), ["A-2", "B-1"])
        self.assertEqual(self.content().count(b'"B-1"'), 1)

    def test_a_process_that_lost_its_lock_cuts_and_replaces_nothing(self) -> None:
        self.write(HEADER, SALE, SALE[:20])
        journal, real_read = Journal(self.path), Journal._read

        def read_and_be_stopped(file) -> None:
            real_read(journal, file)
            journal._read = lambda file: real_read(journal, file)
            [lock] = [name for name in os.listdir(self._folder.name) if ".append." in name]
            os.utime(os.path.join(self._folder.name, lock), (time.time() - 61,) * 2)
            Journal(self.path).append(lambda: sale("B-1"))

        journal._read = read_and_be_stopped
        journal.append(lambda: sale("A-2"))
        self.assertEqual(list(read_again(self.path).sales), ["A-1", "B-1", "A-2"])

        journal.append(lambda: {"Kind": "Signed", "At": now(-3600), "Reference": "A-1", "Answer": "{}"})
        held = journal.drain_lock.try_take()
        with open(journal.drain_lock.path(9), "w") as file:
            file.write("{}")
        journal.compact(held)
        self.assertIn("A-1", read_again(self.path).sales)

    def test_stale_locks_of_every_kind(self) -> None:
        lock = Journal(self.path).drain_lock
        me, start, init = os.getpid(), start_of(os.getpid()), start_of(1)
        mine = '{"Pid":%d,"Start":"%s","Init":"%s","Token":"0"}' % (me, start, init)
        for content, age, is_free in (
            ("{}", 0, True),
            ("{}   ", 0, True),
            (mine, 0, False),
            (mine, 55, False),
            (mine, 61, True),
            (mine, -61, True),
            (mine.replace(start, "1"), 0, True),
            (mine.replace(str(me), "99999999"), 0, True),
            ('{"Pid":%d,"Start":"1","Init":"in another container","Token":"0"}' % me, 0, False),
            ('{"Pid":%d,"Start":"1","Init":"in another container","Token":"0"}' % me, 61, True),
            ("", 0, False),
            ("", 6, True),
            ('{"Pid":', 4, False),
            ('{"Pid":', 6, True),
            ("null", 6, True),
        ):
            generation = max(lock.generations(), default=0) + 1
            with open(lock.path(generation), "w") as file:
                file.write(content)
            os.utime(lock.path(generation), (time.time() - age,) * 2)
            held = lock.try_take()
            self.assertEqual(held is not None, is_free, (content, age))
            if held is not None:
                self.assertEqual(lock.generations(), [generation + 1])
                self.assertTrue(held.is_mine())

    def test_who_created_a_number_late_does_not_have_the_lock(self) -> None:
        lock = Journal(self.path).drain_lock
        for real_generation in (4, 7):
            with open(lock.path(real_generation), "w") as file:
                file.write("{}")
        real, lists = lock.generations, iter([[4]])
        lock.generations = lambda: next(lists, None) or real()
        held = lock.try_take()
        self.assertEqual(real(), [8])
        self.assertTrue(held.is_mine())

    def test_processes_that_write_and_compact_at_once_lose_nothing_though_killed(self) -> None:
        words = [sys.executable, "till.py", "stress", "--journal", self.path, "--device", "1", "--count", "60", "--prefix"]
        tills = [subprocess.Popen([*words, f"P{n}"], cwd=PYTHON, stdout=subprocess.PIPE, text=True) for n in range(4)]
        time.sleep(0.6)
        tills[0].kill()
        acknowledged = [line for till in tills for line in till.communicate()[0].split("\n") if line.endswith("}")]
        self.assertGreaterEqual(len(acknowledged), 180)
        sales = read_again(self.path).sales
        self.assertEqual([text for text in acknowledged if text[14:-2] not in sales], [])
        for till in range(4):
            own = [int(name.split("-")[1]) for name in sales if name.startswith(f"P{till}-") and "old" not in name]
            self.assertEqual(own, sorted(own))


def read_again(path: str) -> Journal:
    journal = Journal(path)
    journal.refresh()
    return journal
