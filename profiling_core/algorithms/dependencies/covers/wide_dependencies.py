"""FDs and UCCs of wide tables with figures: exact covers from agree sets, approximate ones by level or frontier."""

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import agreeing
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetChanges
from profiling_core.algorithms.dependencies.covers import figures
from profiling_core.algorithms.dependencies.covers.approximate_covers import ApproximateCovers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover, concatenated
from profiling_core.algorithms.dependencies.covers.wide_covers import WideCovers
from profiling_core.algorithms.dependencies.position_lists.pair_changes import agreeing_pairs
from profiling_core.algorithms.ground.arrays import Counts, Words
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
        exact = {right: longest_lhs for right in range(columns) if bounds.fd_error == 0}
        exact |= {NO_RHS: longest_unique} if bounds.ucc_error == 0 else {}
        self._exact = WideCovers(state.entries(), exact, some_empty=state.empty_pairs > 0)
        self._approximate = (
            ApproximateCovers(range(columns) if bounds.fd_error > 0 else [], longest_lhs),
            ApproximateCovers([NO_RHS] if bounds.ucc_error > 0 else [], longest_unique),
        )

    def update(self, state: AgreeSetState, changes: AgreeSetChanges) -> None:
        """Takes in what a batch changed."""
        self._exact.update(state, changes)

    def cover(self, bounds: CoverBounds) -> DependencyCover:
        """The minimal FDs and UCCs within the bounds."""
        lhs, rhs = self._exact.cover()
        support, unique = np.zeros(len(rhs), np.int64), rhs == NO_RHS
        support[~unique] = self._agreeing(lhs[~unique])
        support[unique] = figures.near_misses(lhs[unique], self._agreeing)
        parts = [DependencyCover(lhs, rhs, np.zeros(len(rhs), np.int64), support)]
        for covers, limit in zip(self._approximate, bounds.limits(self._state.pairs), strict=True):
            parts.append(figures.by_agree_sets(self._state.agree_sets(), *covers.find(self._state, limit)))
        return concatenated(parts)

    def _agreeing(self, sets: Words) -> Counts:
        """The pairs that agree on each column set: by bits of all agree sets, or by partitions of the rows."""
        relation, agree = self._state.relation, len(self._state.table.counts)
        bits = len(self._state.columns) * COLUMN_OF_BITS + len(sets) * AGREE_SET
        if agree * bits < len(sets) * relation.distinct * ROW:
            return agreeing(self._state.agree_sets(), sets)
        return agreeing_pairs(relation.every_row(), sets, comparable=not relation.nullable)
