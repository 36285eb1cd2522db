"""Messages for failures of the machine rather than of the program: a full disk, a read-only directory."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from profiling_core.model.errors import StateError

_AGAIN = "what was committed stays; then run the same again"
_NO_DIRECTORY = "what stands there, or above it, is neither a directory nor a link to one: move it away"
_SOMEWHERE = "the state (HOLDFAST_HOME) or the temporary files (TMPDIR)"
_REMEDIES = {
    errno.ENOSPC: f"make room there; {_AGAIN}",
    errno.EDQUOT: f"make room there; {_AGAIN}",
    errno.EIO: f"its disk, or the connection to it, fails: look at the system's log; {_AGAIN}",
    errno.EROFS: f"the file system is mounted for reading alone: mount it for writing; {_AGAIN}",
    errno.EACCES: f"let this user read and write there; {_AGAIN}",
    errno.ENOTDIR: f"{_NO_DIRECTORY}; {_AGAIN}",
    errno.EEXIST: f"{_NO_DIRECTORY}; {_AGAIN}",
    errno.ELOOP: f"{_NO_DIRECTORY}; {_AGAIN}",
    errno.EPERM: f"let this user read and write there; {_AGAIN}",
}


@contextmanager
def system_failures_told() -> Iterator[None]:
    """Runs its block; what the system refuses in it ends it as an error that says what to do.

    Raises:
        StateError: a file or connection could not be used.
    """
    try:
        yield
    except OSError as error:
        named = [str(name) for name in (error.filename, error.filename2) if name is not None]
        raise StateError(
            f"the system refused: {error.strerror or error}",
            where=" → ".join(named) or _SOMEWHERE,
            remedy=_REMEDIES.get(_number(error), f"see that what it names is there and can be read; {_AGAIN}"),
        ) from error


def _number(error: OSError) -> int:
    """The error's number, which Arrow has in its text alone."""
    return errno.ENOSPC if "No space left" in str(error) else error.errno or 0
