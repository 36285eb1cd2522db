"""FDs and UCCs of wide tables with figures: exact covers from agree sets, approximate ones by level or frontier."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import counts_of_masks, near_misses
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import Changes
from profiling_core.algorithms.dependencies.agree_sets.partition_sums import agreeing_pairs
from profiling_core.algorithms.dependencies.upkeep.approximate_covers import ApproximateCovers
from profiling_core.algorithms.dependencies.upkeep.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.upkeep.dependency_cover import UNIQUE, Cover, concatenated
from profiling_core.algorithms.dependencies.upkeep.level_covers import LevelCovers
from profiling_core.algorithms.dependencies.upkeep.wide_covers import WideCovers
from profiling_core.algorithms.ground.arrays import Counts, Words

# Seconds of a core, as measured on tables of 109 and 222 columns: an agree set's bit of one column; an agree set in the
# count of a column set; a row in its partition.
COLUMN_OF_BITS, AGREE_SET, ROW = 2e-9, 0.0125e-9, 1.5e-9


class WideDependencies:
    """The covers of a table too wide for sums over all column sets."""

    def __init__(self, state: AgreeSetState, bounds: CoverBounds) -> None:
        self._state = state
        self._bounds = bounds
        columns = len(state.columns)
        longest_lhs, longest_unique = bounds.longest(columns)
        exact = [(right, longest_lhs) for right in range(columns) if bounds.fd_error == 0]
        exact += [(UNIQUE, longest_unique)] if bounds.ucc_error == 0 else []
        self._exact = WideCovers(
            columns, [right for right, _ in exact], [most for _, most in exact], nullable=state.relation.nullable
        )
        self._exact.build(state)
        self._approximate = (
            _approximate(state, range(columns) if bounds.fd_error > 0 else [], longest_lhs),
            _approximate(state, [UNIQUE] if bounds.ucc_error > 0 else [], longest_unique),
        )
        self._empty_pairs = state.empty_pairs

    def update(self, changes: Changes) -> None:
        """Takes in what a batch changed."""
        self._exact.update(self._state, changes)
        changed = self._state.masks_of_changes(changes, self._state.empty_pairs - self._empty_pairs)
        self._empty_pairs = self._state.empty_pairs
        for covers in self._approximate:
            covers.update(changed)

    def renumbered(self, kept: NDArray[np.bool_]) -> None:
        """Goes over to the cleaned table, which has the ``kept`` entries of the old one in their order."""
        self._exact.renumbered(self._state.table, kept)

    def cover(self) -> Cover:
        """The minimal FDs and UCCs within the bounds."""
        state, (lhs, rhs) = self._state, self._exact.cover()
        support, fds = np.zeros(len(rhs), np.int64), rhs != UNIQUE
        support[fds] = self._agreeing(lhs[fds])
        parts = [Cover(lhs, rhs, np.zeros(len(rhs), np.int64), support)]
        for covers, limit in zip(self._approximate, self._bounds.limits(state.pairs), strict=True):
            covers.refresh(state, limit)
            parts.append(covers.cover(state.words))
        whole = concatenated(parts)
        unique = whole.rhs == UNIQUE
        whole.support[unique] = self._support(whole.lhs[unique])
        return whole

    def _agreeing(self, sets: Words) -> Counts:
        """The pairs that agree on each column set."""
        if self._bits_are_cheaper(len(sets)):
            return counts_of_masks(self._state.agree_sets(), sets, np.full(len(sets), UNIQUE, np.int64))[0]
        return agreeing_pairs(self._state.relation, sets)

    def _support(self, uniques: Words) -> Counts:
        """Supports of UCCs."""
        if self._bits_are_cheaper(int(np.bitwise_count(uniques).sum())):
            return near_misses(self._state.agree_sets(), uniques)
        return _near_misses(uniques, lambda sets: agreeing_pairs(self._state.relation, sets))

    def _bits_are_cheaper(self, sets: int) -> bool:
        """Whether bits of all agree sets tell the pairs of so many column sets sooner than partitions of the rows."""
        agree, rows = len(self._state.table.counts), self._state.relation.distinct
        return agree * (len(self._state.columns) * COLUMN_OF_BITS + sets * AGREE_SET) < sets * rows * ROW

    def measured(self, lhs: Words, rhs: Counts) -> Cover:
        """Figures of given dependencies, each by one pass of the AS-tree."""
        unique = rhs == UNIQUE
        together, violations = self._by_tree(lhs, rhs)
        support = together.copy()
        support[unique] = _near_misses(
            lhs[unique], lambda parts: self._by_tree(parts, np.full(len(parts), UNIQUE, np.int64))[0]
        )
        return Cover(lhs, rhs, violations, support)

    def _by_tree(self, lhs: Words, rhs: Counts) -> tuple[Counts, Counts]:
        exact = self._exact
        apart = np.array([exact.right_mask(right) for right in rhs.tolist()], np.uint64).reshape(-1, exact.words)
        together, differing = exact.tree.sums(exact.arranged(lhs), apart, self._state.table.counts)
        empty = ~lhs.any(axis=1) * self._state.empty_pairs
        return together + empty, differing + empty


def _approximate(state: AgreeSetState, rights: Sequence[int], longest: int) -> ApproximateCovers | LevelCovers:
    return (LevelCovers if LevelCovers.suits(state, rights, longest) else ApproximateCovers)(rights, longest)


def _near_misses(lhs: Words, together: Callable[[Words], Counts]) -> Counts:
    """Per column set the least number of pairs that agree on all of its columns but one; 0 for no columns."""
    bits = np.unpackbits(np.ascontiguousarray(lhs).view(np.uint8), axis=1, bitorder="little")
    sets, columns = np.nonzero(bits)
    parts = lhs[sets]
    parts[np.arange(len(sets)), columns // 64] ^= np.uint64(1) << (columns % 64).astype(np.uint64)
    found = np.full(len(lhs), np.iinfo(np.int64).max)
    np.minimum.at(found, sets, together(parts))
    found[~lhs.any(axis=1)] = 0
    return found
