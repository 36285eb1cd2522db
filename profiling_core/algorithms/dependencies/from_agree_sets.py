"""Agree sets and the minimal FDs and UCCs that follow from them, exact or with g1 ≤ ε (docs/semantics.md, "Error").

One multiset answers every question about FDs and UCCs: exact, approximate at any threshold, and the errors of given
ones. The covers are those that :mod:`upkeep` keeps current, begun anew.
"""

from collections.abc import Sequence

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets import partition_lattice
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets, agree_sets
from profiling_core.algorithms.dependencies.covers import figures, narrow_covers
from profiling_core.algorithms.dependencies.covers.approximate_covers import by_levels
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover, constraints_of, in_order
from profiling_core.algorithms.dependencies.covers.narrow_covers import NarrowCovers
from profiling_core.algorithms.dependencies.covers.wide_covers import WideCovers
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.predicate import PredicateSpace

__all__ = ["AgreeSets", "agree_sets", "agree_sets_of_rows", "cover_of", "dependencies"]


def agree_sets_of_rows(rows: Encoded, space: PredicateSpace) -> AgreeSets:
    """The agree sets of rows whose evidence nobody needs, in whichever way is cheaper.

    Args:
        rows: the rows, encoded for the space.
        space: the space; with groups across columns, these are left aside.
    """
    same_column = all(group.predicates[0].is_same_column for group in space.groups)
    found = partition_lattice.agree_sets_of(rows, space) if same_column else None
    return found or agree_sets(self_evidence(rows, space), space)


def dependencies(
    agree: AgreeSets, bounds: CoverBounds, rights: Sequence[int] | None = None
) -> list[Measured[RowConstraint]]:
    """All minimal FDs and UCCs within bounds, with their figures in ordered pairs.

    Args:
        agree: the table's agree sets.
        bounds: the greatest lengths and errors.
        rights: of these right sides alone: columns, or :data:`NO_RHS`, which asks for unique column combinations.

    Returns:
        By right side, unique column combinations last, for each the shorter left sides first. Support counts the pairs
        that agree on the left side; of a unique column combination it is the least number of pairs that agree on all of
        its columns but one.
    """
    cover = cover_of(agree, bounds, range(NO_RHS, len(agree.columns)) if rights is None else rights)
    found = constraints_of(cover, agree.table, agree.columns, agree.population)
    unique = int((cover.rhs == NO_RHS).sum())
    return [*found[unique:], *found[:unique]]


def cover_of(agree: AgreeSets, bounds: CoverBounds, rights: Sequence[int]) -> DependencyCover:
    """The same as arrays, unique column combinations first."""
    if len(agree.columns) <= narrow_covers.WIDEST:
        return NarrowCovers(agree).cover(bounds, rights)
    limits, longest = bounds.limits(agree.population // 2), bounds.longest(len(agree.columns))
    found = [
        _wide(agree, [rhs for rhs in rights if (rhs == NO_RHS) == unique], longest[unique], limits[unique])
        for unique in (True, False)
    ]
    lhs, rhs = np.concatenate([lhs for lhs, _ in found]), np.concatenate([rhs for _, rhs in found])
    order = in_order(lhs, rhs)
    return figures.by_agree_sets(agree, lhs[order], rhs[order])


def _wide(agree: AgreeSets, rights: Sequence[int], longest: int, limit: int) -> tuple[Words, Counts]:
    if limit > 0:
        return by_levels(agree, rights, longest, limit)
    return WideCovers(agree, dict.fromkeys(rights, longest)).cover()
