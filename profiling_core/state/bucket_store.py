"""The immutable files that versions name, on an object store: written here, put there, fetched and proven when read.

What a step has published is there before the step says so, and what the next one reads it fetches, so that nothing on a
worker's disk is needed again. A crash leaves objects that no version names: garbage, as on a disk.
"""

import json
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state.atomic import make_private
from profiling_core.state.copies import LocalCopies
from profiling_core.state.directories import Garbage, files_in
from profiling_core.state.objects import Objects, StoredObject
from profiling_core.state.proof import StoredFile, prove
from profiling_core.state.store import (
    DATASET_FILES,
    LONGEST_RUN,
    NEVER_GARBAGE,
    REPEAT,
    STAGING,
    UNIQUE,
    Store,
    sealed_document,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 8
_PREPARED = re.compile(r"v(\d{8})\.json\.prepared")


class BucketStore(Store):
    """The files of one dataset below ``<url>/state/<dataset>``; below ``home`` this machine has copies of them.

    Every method raises ``UnreachableError`` where the store does not answer.
    """

    def __init__(self, home: Path, dataset: str, objects: Objects) -> None:
        super().__init__(home, dataset)
        self._objects = objects
        self._copies = LocalCopies(home, objects)
        self._prefix = f"state/{dataset}/"

    def where(self, path: str) -> str:
        """Where people find what has this path relative to the state directory."""
        return f"{self._objects.where}/{path}"

    def map_array(self, ref: FileRef, wanted: int) -> "NDArray[Any]":
        """The array of a proven copy, mapped; one that was damaged here is fetched again."""
        try:
            return super().map_array(ref, wanted)
        except StateError:
            self._copies.drop(super().stored(ref))
            return super().map_array(ref, wanted)

    def prove_ahead(self, refs: Sequence[FileRef]) -> None:
        """Does nothing: what is not here yet is proven as it comes."""

    def stored(self, ref: FileRef) -> StoredFile:
        """A file as tasks get it that prove what they read of it, fetched.

        Raises:
            StateError: it is missing or damaged, or the path leads out of the state directory.
        """
        file = super().stored(ref)
        self._copies.fetch(ref.path, file)
        return file

    def all_stored(self, refs: Iterable[FileRef]) -> dict[FileRef, StoredFile]:
        """Several files as :meth:`stored` gives them."""
        files = list(refs)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return dict(zip(files, pool.map(self.stored, files), strict=True))

    def verify(self, ref: FileRef) -> Path:
        """The path of a proven copy; one that was damaged here is fetched again. Raises as :meth:`stored` does."""
        file = self.stored(ref)
        try:
            return prove(file)
        except StateError:
            self._copies.drop(file)
            return prove(self.stored(ref))

    def check(self, ref: FileRef) -> None:
        """Whether the object is as it was published, whatever copy there is; raises ``StateError`` where it is not."""
        file = super().stored(ref)
        aside = StoredFile(f"{file.path}.{uuid.uuid4().hex}", file.sha256, file.size)
        self._copies.fetch(ref.path, aside)
        self._copies.drop(aside)

    # What runs write

    def publish(self, path: Path, table: str, role: str) -> tuple[FileRef, ...]:
        """Makes what was written to a path of :meth:`new_dir` final, and puts it; returns its files, sorted by path."""
        files = super().publish(path, table, role)
        _each(self._put, files)
        return files

    def publish_json(self, run_id: str, table: str, role: str, data: Any) -> FileRef:
        """Writes and publishes a JSON document."""
        file = super().publish_json(run_id, table, role, data)
        self._put(file)
        return file

    def _put(self, file: FileRef) -> None:
        stored = super().stored(file)
        self._copies.trim(file.size)
        try:
            self._objects.create(file.path, Path(stored.path))
        except FileExistsError:
            raise StateError(
                "another file is already in the place that this run writes to",
                where=self.where(file.path),
                remedy=REPEAT,
            ) from None

    def require(self, files: Iterable[FileRef]) -> None:
        """Raises ``StateError`` where a file that is about to be committed is gone, or has not the size it had."""
        _each(self._require, files)

    def _require(self, file: FileRef) -> None:
        if self._objects.size(file.path) != file.size:
            raise StateError(
                "a file that the run had written is gone or cut short", where=self.where(file.path), remedy=REPEAT
            )

    def record(self, run_id: str, name: str, data: Any) -> None:
        """Writes down what a step of a run came to, for the steps after it; in place of what was recorded before."""
        self._objects.put(self._staged(run_id, name), json.dumps(sealed_document(data)).encode("ascii"))

    def _record(self, run_id: str, name: str) -> bytes:
        return self._objects.read(self._staged(run_id, name))

    def _has_staged(self, run_id: str) -> bool:
        return any(self._objects.entries(f"{self._staged(run_id)}/"))

    def keep_staged(self, run_id: str, folder: str) -> None:
        """Puts what was written to a folder of the run's staging directory."""
        for path in files_in(self.staging(run_id) / folder):
            self._objects.put(self.relative(path), path)

    def staged(self, run_id: str, folder: str) -> Path | None:
        """A folder of the run's staging directory that an earlier step wrote, fetched; None if it did not."""
        found = list(self._objects.entries(f"{self._staged(run_id, folder)}/"))
        for entry in found:
            path = self._path(entry.name)
            make_private(path.parent)
            path.unlink(missing_ok=True)
            self._objects.copy_to(entry.name, path)
        return self.staging(run_id) / folder if found else None

    def forget_staged(self, run_id: str, folder: str) -> None:
        """Removes a folder of the run's staging directory, or one that holds such folders."""
        self._take_away(self._objects.entries(f"{self._staged(run_id, folder)}/"))
        super().forget_staged(run_id, folder)

    # What is not needed

    def runs(self, min_age: timedelta = LONGEST_RUN) -> list[str]:
        """The runs that staged something, and nothing within ``min_age``, by the store's clock."""
        horizon, newest = time.time() - min_age.total_seconds(), dict[str, float]()
        for entry in self._objects.entries(f"{self._prefix}{STAGING}/"):
            run = entry.name.removeprefix(f"{self._prefix}{STAGING}/").partition("/")[0]
            newest[run] = max(newest.get(run, 0.0), entry.modified)
        return sorted(run for run, changed in newest.items() if changed <= horizon)

    def discard(self, run_id: str, named: Iterable[FileRef] = (), *, rejects: bool = False) -> Garbage:
        """Removes what a run has put, but for the files that the version it committed names."""
        kept = {file.path for file in named}
        of_run = re.compile(rf"{re.escape(run_id)}-{UNIQUE}\..*")
        gone = []
        for (*_, role, unit), entries in self._units_there().items():
            staged = role == STAGING and unit == run_id
            published = of_run.fullmatch(unit) and (rejects or role != NEVER_GARBAGE)
            if staged or (published and kept.isdisjoint(entry.name for entry in entries)):
                gone += entries
        super().discard(run_id, named, rejects=rejects)
        return self._take_away(gone)

    def collect_garbage(self, named: Iterable[str], min_age: timedelta = LONGEST_RUN) -> Garbage:
        """Deletes objects that nothing names, and stale staging; what is quarantined or younger stays."""
        kept, horizon, gone = set(named), time.time() - min_age.total_seconds(), list[StoredObject]()
        for (*_, role, _unit), entries in self._units_there().items():
            old = max(entry.modified for entry in entries) <= horizon
            if old and role != NEVER_GARBAGE and kept.isdisjoint(entry.name for entry in entries):
                gone += entries
        super().collect_garbage(kept, min_age)
        return self._take_away(gone)

    def remove_halves(self, artifacts: Path, min_age: timedelta = LONGEST_RUN) -> Garbage:
        """Removes manifests that have their final names, too: a process ended while it renamed them."""
        entries = {Path(entry.name).name: entry for entry in self._objects.entries(f"{self._prefix}_manifests/")}
        gone = [
            e for name, e in entries.items() if _PREPARED.fullmatch(name) and name.removesuffix(".prepared") in entries
        ]
        super().remove_halves(artifacts, min_age)
        return self._take_away(gone)

    def remove(self, files: Iterable[FileRef]) -> Garbage:
        """Deletes published files that no version needs any more."""
        files = list(files)
        for file in files:
            self._copies.drop(super().stored(file))
        self._objects.remove(file.path for file in files)
        return Garbage(len(files), sum(file.size for file in files))

    def _units_there(self) -> dict[Sequence[str], list[StoredObject]]:
        """What was published or staged at once, by table or so, role and name: it goes at once too."""
        units = defaultdict[Sequence[str], list[StoredObject]](list)
        for entry in self._objects.entries(self._prefix):
            first, second, third, *_ = (*entry.name.removeprefix(self._prefix).split("/"), "", "")
            if first == STAGING:
                units[first, second].append(entry)
            elif not first.startswith("_") or first == DATASET_FILES:
                units[first, second, third].append(entry)
        return units

    def _take_away(self, entries: Iterable[StoredObject]) -> Garbage:
        gone = list(entries)
        self._objects.remove(entry.name for entry in gone)
        return Garbage(len(gone), sum(entry.size for entry in gone))


def _each(do: Callable[[FileRef], None], files: Iterable[FileRef]) -> None:
    """Does it for several files at once: a store takes its time for each."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(do, files))
