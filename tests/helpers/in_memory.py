"""Where tests write: in memory where there is room, since each write that is synchronised waits for a disk."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import psutil

MEMORY, _NAME = Path("/dev/shm"), "holdfast-tests-"
# Bytes that have to be free, so that tests leave the memory of a machine to the processes that they start.
ROOM = 8 * 2**30


def write_in_memory(place: Path = MEMORY) -> None:
    """Lets this process and all that it starts keep temporary files in memory, until it ends.

    Nothing changes where ``TMPDIR`` names a place already, or where there is no room or programs cannot be loaded.
    """
    if "TMPDIR" in os.environ or not _suits(place):
        return
    for left in place.glob(f"{_NAME}*"):
        if not psutil.pid_exists(int(left.name.removeprefix(_NAME))):  # its run was killed
            shutil.rmtree(left, ignore_errors=True)
    own = place / f"{_NAME}{os.getpid()}"
    own.mkdir(mode=0o711)  # a database's server runs as another user, and keeps a directory of its own in it
    atexit.register(_remove, own, os.getpid())
    os.environ["TMPDIR"], tempfile.tempdir = str(own), None


def _remove(own: Path, process: int) -> None:
    if os.getpid() == process:  # and not one that this process has forked
        shutil.rmtree(own, ignore_errors=True)


def _suits(place: Path) -> bool:
    if not os.access(place, os.W_OK):
        return False
    found = os.statvfs(place)
    room = min(found.f_bavail * found.f_frsize, psutil.virtual_memory().available)
    return room >= ROOM and not found.f_flag & os.ST_NOEXEC
