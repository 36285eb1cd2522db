"""The files of landed deltas: whether they are complete, and what identifies their content."""

import hashlib
import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any

from profiling_core.ingest.landed_names import stem_of
from profiling_core.ingest.rows import unreadable_file
from profiling_core.ingest.sources.objects import ObjectStat, Place
from profiling_core.ingest.sources.protocol import Applied, Held, Position
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.source import Source

SETTLE_VARIABLE = "HOLDFAST_SETTLE_SECONDS"
# Seconds without change after which a file is read; a setting.
SETTLE_SECONDS = 5.0
SUCCESS = "_SUCCESS"
# Object stores give times in whole seconds: a file that changed just now may change again within the same second.
_SETTLED_NS = 2_000_000_000


Stat = os.stat_result | ObjectStat


@dataclass(frozen=True, slots=True)
class Landed:
    """A delta on disk: its id, its file or directory, and its files in reading order."""

    delta_id: str
    path: Place
    files: tuple[Place, ...]


def settle_seconds(source: Source) -> float:
    """How long files must be unchanged before they are read: by the source, the environment, or the default."""
    if source.settle_seconds is not None:
        return source.settle_seconds
    text = os.environ.get(SETTLE_VARIABLE, "")
    try:
        return max(0.0, float(text)) if text else SETTLE_SECONDS
    except ValueError as error:
        raise ConfigurationError(
            f"{text!r} is not a number of seconds", where=f"environment variable {SETTLE_VARIABLE}", remedy="write 5"
        ) from error


def incomplete(delta: Landed, directory: Place, source: Source) -> Held | None:
    """Why a delta is not taken yet, or None: its marker is missing, or it changed a moment ago.

    A directory with ``_SUCCESS`` in it is complete, since Spark writes that file last.
    """
    if source.marker is not None:
        stem = None if delta.path.is_dir() else stem_of(delta.path.name, source.format)
        name = delta.path.name if stem is None else stem
        marker = source.marker.replace("{delta}", name)
        missing = not (directory / marker).exists()
        return Held(delta.delta_id, f"its marker {marker} is not there yet") if missing else None
    if (delta.path / SUCCESS).exists():
        return None
    period = settle_seconds(source)
    changed = max(path.stat().st_mtime for path in (delta.path, *delta.files))
    left = changed + period - time.time()
    if period == 0 or left <= 0:
        return None
    ago = period - left
    if ago < 0:
        when, remedy = "has a time of change in the future", f"set the clocks right, or touch {delta.path}"
        return Held(delta.delta_id, when, remedy, left)
    return Held(
        delta.delta_id, f"was changed {ago:.0f} s ago, and is taken after {period:g} s without change", "", left
    )


def position_of(delta: Landed, directory: Place) -> Position:
    """The identity of a delta's content: its files' names, digests, sizes, times of change (0: too recent to trust)."""
    return {"files": [_file(path, directory) for path in delta.files]}


def _file(path: Place, directory: Place) -> dict[str, Any]:
    found = _stat(path)
    return {
        "path": relative(path, directory).as_posix(),
        "sha256": _digest(path, found),
        "size": found.st_size,
        "mtime_ns": found.st_mtime_ns if _settled(found) else 0,
    }


def differs(delta: Landed, directory: Place, position: Position) -> bool:
    """Whether a delta's files differ from those of a position; contents are read if times of change differ."""
    known = {file["path"]: file for file in position["files"]}
    if [relative(path, directory).as_posix() for path in delta.files] != list(known):
        return True
    for path in delta.files:
        file, found = known[relative(path, directory).as_posix()], _stat(path)
        if found.st_size != file["size"]:
            return True
        if found.st_mtime_ns != file["mtime_ns"] and _digest(path, found) != file["sha256"]:
            return True
    return False


def trace(delta: Landed) -> list[tuple[int, ...]]:
    """The attributes that a file system changes whenever a file is written or replaced, even by the same bytes.

    While that happens a reader may have seen half of the file.
    """
    return [
        (found.st_size, found.st_mtime_ns, getattr(found, "st_ctime_ns", 0), getattr(found, "st_ino", 0))
        for found in map(_stat, delta.files)
    ]


class Twins:
    """Finds the first delta with the same content; only contents of equal sizes are read and compared."""

    def __init__(self, directory: Place, applied: Applied) -> None:
        self._directory = directory
        self._known: dict[tuple[int, ...], list[tuple[str, Position | Landed]]] = {}
        self._ids: dict[tuple[int, ...], dict[tuple[str, ...], str]] = {}
        for delta_id, position in applied.items():
            if "files" in position:
                sizes = tuple(sorted(file["size"] for file in position["files"]))
                self._known.setdefault(sizes, []).append((delta_id, position))

    def add(self, delta: Landed) -> None:
        """Remembers a delta that waits to be applied."""
        self._known.setdefault(_sizes(delta), []).append((delta.delta_id, delta))

    def first(self, delta: Landed) -> str | None:
        """The id of the first delta whose files have the same contents, whatever their names."""
        sizes = _sizes(delta)
        if sizes not in self._known:
            return None
        ids, unread = self._ids.setdefault(sizes, {}), self._known[sizes]
        for delta_id, other in unread:
            position = position_of(other, self._directory) if isinstance(other, Landed) else other
            ids.setdefault(_content(position), delta_id)
        unread.clear()
        return ids.get(_content(position_of(delta, self._directory)))


def _sizes(delta: Landed) -> tuple[int, ...]:
    return tuple(sorted(_stat(path).st_size for path in delta.files))


def _content(position: Position) -> tuple[str, ...]:
    return tuple(sorted(file["sha256"] for file in position["files"]))


def relative(path: Place, directory: Place) -> PurePath:
    """A file's path below its directory."""
    return path.relative_to(directory)  # type: ignore[arg-type] # both lie in one store


def _stat(path: Place) -> Stat:
    try:
        return path.stat()
    except OSError as error:
        raise unreadable_file(path, error) from error


def _settled(found: Stat) -> bool:
    return time.time_ns() - found.st_mtime_ns > _SETTLED_NS


def _digest(path: Place, found: Stat) -> str:
    read = _known_digest if _settled(found) else _known_digest.__wrapped__
    return read(path, found.st_mtime_ns, found.st_size)


@cache
def _known_digest(path: Place, mtime_ns: int, size: int) -> str:  # noqa: ARG001 -- another time or size is another content
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable_file(path, error) from error
