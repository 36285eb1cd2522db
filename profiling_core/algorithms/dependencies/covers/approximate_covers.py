"""Approximate covers of wide tables, kept current by their frontiers.

Per right side the minimal dependencies and some great non-dependencies, between which every column set lies: as long as
the former pass the threshold and the latter do not, the cover is what it was, whatever else the counts did. So a batch
changes the counts of the frontier by what the changed agree sets say, and only right sides of which a set has crossed
the threshold are searched again, each from the part of its frontier that still holds (Pyro's search, which may begin
with what is known).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import counts_of
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, search_all
from profiling_core.algorithms.ground.arrays import Counts
from profiling_core.algorithms.ground.bit_words import WORD
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_masks
from profiling_core.algorithms.values.column_dictionary import NULL_CODE
from profiling_core.algorithms.values.encoding import NULL, Encoded


@dataclass
class _Frontier:
    """A right side's search space, and the pairs that agree on each of its sets and that violate it.

    ``sets`` are the space's dependencies, then its non-dependencies.
    """

    space: SearchSpace
    sets: list[int] = field(default_factory=list)
    together: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    violations: Counts = field(default_factory=lambda: np.empty(0, np.int64))

    def holds(self, limit: int) -> bool:
        """Whether no set has crossed the threshold; what has is taken out of the space."""
        right = (self.violations <= limit) == (np.arange(len(self.sets)) < len(self.space.dependencies))
        if len(self.sets) and right.all():
            return True
        self.space.holds(dict(zip(self.sets, self.violations.tolist(), strict=True)).__getitem__, limit)
        return False


class ApproximateCovers:
    """Covers of the given right sides within one threshold; ``longest`` bounds their left sides."""

    def __init__(self, rights: Sequence[int], longest: int) -> None:
        self._longest = longest
        self._frontiers = [_Frontier(SearchSpace(right)) for right in rights]

    def update(self, changed: AgreeSets) -> None:
        """Takes in what a batch changed: agree sets with the pairs that they gained or lost, the empty one included."""
        sets, rights = self._sets(), self._rights()
        if not sets:
            return
        together, violations = counts_of(changed, as_masks(sets, WORD * changed.equal.shape[1]), rights)
        violations[rights == NO_RHS] = together[rights == NO_RHS]
        start = 0
        for frontier in self._frontiers:
            own = slice(start, start + len(frontier.sets))
            frontier.together += together[own]
            frontier.violations += violations[own]
            start = own.stop

    def refresh(self, state: AgreeSetState, limit: int) -> int:
        """Finds the covers of a threshold.

        Args:
            state: the table.
            limit: the greatest number of violating unordered pairs.

        Returns:
            How many right sides were searched.
        """
        crossed = [frontier for frontier in self._frontiers if not frontier.holds(limit)]
        if crossed:
            pairs = AgreeingPairs(_rows(state), state.space.nulls)
            search_all([frontier.space for frontier in crossed], pairs, self._longest, limit)
            for frontier in crossed:
                _count(frontier, pairs)
        return len(crossed)

    def cover(self, words: int) -> DependencyCover:
        """The covers as of the last refresh, column sets as ``words`` words; supports are agreeing pairs throughout."""
        kept = [(frontier, len(frontier.space.dependencies)) for frontier in self._frontiers]
        none = np.empty(0, np.int64)
        return DependencyCover(
            as_masks([known for frontier, many in kept for known in frontier.sets[:many]], WORD * words),
            np.concatenate([none, *(np.full(many, frontier.space.rhs) for frontier, many in kept)]),
            np.concatenate([none, *(frontier.violations[:many] for frontier, many in kept)]),
            np.concatenate([none, *(frontier.together[:many] for frontier, many in kept)]),
        )

    def _sets(self) -> list[int]:
        return [known for frontier in self._frontiers for known in frontier.sets]

    def _rights(self) -> Counts:
        rights = np.array([frontier.space.rhs for frontier in self._frontiers], np.int64)
        return np.repeat(rights, np.array([len(frontier.sets) for frontier in self._frontiers], np.int64))


def _count(frontier: _Frontier, pairs: AgreeingPairs) -> None:
    """The figures of a searched space: those known already, and the others, which the search has counted."""
    known = dict(
        zip(frontier.sets, zip(frontier.together.tolist(), frontier.violations.tolist(), strict=True), strict=True)
    )
    space = frontier.space
    frontier.sets = [*space.dependencies, *space.non_dependencies]
    figures = [known.get(found) or (pairs.of(found), pairs.violations(found, space.rhs)) for found in frontier.sets]
    frontier.together, frontier.violations = np.array(figures, np.int64).reshape(-1, 2).T.copy()


def _rows(state: AgreeSetState) -> Encoded:
    return Encoded(state.columns, state.relation.every_row() - np.int32(NULL_CODE - NULL))
