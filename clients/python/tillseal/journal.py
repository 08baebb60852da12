"""The journal of an outbox: its records, and how they get to the disk (docs/outbox.md)."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, List, Optional

from .errors import JournalDamaged, OutboxError
from .locks import Held, Lock

Record = Dict[str, Any]
KEPT_SECONDS = 60
"""How long a finished sale stays, so that a `sell` that waits for it in another process sees its end."""
_BINARY = getattr(os, "O_BINARY", 0)


@dataclass
class Sale:
    reference: str
    device: int
    body: str
    at: str
    end: Optional[str] = None
    """Signed, Parked or Discarded; None while it is open."""
    status: int = 0
    answer: str = ""
    last_at: str = ""
    lines: List[bytes] = field(default_factory=list)


@dataclass(frozen=True)
class Halt:
    status: int
    answer: str
    line: bytes


class Journal:
    """One file. Threads may share this object; processes share the file through its locks."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self.drain_lock = Lock(self.path + ".drain")
        self._append_lock = Lock(self.path + ".append")
        self._mutex = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self.sales: Dict[str, Sale] = {}
        """By reference, in the order in which they were sold."""
        self.halt: Optional[Halt] = None
        self._unknown: List[bytes] = []
        self._header = b""
        self._line_count = 0
        self._offset = 0
        self._flushed = 0

    # Reading.

    def refresh(self, *, flushed: bool = False) -> None:
        """Sees what others have written. With `flushed` it is certain to be on the disk, and may be sent."""
        with self._used():
            try:
                with self._opened() as file:
                    self._read(file)
                    if file is not None and flushed and self._offset > self._flushed:
                        self._flush(file)
            except JournalDamaged:
                # Or the tail was being cut at that moment.
                self._with_lock(lambda file, held: None)

    def _read(self, file: Optional[int]) -> None:
        """Takes in the whole lines that are new; stands still before a torn one."""
        header = b"" if file is None else _read_from(file, 0, 4096).partition(b"\n")[0]
        if file is None or header != self._header or os.fstat(file).st_size < self._offset:
            # Replaced by a compacted one.
            self._forget()
        if file is None:
            return
        *lines, torn = _read_from(file, self._offset).split(b"\n")
        if self._offset == 0 and (lines or torn):
            self._check_header(header)
        for index, line in enumerate(lines):
            record = _parse(line)
            if record is None and (index < len(lines) - 1 or torn):
                raise JournalDamaged(self.path, self._line_count + 1)
            if record is None:
                return
            self._apply(record, line)
            self._offset += len(line) + 1
            self._line_count += 1

    def _check_header(self, line: bytes) -> None:
        record = _parse(line)
        if record is None or record.get("Kind") != "Outbox":
            raise OutboxError(f"{self.path} is not the journal of an outbox; it was left as it is")
        if record.get("Version") != 1:
            raise OutboxError(f"{self.path} has version {record.get('Version')}, which this program does not know")
        self._header = line

    def _apply(self, record: Record, line: bytes) -> None:
        kind, reference = record["Kind"], record.get("Reference", "")
        sale = self.sales.get(reference)
        if kind == "Halted":
            self.halt = Halt(record["Status"], record["Answer"], line)
        elif kind == "Resumed":
            self.halt = None
        elif kind == "Sale":
            if sale is None or sale.end == "Discarded":
                # A corrected sale under the Reference of a discarded one has a new place.
                self.sales.pop(reference, None)
                sale = Sale(reference, record["AuthorityDeviceId"], record["Body"], record["At"])
                self.sales[reference] = sale
        elif kind in ("Signed", "Parked", "Discarded", "Retried"):
            if sale is not None:
                sale.end = None if kind == "Retried" else kind
                sale.status, sale.answer = record.get("Status", 200), record.get("Answer", "")
        elif kind != "Outbox":
            self._unknown.append(line)
        if sale is not None:
            sale.last_at = record["At"]
            sale.lines.append(line)

    # Writing.

    def append(self, decide: Callable[[], Optional[Record]]) -> bool:
        """Writes the record that `decide` gives when it sees the journal under the lock. False: it gave none."""
        record: Optional[Record] = None

        def write(file: int, held: Held) -> None:
            nonlocal record
            record = decide()
            if record is not None:
                self._write(file, held, _line({"Kind": record["Kind"], "At": now(), **record}))

        with self._used():
            self._with_lock(write)
        return record is not None

    def compact(self, drain: Held) -> None:
        """Leaves finished sales out, so that buyers' data do not stay on the till. Only for the holder of the drain lock."""
        with self._used():
            if any(_is_over(sale) for sale in self.sales.values()):
                self._with_lock(lambda file, held: self._rewrite(file, held, drain))

    def _with_lock(self, do: Callable[[int, Held], None]) -> None:
        """Does it with the append lock and the journal read to its end, without a torn line; again if the lock was lost."""
        while True:
            held = self._append_lock.take()
            try:
                if not os.path.exists(self.path) or os.path.getsize(self.path) == 0:
                    self._replace([_new_header()], held)
                with self._opened() as file:
                    assert file is not None
                    self._read(file)
                    if not held.is_mine():
                        continue
                    if os.fstat(file).st_size > self._offset:
                        os.ftruncate(file, self._offset)
                    do(file, held)
                if held.is_mine():
                    return
            finally:
                held.release()

    def _write(self, file: int, held: Held, line: bytes) -> None:
        try:
            _write_all(file, line)
            self._flush(file)
        except OSError:
            if held.is_mine():
                os.ftruncate(file, self._offset)
            raise
        self._read(file)

    def _flush(self, file: int) -> None:
        size = os.fstat(file).st_size
        os.fsync(file)
        self._flushed = size

    def _rewrite(self, file: int, held: Held, drain: Held) -> None:
        kept = [sale for sale in self.sales.values() if not _is_over(sale)]
        lines = [_new_header(), *self._unknown, *(line for sale in kept for line in sale.lines)]
        if self.halt is not None:
            lines.append(self.halt.line)
        self._replace(lines, held, drain, of=file)

    def _replace(self, lines: List[bytes], *locks: Held, of: Optional[int] = None) -> None:
        """The whole file at once, so that no reader ever sees half of it."""
        new = self.path + ".new"
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600)
        try:
            try:
                if of is not None and hasattr(os, "fchown"):
                    # When a person drains as root, it stays the till's.
                    os.fchown(file, os.fstat(of).st_uid, os.fstat(of).st_gid)
                _write_all(file, b"".join(line + b"\n" for line in lines))
                os.fsync(file)
            finally:
                os.close(file)
            if all(lock.is_mine() for lock in locks):
                os.replace(new, self.path)
                _flush_folder(self.path)
        finally:
            if os.path.exists(new):
                os.unlink(new)

    # Files.

    @contextmanager
    def _used(self) -> Iterator[None]:
        with self._mutex:
            try:
                yield
            except OSError as error:
                raise OutboxError(f"{self.path} cannot be used: {error.strerror or error}") from error

    @contextmanager
    def _opened(self) -> Iterator[Optional[int]]:
        """Opened anew each time: another process may have replaced it. None: there is none."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | _BINARY)
        except FileNotFoundError:
            yield None
            return
        try:
            yield file
        finally:
            os.close(file)


def now(offset_seconds: float = 0) -> str:
    """The moment of a record. Such texts sort like the moments they name."""
    moment = datetime.fromtimestamp(time.time() + offset_seconds, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_over(sale: Sale) -> bool:
    return sale.end in ("Signed", "Discarded") and sale.last_at < now(-KEPT_SECONDS)


def _line(record: Record) -> bytes:
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _new_header() -> bytes:
    return _line({"Kind": "Outbox", "Version": 1, "Id": secrets.token_hex(8)})[:-1]


def _parse(line: bytes) -> Optional[Record]:
    """None if the line is not whole."""
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    record = json.loads(text)
    return record if isinstance(record, dict) and "Kind" in record else None


def _read_from(file: int, offset: int, limit: Optional[int] = None) -> bytes:
    os.lseek(file, offset, os.SEEK_SET)
    if limit is not None:
        return os.read(file, limit)
    return b"".join(iter(lambda: os.read(file, 1 << 20), b""))


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _flush_folder(path: str) -> None:
    if os.name == "nt":
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
