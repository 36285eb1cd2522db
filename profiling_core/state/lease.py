"""Who holds a lease: a process, named so that others on its machine can tell whether it still runs."""

import hashlib
import os
import uuid
from functools import cache
from pathlib import Path

_PROC = Path("/proc")
_STARTED = 19  # of the fields after the program's name in /proc/<pid>/stat: when it started, in ticks since the boot


def new_lease() -> str:
    """A lease of this process, of 40 characters at most; no other is the same."""
    pid = os.getpid()
    return f"{pid}-{_started(pid)}-{_machine()}-{uuid.uuid4().hex[:8]}"


def has_ended(lease: str) -> bool:
    """Whether the process that holds a lease is known to have ended; of other machines' processes nobody knows."""
    pid, _, rest = lease.partition("-")
    started, _, rest = rest.partition("-")
    if not pid.isdecimal() or not started or rest.partition("-")[0] != _machine():
        return False
    return _started(int(pid)) != started


def _started(pid: int) -> str:
    """When a process started; empty where there is none, or it has ended and nobody has asked how."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[_STARTED]


@cache
def _machine() -> str:
    """This boot of this machine, and the processes that can see each other there."""
    try:
        seen = (_PROC / "sys/kernel/random/boot_id").read_text("ascii") + (_PROC / "self/ns/pid").readlink().name
    except OSError:
        seen = uuid.uuid4().hex  # where there is no /proc, no process tells of another
    return hashlib.sha256(seen.encode("ascii")).hexdigest()[:8]
