"""Atomic writes that only the owner can read, and directories whose entries survive a crash."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

TEMPORARY = ".tmp"


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file beside its place, synchronises it, and renames it there; creates the directory where missing."""
    make_private(path.parent)
    temporary = path.with_name(f".{uuid.uuid4().hex}{TEMPORARY}")
    try:
        with private_file(temporary) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # as of a write to a full disk
            error.filename = str(path)
        raise
    synchronise_directory(path.parent)


def make_private(directory: Path) -> Path:
    """Makes a directory, and those above it that are missing, which their owner alone may read or enter."""
    for last in (False, True):
        try:
            for missing in reversed([d for d in (directory, *directory.parents) if not d.exists()]):
                missing.mkdir(mode=0o700, exist_ok=True)
        except FileNotFoundError:  # another process has removed one that was empty
            if last:
                raise
    return directory


@contextmanager
def for_owner_alone() -> Iterator[None]:
    """While it lasts, files that any library writes are private."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def shut(path: Path) -> None:
    """Takes everybody else's rights to a file or directory."""
    if not path.is_symlink():
        path.chmod(0o700 if path.is_dir() else 0o600)


def private_file(path: Path) -> BinaryIO:
    """A new file, open for writing, that its owner alone may read."""
    return open(path, "xb", opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def synchronise_directory(path: Path) -> None:
    """Makes the entries of a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def synchronise(path: Path) -> None:
    """Makes the contents of a file durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
