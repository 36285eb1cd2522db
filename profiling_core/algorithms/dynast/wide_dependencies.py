"""FDs and UCCs of wide tables with their figures: exact covers from agree sets, approximate ones by their frontiers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dynast.agree_set_state import AgreeSetState
from profiling_core.algorithms.dynast.agree_set_table import Changes
from profiling_core.algorithms.dynast.approximate_covers import ApproximateCovers
from profiling_core.algorithms.dynast.cover_bounds import CoverBounds
from profiling_core.algorithms.dynast.dependency_cover import UNIQUE, Cover, in_order
from profiling_core.algorithms.dynast.partition_sums import agreeing_pairs, differing_pairs
from profiling_core.algorithms.dynast.wide_covers import WideCovers

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


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
        self._approximate_fds = ApproximateCovers(range(columns) if bounds.fd_error > 0 else [], longest_lhs)
        self._approximate_uccs = ApproximateCovers([UNIQUE] if bounds.ucc_error > 0 else [], longest_unique)

    def update(self, changes: Changes) -> None:
        """Takes in what a batch changed."""
        self._exact.update(self._state, changes)

    def renumbered(self, kept: NDArray[np.bool_]) -> None:
        """Goes over to the cleaned table, which has the ``kept`` entries of the old one in their order."""
        self._exact.renumbered(self._state.table, kept)

    def cover(self) -> Cover:
        """The minimal FDs and UCCs within the bounds."""
        parts = [self._exact.cover()]
        limits = self._bounds.limits(self._state.pairs)
        for covers, limit in zip((self._approximate_fds, self._approximate_uccs), limits, strict=True):
            covers.refresh(self._state, limit)
            parts.append(covers.cover(self._state.words))
        lhs = np.concatenate([sets for sets, _ in parts])
        rhs = np.concatenate([rights for _, rights in parts])
        order = in_order(lhs, rhs)
        return self.by_partitions(lhs[order], rhs[order])

    def by_partitions(self, lhs: Words, rhs: Counts) -> Cover:
        """Figures of many dependencies, from partitions of the rows."""
        relation, unique = self._state.relation, rhs == UNIQUE
        together = agreeing_pairs(relation, lhs)
        violations = together.copy()
        violations[~unique] = differing_pairs(relation, lhs[~unique], rhs[~unique]) if self._bounds.fd_error else 0
        support = together.copy()
        support[unique] = _near_misses(lhs[unique], lambda parts: agreeing_pairs(relation, parts))
        return Cover(lhs, rhs, violations, support)

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
