"""Minimal FDs and UCCs of a tall table, exact or with g1 ≤ ε, by Pyro (docs/semantics.md, "Error")."""

from profiling_core.algorithms.dependencies.covers.cover_bounds import violations_limit
from profiling_core.algorithms.dependencies.covers.dependency_cover import ConstraintNames
from profiling_core.algorithms.dependencies.covers.figures import by_counts
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, search_all
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import Kind, Measured, RowConstraint
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
        What :mod:`from_agree_sets` finds in the same table, in the same order and with the same figures.
    """
    pairs = AgreeingPairs(rows, space.nulls, memory)
    spaces = [SearchSpace(rhs) for rhs in (range(pairs.columns) if kind is Kind.FD else [NO_RHS])]
    bound = pairs.columns if longest is None else longest
    population = pairs.rows * (pairs.rows - 1)
    search_all(spaces, pairs, bound, violations_limit(max_error, population), threads)
    return ConstraintNames(space.table, rows.columns).measured(by_counts(spaces, pairs), population)
