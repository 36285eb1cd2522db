"""The immutable files that versions name: written aside, made durable, published by one rename, verified when read.

A crash leaves either no published file or a complete one. What no version names is garbage, collected when it is old
enough that no running job can still be about to commit it.
"""

import hashlib
import json
import os
import re
import shutil
import socket
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state.atomic import TEMPORARY, make_private, synchronise_directory, write_atomically
from profiling_core.state.directories import (
    Garbage,
    children,
    files_in,
    newest_change,
    remove_hidden,
    synchronise_all,
    take_away,
)
from profiling_core.state.proof import StoredFile, digest, prove, take_ahead

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Names of tables begin with a letter or digit, so these cannot be one.
STAGING = "_staging"
DATASET_FILES = "_dataset"
UNIQUE = "[0-9a-f]{12}"
LONGEST_RUN = timedelta(days=1)
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=@~-]{0,199}")
# People read quarantined rows, also those of a delta that was refused and is part of no version.
NEVER_GARBAGE = "quarantine"
REPEAT = "repeat the step that writes it (in Airflow: clear the whole run)"


class Store:
    """The files of one dataset below ``<home>/state/<dataset>``. Paths in ``FileRef`` are relative to ``<home>``."""

    def __init__(self, home: Path, dataset: str) -> None:
        self._home = home
        self._directory = home / "state" / _name(dataset)

    @property
    def home(self) -> Path:
        """The state directory, which paths of files are relative to."""
        return self._home

    def stored(self, ref: FileRef) -> StoredFile:
        """A file as tasks get it that prove what they read of it; it need not exist.

        Raises:
            StateError: the path leads out of the state directory.
        """
        return StoredFile(str(self._path(ref.path)), ref.sha256, ref.size)

    def all_stored(self, refs: Iterable[FileRef]) -> dict[FileRef, StoredFile]:
        """Several files as :meth:`stored` gives them."""
        return {ref: self.stored(ref) for ref in refs}

    def _path(self, relative: str) -> Path:
        path = Path(os.path.normpath(self._home / relative))
        if Path(relative).is_absolute() or not path.is_relative_to(self._home):
            raise StateError(f"the path {relative!r} leads out of the state directory", where=str(self._home))
        return path

    def relative(self, path: Path) -> str:
        """The path relative to the state directory, as a ``FileRef`` has it."""
        try:
            return path.absolute().relative_to(self._home).as_posix()
        except ValueError as error:
            raise StateError("the path lies outside the state directory", where=str(path)) from error

    def staging(self, run_id: str) -> Path:
        """The run's directory for plans and results that are not committed yet; created where missing."""
        directory = self._directory / STAGING / _name(run_id)
        return make_private(directory)

    def discard(self, run_id: str, named: Iterable[FileRef] = (), *, rejects: bool = False) -> Garbage:
        """Removes what a run has staged and published, but for the files that the version it committed names.

        Only for a run that is not to commit any more. Quarantined rows stay but with ``rejects``; directories that are
        empty then go.
        """
        kept = {self._path(file.path) for file in named}
        of_run = re.compile(rf"{re.escape(run_id)}-{UNIQUE}\..*")
        units = [unit for unit in self._units(rejects=rejects) if of_run.fullmatch(unit.name)]
        staged = self._directory / STAGING / _name(run_id)
        gone = [*(unit for unit in units if kept.isdisjoint((unit, *files_in(unit)))), staged]
        removed = take_away(gone)
        for unit in gone:
            self._remove_empty(unit.parent)
        return removed

    def _remove_empty(self, directory: Path) -> None:
        """Removes a directory that holds nothing, and those above it that this leaves empty."""
        while directory != self._directory.parent:
            try:
                directory.rmdir()
            except FileNotFoundError:
                pass  # somebody else has removed it
            except OSError:
                return  # it holds something, maybe since a moment ago
            directory = directory.parent

    def runs(self, min_age: timedelta = LONGEST_RUN) -> list[str]:
        """The runs that staged something, and nothing within ``min_age``: give longer than any run takes."""
        horizon = time.time() - min_age.total_seconds()
        return [run.name for run in children(self._directory / STAGING) if newest_change(run) <= horizon]

    def new_dir(self, run_id: str, table: str, role: str) -> Path:
        """A new, empty directory to write files to and then :meth:`publish` (Spark: with ``mode("overwrite")``).

        ``table`` is empty for files of the whole dataset. Every call gives another directory.
        """
        directory = self._unit(run_id, table, role, f".parquet{TEMPORARY}")
        return make_private(directory)

    def publish(self, path: Path, table: str, role: str) -> tuple[FileRef, ...]:
        """Makes what was written to a path of :meth:`new_dir` durable and final; returns its files, sorted by path.

        Contents and directories are synchronised to disk before the one rename. Spark's markers and checksums
        (hidden files) are left out. Publishing again what is published gives the same files. Where no file was written
        nothing stays.

        Raises:
            StateError: nothing was written there, or the path does not come from ``new_dir`` for this table and role.
        """
        final = path.with_suffix("") if path.suffix == TEMPORARY else path
        if path.parent != self._parent(table, role) or path == final:
            raise StateError("only a path that new_dir gave can be published", where=str(path))
        if not path.exists() and not final.exists():
            raise StateError("there is nothing to publish", where=str(path), remedy="run the step again")
        if path.exists():
            remove_hidden(path)
            if path.is_dir() and not children(path):
                self._remove_empty(path)
                return ()
            synchronise_all(path)
            path.rename(final)
            self._synchronise_entry(final)
        return tuple(FileRef(table, role, self.relative(f), *digest(f)) for f in files_in(final))

    def publish_json(self, run_id: str, table: str, role: str, data: Any) -> FileRef:
        """Writes and publishes a JSON document."""
        path = self._unit(run_id, table, role, ".json")
        write_atomically(path, (json.dumps(data) + "\n").encode("ascii"))  # line breaks would take five times as long
        self._synchronise_entry(path)
        return FileRef(table, role, self.relative(path), *digest(path))

    def verify(self, ref: FileRef) -> Path:
        """The path of a file after its size and checksum were compared with what was published.

        This and what builds on it are the only ways to a published file. A file that stays as it is is read once per
        process for it.

        Raises:
            StateError: the file is missing or damaged.
        """
        return prove(self.stored(ref))

    def verified(self, refs: Sequence[FileRef]) -> list[str]:
        """The paths of several files as text, each verified; large ones at the same time.

        Raises:
            StateError: a file is missing or damaged.
        """
        if len(refs) == 1:
            return [str(self.verify(refs[0]))]
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            return list(map(str, pool.map(self.verify, refs)))

    def map_array(self, ref: FileRef, wanted: int) -> "NDArray[Any]":
        """The array that a file holds, mapped, after its bytes were proven by their sum, which is proven itself.

        Raises:
            StateError: the file is missing or damaged.
        """
        from profiling_core.state import mapped_arrays  # NumPy takes longer than most commands

        return mapped_arrays.map_array(mapped_arrays.SummedFile(self.stored(ref), wanted))

    def sums_among(self, refs: Iterable[FileRef]) -> dict[FileRef, int]:
        """The sums of arrays by which they are proven, where one of their files holds them; proven by its digest.

        Raises:
            StateError: that file is missing or damaged.
        """
        from profiling_core.state import mapped_arrays

        files = list(refs)
        held = mapped_arrays.sums_file(files)
        sums = mapped_arrays.sums_from(self.verify(held)) if held else {}
        return {ref: sums[name] for ref in files if (name := mapped_arrays.array_name(ref)) in sums}

    def prove_ahead(self, refs: Sequence[FileRef]) -> None:
        """Begins to prove files of one role that will be read soon, beside what goes on; returns at once.

        A damaged file is reported when it is read.
        """
        from profiling_core.state import mapped_arrays

        try:
            sums = self.sums_among(refs)
        except StateError:
            return
        mapped_arrays.map_ahead([mapped_arrays.SummedFile(self.stored(ref), wanted) for ref, wanted in sums.items()])
        take_ahead([self.stored(ref) for ref in refs if ref not in sums])

    def require(self, files: Iterable[FileRef]) -> None:
        """Raises ``StateError`` where a file that is about to be committed is gone, or has not the size it had."""
        for file in files:
            path = self._path(file.path)
            if not path.is_file() or path.stat().st_size != file.size:
                raise StateError("a file that the run had written is gone or cut short", where=str(path), remedy=REPEAT)

    def write_json(self, path: Path, data: Any) -> Path:
        """Writes a JSON document atomically: a reader, or the next process, sees the old or the new one, whole."""
        text = json.dumps(data, indent=1) + "\n"
        write_atomically(path, text.encode("ascii"))
        return path

    def read_json(self, ref: FileRef) -> Any:
        """Reads a published JSON document after verifying it; raises ``StateError`` as :meth:`verify` does."""
        return json.loads(self.verify(ref).read_bytes())

    def where(self, path: str) -> str:
        """Where people find what has this path relative to the state directory."""
        return str(self._home / path)

    def check(self, ref: FileRef) -> None:
        """Whether a file is as it was published, where it is kept; raises ``StateError`` as :meth:`verify` does."""
        self.verify(ref)

    def record(self, run_id: str, name: str, data: Any) -> None:
        """Writes down what a step of a run came to, for the steps after it; in place of what was recorded before."""
        self.write_json(self.staging(run_id) / name, sealed_document(data))

    def recorded(self, run_id: str, name: str) -> Any:
        """The document that :meth:`record` wrote.

        Raises:
            StateError: it is missing or damaged.
        """
        try:
            found = json.loads(self._record(run_id, name))
            intact = found["sha256"] == _checksum(found["document"])
        except FileNotFoundError as error:
            if not self._has_staged(run_id):
                raise StateError(
                    f"what an earlier step of run {run_id!r} wrote is not on this machine",
                    where=f"{self.where(self._staged(run_id))} on {socket.gethostname()}",
                    remedy="let HOLDFAST_HOME be one directory that all workers share, or s3://<bucket>/<path>, and "
                    "clear the whole run",
                ) from error
            where = self.where(self._staged(run_id, name))
            raise StateError(f"run {run_id!r} has no {name}", where=where, remedy=REPEAT) from error
        except (ValueError, KeyError, TypeError):
            intact = False
        if not intact:
            where = self.where(self._staged(run_id, name))
            raise StateError(f"what run {run_id!r} recorded is damaged", where=where, remedy=REPEAT)
        return found["document"]

    def _record(self, run_id: str, name: str) -> bytes:
        return self._path(self._staged(run_id, name)).read_bytes()

    def _has_staged(self, run_id: str) -> bool:
        return self._path(self._staged(run_id)).is_dir()

    def _staged(self, run_id: str, *names: str) -> str:
        """The run's staging directory, as a path relative to the state directory."""
        return Path("state", self._directory.name, STAGING, _name(run_id), *names).as_posix()

    def keep_staged(self, run_id: str, folder: str) -> None:
        """Lets later steps of the run have what was written to a folder of its staging directory."""

    def staged(self, run_id: str, folder: str) -> Path | None:
        """A folder of the run's staging directory that an earlier step wrote; None if it did not."""
        found = self.staging(run_id) / folder
        return found if found.is_dir() else None

    def forget_staged(self, run_id: str, folder: str) -> None:
        """Removes a folder of the run's staging directory, or one that holds such folders."""
        shutil.rmtree(self.staging(run_id) / folder, ignore_errors=True)

    def collect_garbage(self, named: Iterable[str], min_age: timedelta = LONGEST_RUN) -> Garbage:
        """Deletes files that nothing names, and stale staging; quarantined rows stay.

        ``named`` are the paths of all that must stay readable: every version of the catalog and every manifest, not
        only the current one. What changed within ``min_age`` stays too, since a run may be about to commit it.
        """
        kept = {self._path(path) for path in named}
        horizon = time.time() - min_age.total_seconds()
        unnamed = (unit for unit in self._units() if kept.isdisjoint((unit, *files_in(unit))))
        return take_away([unit for unit in unnamed if newest_change(unit) <= horizon])

    def remove_halves(self, artifacts: Path, min_age: timedelta = LONGEST_RUN) -> Garbage:
        """Deletes what processes that were killed had half written: documents of the journal, and artifacts."""
        horizon = time.time() - min_age.total_seconds()
        found = [*self._directory.glob(f"_*/.*{TEMPORARY}"), *artifacts.rglob(f".*{TEMPORARY}")]
        return take_away([path for path in found if newest_change(path) <= horizon])

    def remove(self, files: Iterable[FileRef]) -> Garbage:
        """Deletes published files that no version needs any more, and the directories that this leaves empty."""
        removed = take_away([self._path(file.path) for file in files])
        for file in files:
            parent = self._path(file.path).parent
            while parent.parent.parent.parent != self._directory.parent and not children(parent):
                parent.rmdir()
                parent = parent.parent
        return removed

    def _synchronise_entry(self, path: Path) -> None:
        """Makes the entry of a path durable, with those of the directories above it, which may be new as well."""
        for directory in path.parents:
            synchronise_directory(directory)
            if directory == self._home:
                return

    def _unit(self, run_id: str, table: str, role: str, suffix: str) -> Path:
        return self._parent(table, role) / f"{_name(run_id)}-{uuid.uuid4().hex[:12]}{suffix}"

    def _parent(self, table: str, role: str) -> Path:
        return self._directory / (_name(table) if table else DATASET_FILES) / _name(role)

    def _units(self, *, rejects: bool = False) -> Iterator[Path]:
        """What is published or staged at once: it goes at once too."""
        for table in children(self._directory):
            if table.name == STAGING:
                yield from children(table)
            if table.name.startswith("_") and table.name != DATASET_FILES:
                continue  # staging, and what the journal holds
            for role in children(table):
                if rejects or role.name != NEVER_GARBAGE:
                    yield from children(role)


def _name(name: str) -> str:
    if not _SAFE.fullmatch(name):
        raise StateError(
            f"{name!r} cannot be part of a path",
            remedy="use letters, digits, dots, dashes and underscores, a letter or digit first",
        )
    return name


def sealed_document(data: Any) -> dict[str, Any]:
    """A document with its checksum."""
    return {"sha256": _checksum(data), "document": data}


def _checksum(data: Any) -> str:
    """The checksum of a document, whichever way it is laid out."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).hexdigest()
