"""A landing directory: a delta is a file ``<delta id>.<extension>``, or a directory ``<delta id>`` with part files.

Other files are reported, since a misnamed file would otherwise wait forever without anyone knowing. A delta is taken
when it is complete, and once: one that changed after it was applied, comes late, or repeats another is refused.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from profiling_core.ingest.landed_names import EXTENSIONS, stem_of
from profiling_core.ingest.sources import landed_files
from profiling_core.ingest.sources.landed_files import Landed, Twins
from profiling_core.ingest.sources.objects import Copies, Place, below, children, place
from profiling_core.ingest.sources.protocol import WHOLE, Applied, Batch, Found, Held, Position
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta_ids import delta_id_of, in_order
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.model.source import Source, SourceKind
from profiling_core.model.version import RELEASED
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import HOME_VARIABLE, Settings


class Landing:
    """The landing directory of one table. Deltas apply in the order of their ids."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self._source = table.source
        self.directory = directory_of(settings, self._source)
        self.copies = Copies(settings)
        self._first_seen: dict[str, list[tuple[int, ...]]] = {}

    @property
    def where(self) -> str:
        """The directory."""
        return str(self.directory)

    def look(self, applied: Applied, label: str | None) -> Found:
        """The deltas in the directory: pending, incomplete, or refused."""
        entries, warnings = self._entries()
        waiting: list[Held] = []
        refused: list[Held] = []
        pending: list[str] = []
        twins = Twins(self.directory, applied)
        last = max((i for i in applied if not i.startswith(RELEASED)), key=in_order, default="")
        for delta_id, path in entries.items():
            delta = Landed(delta_id, path, self._files_in(path))
            if delta_id not in applied:
                warnings += self._passed_over(path)
            if delta_id in applied:
                refused += self._changed(delta, applied[delta_id])
            elif held := self._misplaced(delta_id, path) or self._incomplete(delta, waiting):
                waiting.append(held)
            elif held := self._repeated(delta, twins) or self._late(delta, last):
                refused.append(held)
            else:
                pending.append(delta_id)
                twins.add(delta)
        return Found(tuple(pending), tuple(waiting), tuple(refused), tuple(warnings)).up_to(label)

    def _passed_over(self, path: Place) -> list[str]:
        """Warnings about files in a delta's directory that are none of its parts, except hidden ones."""
        others = below(path, "*") if path.is_dir() else ()
        return [
            self._not_read(p)
            for p in others
            if p.is_file() and self._stem(p.name) is None and not _is_hidden(p) and not self._is_marker(p)
        ]

    def _changed(self, delta: Landed, position: Position) -> list[Held]:
        if "files" not in position or not landed_files.differs(delta, self.directory, position):
            return []
        remedy = "its first content stays applied: put that back, and land the new rows as a delta of their own"
        return [Held(delta.delta_id, "changed after it was applied", remedy, applied=True)]

    def _misplaced(self, delta_id: str, path: Place) -> Held | None:
        """Why a delta cannot be read because it, or one of its parts, is neither a file nor a directory."""
        found = self._named_in(path) if path.is_dir() else [path]
        odd = next((p for p in found if not p.is_file() and not p.is_dir()), None)
        if odd is None:
            return None
        reason = f"{landed_files.relative(odd, self.directory)} is neither a file nor a directory, or a link to nothing"
        return Held(delta_id, reason, "put the file itself there, or remove it")

    def _incomplete(self, delta: Landed, before: Sequence[Held]) -> Held | None:
        if before and self._source.late == "refuse":
            return Held(delta.delta_id, f"comes after {before[0].delta_id}, which waits", "", before[0].settles_in)
        return landed_files.incomplete(delta, self.directory, self._source)

    def _late(self, delta: Landed, last: str) -> Held | None:
        if in_order(delta.delta_id) > in_order(last) or self._source.late == "apply":
            return None
        if self._source.kind is SourceKind.SNAPSHOT:
            remedy = "an older snapshot would undo later changes: remove it"
        else:
            remedy = f"land it under an id after {last}, or set source.late to apply"
        return Held(delta.delta_id, f"is late: {last} is already applied", remedy)

    def _repeated(self, delta: Landed, twins: Twins) -> Held | None:
        if self._source.repeated == "apply" or self._source.kind is SourceKind.SNAPSHOT:
            return None
        first = twins.first(delta)
        if first is None or self._is_empty(delta):
            return None
        remedy = f"remove it, or set source.repeated to apply if the same rows may come again; {WHOLE}"
        return Held(delta.delta_id, f"has the same content as {first}", remedy, twin=first)

    def position(self, delta_id: str) -> Position:
        """What identifies a delta's content."""
        return self._position(Landed(delta_id, self.directory, self.files(delta_id)))

    def _position(self, delta: Landed) -> Position:
        return landed_files.position_of(delta, self.directory)

    def _is_empty(self, delta: Landed) -> bool:
        from profiling_core.ingest.sources.formats import reader_of

        reader = reader_of(self._source)
        try:
            return not any(len(chunk) for part in self._parts([delta]) for chunk in reader.chunks(part, ()))
        finally:
            self.copies.remove()

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:  # noqa: ARG002 -- files need no earlier ones
        """The deltas' files."""
        from profiling_core.ingest.sources.formats import reader_of  # which brings Arrow, and a look needs none

        kind, entries = self._source.kind, self._entries()[0]
        landed = [Landed(delta_id, self.directory, self._files_of(delta_id, entries)) for delta_id in delta_ids]
        return Batch(
            parts=self._parts(landed),
            reader=reader_of(self._source),
            operations=kind is SourceKind.CHANGES,
            whole=kind is SourceKind.SNAPSHOT,
            positions={delta.delta_id: self._position(delta) for delta in landed},
            deltas=tuple(delta_ids),
        )

    def _parts(self, landed: Sequence[Landed]) -> tuple[SourcePart, ...]:
        """The files of deltas, as tasks find them."""
        files = [(step, path, self._readable(path)) for step, delta in enumerate(landed) for path in delta.files]
        return tuple(
            SourcePart(number, step, str(path), copied.stat().st_size, str(copied))
            for number, (step, path, copied) in enumerate(files)
        )

    def _readable(self, path: Place) -> Path:
        """A file as tasks find it; copies are removed where one cannot be made."""
        try:
            return self.copies.of(path)
        except InputError:
            self.copies.remove()
            raise

    def confirm(self, batch: Batch) -> None:
        """Raises ``InputError`` where a file changed while it was read; removes copies."""
        self.copies.remove()
        entries = self._entries()[0]
        for delta_id, position in batch.positions.items():
            delta = Landed(delta_id, self.directory, self._files_of(delta_id, entries))
            is_touched = landed_files.trace(delta) != self._first_seen.get(delta_id)
            if is_touched or landed_files.differs(delta, self.directory, position):
                raise InputError(
                    f"delta {delta_id!r} changed while it was read, and nothing was applied",
                    where=self.where,
                    remedy="land files under another name and rename them when they are complete; then run again",
                )

    def files(self, delta_id: str) -> tuple[Place, ...]:
        """The files of a delta, in reading order: itself, or its parts by name.

        Raises:
            InputError: it is not there (any more), or is a directory without parts.
        """
        return self._files_of(delta_id, self._entries()[0])

    def _files_of(self, delta_id: str, entries: Mapping[str, Place]) -> tuple[Place, ...]:
        path = entries.get(delta_id)
        if path is None:
            raise InputError(
                f"delta {delta_id!r} is not there", where=self.where, remedy="land it (again), and plan the run anew"
            )
        parts = self._files_in(path)
        if not parts:
            raise InputError(
                f"delta {delta_id!r} is a directory without {EXTENSIONS[self._source.format][0]} files",
                where=str(path),
                remedy="land its part files; a delta without rows is a file with a header alone",
            )
        self._first_seen.setdefault(delta_id, landed_files.trace(Landed(delta_id, path, parts)))
        return parts

    def _files_in(self, path: Place) -> tuple[Place, ...]:
        if path.is_file():
            return (path,)
        return tuple(p for p in self._named_in(path) if p.is_file())

    def _named_in(self, directory: Place) -> list[Place]:
        """What lies anywhere below a delta's directory and is called as its parts are."""
        return [p for p in below(directory, "*") if self._stem(p.name) is not None and not _is_hidden(p)]

    def _entries(self) -> tuple[Mapping[str, Place], list[str]]:
        """The deltas by id, and warnings. Hidden files and those that begin with an underscore are skipped."""
        if self.directory.exists() and not self.directory.is_dir():
            raise ConfigurationError(
                "the source's path is a file, and deltas land in a directory",
                where=self.where,
                remedy="let source.path name the directory that files land in: a delta is a file there",
            )
        if not self.directory.is_dir():
            raise ConfigurationError(
                "the source directory does not exist",
                where=self.where,
                remedy="create it (on an object store: land the first delta), or correct source.path in the dataset's "
                "file (relative paths start at the project root)",
            )
        deltas: dict[str, Place] = {}
        warnings = []
        for path in children(self.directory):
            if _is_hidden(path) or self._is_marker(path):
                continue
            name = path.name if path.is_dir() else self._stem(path.name)
            delta_id = delta_id_of(name or "")
            if name is None:
                warnings.append(self._not_read(path))
            elif delta_id is None:
                warnings.append(f"{path} is not read: {name!r} cannot be a delta id")
            elif delta_id in deltas:
                raise InputError(
                    f"delta {delta_id!r} has landed twice, as {deltas[delta_id].name} and as {path.name}",
                    where=self.where,
                    remedy="remove one of them",
                )
            else:
                deltas[delta_id] = path
        return {delta_id: deltas[delta_id] for delta_id in sorted(deltas, key=in_order)}, warnings

    @property
    def _endings(self) -> str:
        return " or ".join(EXTENSIONS[self._source.format])

    def _not_read(self, path: Place) -> str:
        return f"{path} is not read: its name does not end in {self._endings}, the source's format"

    def _stem(self, name: str) -> str | None:
        """A file's name without its endings; None: it is not called as files of the format are."""
        return stem_of(name, self._source.format)

    def _is_marker(self, path: Place) -> bool:
        before, _, after = (self._source.marker or "/").partition("{delta}")
        return (
            path.is_file() and "/" not in before + after and path.name.startswith(before) and path.name.endswith(after)
        )


def directory_of(settings: Settings, source: Source) -> Place:
    """A source's directory: relative to the project root, or after ``$HOLDFAST_HOME/`` to the state directory."""
    below_home = source.path.removeprefix(f"${HOME_VARIABLE}/")
    if below_home == source.path:
        return place(settings, source.path)
    return place(settings, f"{settings.bucket or settings.home}/{below_home}")


def _is_hidden(path: Place) -> bool:
    return path.name.startswith((".", "_"))
