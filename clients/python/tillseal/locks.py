"""The lock that programs in all languages share (docs/outbox.md): a file that only one can create, with a generation."""

from __future__ import annotations

import json
import os
import random
import secrets
import time
from typing import List, Optional

DEAD_AFTER = 60.0
"""Seconds without a sign of life, after which a holder counts as dead wherever it is."""
UNWRITTEN_AFTER = 5.0
"""Seconds after which a lock without readable content belongs to a process that was killed while writing it."""
PATIENCE = 70.0


class Lock:
    """`PREFIX.N`: the highest N counts."""

    def __init__(self, prefix: str) -> None:
        self._folder, self._name = os.path.split(os.path.abspath(prefix))

    def take(self) -> "Held":
        """Waits as long as a living process has it."""
        until = time.monotonic() + PATIENCE
        while True:
            held = self.try_take()
            if held is not None:
                return held
            if time.monotonic() > until:
                raise TimeoutError(f"the lock {self._name} was not released within {PATIENCE:.0f} seconds")
            time.sleep(random.uniform(0.01, 0.05))

    def try_take(self) -> Optional["Held"]:
        while True:
            highest = max(self.generations(), default=0)
            if highest and self._is_held(highest):
                return None
            held = self._create(highest + 1)
            if held is None:
                continue  # Another was faster.
            if held.is_mine() and not (highest and self._is_held(highest)):
                for lower in sorted(self.generations()):
                    if lower <= highest:
                        self._remove(lower)
                return held
            self._remove(highest + 1)  # Created from an old list.

    def generations(self) -> List[int]:
        start = self._name + "."
        ends = (name[len(start) :] for name in os.listdir(self._folder) if name.startswith(start))
        return [int(end) for end in ends if end.isdecimal()]

    def path(self, generation: int) -> str:
        return os.path.join(self._folder, f"{self._name}.{generation}")

    def _create(self, generation: int) -> Optional["Held"]:
        pid = os.getpid()
        owner = {"Pid": pid, "Start": start_of(pid), "Init": start_of(1), "Token": secrets.token_hex(8)}
        content = json.dumps(owner, separators=(",", ":")).encode()
        try:
            file = os.open(self.path(generation), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return None
        try:
            os.write(file, content)
        except OSError:
            self._remove(generation)
            raise
        finally:
            os.close(file)
        return Held(self, generation, content)

    def _remove(self, generation: int) -> None:
        try:
            os.unlink(self.path(generation))
        except FileNotFoundError:
            pass

    def _is_held(self, generation: int) -> bool:
        try:
            age = abs(time.time() - os.stat(self.path(generation)).st_mtime)
        except FileNotFoundError:
            return True  # A higher one has removed it: look again.
        try:
            with open(self.path(generation), "rb") as file:
                owner = json.loads(file.read())
            if owner == {}:
                return False
            pid, start, init = int(owner["Pid"]), str(owner["Start"]), str(owner["Init"])
        except (OSError, ValueError, KeyError, TypeError):
            return age <= UNWRITTEN_AFTER
        return age <= DEAD_AFTER and not _is_dead(pid, start, init)


class Held:
    """A lock that was taken."""

    def __init__(self, lock: Lock, generation: int, content: bytes) -> None:
        self._lock = lock
        self._generation = generation
        self._content = content

    def is_mine(self) -> bool:
        """False when this process was stopped for so long that another took it."""
        return max(self._lock.generations(), default=0) == self._generation

    def renew(self) -> None:
        """A sign of life."""
        self._overwrite(self._content)

    def release(self) -> None:
        self._overwrite(b"{}".ljust(len(self._content)))

    def _overwrite(self, content: bytes) -> None:
        # In one write of the same length: the file is never empty, whenever this process is killed, and the disk may be full.
        try:
            file = os.open(self._lock.path(self._generation), os.O_WRONLY)
        except FileNotFoundError:
            return  # Lost.
        try:
            os.write(file, content)
        finally:
            os.close(file)


def start_of(pid: int) -> str:
    """When a process started, as its system counts; "" if there is none, it has ended, or there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name, field 2, is in brackets and may contain anything.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


def _is_dead(pid: int, start: str, init: str) -> bool:
    """Whether it is certain. The processes of another container (`init`) cannot be seen from here."""
    if start and init and init == start_of(1):
        return start_of(pid) != start
    if os.name == "posix" and not os.path.exists("/proc/self"):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
    return False
