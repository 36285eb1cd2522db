"""This machine's copies of files that an object store has: fetched when they are first asked for, and bounded in size.

A copy is proven before it gets its name. What was used longest ago goes first, and never what a living process may be
reading: each says here when it began. So the bound holds but for what runs use at the moment.
"""

import fcntl
import os
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from profiling_core.model.errors import ConfigurationError, StateError
from profiling_core.state.atomic import TEMPORARY, make_private
from profiling_core.state.directories import files_in
from profiling_core.state.lease import has_ended, new_lease
from profiling_core.state.objects import Objects
from profiling_core.state.proof import StoredFile, prove

SIZE_VARIABLE = "HOLDFAST_COPIES_SIZE"
_DEFAULT = "20G"
_UNITS = {"M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_IN_USE, _LOCK = "in-use", "copies.lock"
# No run takes longer; a process that lives on, such as a server, uses what it has fetched at once.
_LONGEST_RUN = 86_400.0
# The bound is checked again once the copies have grown by this part of it.
_BETWEEN = 0.1


class LocalCopies:
    """The copies below a directory of the objects of one home."""

    def __init__(self, directory: Path, objects: Objects) -> None:
        self._directory = directory
        self._objects = objects
        self._since = float("inf")

    def fetch(self, name: str, file: StoredFile) -> None:
        """Makes a copy of an object where there is none.

        Raises:
            StateError: there is no such object, or it is damaged.
            UnreachableError: the store does not answer.
        """
        _claim(self._directory)
        if not self._used(Path(file.path)):
            self.trim(file.size)
            self._fetch(name, file)

    def _used(self, path: Path) -> bool:
        """Notes that a copy is used, where there is one."""
        with self._lock(fcntl.LOCK_SH):
            try:
                os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
            except FileNotFoundError:
                return False
            return True

    @contextmanager
    def _lock(self, kind: int) -> Iterator[None]:
        """Keeps what one process begins to use from being removed by another."""
        descriptor = os.open(self._directory / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, kind)
            yield
        finally:
            os.close(descriptor)

    def _fetch(self, name: str, file: StoredFile) -> None:
        path = Path(file.path)
        make_private(path.parent)
        temporary = path.with_name(f".{uuid.uuid4().hex}{TEMPORARY}")
        try:
            self._objects.copy_to(name, temporary)
            prove(StoredFile(str(temporary), file.sha256, file.size))
            temporary.replace(path)
        except FileNotFoundError:
            raise missing(f"{self._objects.where}/{name}") from None
        except StateError as error:
            raise StateError(error.what, where=f"{self._objects.where}/{name}", remedy=error.remedy) from None
        finally:
            temporary.unlink(missing_ok=True)

    def drop(self, file: StoredFile) -> None:
        """Forgets a copy."""
        Path(file.path).unlink(missing_ok=True)

    def trim(self, coming: int) -> None:
        """Removes what was used longest ago where there is more than the bound; looks now and then."""
        most = bound()
        self._since += coming
        if self._since < most * _BETWEEN:
            return
        self._since = 0
        _claim(self._directory)
        with self._lock(fcntl.LOCK_EX):
            self._remove_beyond(most - coming)

    def _remove_beyond(self, most: int) -> None:
        found = []
        for path in files_in(self._directory / "state"):
            try:
                known = path.stat()
            except FileNotFoundError:
                continue  # another process has removed it
            found.append((known.st_atime, known.st_size, path))
        size, in_use_since = sum(size for _, size, _ in found), self._in_use_since()
        for used, of_file, path in sorted(found):
            if size <= most or used >= in_use_since:
                break
            path.unlink(missing_ok=True)
            size -= of_file

    def _in_use_since(self) -> float:
        """The time from which on what was used may be in use, in seconds since the epoch."""
        began = [time.time()]
        for claim in files_in(self._directory / _IN_USE):
            try:
                if has_ended(claim.name) or claim.stat().st_mtime < time.time() - _LONGEST_RUN:
                    claim.unlink(missing_ok=True)
                else:
                    began.append(claim.stat().st_mtime)
            except FileNotFoundError:
                continue  # another process has removed it
        return min(began)


def missing(where: str) -> StateError:
    """An object of the state is gone."""
    return StateError(
        "a file of the state is missing",
        where=where,
        remedy="restore it from a backup (holdfast restore); `holdfast fsck` says what else is damaged",
    )


def bound() -> int:
    """How many bytes copies may take; raises ``ConfigurationError`` where the environment does not say it well."""
    said = os.environ.get(SIZE_VARIABLE) or _DEFAULT
    found = re.fullmatch(r"(\d+)([MGT])", said)
    if not found:
        raise ConfigurationError(
            f"{said!r} is not a size", where=f"environment variable {SIZE_VARIABLE}", remedy="write it as 20G or 500M"
        )
    return int(found[1]) * _UNITS[found[2]]


def _claim(directory: Path) -> None:
    """Says that this process may read copies from now on, where it is not said yet, or everything was removed."""
    claim = directory / _IN_USE / _lease(os.getpid())
    if not claim.exists():
        make_private(claim.parent)
        claim.touch(0o600)


@cache
def _lease(_process: int) -> str:
    return new_lease()
