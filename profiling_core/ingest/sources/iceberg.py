"""Iceberg tables, through ``pyiceberg``: begun with a snapshot as a whole, then followed snapshot by snapshot.

A snapshot's changes are the rows of the files that it removed and added; a file that got deletes is both. So overwrites
and deletes are followed like appends. If the history is no longer kept, the whole table is compared with the stored
rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from profiling_core.ingest.rows import OPERATION
from profiling_core.ingest.sources import extracts
from profiling_core.ingest.sources.arrow_rows import differences
from profiling_core.ingest.sources.extracts import Extract
from profiling_core.ingest.sources.formats import ParquetReader
from profiling_core.ingest.sources.passing import passing_folder
from profiling_core.ingest.sources.protocol import Applied, Batch, Found, Position, newest_position, unused
from profiling_core.model.dataset import TableConfig
from profiling_core.model.errors import ConfigurationError, HoldfastError, InputError, UnreachableError
from profiling_core.state.settings import Settings

if TYPE_CHECKING:
    from pyiceberg.table import DataScan, FileScanTask, Table

_FileKey = tuple[str, ...]
_POSITION = ("table", "snapshot")
# Bytes of files that are read together, at most.
_TOGETHER = 64 << 20
_NONE = 0  # the number of the state before a table's first snapshot


class Iceberg:
    """An Iceberg table of a catalog. Its deltas are its snapshots, identified by time and number."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self._settings = settings
        self._history = table.source.history
        self._catalog, self._name = table.source.catalog or "", table.source.table or ""

    @property
    def where(self) -> str:
        """The catalog and the table."""
        return f"Iceberg catalog {self._catalog}, table {self._name}"

    def look(self, applied: Applied, label: str | None) -> Found:
        """The snapshots after the newest applied one; for a new table the newest, or the last ``history`` of them."""
        table, since = self._open(), newest_position(applied, *_POSITION)
        line = _states(table)
        found = Found(tuple(line.values())).up_to(label)
        if since is not None and since["table"] == str(table.metadata.table_uuid) and since["snapshot"] in line:
            place = list(line).index(since["snapshot"])
            fresh = Found(tuple(list(line.values())[place + 1 :])).up_to(label)
            if fresh.pending or since.get("schema", _schema_id(table)) == _schema_id(table):
                return fresh
        if applied:
            return Found(tuple(unused(delta_id, applied) for delta_id in found.pending[-1:]))
        return Found(_alike(table, found.pending[-self._history :]))

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """The changes of each snapshot; or the last snapshot as a whole, for a new table or a lost history."""
        try:
            return self._read(delta_ids, applied)
        except (OSError, ValueError, NotImplementedError) as error:  # pyiceberg's errors have no common type
            raise InputError(
                f"a snapshot cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}",
                where=self.where,
                remedy="check that its files exist; Spark may read what pyiceberg cannot: format: spark-table",
            ) from error

    def _read(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        table, since = self._open(), newest_position(applied, *_POSITION)
        numbers = list(map(_number, delta_ids))
        extract = Extract(passing_folder(self._settings), self.where)
        begins = not applied and len(numbers) > 1
        follows = bool(numbers) and (begins or self._follows(table, numbers, since))
        known = [since["snapshot"]] if since and not begins else []
        whole = not follows or not _changes(table, numbers, extract, known)
        if whole and numbers:
            extract = Extract(passing_folder(self._settings), self.where)
            scan = _scan(table, numbers[-1])
            _extract_whole(table, scan, extract)
        position = {"table": str(table.metadata.table_uuid), "schema": _schema_id(table)}
        return Batch(
            tuple(extract.parts),
            ParquetReader(),
            operations=not whole,
            whole=whole,
            positions={i: {**position, "snapshot": n} for i, n in zip(delta_ids, numbers, strict=True)},
            deltas=tuple(delta_ids[-1:] if whole else delta_ids),
            notes=(f"{self.where} is compared as a whole: its history is not kept, or its columns have changed",)
            if whole and applied
            else (),
        )

    def confirm(self, batch: Batch) -> None:
        """Removes the files that were read; a snapshot never changes."""
        extracts.remove(batch)

    @staticmethod
    def _follows(table: "Table", numbers: Sequence[int], since: Position | None) -> bool:
        """Whether the snapshots continue the applied ones, each with its parent before it."""
        if since is None or since["table"] != str(table.metadata.table_uuid):
            return False
        expected = [since["snapshot"], *numbers[:-1]]
        found = [table.snapshot_by_id(number) for number in numbers]
        kept = table.snapshot_by_id(since["snapshot"]) is not None
        return kept and [s.parent_snapshot_id if s else None for s in found] == expected

    def _open(self) -> "Table":
        try:
            from pyiceberg.exceptions import NoSuchTableError

            from profiling_core.ingest.sources.iceberg_bounds import address_of, load_bounded, load_table
        except ImportError as error:
            raise ConfigurationError(
                "Iceberg tables need a further package", where=self.where, remedy="pip install 'holdfast[iceberg]'"
            ) from error
        try:
            return load_table(load_bounded(self._catalog), self._name)
        except HoldfastError:
            raise
        except NoSuchTableError as error:
            raise ConfigurationError(
                "there is no such Iceberg table", where=self.where, remedy="correct source.table: <namespace>.<table>"
            ) from error
        except Exception as error:  # noqa: BLE001 -- catalogs raise anything, with their address in the text
            raise UnreachableError(
                f"the catalog does not answer{address_of(self._catalog)} ({type(error).__name__})",
                where=self.where,
                remedy=f"check its configuration: PYICEBERG_CATALOG__{self._catalog.upper()}__URI, or .pyiceberg.yaml",
            ) from None


def _extract_whole(table: "Table", scan: "DataScan", extract: Extract) -> None:
    """Reads all rows of a snapshot; if its files have no deletes, checks their number against the metadata."""
    tasks = list(scan.plan_files())
    extract.add(_rows(table, scan, tasks), _schema(scan))
    _check(extract, tasks, 0)


def _check(extract: Extract, tasks: Sequence["FileScanTask"], step: int) -> None:
    """Holds what was read of files against what their metadata say; of files with deletes only reading tells."""
    if not any(task.delete_files for task in tasks):
        extract.check(sum(task.file.record_count for task in tasks), step)


def _changes(table: "Table", numbers: Sequence[int], extract: Extract, known: Sequence[int]) -> bool:
    """Reads the changes of each snapshot after the ``known`` one; if none is known, all rows of the first.

    False: a file is gone, or the columns differ between snapshots.
    """
    if len({frozenset(_schema(_scan(table, number))) for number in (*known, *numbers)}) > 1:
        return False
    try:
        for step, number in enumerate(numbers):
            snapshot = table.snapshot_by_id(number)
            after = _scan(table, number)
            alone = not (known or step) or snapshot is None or snapshot.parent_snapshot_id is None
            old = {} if alone else _files(table.scan(snapshot_id=snapshot.parent_snapshot_id))
            new = _files(after)
            gone = [task for key, task in old.items() if key not in new]
            come = [task for key, task in new.items() if key not in old]
            rows = differences(_rows(table, after, gone), _rows(table, after, come))
            extract.add(rows, _schema(after).append(pa.field(OPERATION, pa.string())), step)
            _check(extract, [*gone, *come], step)
    except OSError:
        return False
    return True


def _scan(table: "Table", number: int) -> "DataScan":
    """A snapshot as readers see it; the current one with the table's present column names."""
    current = table.current_snapshot()
    return table.scan() if number == (current.snapshot_id if current else _NONE) else table.scan(snapshot_id=number)


def _files(scan: "DataScan") -> dict[_FileKey, "FileScanTask"]:
    """A snapshot's files, identified by their path and those of the deletes that apply to them."""
    return {(task.file.file_path, *sorted(d.file_path for d in task.delete_files)): task for task in scan.plan_files()}


def _rows(table: "Table", scan: "DataScan", tasks: Iterable["FileScanTask"]) -> Iterator[pa.RecordBatch]:
    """The rows of files, a few files at a time: pyiceberg holds all it reads in memory, unpacked."""
    from pyiceberg.io.pyarrow import ArrowScan

    arrow = ArrowScan(table.metadata, table.io, scan.projection(), scan.row_filter, scan.case_sensitive)
    schema = _schema(scan)
    for some in _together(tasks):
        for batch in arrow.to_record_batches(some):
            yield batch.select(schema.names).cast(schema)


def _together(tasks: Iterable["FileScanTask"]) -> Iterator[list["FileScanTask"]]:
    """Groups of files to read together: small ones together, a large one alone."""
    some: list[FileScanTask] = []
    size = 0
    for task in tasks:
        if some and size + task.file.file_size_in_bytes > _TOGETHER:
            yield some
            some, size = [], 0
        some.append(task)
        size += task.file.file_size_in_bytes
    if some:
        yield some


def _schema(scan: "DataScan") -> pa.Schema:
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    found: Any = schema_to_pyarrow(scan.projection(), include_field_ids=False)
    return pa.schema([pa.field(field.name, field.type) for field in found])


def _states(table: "Table") -> dict[int, str]:
    """By snapshot number the delta ids of the current snapshot and its ancestors, as far as they are kept.

    Oldest first; for a table without snapshots the state without rows.
    """
    line, at = [], table.current_snapshot()
    while at is not None:
        line.append(at)
        at = table.snapshot_by_id(at.parent_snapshot_id) if at.parent_snapshot_id is not None else None
    found = {s.snapshot_id: _delta_id(s.snapshot_id, s.timestamp_ms) for s in reversed(line)}
    return found or {_NONE: _delta_id(_NONE, table.metadata.last_updated_ms)}


def _schema_id(table: "Table") -> int:
    return int(table.metadata.current_schema_id)


def _alike(table: "Table", delta_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The last of these snapshots, as far back as the columns are the same."""
    names = [frozenset(_schema(_scan(table, _number(delta_id)))) for delta_id in delta_ids]
    other = [place for place, found in enumerate(names) if found != names[-1]]
    return delta_ids[max(other, default=-1) + 1 :]


def _number(delta_id: str) -> int:
    return int(delta_id.rpartition(".s")[2].partition("+")[0])


def _delta_id(number: int, milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}.s{number}"
