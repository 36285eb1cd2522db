"""Where Spark writes aside: a directory per process, below one of the user's own in the place for temporary files.

The system lets go of a process's lock however the process ends. So a directory whose lock can be had belongs to nobody
any more, and the next process removes it: Spark itself cleans up only where it ends in peace.
"""

import fcntl
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from profiling_core.model.errors import ConfigurationError
from profiling_core.state.atomic import make_private

_OWN, _LOCK = "of-", ".lock"


def scratch() -> Path:
    """The user's directory for what Spark needs for a while; ``TMPDIR`` says where.

    Raises:
        ConfigurationError: it belongs to another user.
    """
    found = make_private(Path(tempfile.gettempdir(), f"holdfast-spark-{os.getuid()}"))
    if found.stat().st_uid != os.getuid():
        raise ConfigurationError(
            "the directory for Spark's temporary files belongs to another user",
            where=str(found),
            remedy="remove it, or set TMPDIR to a directory of your own",
        )
    return found


def own_scratch() -> Path:
    """This process's directory, removed by another process once this one has ended."""
    return _own(scratch(), os.getpid())


def remove_own_scratch() -> None:
    """Removes this process's directory: what used it has ended."""
    own = own_scratch()
    shutil.rmtree(own, ignore_errors=True)
    own.with_suffix(_LOCK).unlink(missing_ok=True)


@cache
def _own(place: Path, process: int) -> Path:
    _remove_abandoned(place)
    while True:
        descriptor, name = tempfile.mkstemp(_LOCK, f"{_OWN}{process}-", place)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:  # else another process took it for abandoned before it was locked
            os.set_inheritable(descriptor, True)  # noqa: FBT003  # a server's lock outlives the program that becomes it
            return make_private(Path(name.removesuffix(_LOCK)))
        os.close(descriptor)


def _remove_abandoned(place: Path) -> None:
    for lock in place.glob(f"{_OWN}*{_LOCK}"):
        try:
            descriptor = os.open(lock, os.O_RDWR)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
        finally:
            os.close(descriptor)
