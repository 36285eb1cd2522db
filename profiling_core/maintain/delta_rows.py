"""The rows that a run's delta brings and takes, batch by batch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyroaring import BitMap64

from profiling_core.algorithms.columns.arrivals import Arrived, Before
from profiling_core.algorithms.columns.changed_cells import rows_at
from profiling_core.algorithms.ground.pieces import in_turn
from profiling_core.maintain.run import TableRun
from profiling_core.model.delta import DELTA_ID, ROW_ID, NormalizedDelta
from profiling_core.model.delta_ids import in_order
from profiling_core.model.version import FileRef
from profiling_core.spark.rows import FEW_ROWS
from profiling_core.spark.tasks import by_spare_tasks
from profiling_core.spark.witnesses import EXAMPLES, Break, witness_alone
from profiling_core.state.store import Store

Read = Callable[[], Iterator[pa.Table]]


def arrived(run: TableRun) -> Arrived:
    """What the run brings to its table, batch by batch."""
    delta, store = run.delta, run.files.store
    ids = delta.delta_ids
    only = ids[0] if len(ids) == 1 else run.files.run_id
    deleted = batches(store, delta.deleted)
    aside = frozenset(i for table in batches(store, delta.aside)() for i in table[ROW_ID].to_pylist())
    parts = [_ComingBatches(path, only) for path in store.verified(delta.inserted)]
    retold = [_ComingBatches(path, only, aside) for path in store.verified(delta.arrived)]
    gone = () if run.rebuild else _Going(deleted)
    before = _before(run.schema.key, deleted) if ids and delta.updates else None
    pieces = in_turn if delta.inserts < FEW_ROWS else by_spare_tasks(run.spark)
    return Arrived(ids, parts, gone, before, delta.releases, run.options.roles, pieces, retold)


@dataclass(frozen=True, slots=True)
class _Going:
    """The rows that go, batch by batch; they can be read again."""

    read: Read

    def __iter__(self) -> Iterator[pa.Table]:
        return self.read()


@dataclass(frozen=True, slots=True)
class _ComingBatches:
    """The rows of a file, batch by batch, each with its delta; ``only``: the one that rows come with who name none.

    Rows that were set ``aside`` are left out.
    """

    path: str
    only: str
    aside: frozenset[int] = frozenset()

    def __call__(self) -> Iterator[tuple[str, pa.Table]]:
        for batch in _batches([self.path]):
            ids = pa.array(self.aside, pa.int64())
            table = batch.filter(pc.invert(pc.is_in(batch[ROW_ID], ids))) if self.aside else batch
            present = pc.unique(table[DELTA_ID]).to_pylist() if DELTA_ID in table.column_names else [None]
            for delta_id in present:
                rows = table.filter(pc.equal(table[DELTA_ID], delta_id)) if len(present) > 1 else table
                yield (self.only if delta_id is None else delta_id, rows)


def batches(store: Store, part: Sequence[FileRef]) -> Read:
    """What reads a part of a delta, batch by batch."""
    return lambda: _batches(store.verified(part))


def _batches(paths: Sequence[str]) -> Iterator[pa.Table]:
    for batch in ds.dataset(paths, format="parquet").to_batches():
        if batch.num_rows:
            yield pa.Table.from_batches([batch])


def _before(key: Sequence[str], deleted: Read) -> Before | None:
    """Of rows that come the one of their key that goes."""
    gone = list(deleted()) if key else []
    if not gone:
        return None
    old = pa.concat_tables(gone).drop_columns([ROW_ID])
    places = {row: place for place, row in enumerate(_keys(old, key))}
    return lambda rows: rows_at(old, np.array([places.get(row, -1) for row in _keys(rows, key)], np.int64))


def _keys(rows: pa.Table, key: Sequence[str]) -> Iterator[tuple[object, ...]]:
    return zip(*(rows[name].to_pylist() for name in key), strict=True)


def first_delta(store: Store, delta: NormalizedDelta, rows: BitMap64) -> str:
    """The first of the deltas that brought one of these rows; empty: none did."""
    ids = delta.delta_ids
    if not rows or not ids or ids[0] == ids[-1]:
        return ids[0] if rows and ids else ""
    wanted, found = pa.array(rows, pa.int64()), set[str]()
    for path in store.verified(delta.inserted):
        rows_there = ds.dataset(path, format="parquet").to_table([ROW_ID, DELTA_ID])
        found.update(rows_there.filter(pc.is_in(rows_there[ROW_ID], wanted))[DELTA_ID].to_pylist())
    return min(filter(None, found), key=in_order, default="")


def joined(known: Break, violating: pa.Table) -> Break:
    """A break with more violating rows."""
    ids = violating[ROW_ID].to_pylist()
    more = (witness_alone(violating, i) for i in range(min(len(ids), EXAMPLES - len(known.witnesses))))
    rows = known.rows | BitMap64(ids)
    return Break(rows, rows, (*known.witnesses, *more))
