"""The first half of the generator's job: tasks read row files, count values, and send them to the bucket of their hash.

A task reads a few columns of one row group at a time. What it counted travels in Arrow's own format, one block per
bucket, so that the JVM moves a few large rows and never looks at a value.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64

from profiling_core.algorithms.inclusions.value_generator import ENTRY, attribute_entries, buckets, joined, summed
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.delta import ROW_ID
from profiling_core.spark.generator_files import read_entries
from profiling_core.state.proof import StoredFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_UNIT_BYTES = 16 << 20  # of columns that a task reads at once
_SENT_ENTRIES = 500_000  # that a task holds before it sends them
_SENT = "bucket int, held boolean, entries binary"

Batches = Iterator[pa.RecordBatch]
Counted = tuple[tuple[str, ...], int]
"""Columns that are counted as one, and their attribute id."""


@dataclass(frozen=True, slots=True)
class SignedRows:
    """Rows that come (sign 1) or go (−1): Parquet files, and what of their columns is counted.

    Rows whose ``_row_id`` is in one of the bitmap files ``without`` are passed over.
    """

    paths: Sequence[str]
    columns: tuple[Counted, ...]
    sign: int
    without: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Unit:
    """Some columns of one row group; or a ``stored`` generator file."""

    path: str
    row_group: int
    columns: tuple[Counted, ...]
    sign: int
    size: int
    without: tuple[str, ...] = ()
    stored: StoredFile | None = None


def cells(rows: Sequence[SignedRows]) -> int:
    """How many values, repeated ones included, the files hold."""
    return sum(pq.read_metadata(path).num_rows * len(side.columns) for side in rows for path in side.paths)


def count_values(
    spark: "SparkSession", rows: Sequence[SignedRows], stored: Sequence[StoredFile], count: int, values: Values
) -> "DataFrame | None":
    """The entries of all rows by bucket: columns ``bucket``, ``held``, and ``entries`` (an Arrow stream of some).

    Args:
        spark: the session.
        rows: what comes and goes.
        stored: generator files whose entries are to be sent as well, as what is ``held``.
        count: the number of buckets.
        values: how values compare.

    Returns:
        None where there are no rows.
    """
    units = list(_units(rows))
    if not units:
        return None
    units += [_Unit(file.path, 0, (), 1, file.size, stored=file) for file in stored]
    tasks = min(len(units), sum(unit.size for unit in units) // _UNIT_BYTES + 1)
    return spark.range(0, len(units), 1, tasks).mapInArrow(_counting(units, count, values), _SENT)


def entries_of_rows(rows: Sequence[SignedRows], values: Values) -> pa.Table:
    """The entries of all rows, counted in this process."""
    return summed(joined(part for side in rows for part in _side_entries(side, values)))


def _side_entries(side: SignedRows, values: Values) -> Iterator[pa.Table]:
    wanted = list(dict.fromkeys(name for names, _ in side.columns for name in names))
    tables = []
    for path in side.paths:
        with pq.ParquetFile(path) as file:
            rows = file.read(columns=[*wanted, ROW_ID] if side.without else wanted)
        tables.append(rows.filter(_staying(rows[ROW_ID], side.without)) if side.without else rows)
    if tables and side.columns:
        whole = pa.concat_tables(tables)
        for names, attribute in side.columns:
            yield attribute_entries([whole[name] for name in names], attribute, values, side.sign)


def _units(rows: Iterable[SignedRows]) -> Iterator[_Unit]:
    """The columns of all row groups in portions of about :data:`_UNIT_BYTES`."""
    for side in rows:
        for path in side.paths:
            metadata = pq.read_metadata(path)
            names = metadata.schema.to_arrow_schema().names
            for group in range(metadata.num_row_groups):
                if metadata.row_group(group).num_rows:
                    sizes = [
                        sum(metadata.row_group(group).column(names.index(n)).total_uncompressed_size for n in wanted)
                        for wanted, _ in side.columns
                    ]
                    yield from _portions(path, group, side, sizes)


def _portions(path: str, group: int, side: SignedRows, sizes: Sequence[int]) -> Iterator[_Unit]:
    chosen: list[Counted] = []
    total = 0
    for column, size in zip(side.columns, sizes, strict=True):
        if chosen and total + size > _UNIT_BYTES:
            yield _Unit(path, group, tuple(chosen), side.sign, total, tuple(side.without))
            chosen, total = [], 0
        chosen.append(column)
        total += size
    if chosen:
        yield _Unit(path, group, tuple(chosen), side.sign, total, tuple(side.without))


def _counting(units: Sequence[_Unit], count: int, values: Values) -> Callable[[Batches], Batches]:
    def send(batches: Batches) -> Batches:
        waiting: list[pa.Table] = []
        for batch in batches:
            for number in batch.column(0).to_pylist():
                unit = units[number]
                if unit.stored:
                    yield _by_bucket(read_entries(unit.stored), count, held=True)
                    continue
                for part in _unit_entries(unit, values):
                    waiting.append(part)
                    if sum(w.num_rows for w in waiting) >= _SENT_ENTRIES:
                        yield _by_bucket(joined(waiting), count)
                        waiting = []
        if waiting:
            yield _by_bucket(joined(waiting), count)

    return send


def _unit_entries(unit: _Unit, values: Values) -> Iterator[pa.Table]:
    with pq.ParquetFile(unit.path) as file:
        ids = file.read_row_group(unit.row_group, columns=[ROW_ID])[ROW_ID] if unit.without else None
        stay = None if ids is None else _staying(ids, unit.without)
        for names, attribute in unit.columns:
            rows = file.read_row_group(unit.row_group, columns=list(names))
            rows = rows if stay is None else rows.filter(stay)
            yield attribute_entries([rows[name] for name in names], attribute, values, unit.sign)


def _staying(row_ids: pa.ChunkedArray, without: Sequence[str]) -> pa.Array:
    """Per row whether it is in none of the bitmap files."""
    ids = row_ids.to_numpy()
    gone = np.zeros(len(ids), np.bool_)
    for path in without:
        vector = BitMap64.deserialize(Path(path).read_bytes())
        gone |= np.isin(ids, np.fromiter(vector, np.int64, len(vector)))
    return pa.array(~gone)


def _by_bucket(entries: pa.Table, count: int, *, held: bool = False) -> pa.RecordBatch:
    """One row per bucket, with its entries as an Arrow stream: the JVM moves whole blocks, not values."""
    bucket = buckets(entries, count)
    ordered = entries.take(pa.array(np.argsort(bucket, kind="stable")))
    sizes = np.bincount(bucket, minlength=count)
    starts = np.cumsum(sizes) - sizes
    found = np.flatnonzero(sizes).tolist()
    streams = [to_stream(ordered.slice(starts[b], sizes[b])) for b in found]
    columns = [pa.array(found, pa.int32()), pa.array([held] * len(found), pa.bool_()), pa.array(streams, pa.binary())]
    return pa.record_batch(columns, ["bucket", "held", "entries"])


def to_stream(entries: pa.Table) -> bytes:
    """Entries as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, ENTRY) as writer:
        writer.write_table(entries.combine_chunks())
    return bytes(sink.getvalue())


def from_stream(data: bytes) -> pa.Table:
    """The inverse of :func:`to_stream`."""
    return pa.ipc.open_stream(data).read_all()
