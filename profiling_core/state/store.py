"""The immutable files that versions name: written aside, made durable, published by one rename, verified when read.

A crash leaves either no published file or a complete one. What no version names is garbage, collected when it is old
enough that no running job can still be about to commit it.
"""

import hashlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef, Version
from profiling_core.state.settings import Settings

# Names of tables begin with a letter or digit, so these cannot be one.
_STAGING = "_staging"
_DATASET = "_dataset"
_TEMPORARY = ".tmp"
_UNIQUE = "[0-9a-f]{12}"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=@~-]{0,199}")
# People read quarantined rows, also those of a delta that was refused and is part of no version.
_NEVER_GARBAGE = "quarantine"
_REBUILD = "restore the file from a backup, or derive the state anew with: holdfast rebuild"
_REPEAT = "repeat the step that writes it (in Airflow: clear the whole run)"


@dataclass(frozen=True, slots=True)
class Garbage:
    """What a collection removed: number of files, and their bytes."""

    files: int
    size: int


class Store:
    """The files of one dataset below ``<home>/state/<dataset>``. Paths in ``FileRef`` are relative to ``<home>``."""

    def __init__(self, settings: Settings, dataset: str) -> None:
        self._home = settings.home
        self._directory = settings.home / "state" / _name(dataset)

    @property
    def home(self) -> Path:
        """The state directory, which paths of files are relative to."""
        return self._home

    def path(self, ref: FileRef | str) -> Path:
        """The absolute path of a file or of a path relative to the state directory; it need not exist.

        Raises:
            StateError: the path leads out of the state directory.
        """
        relative = ref if isinstance(ref, str) else ref.path
        path = Path(os.path.normpath(self._home / relative))
        if Path(relative).is_absolute() or not path.is_relative_to(self._home):
            raise StateError(f"the path {relative!r} leads out of the state directory", where=str(self._home))
        return path

    def relative(self, path: Path) -> str:
        """The inverse of :meth:`path`: the path relative to the state directory."""
        try:
            return path.absolute().relative_to(self._home).as_posix()
        except ValueError as error:
            raise StateError("the path lies outside the state directory", where=str(path)) from error

    def staging(self, run_id: str) -> Path:
        """The run's directory for plans and results that are not committed yet; created where missing."""
        directory = self._directory / _STAGING / _name(run_id)
        directory.mkdir(parents=True, exist_ok=True)
        return directory

    def discard(self, run_id: str) -> None:
        """Removes all that a run has staged and published. Only for a run that has not committed and is not to.

        Quarantined rows stay.
        """
        shutil.rmtree(self._directory / _STAGING / _name(run_id), ignore_errors=True)
        of_run = re.compile(rf"{re.escape(run_id)}-{_UNIQUE}\..*")
        for unit in self._units():
            if of_run.fullmatch(unit.name):
                _remove(unit)

    def new_dir(self, run_id: str, table: str, role: str) -> Path:
        """A new, empty directory to write files to and then :meth:`publish` (Spark: with ``mode("overwrite")``).

        ``table`` is empty for files of the whole dataset. Every call gives another directory.
        """
        directory = self._unit(run_id, table, role, f".parquet{_TEMPORARY}")
        directory.mkdir(parents=True)
        return directory

    def publish(self, path: Path, table: str, role: str) -> tuple[FileRef, ...]:
        """Makes what was written to a path of :meth:`new_dir` durable and final; returns its files, sorted by path.

        Contents and directories are synchronised to disk before the one rename. Spark's markers and checksums
        (hidden files) are left out. Publishing again what is published gives the same files.

        Raises:
            StateError: nothing was written there, or the path does not come from ``new_dir`` for this table and role.
        """
        final = path.with_suffix("") if path.suffix == _TEMPORARY else path
        if path.parent != self._parent(table, role) or path == final:
            raise StateError("only a path that new_dir gave can be published", where=str(path))
        if not path.exists() and not final.exists():
            raise StateError("there is nothing to publish", where=str(path), remedy="run the step again")
        if path.exists():
            _remove_hidden(path)
            _synchronise(path)
            path.rename(final)
            self._synchronise_entry(final)
        return tuple(FileRef(table, role, self.relative(f), *_digest(f)) for f in _files(final))

    def publish_json(self, run_id: str, table: str, role: str, data: Any) -> FileRef:
        """Writes and publishes a JSON document."""
        path = self._unit(run_id, table, role, ".json")
        write_atomically(path, (json.dumps(data) + "\n").encode("ascii"))  # line breaks would take five times as long
        self._synchronise_entry(path)
        return FileRef(table, role, self.relative(path), *_digest(path))

    def verify(self, ref: FileRef) -> Path:
        """The path of a file after its size and checksum were compared with what was published.

        Raises:
            StateError: the file is missing or damaged.
        """
        path = self.path(ref)
        if not path.is_file():
            raise StateError("a file of the state is missing", where=str(path), remedy=_REBUILD)
        digest, size = _digest(path)
        if (digest, size) != (ref.sha256, ref.size):
            raise StateError(
                f"a file of the state is damaged: {size} bytes with checksum {digest[:12]}…, "
                f"where {ref.size} bytes with {ref.sha256[:12]}… were published",
                where=str(path),
                remedy=_REBUILD,
            )
        return path

    def write_json(self, path: Path, data: Any) -> Path:
        """Writes a JSON document atomically: a reader, or the next process, sees the old or the new one, whole."""
        text = json.dumps(data, indent=1) + "\n"
        write_atomically(path, text.encode("ascii"))
        return path

    def read_json(self, source: Path | FileRef) -> Any:
        """Reads a JSON document, that of a version after verifying it.

        Raises:
            StateError: it is missing or damaged.
        """
        path = self.verify(source) if isinstance(source, FileRef) else source
        try:
            return json.loads(path.read_bytes())
        except FileNotFoundError as error:
            raise StateError("a file of the run is missing", where=str(path), remedy=_REPEAT) from error
        except ValueError as error:
            raise StateError(f"not a JSON document: {error}", where=str(path), remedy=_REPEAT) from error

    def collect_garbage(self, versions: Iterable[Version], min_age: timedelta = timedelta(days=1)) -> Garbage:
        """Deletes files that none of the versions names, and stale staging; quarantined rows stay.

        ``versions`` are all that must stay readable: every version of the catalog, not only the current one. What
        changed within ``min_age`` stays too, since a run may be about to commit it: give longer than any run takes.
        """
        named = {self.path(file) for version in versions for file in version.files}
        horizon = time.time() - min_age.total_seconds()
        removed = [0, 0]
        for unit in self._units():
            if named.isdisjoint((unit, *_files(unit))) and _newest_change(unit) <= horizon:
                files = list(_walk(unit))
                removed[0] += len(files)
                removed[1] += sum(f.stat().st_size for f in files)
                _remove(unit)
        return Garbage(*removed)

    def _synchronise_entry(self, path: Path) -> None:
        """Makes the entry of a path durable, with those of the directories above it, which may be new as well."""
        for directory in path.parents:
            _synchronise_directory(directory)
            if directory == self._home:
                return

    def _unit(self, run_id: str, table: str, role: str, suffix: str) -> Path:
        return self._parent(table, role) / f"{_name(run_id)}-{uuid.uuid4().hex[:12]}{suffix}"

    def _parent(self, table: str, role: str) -> Path:
        return self._directory / (_name(table) if table else _DATASET) / _name(role)

    def _units(self) -> Iterator[Path]:
        """What is published or staged at once: it goes at once too."""
        for table in _children(self._directory):
            if table.name == _STAGING:
                yield from _children(table)
                continue
            for role in _children(table):
                if role.name != _NEVER_GARBAGE:
                    yield from _children(role)


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file beside its place, synchronises it, and renames it there; creates the directory where missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{_TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _synchronise_directory(path.parent)


def _name(name: str) -> str:
    if not _SAFE.fullmatch(name):
        raise StateError(
            f"{name!r} cannot be part of a path",
            remedy="use letters, digits, dots, dashes and underscores, a letter or digit first",
        )
    return name


def _children(directory: Path) -> list[Path]:
    return sorted(directory.iterdir()) if directory.is_dir() else []


def _walk(path: Path) -> Iterator[Path]:
    if path.is_dir() and not path.is_symlink():
        for child in _children(path):
            yield from _walk(child)
    else:
        yield path


def _files(path: Path) -> list[Path]:
    return sorted(_walk(path))


def _remove_hidden(path: Path) -> None:
    for file in _files(path):
        if file != path and file.name.startswith((".", "_")):
            file.unlink()


def _synchronise(path: Path) -> None:
    if path.is_dir():
        for child in _children(path):
            _synchronise(child)
        _synchronise_directory(path)
    else:
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _synchronise_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size


def _newest_change(path: Path) -> float:
    return max((f.lstat().st_mtime for f in (path, *path.rglob("*"))), default=0.0)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
