"""The partitions engine: FDs, UCCs and their errors of tables with too many pairs of rows to compare (after Pyro).

Its state is the rows as codes, the frontier of each right side's search, and the counts of agreeing pairs that the
frontier's errors are made of, as plain arrays. Errors are exact; support and rank come from a sample of rows, as with
the indexed engine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiling_core.algorithms.dependencies.position_lists.pair_counts import pairing_of
from profiling_core.algorithms.dependencies.upkeep.partition_table import PartitionTable, minimal_in
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.maintain import engine_results
from profiling_core.maintain.agreeing import rows_of
from profiling_core.maintain.covers import bounds_of
from profiling_core.maintain.engine import EngineResult, EngineStep, StatePart
from profiling_core.maintain.state_files import of_this_release, read_arrays, write_arrays
from profiling_core.model.delta import ROW_ID
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.state.store import Store

ROLE = "partitions"


@dataclass(frozen=True)
class PartitionedEngine:
    """Keeps the counts of agreeing pairs that FDs and UCCs, exact and approximate, of tall tables follow from."""

    role: str = ROLE
    denies: bool = False

    def advance(self, step: EngineStep) -> EngineResult:
        """Counts the pairs that the delta's rows change; searches on where an error crosses its threshold."""
        table = _table(step)
        asked = {c.fingerprint: pairing_of(c, table.columns) for c in step.tracked}
        table.follow(list(asked.values()))
        minimal = [*table.functional_dependencies(), *table.unique_column_combinations()]
        found = [m.constraint for m in minimal]
        violations = {m.constraint.fingerprint: m.violations for m in minimal}
        violations |= {name: table.count(question) for name, question in asked.items()}
        return engine_results.by_sample(step, write_arrays(step.files, ROLE, table.arrays(), {}), {}, found, violations)

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The minimal dependencies with their figures: what bounds them depends on the way that led to it."""
        own = [file for file in files if (file.table, file.role) == (table, ROLE)]
        arrays = {name: array for name, (_, array) in read_arrays(store, own).items()}
        found = minimal_in(arrays, len(columns_of(space)))
        yield StatePart("dependencies", found, f"{len(found):,} minimal dependencies")


def _table(step: EngineStep) -> PartitionTable:
    bounds = bounds_of(step.options, step.space)
    inserted, ids = rows_of(step.rows.coming, [ROW_ID, *columns_of(step.space)])
    if step.before is None:
        return PartitionTable.bootstrap(inserted, ids, step.space, bounds=bounds)
    stored = read_arrays(step.files.store, step.before.files_of(ROLE, step.files.table))
    arrays = {name: array for name, (_, array) in stored.items()}
    with of_this_release(step.before, step.files.table):
        table = PartitionTable.from_arrays(arrays, step.space, bounds=bounds)
    table.apply(rows_of(step.rows.going, [ROW_ID])[1], inserted, ids)
    return table
