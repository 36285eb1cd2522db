"""FDs and UCCs of wide tables with figures: exact covers from agree sets, approximate ones by level or frontier."""

from collections.abc import Sequence

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import agreeing
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetChanges
from profiling_core.algorithms.dependencies.covers import figures
from profiling_core.algorithms.dependencies.covers.approximate_covers import ApproximateCovers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover, concatenated
from profiling_core.algorithms.dependencies.covers.level_covers import LevelCovers
from profiling_core.algorithms.dependencies.covers.wide_covers import WideCovers
from profiling_core.algorithms.dependencies.position_lists.pair_changes import agreeing_pairs
from profiling_core.algorithms.ground.arrays import Codes, Counts, Flags, Words
from profiling_core.algorithms.ground.column_sets import NO_RHS

# Seconds of a core, as measured on tables of 109 and 222 columns: an agree set's bit of one column; an agree set in the
# count of a column set; a row in its partition.
COLUMN_OF_BITS, AGREE_SET, ROW = 2e-9, 0.0125e-9, 1.5e-9


class WideDependencies:
    """The covers of a table too wide for sums over all column sets."""

    def __init__(self, state: AgreeSetState, bounds: CoverBounds) -> None:
        self._state = state
        columns = len(state.columns)
        longest_lhs, longest_unique = bounds.longest(columns)
        exact = [(right, longest_lhs) for right in range(columns) if bounds.fd_error == 0]
        exact += [(NO_RHS, longest_unique)] if bounds.ucc_error == 0 else []
        self._exact = WideCovers(columns, [right for right, _ in exact], [most for _, most in exact])
        self._exact.build(state.entries(), some_empty=state.empty_pairs > 0)
        self._approximate = (
            _approximate(state, range(columns) if bounds.fd_error > 0 else [], longest_lhs),
            _approximate(state, [NO_RHS] if bounds.ucc_error > 0 else [], longest_unique),
        )

    def update(self, state: AgreeSetState, changes: AgreeSetChanges) -> None:
        """Takes in what a batch changed."""
        self._exact.update(state, changes)
        changed = state.masks_of_changes(changes)
        for covers in self._approximate:
            covers.update(changed)

    def renumbered(self, state: AgreeSetState, kept: Flags) -> None:
        """Goes over to the cleaned table, which has the ``kept`` entries of the old one in their order."""
        self._exact.renumbered(state, kept)

    def cover(self, bounds: CoverBounds) -> DependencyCover:
        """The minimal FDs and UCCs within the bounds."""
        lhs, rhs = self._exact.cover()
        support, fds = np.zeros(len(rhs), np.int64), rhs != NO_RHS
        support[fds] = self._agreeing(lhs[fds])
        parts = [DependencyCover(lhs, rhs, np.zeros(len(rhs), np.int64), support)]
        for covers, limit in zip(self._approximate, bounds.limits(self._state.pairs), strict=True):
            covers.refresh(self._state, limit)
            parts.append(covers.cover(self._state.words))
        whole = concatenated(parts)
        unique = whole.rhs == NO_RHS
        whole.support[unique] = figures.near_misses(whole.lhs[unique], self._agreeing)
        return whole

    def measured(self, lhs: Words, rhs: Counts) -> DependencyCover:
        """Figures of given dependencies."""
        if self._bits_are_cheaper(len(rhs)):
            return figures.by_agree_sets(self._state.agree_sets(), lhs, rhs)
        codes, comparable = self._rows()
        return figures.by_rows(codes, lhs, rhs, comparable=comparable)

    def _agreeing(self, sets: Words) -> Counts:
        """The pairs that agree on each column set."""
        if self._bits_are_cheaper(len(sets)):
            return agreeing(self._state.agree_sets(), sets)
        codes, comparable = self._rows()
        return agreeing_pairs(codes, sets, comparable=comparable)

    def _rows(self) -> tuple[Codes, bool]:
        """The rows' codes, and whether nulls agree with each other."""
        return self._state.relation.every_row(), not self._state.relation.nullable

    def _bits_are_cheaper(self, sets: int) -> bool:
        """Whether bits of all agree sets tell the pairs of so many column sets sooner than partitions of the rows."""
        agree, rows = len(self._state.table.counts), self._state.relation.distinct
        return agree * (len(self._state.columns) * COLUMN_OF_BITS + sets * AGREE_SET) < sets * rows * ROW


def _approximate(state: AgreeSetState, rights: Sequence[int], longest: int) -> ApproximateCovers | LevelCovers:
    return (LevelCovers if LevelCovers.suits(state, rights, longest) else ApproximateCovers)(rights, longest)
