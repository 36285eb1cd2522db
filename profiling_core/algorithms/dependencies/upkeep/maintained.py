"""What the engines that keep FDs and UCCs of one table in a process have in common, said once."""

from collections.abc import Sequence
from typing import Protocol, Self

import pyarrow as pa

from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.predicate import PredicateSpace


class MaintainedDependencies(Protocol):
    """The FDs and UCCs of a table, kept current under deltas of its rows."""

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
        """The engine for a table with these rows.

        Args:
            rows: the rows; has the space's columns.
            row_ids: an id of its own for each.
            space: a space of same-column groups (``predicate_space.equality_only``), with its null semantics.
            bounds: what is kept current; None: all exact dependencies.
            threads: threads to use; 0: one per processor.

        Raises:
            InputError: the rows lack columns of the space.
            StateError: an id comes twice.
        """

    @property
    def rows(self) -> int:
        """The table's number of rows."""

    def apply(self, deleted_ids: Sequence[int], inserted: pa.Table | None, inserted_ids: Sequence[int]) -> None:
        """Takes rows away, then adds rows, and brings everything up to date.

        Args:
            deleted_ids: ids of rows that the table has.
            inserted: rows with the space's columns; None: none.
            inserted_ids: an id for each of them that no other row has.

        Raises:
            StateError: there is no row of a deleted id, or an inserted id is taken; nothing has changed then.
            InputError: the inserted rows do not have the table's columns; nothing has changed then.
        """

    def functional_dependencies(self) -> list[Measured[RowConstraint]]:
        """All minimal FDs within the bounds: by right side, the shorter left sides first."""

    def unique_column_combinations(self) -> list[Measured[RowConstraint]]:
        """All minimal UCCs within the bounds, the shorter first."""
