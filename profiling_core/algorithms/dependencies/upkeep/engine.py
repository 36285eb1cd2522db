"""The engine that keeps the agree sets of one table, and the FDs and UCCs that follow from them, under deltas (DynASt).

Its state is the compressed relation, the multiset of agree sets, and what the covers need: sums over all column sets
where the table is narrow, maximal agree sets and hitting sets per right side where it is wide. What a delta did not
touch is not derived again.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers import narrow_covers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import ConstraintNames, Dependency, DependencyCover
from profiling_core.algorithms.dependencies.covers.narrow_covers import NarrowCovers
from profiling_core.algorithms.dependencies.covers.wide_dependencies import WideDependencies
from profiling_core.algorithms.dependencies.upkeep.maintained import MaintainedDependencies
from profiling_core.algorithms.ground.bit_words import masks_of
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.dictionaries import Arrays
from profiling_core.model.constraint import FunctionalDependency, Measured, RowConstraint
from profiling_core.model.errors import InputError
from profiling_core.model.predicate import PredicateSpace


class AgreeSetEngine(MaintainedDependencies):
    """Agree sets, FDs and UCCs of one table. Made by :meth:`bootstrap` or :meth:`from_arrays`."""

    def __init__(self, state: AgreeSetState, bounds: CoverBounds) -> None:
        self._state = state
        self._bounds = bounds
        self._names = ConstraintNames(state.space.table, state.columns)
        narrow = len(state.columns) <= narrow_covers.WIDEST
        self._covers = NarrowCovers(state.agree_sets()) if narrow else WideDependencies(state, bounds)
        self._cover: DependencyCover | None = None

    @classmethod
    def bootstrap(
        cls,
        rows: pa.Table,
        row_ids: Sequence[int],
        space: PredicateSpace,
        *,
        bounds: CoverBounds | None = None,
        threads: int = 0,
    ) -> Self:
        """The engine for a table with these rows, as its protocol says."""
        return cls(AgreeSetState.bootstrapped(rows, row_ids, space, threads=threads), bounds or CoverBounds())

    @property
    def rows(self) -> int:
        """The table's number of rows."""
        return self._state.relation.rows

    def agree_sets(self) -> AgreeSets:
        """The multiset of agree sets, the empty one included."""
        return self._state.agree_sets()

    def apply(self, deleted_ids: Sequence[int], inserted: pa.Table | None, inserted_ids: Sequence[int]) -> None:
        """Takes rows away, then adds rows, as its protocol says."""
        changes = self._state.apply(deleted_ids, inserted, inserted_ids)
        self._cover = None
        self._covers.update(self._state, changes)
        kept = self._state.clean()
        if kept is not None:
            self._covers.renumbered(self._state, kept)

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
        return self._names.measured(part, 2 * self._state.pairs)

    def errors(self, constraints: Sequence[Dependency]) -> list[Measured[RowConstraint]]:
        """Exact figures of given FDs and UCCs, in ordered pairs.

        Raises:
            InputError: a constraint speaks of a column that the table does not have.
        """
        at = {name: i for i, name in enumerate(self._state.columns)}
        unknown = sorted({name for c in constraints for name in c.columns if name not in at})
        if unknown:
            raise InputError(f"table {self._state.space.table!r} has no columns {', '.join(unknown)} to measure by")
        lhs = masks_of([[at[name] for name in c.lhs.columns] for c in constraints], self._state.words)
        rhs = np.array(
            [at[c.rhs.columns[0]] if isinstance(c, FunctionalDependency) else NO_RHS for c in constraints], np.int64
        )
        figures = self._covers.measured(lhs, rhs)
        return [
            Measured(constraint, violations, 2 * self._state.pairs, support)
            for constraint, violations, support in zip(
                constraints, (2 * figures.violations).tolist(), (2 * figures.support).tolist(), strict=True
            )
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as plain arrays, dictionaries included; :meth:`from_arrays` is the inverse."""
        return self._state.arrays()

    @classmethod
    def from_arrays(cls, arrays: Arrays, space: PredicateSpace, *, bounds: CoverBounds | None = None) -> Self:
        """The engine whose :meth:`arrays` these are; bounds may differ from those it had."""
        return cls(AgreeSetState.from_arrays(arrays, space), bounds or CoverBounds())
