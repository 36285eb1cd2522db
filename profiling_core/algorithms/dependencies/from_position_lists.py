"""Minimal FDs and UCCs of a tall table, exact or with g1 ≤ ε, by Pyro (docs/semantics.md, "Error")."""

from collections.abc import Sequence

from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import constraints_of
from profiling_core.algorithms.dependencies.covers.figures import by_counts
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, Task, search_all
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.predicate import PredicateSpace


def dependencies(
    rows: Encoded, space: PredicateSpace, bounds: CoverBounds, rights: Sequence[int]
) -> list[Measured[RowConstraint]]:
    """All minimal FDs and UCCs within bounds, with their figures in ordered pairs.

    Args:
        rows: the rows, encoded for the space.
        space: a space of same-column groups; it tells the table and what nulls mean.
        bounds: the greatest lengths and errors.
        rights: the right sides: columns, or :data:`NO_RHS`, which asks for unique column combinations.

    Returns:
        By right side, as :mod:`from_agree_sets` finds them in the same table, with the same figures.
    """
    pairs = AgreeingPairs(rows, space.nulls)
    tasks = [Task(SearchSpace(rhs), *bounds.of(rhs, pairs.columns, pairs.rows)) for rhs in rights]
    search_all(tasks, pairs)
    cover = by_counts([task.space for task in tasks], pairs)
    return constraints_of(cover, space.table, rows.columns, pairs.rows * (pairs.rows - 1))
