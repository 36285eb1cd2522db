"""One table's state of version N and its delta become its staged state of version N+1 (counted mode).

The evidence multiset is the state: the delta's signed evidence is added to it, and everything else (denial
constraints, FDs, UCCs, exact errors) follows from the multiset alone, so that it equals discovery from scratch
(docs/semantics.md, "Deltas").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from profiling_core.algorithms.denial import cover, inversion
from profiling_core.algorithms.denial.ranking import rank_rows
from profiling_core.algorithms.dependencies import agree_sets
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import combine, ordered_masks
from profiling_core.maintain.results import BrokenConstraint, Results, StagedTable, arrival_of
from profiling_core.model.constraint import DenialConstraint, Measured, RowConstraint
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import Arrival, FileRef, TableState, Version
from profiling_core.spark.evidence import RowDelta, empty_evidence, evidence_difference, from_arrow, to_arrow
from profiling_core.spark.snapshot import DELETED, QUARANTINED, ROWS, next_snapshot_files, read_snapshot
from profiling_core.spark.witnesses import find_breaks
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RANKED_PER_PRESENTED = 5


@dataclass(frozen=True)
class TableRun:
    """What one maintenance step works with."""

    spark: "SparkSession"
    store: Store
    config: DatasetConfig
    run_id: str
    delta: NormalizedDelta
    base: Version | None
    rebuild: bool = False

    @property
    def table(self) -> str:
        """The table's name."""
        return self.delta.table

    @property
    def options(self) -> TableConfig:
        """The table's configuration."""
        return self.config.tables[self.table]

    @property
    def before(self) -> TableState | None:
        """The table's state that is maintained: in the base version, unless it is to be rebuilt from its rows."""
        return self.base.tables.get(self.table) if self.base and not self.rebuild else None

    @property
    def arrival(self) -> Arrival:
        """What arrived; with a rebuild nothing does, the delta then being the table itself."""
        return Arrival((), 0, 0, 0, 0, 0) if self.rebuild else arrival_of(self.delta)

    @property
    def row_files(self) -> tuple[FileRef, ...]:
        """The files that hold the table's rows in the next version; a rebuild leaves them as they are."""
        if not self.rebuild or self.base is None:
            return next_snapshot_files(self.store, self.base, self.delta, self.run_id)
        return tuple(f for role in (ROWS, DELETED, QUARANTINED) for f in self.base.files_of(role, self.table))


@dataclass(frozen=True)
class Masks:
    """uint64[e, w] distinct predicate masks of ordered pairs, and int64[e] their counts."""

    masks: NDArray[np.uint64]
    counts: NDArray[np.int64]


def maintain_table(run: TableRun, tracked: Sequence[Measured]) -> StagedTable:
    """Maintains one table; writes new files only, so that a retry starts from the same base.

    Args:
        run: session, store, configuration, delta and base version.
        tracked: the constraints that are followed, with their figures in the base version.
    """
    rows = row_delta(run)
    space = run.before.space if run.before else new_space(run, rows)
    before = _evidence_before(run, space)
    difference = evidence_difference(run.spark, rows, space)
    evidence = combine([(before, 1), (difference, 1)])
    size = (run.before.rows if run.before else 0) + rows.inserts - rows.deletes
    dcs = _cover(run, space, before, evidence)
    results = _results(run, rows, space, evidence, dcs, size, tracked)
    files = (
        *run.row_files,
        *_write(run, "evidence", to_arrow(evidence)),
        *_write(run, "cover", pa.table({"predicates": pa.array([list(dc) for dc in dcs], pa.list_(pa.int32()))})),
        run.store.publish_json(run.run_id, run.table, "results", results.to_json()),
    )
    schema = TableSchema.from_json(run.delta.schema)
    state = TableState(schema, space, size, run.delta.next_row_id)
    return StagedTable(run.table, state, files, run.arrival)


def row_delta(run: TableRun) -> RowDelta:
    """The rows that stay, come and go."""
    inserted = run.spark.read.parquet(str(run.store.path(run.delta.inserted)))
    deleted = run.spark.read.parquet(str(run.store.path(run.delta.deleted)))
    inserts, deletes = (_count(run.store, path) for path in (run.delta.inserted, run.delta.deleted))
    inserted = inserted.drop("_delta_id")
    if run.base is None or run.before is None:
        return RowDelta(None, inserted, deleted, inserts, deletes)
    kept = read_snapshot(run.spark, run.store, run.base, run.table)
    if deletes:
        kept = _without(kept, deleted)
    return RowDelta(kept, inserted, deleted, inserts, deletes)


def _without(rows: "DataFrame", gone: "DataFrame") -> "DataFrame":
    return rows.join(gone.select("_row_id").hint("broadcast"), "_row_id", "left_anti")


def _count(store: Store, path: str) -> int:
    return sum(pq.read_metadata(file).num_rows for file in sorted(store.path(path).rglob("*.parquet")))


def new_space(run: TableRun, rows: RowDelta) -> PredicateSpace:
    """The predicate space of a table bootstrapped with these rows (docs/semantics.md, "Pairs and predicates")."""
    schema = TableSchema.from_json(run.delta.schema)
    nulls = run.config.nulls_of(run.table)
    if run.options.space == "same-column":
        return predicate_space.build(schema, nulls, cross=False)
    values = rows.inserted.select(*[column.name for column in schema.profiled]).toArrow()
    shared = predicate_space.shared_fractions(values, schema)
    return predicate_space.build(schema, nulls, cross=True, shared=shared, threshold=run.options.shared_values)


def _evidence_before(run: TableRun, space: PredicateSpace) -> EvidenceSet:
    if run.base is None or run.before is None:
        return empty_evidence(space)
    return read_evidence(run.store, run.base, run.table)


def read_evidence(store: Store, version: Version, table: str) -> EvidenceSet:
    """The evidence multiset of a table in a version."""
    space = version.tables[table].space
    return from_arrow(pa.concat_tables([_read(store, ref) for ref in version.files_of("evidence", table)]), space)


def read_cover(store: Store, version: Version, table: str) -> list[tuple[int, ...]]:
    """The set-minimal cover of a table in a version, as predicate indices into its space."""
    files = version.files_of("cover", table)
    return [tuple(dc) for ref in files for dc in _read(store, ref)["predicates"].to_pylist()]


def read_results(store: Store, version: Version, table: str) -> Results:
    """The results of a table in a version (table "": the dataset's inclusions)."""
    (ref,) = version.files_of("results", table)
    return Results.from_json(store.read_json(store.path(ref)))


def _read(store: Store, ref: FileRef) -> pa.Table:
    return pq.read_table(store.verify(ref))


def _write(run: TableRun, role: str, table: pa.Table) -> tuple[FileRef, ...]:
    folder = run.store.new_dir(run.run_id, run.table, role)
    pq.write_table(table, folder / "part-0.parquet", compression="zstd")
    return run.store.publish(folder, run.table, role)


def _cover(run: TableRun, space: PredicateSpace, before: EvidenceSet, evidence: EvidenceSet) -> list[tuple[int, ...]]:
    """The set-minimal cover: refined where evidence only came, inverted again where some of it went."""
    bound = run.options.max_predicates or None
    masks, _ = ordered_masks(evidence, space)
    if run.base is None or run.before is None:
        return inversion.minimal_cover(masks, space, max_predicates=bound)
    old, _ = ordered_masks(before, space)
    came, went = only_in(masks, old), only_in(old, masks)
    if len(went) or not len(old):
        return inversion.minimal_cover(masks, space, max_predicates=bound)
    known = read_cover(run.store, run.base, run.table)
    return inversion.refine(known, came, space, max_predicates=bound) if len(came) else known


def only_in(some: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The rows of the first array that are not rows of the second."""
    row = np.dtype((np.void, some.dtype.itemsize * some.shape[1]))
    present = np.isin(np.ascontiguousarray(some).view(row).ravel(), np.ascontiguousarray(others).view(row).ravel())
    return some[~present]


def _results(
    run: TableRun,
    rows: RowDelta,
    space: PredicateSpace,
    evidence: EvidenceSet,
    dcs: Sequence[tuple[int, ...]],
    size: int,
    tracked: Sequence[Measured],
) -> Results:
    masks = Masks(*ordered_masks(evidence, space))
    found = discovered(run.options, space, evidence, dcs, size)
    ranked = rank_rows(found, masks.masks, masks.counts, space, size)
    followed: list[RowConstraint] = [m.constraint for m in tracked]  # type: ignore[misc]  # a table tracks no INDs
    figures = {
        r.measured.constraint.fingerprint: r.measured
        for r in rank_rows(followed, masks.masks, masks.counts, space, size, candidates=len(followed))
    }
    now = [figures[m.constraint.fingerprint] for m in tracked]
    broken = [after for m, after in zip(tracked, now, strict=True) if after.violations > m.violations]
    breaks = find_breaks(run.spark, rows, space, [m.constraint for m in broken])  # type: ignore[misc]  # as above
    return Results(
        _counts(found, dcs, evidence, size),
        tuple(ranked[: RANKED_PER_PRESENTED * run.options.presented]),
        tuple(now),
        {
            m.constraint.fingerprint: BrokenConstraint(b.violating_rows, b.witnesses)
            for m, b in zip(broken, breaks, strict=True)
        },
    )


def discovered(
    options: TableConfig,
    space: PredicateSpace,
    evidence: EvidenceSet,
    dcs: Sequence[tuple[int, ...]],
    size: int,
) -> list[RowConstraint]:
    """All constraints of one version: minimal FDs and UCCs, and the reduced DCs that no FD or UCC says."""
    bound = options.max_predicates or None
    agree = agree_sets.agree_sets(evidence, space)
    fds = agree_sets.functional_dependencies(
        agree, max_lhs=bound - 1 if bound else None, max_error=options.errors.fd, rows=size
    )
    uccs = agree_sets.unique_column_combinations(agree, max_columns=bound, max_error=options.errors.ucc, rows=size)
    reduced = cover.constraints(cover.reduced_cover(dcs, space), space)
    others = [dc for dc in reduced if isinstance(dc.familiar, DenialConstraint)]
    return [*(m.constraint for m in (*fds, *uccs)), *others]  # type: ignore[list-item]  # FDs and UCCs only


def _counts(
    found: Sequence[RowConstraint], dcs: Sequence[tuple[int, ...]], evidence: EvidenceSet, size: int
) -> dict[str, int]:
    kinds = [constraint.kind.value for constraint in found]
    return {
        "rows": size,
        "evidences": len(evidence),
        "set_minimal_dcs": len(dcs),
        **{kind: kinds.count(kind) for kind in ("dc", "fd", "ucc")},
    }
