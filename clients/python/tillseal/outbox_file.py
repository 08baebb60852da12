"""The outbox's SQLite file, which any number of processes share (docs/outbox.md, "The file")."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import sqlite3
import threading
import time
from pathlib import Path
from typing import Callable, Optional, TypeVar

from .errors import OutboxError

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

LOCKED_SECONDS = 10.0
SCHEMA = (
    """CREATE TABLE meta (
  version integer not null,
  id text not null,
  halted_at integer,
  halted_status integer,
  halted_answer text,
  tried_at integer,
  checked_at integer not null
)""",
    """CREATE TABLE sales (
  place integer primary key autoincrement,
  reference text not null unique,
  device integer not null,
  sold_at integer not null,
  state text not null,
  ended_at integer,
  body text,
  body_sha256 text not null,
  attempts integer not null,
  answered integer not null,
  leased_until integer not null,
  status integer,
  answer text,
  number integer,
  clock_ahead integer,
  failing_since integer,
  failed_at integer,
  failure text
)""",
    "CREATE INDEX sales_queued on sales (device, place) where state = 'Queued'",
    "CREATE INDEX sales_set_aside on sales (place) where state = 'SetAside'",
    "CREATE INDEX sales_filled on sales (ended_at) where state in ('Signed', 'Discarded')"
    " and (body is not null or answer is not null)",
    "CREATE INDEX sales_emptied on sales (ended_at) where body is null and answer is null",
)

# One transaction at a time in a process, and none while it forks: the child would inherit SQLite's record of the parent's
# locks, and wait for them for ever. It also keeps a thread from losing its lock when another one closes the file.
_one_at_a_time = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_at_a_time.acquire,
        after_in_parent=_one_at_a_time.release,
        after_in_child=_one_at_a_time.release,
    )


class GoneError(OutboxError):
    """The sale, or the whole file, is gone or cannot be read, so it would never be sent."""


class CommitError(OutboxError):
    """The commit failed, and the transaction may or may not be in the file."""


class OutboxFile:
    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        # With `rw` SQLite does not create a new file if this one has been deleted.
        self._uri = Path(self.path).as_uri() + "?mode=rw"
        with _one_at_a_time:
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                pass
            except OSError as error:
                raise OutboxError(f"{self.path} cannot be made: {error.strerror}.") from error
        self._id = self._patiently(self._examine)
        if self._id is None:
            self._patiently(self._make_tables)
            self._id = self._patiently(self._examine)
        self._check_daily()

    def transaction(self, work: Work[T], *, writes: bool = True, patience_seconds: float = LOCKED_SECONDS) -> T:
        """The result of `work`, once it is committed. `work` may run several times while another program has locked the file."""

        def once(db: sqlite3.Connection) -> T:
            _configure(db)
            db.execute("begin immediate" if writes else "begin")
            if not _has_tables(db) or db.execute("select id from meta").fetchone()["id"] != self._id:
                raise self._gone()
            result = work(db)
            self._commit(db)
            return result

        return self._patiently(once, patience_seconds)

    def _patiently(self, once: Work[T], patience_seconds: float = LOCKED_SECONDS) -> T:
        until = time.monotonic() + patience_seconds
        while True:
            try:
                with _one_at_a_time:
                    db = sqlite3.connect(self._uri, uri=True, timeout=0, isolation_level=None)
                    try:
                        db.row_factory = sqlite3.Row
                        return once(db)
                    finally:
                        db.close()
            except sqlite3.Error as error:
                if not _is_locked(error):
                    raise self._explained(error) from error
                if time.monotonic() >= until:
                    raise OutboxError(f"{self.path} has been locked by another program for too long.") from error
            time.sleep(random.uniform(0.005, 0.025))

    def _commit(self, db: sqlite3.Connection) -> None:
        try:
            db.execute("commit")
        except sqlite3.Error as error:
            if _is_locked(error):
                raise
            raise CommitError(f"{self.path} cannot be written: {error}.") from error

    def _examine(self, db: sqlite3.Connection) -> Optional[str]:
        """The id of an outbox; None if the file is empty. Changes nothing, because the file may be something else."""
        db.execute("begin")
        if db.execute("select count(*) from sqlite_master").fetchone()[0] == 0:
            return None
        try:
            meta = db.execute("select version, id from meta").fetchone()
        except sqlite3.OperationalError as error:
            if _is_locked(error):
                raise
            meta = None
        if meta is None:
            raise OutboxError(f"{self.path} is a database of something else. It was not touched.")
        if meta["version"] != 1:
            raise OutboxError(f"{self.path} has version {meta['version']}, and this client knows version 1. It was not touched.")
        return str(meta["id"])

    def _check_daily(self) -> None:
        """Reads the whole file, so not at each opening. If it cannot be noted (a full disk, say), the next one does it again."""
        is_done = "select 1 from meta where strftime('%s', 'now') - checked_at between 0 and 86400"
        if self.transaction(lambda db: db.execute(is_done).fetchone(), writes=False) is not None:
            return
        if self.transaction(lambda db: db.execute("pragma quick_check").fetchone()[0], writes=False) != "ok":
            raise self._damaged()
        with contextlib.suppress(OutboxError):
            note = "update meta set checked_at = strftime('%s', 'now')"
            self.transaction(lambda db: db.execute(note), patience_seconds=0)

    def _make_tables(self, db: sqlite3.Connection) -> None:
        _configure(db)
        db.execute("begin immediate")
        if not _has_tables(db):
            for statement in SCHEMA:
                db.execute(statement)
            row = "insert into meta (version, id, checked_at) values (1, ?, strftime('%s', 'now'))"
            db.execute(row, [secrets.token_hex(8)])
            self._commit(db)

    def _explained(self, error: sqlite3.Error) -> OutboxError:
        if not os.path.exists(self.path):
            return self._gone()
        # Python has no separate type for a file that is damaged or not a database.
        if type(error) is not sqlite3.DatabaseError:
            return OutboxError(f"{self.path} cannot be read or written: {error}.")
        return self._damaged()

    def _gone(self) -> OutboxError:
        return GoneError(f"{self.path} has been deleted or replaced since it was opened. Open the outbox again.")

    def _damaged(self) -> OutboxError:
        return GoneError(
            f"{self.path} is damaged, and was left alone. Stop the tills, copy it together with {self.path}-journal, "
            f"and save what is readable: sqlite3 {self.path} .recover | sqlite3 NEW"
        )


def _configure(db: sqlite3.Connection) -> None:
    mode = db.execute("pragma journal_mode=truncate").fetchone()[0]
    db.execute("pragma synchronous=full")
    flush = db.execute("pragma synchronous").fetchone()[0]
    is_deleting = db.execute("pragma secure_delete=on").fetchone()[0]
    if (mode, flush, is_deleting) != ("truncate", 2, 1):
        raise OutboxError(f"SQLite does not write as it must: journal_mode {mode}, synchronous {flush}, secure_delete {is_deleting}.")


def _has_tables(db: sqlite3.Connection) -> bool:
    return db.execute("select 1 from sqlite_master where name = 'meta'").fetchone() is not None


def _is_locked(error: sqlite3.Error) -> bool:
    # By its message, because Python has the code only since 3.11.
    return str(error) == "database is locked"
