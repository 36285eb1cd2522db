"""Approximate covers of wide tables with short left sides: found anew from the agree sets after each change.

A threshold counts pairs, so a batch moves it and most errors at once. Where left sides are short, all column sets that
matter are counted again in a second or so (:mod:`levelwise`); a frontier of them would be as large as they are.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import counts_of_masks
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.search import levelwise
from profiling_core.algorithms.dependencies.upkeep.dependency_cover import UNIQUE, Cover
from profiling_core.algorithms.ground.arrays import Counts, Words

# Seconds of a core that a search may take at most.
MOST_SECONDS = 10.0


class LevelCovers:
    """Covers of the given right sides within one threshold; ``longest`` bounds their left sides."""

    def __init__(self, rights: Sequence[int], longest: int) -> None:
        self._rights = rights
        self._longest = longest
        self._found: Cover | None = None
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
        agree, self._limit = state.agree_sets(), limit
        found = list(self._searched(agree, limit))
        lhs, rhs = np.concatenate([lhs for lhs, _ in found]), np.concatenate([rhs for _, rhs in found])
        together, violations = counts_of_masks(agree, lhs, rhs)
        self._found = Cover(lhs, rhs, np.where(rhs == UNIQUE, together, violations), together)
        return len(self._rights)

    def _searched(self, agree: AgreeSets, limit: int) -> Iterator[tuple[Words, Counts]]:
        """Minimal left sides uint64[n, words] and their right sides int64[n]."""
        words, columns = agree.equal.shape[1], len(agree.columns)
        yield np.empty((0, words), np.uint64), np.empty(0, np.int64)
        if not self._rights:
            return
        for sets, satisfied in levelwise.levels(agree, self._rights, self._longest, limit):
            bits = np.unpackbits(np.ascontiguousarray(satisfied).view(np.uint8), axis=1, bitorder="little")
            found, rights = np.nonzero(bits)
            lhs = np.zeros((len(found), words), np.uint64)
            for column in sets[found].T:
                lhs[np.arange(len(found)), column >> 6] |= np.uint64(1) << (column & 63).astype(np.uint64)
            yield lhs, np.where(rights == columns, UNIQUE, rights)

    def cover(self, words: int) -> Cover:
        """The covers as of the last refresh, column sets as ``words`` words; supports are agreeing pairs throughout."""
        if self._found is None:
            none = np.empty(0, np.int64)
            return Cover(np.empty((0, words), np.uint64), none, none, none)
        return self._found
