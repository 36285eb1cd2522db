"""Minimal FDs and UCCs of a tall table, exact or with g1 ≤ ε, by Pyro (docs/semantics.md, "Error")."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.pair_counts import NO_RHS, PairCounts
from profiling_core.algorithms.dependencies.search.dependency_search import violations_limit
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace
from profiling_core.algorithms.ground.column_sets import columns_in
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import (
    ColumnList,
    FunctionalDependency,
    Kind,
    Measured,
    RowConstraint,
    UniqueColumnCombination,
)
from profiling_core.model.predicate import PredicateSpace


def discover(
    rows: Encoded,
    space: PredicateSpace,
    *,
    kind: Kind,
    longest: int | None = None,
    max_error: float = 0.0,
    memory: int | None = None,
    threads: int = 0,
) -> list[Measured[RowConstraint]]:
    """All minimal FDs, or UCCs, whose error does not pass a threshold.

    Args:
        rows: the rows, encoded for the space.
        space: a space of same-column groups; it tells the table and what nulls mean.
        kind: FD or UCC.
        longest: the greatest number of columns of a UCC, or of an FD's left side; None: no bound.
        max_error: g1, violating pairs by all pairs; 0: exact.
        memory: bytes that cached position list indexes may take; None: as many as suit the table's rows.
        threads: right sides searched at a time; 0: one per processor.

    Returns:
        What :func:`functional_dependencies` and :func:`unique_column_combinations` of ``algorithms/dependencies``
        return for the same table, in the same order and with the same figures.
    """
    pairs = AgreeingPairs(rows, space.nulls, memory)
    spaces = [SearchSpace(rhs) for rhs in (range(pairs.columns) if kind is Kind.FD else [NO_RHS])]
    bound = pairs.columns if longest is None else longest
    search_all(spaces, pairs, bound, violations_limit(max_error, pairs.rows * (pairs.rows - 1)), threads)
    return measured(spaces, pairs, space.table, rows.columns)


def search_all(spaces: Sequence[SearchSpace], pairs: AgreeingPairs, longest: int, limit: int, threads: int = 0) -> None:
    """Searches spaces side by side; they share counts and indexes. Threads: 0, one per processor."""
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for _ in pool.map(lambda space: space.search(pairs, longest, limit), spaces):
            pass


def measured(
    spaces: Sequence[SearchSpace], pairs: PairCounts, table: str, columns: Sequence[str]
) -> list[Measured[RowConstraint]]:
    """The dependencies of searched spaces with their figures, in ordered pairs."""
    population = pairs.rows * (pairs.rows - 1)
    found: list[Measured[RowConstraint]] = []
    for space in spaces:
        for lhs in space.dependencies:
            names = ColumnList(table, tuple(columns[i] for i in columns_in(lhs)))
            violations = 2 * pairs.violations(lhs, space.rhs)
            if space.rhs == NO_RHS:
                near = min((pairs.of(lhs & ~(1 << column)) for column in columns_in(lhs)), default=0)
                found.append(Measured(UniqueColumnCombination(names), violations, population, 2 * near))
            else:
                fd = FunctionalDependency(names, ColumnList(table, (columns[space.rhs],)))
                found.append(Measured(fd, violations, population, 2 * pairs.of(lhs)))
    return found
