"""Directories of Parquet files that are a table, Hive-partitioned (``day=2024-05-01/``) or not.

New files are a delta of inserted rows. If files were removed or rewritten, their former rows are unknown, so the
directory is compared with the stored rows as a whole.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote

import pyarrow as pa

from profiling_core.ingest.rows import OPERATION, RowChunk, check_names
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.sources import parquet_rows
from profiling_core.ingest.sources.landed_files import relative, settle_seconds
from profiling_core.ingest.sources.objects import Copies, below, place
from profiling_core.ingest.sources.protocol import Applied, Batch, Found, Held, unused
from profiling_core.ingest.text_values import inferred_type, possible_types
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import Operation
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.model.types import LogicalType
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import Settings

_NULL = "__HIVE_DEFAULT_PARTITION__"
_TYPES = {LogicalType.INTEGER: pa.int64(), LogicalType.DATE: pa.date32(), LogicalType.STRING: pa.string()}
_EXTENSIONS = (".parquet", ".parq")
Files = dict[str, tuple[int, int]]
"""By path below the directory, each file's size and time of change in nanoseconds."""


@dataclass(frozen=True)
class PartitionedReader:
    """Reads files with the columns that their directories name; with ``operations`` as inserted rows.

    ``columns`` are those of all files, an Arrow schema as bytes: a column that a file lacks is null in its rows.
    """

    operations: bool
    columns: bytes
    typed: ClassVar[bool] = True
    optional: ClassVar[bool] = False

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The columns."""
        operation = (OPERATION,) if self.operations else ()
        return (*operation, *check_names(self.schema(part).names, Path(part.where)))

    def schema(self, part: SourcePart) -> pa.Schema:
        """The file's columns with their types, then the columns it lacks, then those of its directories."""
        place = json.loads(part.place)
        found = parquet_rows.schema(Path(place["path"]))
        lacking = [field for field in pa.ipc.read_schema(pa.py_buffer(self.columns)) if field.name not in found.names]
        types = place["types"]
        absent = [field for field in lacking if field.name not in types]
        return pa.schema([*found, *absent, *(pa.field(n, _TYPES[t]) for n, t in types.items() if n not in found.names)])

    def allowed(self, _: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """Nothing: the types are known."""
        return {}

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:  # noqa: ARG002 -- the schema has all names
        """The rows."""
        place, schema = json.loads(part.place), self.schema(part)
        for chunk in parquet_rows.read(Path(place["path"])):
            size, cells = len(chunk), dict(chunk.cells)
            for field in schema:
                if field.name not in cells:
                    text = place["keys"].get(field.name)
                    repeated = pa.nulls(size) if text is None else _repeated(text, size)
                    cells[field.name] = repeated.cast(field.type)
            if self.operations:
                cells[OPERATION] = _repeated(Operation.INSERT.value, size)
            yield RowChunk(chunk.lines, chunk.texts, chunk.unreadable, cells)

    def total(self, part: SourcePart) -> int:
        """The rows that the file has by its footer."""
        return parquet_rows.count(Path(json.loads(part.place)["path"]))


class ParquetTable:
    """A directory of Parquet files. A delta is identified by the newest time of change and a digest of its files."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self._source = table.source
        self.directory = place(settings, table.source.path)
        self._copies = Copies(settings)

    @property
    def where(self) -> str:
        """The directory."""
        return str(self.directory)

    def look(self, applied: Applied, label: str | None) -> Found:
        """One delta, if the files differ from the applied ones; for a new table its history."""
        files, known = self._files(), _known(applied)
        if files == known:
            return Found()
        pending = tuple(self._deltas(files, applied))
        newest = max((mtime for _, mtime in files.values()), default=0)
        left = newest / 1e9 + settle_seconds(self._source) - datetime.now(UTC).timestamp()
        if left > 0:
            return Found(waiting=(Held(pending[-1], "files came a moment ago", "", left),)).up_to(label)
        lost = [name for name, file in known.items() if files.get(name) != file]
        warnings = (
            (f"{self.where}: {lost[0]} was removed or changed; the table is compared as a whole",) if lost else ()
        )
        return Found(pending, warnings=warnings).up_to(label)

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """The new files, or all of them."""
        files, known = self._files(), _known(applied)
        deltas = self._deltas(files, applied)
        if list(deltas) != list(delta_ids):
            raise InputError(
                f"delta {delta_ids[-1]!r} is gone: files were added or removed since",
                where=self.where,
                remedy="plan the run anew",
            )
        walked = len(deltas) > 1
        whole = not walked and (not known or any(files.get(name) != file for name, file in known.items()))
        chosen = [(step, name) for step, names in enumerate(deltas.values()) for name in names]
        keys = {name: _keys(name) for name in files}
        types = _key_types(keys.values())
        parts = [
            SourcePart(i, step, str(self.directory / name), files[name][0], self._place(name, keys[name], types))
            for i, (step, name) in enumerate(chosen)
        ]
        return Batch(
            tuple(parts),
            PartitionedReader(not whole, self._columns(files)),
            operations=not whole,
            whole=whole,
            positions={
                delta_id: {"whole": whole, "listing": {name: list(files[name]) for name in names}}
                for delta_id, names in deltas.items()
            },
            deltas=tuple(deltas),
        )

    def _deltas(self, files: Files, applied: Applied) -> dict[str, list[str]]:
        """By id the files of each delta: the new ones, or all; for a new table one delta per last partition."""
        known = _known(applied)
        came = [name for name in files if name not in known]
        lost = any(files.get(name) != file for name, file in known.items())
        if applied or self._source.history == 1:
            return {unused(_delta_id(files), applied): list(files) if lost else came}
        folders: dict[str, list[str]] = {}
        for name in files:
            folders.setdefault(name.rpartition("/")[0], []).append(name)
        first = max(len(folders) - self._source.history + 1, 1)
        days = list(folders.values())
        groups = [[name for day in days[:first] for name in day], *days[first:]]
        return {f"{_instant(files)}.{number:06}": names for number, names in enumerate(groups)}

    def _columns(self, files: Iterable[str]) -> bytes:
        """The columns of all files, in the order of first occurrence."""
        found: dict[str, pa.Field] = {}
        for name in files:
            for field in parquet_rows.schema(self.directory / name):  # reads only the footer
                if not pa.types.is_null(found.get(field.name, pa.field("", pa.null())).type):
                    continue
                found[field.name] = pa.field(field.name, field.type)
        whole: bytes = pa.schema(list(found.values())).serialize().to_pybytes()
        return whole

    def _place(self, name: str, keys: Mapping[str, str | None], types: Mapping[str, str]) -> str:
        return json.dumps({"path": str(self._copies.of(self.directory / name)), "keys": keys, "types": types})

    def first_rows(self, count: int) -> list[pa.Table]:
        """Some rows of the first and of the last file, with the columns that their directories name."""
        names = list(self._files())
        types = _key_types(map(_keys, names))
        found = []
        for name in dict.fromkeys((*names[:1], *names[-1:])):
            reader = PartitionedReader(operations=False, columns=self._columns([name]))
            part = SourcePart(0, 0, str(self.directory / name), 0, self._place(name, _keys(name), types))
            chunk = next(reader.chunks(part, reader.names(part)), None)
            found += [pa.table(dict(chunk.cells)).slice(0, count)] if chunk else []
        self._copies.remove()
        return found

    def confirm(self, batch: Batch) -> None:
        """Raises ``InputError`` where a file went or changed while it was read; removes copies."""
        self._copies.remove()
        files = self._files()
        for position in batch.positions.values():
            for name, file in position["listing"].items():
                if files.get(name) != tuple(file):
                    raise InputError(
                        f"{name} changed while it was read, and nothing was applied",
                        where=self.where,
                        remedy="run again",
                    )

    def _files(self) -> Files:
        """By path below the directory, each file's size and time of change."""
        if not self.directory.is_dir():
            raise ConfigurationError(
                "the table's directory does not exist",
                where=self.where,
                remedy="correct source.path in the dataset's file",
            )
        found = {}
        for path in below(self.directory, "*"):
            name = relative(path, self.directory)
            if path.is_file() and path.suffix in _EXTENSIONS and not any(p.startswith((".", "_")) for p in name.parts):
                status = path.stat()
                found[name.as_posix()] = (status.st_size, status.st_mtime_ns)
        return found


def _known(applied: Applied) -> Files:
    """The applied files, from the last whole delta on."""
    known: Files = {}
    for position in applied.values():
        if "listing" in position:
            known = {} if position["whole"] else known
            known |= {name: (size, mtime) for name, (size, mtime) in position["listing"].items()}
        elif position:  # another source's
            known = {}
    return known


def _delta_id(files: Files) -> str:
    digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:8]
    return f"{_instant(files)}.{digest}"


def _instant(files: Files) -> str:
    newest = max((mtime for _, mtime in files.values()), default=0)
    return f"{datetime.fromtimestamp(newest / 1e9, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _keys(name: str) -> dict[str, str | None]:
    """The columns that a path's directories name, with this file's values."""
    pairs = (step.split("=", 1) for step in name.split("/")[:-1] if "=" in step)
    return {unquote(key): None if value == _NULL else unquote(value) for key, value in pairs}


def _key_types(keys: Iterable[Mapping[str, str | None]]) -> dict[str, str]:
    """The types of the columns that directories name: whole numbers, dates, or text."""
    texts: dict[str, list[str | None]] = {}
    for found in keys:
        for name, text in found.items():
            texts.setdefault(name, []).append(text)
    kinds = {name: inferred_type(possible_types(pa.array(found, pa.string()))) for name, found in texts.items()}
    return {name: kind if kind in _TYPES else LogicalType.STRING for name, kind in kinds.items()}


def _repeated(text: str | None, size: int) -> pa.Array:
    return pa.array([text], pa.string()).take(pa.array([0] * size, pa.int32()))
