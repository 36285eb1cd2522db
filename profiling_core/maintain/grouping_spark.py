"""The engine of groups over Spark: FDs, UCCs and errors of tall tables that no process holds (Pyro, over tasks).

Its state is the frontier: minimal dependencies with their figures, and maximal non-dependencies. After a delta Spark's
groupings tell how many pairs agree on the frontier's column sets, many of them in one job; only where a member has
changed sides the search goes on. A sample of rows leads a new table's search. Rows never leave the tasks, but for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.dependencies.covers.dependency_cover import constraints_of
from profiling_core.algorithms.dependencies.covers.figures import by_counts
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.pair_counts import BatchedCounts, pairing_of
from profiling_core.algorithms.dependencies.search.batched_search import search
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, Task, search_all
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_ints, as_sides
from profiling_core.algorithms.values.dictionaries import Arrays
from profiling_core.algorithms.values.encoding import columns_of, encode
from profiling_core.maintain import engine_results
from profiling_core.maintain.agreeing import cover_arrays, dependency_part
from profiling_core.maintain.covers import bounds_of
from profiling_core.maintain.engine import EngineResult, EngineStep, StatePart
from profiling_core.maintain.state_files import read_arrays, write_arrays
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.spark.agreeing_pairs import counts_of
from profiling_core.spark.sampling import sampled_rows
from profiling_core.state.store import Store

ROLE = "groups_spark"
_FRONTIER = "frontier_"
# Values that lead the search of a new table, and rows at least. With 100,000 of 400,000 rows of TPC-H's lineitem, 15
# columns and 0.4 CPU s, 684 column sets are left to count in tasks; with 10,000 of them 1,155.
SAMPLED_VALUES, LEAST_SAMPLED = 1_500_000, 10_000


@dataclass(frozen=True)
class GroupingSparkEngine:
    """Counts groups in tasks: FDs and UCCs of tables of more rows than can be compared with each other."""

    role: str = ROLE
    denies: bool = False

    def advance(self, step: EngineStep) -> EngineResult:
        """Counts the frontier's pairs anew, and searches on where that leads."""
        columns = columns_of(step.space)
        pairs = counts_of(step.rows.after(*columns), columns, step.space.nulls, step.size)
        spaces = _frontier(step, columns)
        # An exact dependency that is violated stays so until a row is removed.
        search(_bounded(step, spaces, step.size), pairs, certain=_certain(step))
        cover = by_counts(spaces, pairs)
        found = constraints_of(cover, step.space.table, columns, step.size * (step.size - 1))
        violations = {m.constraint.fingerprint: m.violations for m in found} | _violations(step, pairs, columns)
        constraints = [m.constraint for m in found]
        files = write_arrays(step.files, ROLE, {**cover_arrays(cover), **_frontier_arrays(spaces, len(columns))}, {})
        return engine_results.by_sample(step, files, {}, constraints, violations)

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The minimal dependencies with their figures; known non-dependencies depend on the way that led to them."""
        del space
        yield dependency_part(_read(store, files, table))


def _read(store: Store, files: Sequence[FileRef], table: str) -> Arrays:
    own = [file for file in files if (file.table, file.role) == (table, ROLE)]
    return {name: np.asarray(array) for name, (_, array) in read_arrays(store, own).items()}


def _certain(step: EngineStep) -> bool:
    """Whether the non-dependencies that the search begins with violate for sure."""
    errors = step.options.errors
    return not errors.fd and not errors.ucc and not (step.before and step.rows.deletes)


def _bounded(step: EngineStep, spaces: Sequence[SearchSpace], rows: int) -> list[Task]:
    """The task of each space, in a table or a sample of ``rows`` rows; there is one space more than columns."""
    bounds = bounds_of(step.options, step.space)
    return [Task(space, *bounds.of(space.rhs, len(spaces) - 1, rows)) for space in spaces]


def _frontier(step: EngineStep, columns: Sequence[str]) -> list[SearchSpace]:
    """Where the search begins: what did not hold before, or does not in a sample of a new table's rows."""
    spaces = {rhs: SearchSpace(rhs) for rhs in (*range(len(columns)), NO_RHS)}
    if step.before is None:
        least = max(LEAST_SAMPLED, SAMPLED_VALUES // max(1, len(columns)))
        sample = encode(sampled_rows(step.rows, step.space, step.size, least), step.space)
        search_all(_bounded(step, list(spaces.values()), sample.rows), AgreeingPairs(sample, step.space.nulls))
        return list(spaces.values())
    known = _read(step.files.store, step.before.files, step.files.table)
    rights = known[f"{_FRONTIER}rhs"].tolist()
    for rhs, lhs in zip(rights, as_ints(known[f"{_FRONTIER}lhs"]), strict=True):
        spaces[rhs].non_dependencies.append(lhs)
    return list(spaces.values())


def _frontier_arrays(spaces: Sequence[SearchSpace], columns: int) -> Arrays:
    known = [(lhs, space.rhs) for space in spaces for lhs in space.non_dependencies]
    lhs, rhs = as_sides(known, columns)
    return {f"{_FRONTIER}lhs": lhs, f"{_FRONTIER}rhs": rhs}


def _violations(step: EngineStep, pairs: BatchedCounts, columns: Sequence[str]) -> dict[str, int]:
    """By fingerprint, the ordered pairs that violate the tracked constraints; all of them speak of = and ≠ alone."""
    counts = pairs.differing_in_each([pairing_of(constraint, columns) for constraint in step.tracked])
    return {c.fingerprint: 2 * count for c, count in zip(step.tracked, counts, strict=True)}
