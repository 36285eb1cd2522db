"""The engine that keeps the agree sets of one table, and the FDs and UCCs that follow from them, under deltas (DynASt).

Its state is the compressed relation, the multiset of agree sets, and what the covers need: sums over all column sets
where the table is narrow, maximal agree sets and hitting sets per right side where it is wide. What a delta did not
touch is not derived again.
"""

from collections.abc import Sequence

import pyarrow as pa

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.covers import narrow_covers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover, constraints_of
from profiling_core.algorithms.dependencies.covers.narrow_covers import NarrowCovers
from profiling_core.algorithms.dependencies.covers.wide_dependencies import WideDependencies
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.model.constraint import Measured, RowConstraint


class AgreeSetEngine:
    """The FDs and UCCs within bounds of the table that a state is of."""

    def __init__(self, state: AgreeSetState, bounds: CoverBounds) -> None:
        self.state = state
        self._bounds = bounds
        self._covers = self._begun()
        self._cover: DependencyCover | None = None

    def _begun(self) -> NarrowCovers | WideDependencies:
        narrow = len(self.state.columns) <= narrow_covers.WIDEST
        return NarrowCovers(self.state.agree_sets()) if narrow else WideDependencies(self.state, self._bounds)

    def apply(self, deleted_ids: Sequence[int], inserted: pa.Table | None, inserted_ids: Sequence[int]) -> None:
        """Takes rows away, then adds rows, as :meth:`AgreeSetState.apply` does, and brings everything up to date."""
        changes = self.state.apply(deleted_ids, inserted, inserted_ids)
        self._cover = None
        if self.state.clean():
            self._covers = self._begun()
        else:
            self._covers.update(self.state, changes)

    def cover(self) -> DependencyCover:
        """The minimal FDs and UCCs within the bounds, as arrays."""
        if self._cover is None:
            self._cover = self._covers.cover(self._bounds)
        return self._cover

    def functional_dependencies(self) -> list[Measured[RowConstraint]]:
        """All minimal FDs within the bounds: by right side, the shorter left sides first."""
        return self._listed(unique=False)

    def unique_column_combinations(self) -> list[Measured[RowConstraint]]:
        """All minimal UCCs within the bounds, the shorter first."""
        return self._listed(unique=True)

    def _listed(self, *, unique: bool) -> list[Measured[RowConstraint]]:
        cover = self.cover()
        own = (cover.rhs == NO_RHS) == unique
        part = DependencyCover(cover.lhs[own], cover.rhs[own], cover.violations[own], cover.support[own])
        return constraints_of(part, self.state.space.table, self.state.columns, 2 * self.state.pairs)
