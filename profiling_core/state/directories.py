"""Directories of published files as a whole: their contents listed, made durable, removed."""

import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from profiling_core.state.atomic import shut, synchronise, synchronise_directory

# Files that are made durable at the same time.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Garbage:
    """The number of files that a collection removed, and their bytes."""

    files: int = 0
    size: int = 0

    def __add__(self, other: "Garbage") -> "Garbage":
        return Garbage(self.files + other.files, self.size + other.size)


def children(directory: Path) -> list[Path]:
    """The entries of a directory, sorted; none if there is no directory."""
    return sorted(directory.iterdir()) if directory.is_dir() else []


def _walk(path: Path) -> Iterator[Path]:
    if path.is_dir() and not path.is_symlink():
        for child in children(path):
            yield from _walk(child)
    else:
        yield path


def files_in(path: Path) -> list[Path]:
    """The files below a path, or the path itself where it is one, sorted."""
    return sorted(_walk(path))


def remove_hidden(path: Path) -> None:
    """Removes markers and checksums that Spark leaves beside what it writes."""
    for file in files_in(path):
        if file != path and file.name.startswith((".", "_")):
            file.unlink()


def synchronise_all(path: Path) -> None:
    """Makes all files below a path durable, and closes them to others.

    Many files go at once: a file system writes its journal for all of them together.
    """
    everything = list(_with_directories(path))
    for one in everything:
        shut(one)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(synchronise, (one for one in everything if not one.is_dir())))
    for directory in reversed([one for one in everything if one.is_dir()]):
        synchronise_directory(directory)


def _with_directories(path: Path) -> Iterator[Path]:
    yield path
    for child in children(path):
        yield from _with_directories(child)


def newest_change(path: Path) -> float:
    """When something below a path was last changed, in seconds since the epoch."""
    return max((f.lstat().st_mtime for f in (path, *path.rglob("*"))), default=0.0)


def take_away(units: Iterable[Path]) -> Garbage:
    """Removes files and directories that may be gone already."""
    found = Garbage()
    for unit in units:
        sizes = [file.lstat().st_size for file in _walk(unit) if file.is_symlink() or file.exists()]
        found += Garbage(len(sizes), sum(sizes))
        if unit.exists():
            _remove(unit)
    return found


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
