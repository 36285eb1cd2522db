"""Writing that a crash leaves either undone or whole, and directories whose entries survive one."""

import os
import uuid
from pathlib import Path

TEMPORARY = ".tmp"


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file beside its place, synchronises it, and renames it there; creates the directory where missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    synchronise_directory(path.parent)


def synchronise_directory(path: Path) -> None:
    """Makes the entries of a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
