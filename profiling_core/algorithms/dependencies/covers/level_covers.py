"""Approximate covers of wide tables with short left sides: found anew from the agree sets after each change.

A threshold counts pairs, so a batch moves it and most errors at once. Where left sides are short, all column sets that
matter are counted again in a second or so (:mod:`levelwise`); a frontier of them would be as large as they are.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import counts_of
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover
from profiling_core.algorithms.dependencies.search import levelwise
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import flags, with_bit
from profiling_core.algorithms.ground.column_sets import NO_RHS

# Seconds of a core that a search may take at most.
MOST_SECONDS = 10.0


class LevelCovers:
    """Covers of the given right sides within one threshold; ``longest`` bounds their left sides."""

    def __init__(self, rights: Sequence[int], longest: int) -> None:
        self._rights = rights
        self._longest = longest
        self._found: DependencyCover | None = None
        self._limit = -1

    @staticmethod
    def suits(state: AgreeSetState, rights: Sequence[int], longest: int) -> bool:
        """Whether all column sets of at most ``longest`` columns are counted in no time."""
        sets = levelwise.most_sets(len(state.columns), longest)
        return levelwise.seconds(sets, len(rights), int(np.count_nonzero(state.table.counts))) <= MOST_SECONDS

    def update(self, _changed: AgreeSets) -> None:
        """Takes in that a batch changed the table."""
        self._found = None

    def refresh(self, state: AgreeSetState, limit: int) -> int:
        """Finds the covers of a threshold.

        Args:
            state: the table.
            limit: the greatest number of violating unordered pairs.

        Returns:
            How many right sides were searched.
        """
        if self._found is not None and limit == self._limit:
            return 0
        self._found, self._limit = within(state.agree_sets(), self._rights, self._longest, limit), limit
        return len(self._rights)

    def cover(self, words: int) -> DependencyCover:
        """The covers as of the last refresh, column sets as ``words`` words; supports are agreeing pairs throughout."""
        if self._found is None:
            none = np.empty(0, np.int64)
            return DependencyCover(np.empty((0, words), np.uint64), none, none, none)
        return self._found


def within(agree: AgreeSets, rights: Sequence[int], longest: int, limit: int) -> DependencyCover:
    """The minimal dependencies of right sides with at most ``limit`` violating pairs, in the order of levels."""
    found = list(_searched(agree, rights, longest, limit))
    lhs, rhs = np.concatenate([lhs for lhs, _ in found]), np.concatenate([rhs for _, rhs in found])
    together, violations = counts_of(agree, lhs, rhs)
    return DependencyCover(lhs, rhs, np.where(rhs == NO_RHS, together, violations), together)


def _searched(agree: AgreeSets, rights: Sequence[int], longest: int, limit: int) -> Iterator[tuple[Words, Counts]]:
    """Minimal left sides uint64[n, words] and their right sides int64[n], a level at a time."""
    words, columns = agree.equal.shape[1], len(agree.columns)
    yield np.empty((0, words), np.uint64), np.empty(0, np.int64)
    if not rights:
        return
    for sets, satisfied in levelwise.levels(agree, rights, longest, limit):
        found, bits = np.nonzero(flags(satisfied))
        lhs = np.zeros((len(found), words), np.uint64)
        for column in sets[found].T:
            lhs = with_bit(lhs, column)
        yield lhs, np.where(bits == columns, NO_RHS, bits)
