"""Proof that a file holds the published bytes: its digest is taken once per process and compared at each use.

Large files that a step looks up a few places of are handed out as a :class:`StoredFile`, which whoever reads it proves.
"""

import hashlib
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from profiling_core.model.errors import StateError

FROM_BACKUP = (
    "copy it from a backup, where its path is the same, or let `holdfast rebuild` make again whatever is not rows; "
    "`holdfast fsck` says what else is damaged"
)
# A file that stays as it is (by size, time and inode) is read for its digest once; this many are remembered.
_REMEMBERED = 1 << 16
_SETTLED_NS = 100_000_000
# Smaller files are proven in less time than a thread takes to begin.
_LARGE = 1 << 20
LET_READ = "let this user read it (all of Holdfast's processes run as one user)"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file where tasks read it, with the checksum and size that it must have: its reader proves what it reads."""

    path: str
    sha256: str
    size: int


def is_regular(path: Path) -> bool:
    """Whether a path leads to a file: whoever opens a pipe waits for ever, and a device never ends."""
    return stat.S_ISREG(path.stat().st_mode)


@dataclass
class _Digest:
    """The digest of a file as it is, taken when it is first asked for; whoever asks meanwhile waits for it."""

    path: str
    taking: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> str:
        with self.taking:
            return self._taken

    @cached_property
    def _taken(self) -> str:
        with Path(self.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def digest(path: Path) -> tuple[str, int]:
    """The SHA-256 of a file's bytes in hexadecimal, and its size."""
    found = path.stat()
    known = (str(path), found.st_size, found.st_mtime_ns, found.st_ino)
    taken = _digest(*known) if is_settled(found) else _Digest(str(path))
    return taken(), found.st_size


def is_settled(found: os.stat_result) -> bool:
    """Whether a file stays as it is: by the coarse clock of file times what has just changed may change unseen."""
    return time.time_ns() - found.st_mtime_ns > _SETTLED_NS


@lru_cache(maxsize=_REMEMBERED)
def _digest(path: str, _size: int, _mtime_ns: int, _inode: int) -> _Digest:
    return _Digest(path)


def take_ahead(files: Iterable[StoredFile]) -> None:
    """Begins to take the digests of large files in a thread of its own, the largest first; returns at once.

    Whoever proves one of them later waits at most for what is left. What cannot be read is told then.
    """
    large = sorted((file for file in files if file.size >= _LARGE), key=lambda file: -file.size)
    if large:
        threading.Thread(target=_take, args=(large,), name="digests", daemon=True).start()


def _take(files: Iterable[StoredFile]) -> None:
    for file in files:
        with suppress(OSError):
            digest(Path(file.path))


def prove(file: StoredFile) -> Path:
    """The path of a file whose bytes are those that were published.

    Raises:
        StateError: the file is missing, unreadable or damaged.
    """
    with named(file) as path:
        found, size = digest(path)
        if (found, size) != (file.sha256, file.size):
            raise StateError(
                f"a file of the state is damaged: {size} bytes with checksum {found[:12]}…, "
                f"where {file.size} bytes with {file.sha256[:12]}… were published",
                where=file.path,
                remedy=FROM_BACKUP,
            )
        return path


@contextmanager
def named(file: StoredFile) -> Iterator[Path]:
    """The path of a file while it is read: what stands in the way is told with its name.

    Raises:
        StateError: the file is missing or unreadable, or something else is in its place.
    """
    path = Path(file.path)
    try:
        if not is_regular(path):
            raise StateError(
                "something that is not a file is in the place of a file of the state",
                where=file.path,
                remedy=FROM_BACKUP,
            )
        yield path
    except FileNotFoundError as error:
        raise StateError("a file of the state is missing", where=file.path, remedy=FROM_BACKUP) from error
    except OSError as error:
        remedy = LET_READ if isinstance(error, PermissionError) else FROM_BACKUP
        raise StateError(
            f"a file of the state cannot be read: {error.strerror}", where=file.path, remedy=remedy
        ) from error
