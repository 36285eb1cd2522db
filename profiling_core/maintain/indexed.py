"""The indexed engine: the cover of a large table, kept exact by what a delta's rows violate (IncDC, and our deletes).

Its state is rows, indexes, known evidences with witnesses and the cover, as arrays that are mapped into memory: a delta
reads of them what it looks up. Pairs are not counted, so support and rank come from a sample of rows; whether a
constraint holds, and how many pairs violate one that is followed, is exact.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.beginning import begin
from profiling_core.algorithms.denial.indexed.first_rows import FirstRows
from profiling_core.algorithms.denial.indexed.segments import MOST_ROWS
from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.denial.sampled import discovery
from profiling_core.algorithms.ground.array_place import ArrayPlace, HeldArrays
from profiling_core.algorithms.ground.bit_words import masks_of, tuples_of, word_count
from profiling_core.algorithms.ground.pieces import Runner, in_threads
from profiling_core.algorithms.hitting_sets.mirror import with_mirrors
from profiling_core.algorithms.values.encoding import columns_of, encode
from profiling_core.maintain import engine_results
from profiling_core.maintain.covers import (
    COVER,
    Cover,
    cover_of,
    cover_part,
    cover_table,
    most_predicates,
    reduced_constraints,
)
from profiling_core.maintain.engine import EngineResult, EngineStep, StatePart
from profiling_core.maintain.state_files import Array, of_this_release, read_arrays, write_arrays, write_table
from profiling_core.model.constraint import RowConstraint, as_denial_constraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import INDEX, FileRef, Version
from profiling_core.spark.rows import FEW_ROWS, Rows
from profiling_core.spark.sampling import sampled_rows
from profiling_core.spark.tasks import by_tasks
from profiling_core.state.array_folder import ArrayFolder
from profiling_core.state.atomic import make_private
from profiling_core.state.directories import take_away
from profiling_core.state.store import Store

# In tables of at least 200,000 rows, about 8,192 are looked at before all others.
_LARGE, _SAMPLED = 200_000, 8_192
Mapped = dict[str, tuple[FileRef, Array]]


@dataclass(frozen=True)
class IndexedEngine:
    """Looks up what a delta violates: denial constraints of tables whose pairs are too many to count."""

    role: str = INDEX
    denies: bool = True

    def advance(self, step: EngineStep) -> EngineResult:
        """Refines the cover by the evidences of the pairs that the delta's rows violate it with."""
        after = _begun(step) if step.before is None else _advanced(step, step.before)
        cover = after.table.cover
        found: list[RowConstraint] = [dc.familiar for dc in reduced_constraints(cover, step.space)]
        return engine_results.by_sample(step, after.files, {"set_minimal_dcs": len(cover)}, found, after.violations)

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The set-minimal cover: known evidences and indexes depend on the way that led to it."""
        del space
        yield cover_part(cover_of(store, files, table), "set-minimal")


def _foresee(step: EngineStep) -> None:
    """Sees by some rows whether the table's constraints may be discovered, before all rows are read and labelled."""
    if step.effort and step.size >= _LARGE:
        sample = encode(sampled_rows(step.rows, step.space, step.size, _SAMPLED), step.space)
        bound = most_predicates(step.options, step.space)
        discovery.foresee(sample, step.space, step.size, max_predicates=bound, effort=step.effort)


@dataclass(frozen=True, slots=True)
class _Coming:
    """The rows that come, read column by column in whatever process needs one."""

    rows: Rows
    schema: pa.Schema
    num_rows: int

    @classmethod
    def of(cls, step: EngineStep) -> "_Coming":
        """All rows of a step that begins, read without a Spark session."""
        rows = step.rows.coming.apart
        return cls(rows, rows.arrow(columns_of(step.space)), step.size)

    def ids(self) -> NDArray[np.int64]:
        return np.asarray(self.rows.read([ROW_ID])[ROW_ID].to_numpy())

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self.rows[column]


@dataclass(frozen=True)
class _Advanced:
    """The table after a step, the violations of what is tracked, and the files that hold the table."""

    table: IndexedTable
    violations: dict[str, int]
    files: tuple[FileRef, ...]


def _begun(step: EngineStep) -> _Advanced:
    """A table of few rows begins in this process; of more, where Spark's tasks run, by files that they share."""
    _foresee(step)
    if step.size < FEW_ROWS:
        return _by_pieces(step, HeldArrays(), HeldArrays(), in_threads)
    files = step.files
    kept = ArrayFolder(files.new_dir(INDEX))
    aside = ArrayFolder(make_private(files.store.staging(files.run_id) / f"ranks-{files.table}"))
    try:
        return _by_pieces(step, kept, aside, by_tasks(step.rows.coming.spark))
    finally:
        take_away([kept.path, aside.path])


def _by_pieces(step: EngineStep, kept: HeldArrays | ArrayFolder, aside: ArrayPlace, run: Runner) -> _Advanced:
    first = FirstRows(step.space, _Coming.of(step), kept, aside, MOST_ROWS)
    begun = begin(first, run, max_predicates=most_predicates(step.options, step.space), effort=step.effort)
    table, broken = IndexedTable.begun(begun), _broken(begun.cover, step)
    table.monitored = dict(zip(broken.values(), begun.counted(list(broken.values())), strict=True))
    folder = kept if isinstance(kept, ArrayFolder) else None
    return _Advanced(table, _violations(table, step, broken), _written(step, table, {}, folder))


def _advanced(step: EngineStep, before: Version) -> _Advanced:
    inserted = step.rows.coming.read([ROW_ID, *columns_of(step.space)])
    known = read_arrays(step.files.store, before.files_of(INDEX, step.files.table))
    with of_this_release(before, step.files.table):
        table = IndexedTable.from_arrays(step.space, {name: array for name, (_, array) in known.items()})
    going = step.rows.going.read([ROW_ID])[ROW_ID].to_numpy()
    table.apply(going, inserted.drop_columns([ROW_ID]), inserted[ROW_ID].to_numpy())
    violations = _violations(table, step, _broken(table.cover, step))
    return _Advanced(table, violations, _written(step, table, known))


def _written(
    step: EngineStep, table: IndexedTable, known: Mapped, folder: ArrayFolder | None = None
) -> tuple[FileRef, ...]:
    return (
        *write_arrays(step.files, INDEX, table.arrays(), known, folder),
        *write_table(step.files, COVER, cover_table(table.cover)),
    )


def _broken(cover: Cover, step: EngineStep) -> dict[str, tuple[int, ...]]:
    """By fingerprint, those of the tracked constraints that do not follow from the cover."""
    valid = _closed(cover, step.space)
    found = {
        c.fingerprint: tuple(sorted(step.space.index[p] for p in as_denial_constraint(c).predicates))
        for c in step.tracked
    }
    return {name: dc for name, dc in found.items() if not any(member <= set(dc) for member in valid)}


def _violations(table: IndexedTable, step: EngineStep, broken: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """By fingerprint, the violations of the constraints that do not hold; the table goes on counting these alone."""
    counts = dict(zip(broken, table.count_violations(list(broken.values())), strict=True))
    table.monitored = {dc: table.monitored[dc] for dc in broken.values()}
    single = {c.fingerprint for c in step.tracked if as_denial_constraint(c).is_single_row}
    # A row's single-row predicates are counted once for each of the other rows.
    return {name: count // max(1, step.size - 1) if name in single else count for name, count in counts.items()}


def _closed(cover: Cover, space: PredicateSpace) -> list[set[int]]:
    """The cover with its mirrors, as sets."""
    masks = masks_of(cover, word_count(len(space.predicates)))
    return [set(dc) for dc in tuples_of(with_mirrors(masks, space))]
