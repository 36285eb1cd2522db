"""The indexed engine: the cover of a large table, kept exact by what a delta's rows violate (IncDC, and our deletes).

Its state is rows, indexes, known evidences with witnesses and the cover, as arrays that are mapped into memory: a delta
reads of them what it looks up. Pairs are not counted, so support and rank come from a sample of rows; whether a
constraint holds, and how many pairs violate one that is followed, is exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from profiling_core.algorithms.denial.indexed.rows import TableRows
from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.denial.sampled import discovery
from profiling_core.algorithms.ground.bit_words import masks_of, tuples_of, word_count
from profiling_core.algorithms.hitting_sets.mirror import with_mirrors
from profiling_core.algorithms.values.encoding import columns_of, encode
from profiling_core.maintain import standings
from profiling_core.maintain.covers import COVER, Cover, cover_of, cover_part, cover_table, reduced_constraints
from profiling_core.maintain.engine import EngineStep, Standing, StatePart
from profiling_core.maintain.state_files import Array, of_this_release, read_arrays, write_arrays, write_table
from profiling_core.model.constraint import RowConstraint, as_denial_constraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.spark.rows import Rows
from profiling_core.spark.sampling import sampled_rows
from profiling_core.state.store import Store

ROLE = "index"
# Of tables that have so many rows, about so many are looked at before all others.
_LARGE, _SAMPLED = 200_000, 8_192
Mapped = dict[str, tuple[FileRef, Array]]


@dataclass(frozen=True)
class IndexedEngine:
    """Looks up what a delta violates: denial constraints of tables whose pairs are too many to count."""

    role: str = ROLE
    denies: bool = True

    def advance(self, step: EngineStep) -> Standing:
        """Refines the cover by the evidences of the pairs that the delta's rows violate it with."""
        table, known = _table(step)
        violations = _violations(table, step)
        found: list[RowConstraint] = [dc.familiar for dc in reduced_constraints(table.cover, step.space)]
        files = (
            *write_arrays(step.run, ROLE, table.arrays(), known),
            *write_table(step.run, COVER, cover_table(table.cover)),
        )
        return standings.by_sample(step, files, {"set_minimal_dcs": len(table.cover)}, found, violations)

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The set-minimal cover: known evidences and indexes depend on the way that led to it."""
        del space
        yield cover_part(cover_of(store, files, table))


def _foresee(step: EngineStep) -> None:
    """Sees by some rows whether the table's constraints may be discovered, before all rows are read and labelled."""
    if step.effort and step.size >= _LARGE:
        sample = encode(sampled_rows(step.rows, step.space, step.size, _SAMPLED), step.space)
        bound = step.run.options.max_predicates or None
        discovery.foresee(sample, step.space, step.size, max_predicates=bound, effort=step.effort)


@dataclass(frozen=True, slots=True)
class _Coming:
    """The rows that come, a column at a time: their cells take as much memory as all that is made of them."""

    rows: Rows
    schema: pa.Schema
    num_rows: int

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self.rows.read([column])[column]


def _begun(step: EngineStep) -> IndexedTable:
    _foresee(step)
    ids = step.rows.coming.read([ROW_ID])[ROW_ID].to_numpy()
    rows = _Coming(step.rows.coming, step.rows.coming.arrow(columns_of(step.space)), len(ids))
    held = TableRows.none(step.space, rows.schema).with_rows(rows, ids)
    return IndexedTable.discovered(held, max_predicates=step.run.options.max_predicates, effort=step.effort)


def _table(step: EngineStep) -> tuple[IndexedTable, Mapped]:
    if step.before is None:
        return _begun(step), {}
    inserted = step.rows.coming.read([ROW_ID, *columns_of(step.space)])
    known = read_arrays(step.run.store, step.before.files_of(ROLE, step.run.table))
    with of_this_release(step.run):
        table = IndexedTable.from_arrays(step.space, {name: array for name, (_, array) in known.items()})
    going = step.rows.going.read([ROW_ID])[ROW_ID].to_numpy()
    table.apply(going, inserted.drop_columns([ROW_ID]), inserted[ROW_ID].to_numpy())
    return table, known


def _violations(table: IndexedTable, step: EngineStep) -> dict[str, int]:
    """By fingerprint, the violations of the tracked constraints that do not follow from the cover."""
    valid = _closed(table.cover, step.space)
    broken: dict[str, tuple[int, ...]] = {}
    for constraint in step.tracked:
        dc = tuple(sorted(step.space.index[p] for p in as_denial_constraint(constraint).predicates))
        if not any(member <= set(dc) for member in valid):
            broken[constraint.fingerprint] = dc
    counts = dict(zip(broken, table.count_violations(list(broken.values())), strict=True))
    table.monitored = {dc: table.monitored[dc] for dc in broken.values()}
    single = {c.fingerprint for c in step.tracked if as_denial_constraint(c).is_single_row}
    # A row's single-row predicates are counted once for each of the other rows.
    return {name: count // max(1, step.size - 1) if name in single else count for name, count in counts.items()}


def _closed(cover: Cover, space: PredicateSpace) -> list[set[int]]:
    """The cover with its mirrors, as sets."""
    masks = masks_of(cover, word_count(len(space.predicates)))
    return [set(dc) for dc in tuples_of(with_mirrors(masks, space))]
