"""
A disk with a volatile cache, as a plugin of nbdkit. What was written is kept in memory until the next flush. When the power is cut, all
of that is gone, or a part of it survives, or single sectors of it, and every request fails until the power is back.

Told what to do through a Unix socket, a line of JSON for each question and for each answer:
  {"do": "arm", "at": "write", "after": 7}       cut when the 7th write from now on has arrived, before any flush of it
  {"do": "arm", "at": "flush", "after": 7}       cut when the 7th flush from now on arrives that has something to flush, before it
  {"do": "wait", "seconds": 5, "period": 0}      answers after the cut that ends this period of power; if there is none until then, it is made now
  {"do": "power", "keep": "tear", "seed": 3}     what survives of the unflushed writes: "drop", "part" or "tear"; the power is back
"""
import errno
import json
import random
import socketserver
import threading
import time

import nbdkit

API_VERSION = 2
SECTOR = 512
BLOCK = 4096

settings = {}
changed = threading.Condition()


class Disk:
    def __init__(self, size):
        # What a read sees, and what is safe.
        self.seen = bytearray(size)
        self.safe = bytearray(size)
        self.unflushed = []
        self.armed = None
        self.cut_at = None
        # Counts how often there was power: a question about an earlier time must not cut it off again.
        self.period = 0
        self.cuts = {}

    def arrived(self, kind):
        """Counts towards the armed moment; true when it has come."""
        if self.armed is None or self.armed["at"] != kind:
            return False
        self.armed["after"] -= 1
        return self.armed["after"] <= 0

    def cut(self, how):
        self.armed, self.cut_at = None, time.time() * 1000
        lost = {"writes": len(self.unflushed), "bytes": sum(len(data) for _, data in self.unflushed)}
        self.cuts[self.period] = {"cutAt": self.cut_at, "how": how, **lost}
        changed.notify_all()

    def restore(self, keep, seed):
        """Each write may have reached the plates or not, whatever came after it: nothing orders them but a flush."""
        chance = random.Random(seed)
        piece = SECTOR if keep == "tear" else BLOCK
        kept = dropped = 0
        for offset, data in self.unflushed:
            for start in range(0, len(data), piece):
                if keep != "drop" and chance.random() < 0.5:
                    part = data[start : start + piece]
                    self.safe[offset + start : offset + start + len(part)] = part
                    kept += 1
                else:
                    dropped += 1
        for offset, data in self.unflushed:
            self.seen[offset : offset + len(data)] = self.safe[offset : offset + len(data)]
        self.unflushed, self.armed, self.cut_at = [], None, None
        self.period += 1
        return {"kept": kept, "dropped": dropped}


disk = None


class Control(socketserver.StreamRequestHandler):
    def handle(self):
        asked = json.loads(self.rfile.readline())
        with changed:
            answer = getattr(self, asked.pop("do"))(**asked)
        self.wfile.write(json.dumps(answer).encode() + b"\n")

    def arm(self, at, after):
        disk.armed = {"at": at, "after": after}
        return {}

    def wait(self, seconds, period):
        changed.wait_for(lambda: period in disk.cuts, seconds)
        if period not in disk.cuts:
            disk.cut("now")
        return disk.cuts[period]

    def power(self, keep, seed):
        return disk.restore(keep, seed)


def config(key, value):
    settings[key] = value


def thread_model():
    return nbdkit.THREAD_MODEL_SERIALIZE_ALL_REQUESTS


def after_fork():
    global disk
    disk = Disk(int(settings["size"]))
    server = socketserver.ThreadingUnixStreamServer(settings["control"], Control)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def open(readonly):
    return 1


def get_size(h):
    return len(disk.seen)


def refuse_without_power():
    if disk.cut_at is not None:
        nbdkit.set_error(errno.EIO)
        raise OSError(errno.EIO, "there is no power")


def pread(h, buf, offset, flags):
    with changed:
        refuse_without_power()
        buf[:] = disk.seen[offset : offset + len(buf)]


def pwrite(h, buf, offset, flags):
    with changed:
        refuse_without_power()
        data = bytes(buf)
        disk.seen[offset : offset + len(data)] = data
        disk.unflushed.append((offset, data))
        if disk.arrived("write"):
            disk.cut("write")


def can_flush(h):
    return True


def flush(h, flags):
    with changed:
        refuse_without_power()
        if disk.unflushed and disk.arrived("flush"):
            disk.cut("flush")
            refuse_without_power()
        for offset, data in disk.unflushed:
            disk.safe[offset : offset + len(data)] = data
        disk.unflushed.clear()
