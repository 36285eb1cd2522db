"""FDs and UCCs of a tall table, exact and approximate, kept current under deltas of its rows.

The state is the frontier of each right side's search (Pyro, section 6): its minimal dependencies and the
non-dependencies that bound them, with the exact count of agreeing pairs of each column set that their errors are made
of. A delta changes these counts by pairs of its own rows alone. While no set of a frontier crosses its threshold the
dependencies stay what they are; where one does, that right side's search goes on from what still holds.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import constraints_of
from profiling_core.algorithms.dependencies.covers.figures import by_counts, support_of
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.pair_changes import RowChange, pair_changes
from profiling_core.algorithms.dependencies.position_lists.pair_counts import PairCounts, Pairing, pairing
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, Task, search_all
from profiling_core.algorithms.dependencies.upkeep.encoded_rows import EncodedRows
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_ints, as_masks, as_sides
from profiling_core.algorithms.values.dictionaries import Arrays, check_columns
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics


class PartitionTable:
    """Rows, frontiers and their counts. Made by :meth:`bootstrap` or :meth:`from_arrays`."""

    def __init__(self, space: PredicateSpace, rows: EncodedRows, bounds: CoverBounds) -> None:
        self.space = space
        self.columns = columns_of(space)
        self._rows = rows
        self._bounds = bounds
        self._spaces = [SearchSpace(rhs) for rhs in (NO_RHS, *range(len(self.columns)))]
        self._followed: list[Pairing] = []
        self._counts = PairCounts(len(self.columns), rows.rows, self._nullable(rows.slots()), {})
        # The greatest lengths that were searched for: of FDs' left sides, and of UCCs.
        self._searched = -1, -1

    @classmethod
    def bootstrap(
        cls, rows: pa.Table, row_ids: Sequence[int], space: PredicateSpace, *, bounds: CoverBounds | None = None
    ) -> Self:
        """The engine for a table with these rows.

        Args:
            rows: the rows; has the space's columns.
            row_ids: an id of its own for each.
            space: a space of same-column groups (``predicate_space.equality_only``), with its null semantics.
            bounds: what is kept current; None: all exact dependencies.

        Raises:
            InputError: the rows lack columns of the space.
            StateError: an id comes twice.
        """
        names = columns_of(space)
        check_columns(rows, names)
        stored = EncodedRows.none(names, rows.schema)
        stored.replace([], rows, row_ids)
        # Arrow's dictionaries of whole columns are gone by now; their memory would stay for the life of the state.
        pa.default_memory_pool().release_unused()
        own = cls(space, stored, bounds or CoverBounds())
        own._settle()
        return own

    @property
    def rows(self) -> int:
        """The table's number of rows."""
        return self._rows.rows

    def apply(self, deleted_ids: Sequence[int], inserted: pa.Table | None, inserted_ids: Sequence[int]) -> None:
        """Takes rows away, then adds rows, as :meth:`EncodedRows.replace` does, and brings everything up to date."""
        gone, come = self._rows.replace(deleted_ids, inserted, inserted_ids)
        self._counts.become_nullable(self._nullable(come), self._asked())
        self._count(list(self._counts.known), gone, come)
        self._counts.rows = self.rows
        self._rows.tidy()
        self._settle()

    def follow(self, pairings: Sequence[Pairing]) -> None:
        """Keeps counts for other pairings than the frontiers', and for these alone, from now on."""
        self._followed = list(pairings)
        self._keep(None)

    def count(self, asked: Pairing) -> int:
        """The ordered pairs that agree on some columns and differ in all of some others, which is followed.

        Both are sets of columns, as ints with bit i for ``columns[i]``. An FD asks for what agrees on its left side and
        differs on its right, a UCC for what agrees on its columns.
        """
        return 2 * self._counts.differing(*asked)

    def functional_dependencies(self) -> list[Measured[RowConstraint]]:
        """All minimal FDs within the bounds: by right side, the shorter left sides first."""
        return self._measured(self._spaces[1:])

    def unique_column_combinations(self) -> list[Measured[RowConstraint]]:
        """All minimal UCCs within the bounds, the shorter first."""
        return self._measured(self._spaces[:1])

    def _measured(self, spaces: Sequence[SearchSpace]) -> list[Measured[RowConstraint]]:
        cover = by_counts(spaces, self._counts)
        return constraints_of(cover, self.space.table, self.columns, self.rows * (self.rows - 1))

    def _nullable(self, slots: NDArray[np.int32]) -> int:
        """The columns with a null in some slots, where nulls are incomparable."""
        if self._comparable:
            return 0
        return sum(1 << column for column in self._rows.nulls(slots).tolist())

    @property
    def _comparable(self) -> bool:
        return self.space.nulls is NullSemantics.EQUAL

    def _asked(self) -> Iterator[Pairing]:
        """What the kept counts have to tell: whether the frontiers hold, and what is followed."""
        for space in self._spaces:
            for lhs in (*space.dependencies, *space.non_dependencies):
                yield pairing(lhs, space.rhs)
        yield from self._followed

    def _settle(self) -> None:
        """Searches on where a set of a frontier has crossed its threshold, or the greatest lengths have changed."""
        columns = len(self.columns)
        tasks = [Task(space, *self._bounds.of(space.rhs, columns, self.rows)) for space in self._spaces]
        held = [task.space.holds(self._counts.violations, task.limit) for task in tasks]
        asked = [
            task
            for task, holds in zip(tasks, held, strict=True)
            if not holds or task.longest != self._searched[task.space.rhs == NO_RHS]
        ]
        if not asked:
            return
        pairs = AgreeingPairs(self._rows.encoded(), self.space.nulls)
        pairs.known.update(self._counts.known)
        search_all(asked, pairs)
        self._searched = self._bounds.longest(columns)
        self._keep(pairs)

    def _keep(self, pairs: AgreeingPairs | None) -> None:
        """Keeps the counts that the frontiers and what is followed need, and no others."""
        wanted = {members for asked in self._asked() for _, members in self._counts.terms(*asked)} | self._support()
        known = self._counts.known
        if pairs is not None:
            known.update((members, pairs.of(members)) for members in sorted(wanted - known.keys()))
        missing = sorted(wanted - known.keys())
        self._counts.known = {members: known.get(members, 0) for members in wanted}
        self._count(missing, np.empty(0, np.int32), self._rows.slots())

    def _support(self) -> set[int]:
        """Sets that dependencies' figures name beside their violations."""
        return {part for s in self._spaces for lhs in s.dependencies for part in support_of(lhs, s.rhs)}

    def _count(self, sets: Sequence[int], gone: NDArray[np.int32], come: NDArray[np.int32]) -> None:
        """Adds to the counts of some sets what rows that went and came change in them."""
        slots = self._rows.slots()
        change = RowChange(self._rows.codes, slots[: len(slots) - len(come)], gone, come, self._comparable)
        changes = pair_changes(change, as_masks(sets, 2 * len(self.columns)))
        for members, grown in zip(sets, changes.tolist(), strict=True):
            self._counts.known[members] += grown

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as plain arrays, dictionaries included; :meth:`from_arrays` is the inverse."""
        width = len(self.columns)
        known = self._counts.known
        hold = [(d, s.rhs) for s in self._spaces for d in s.dependencies]
        others = [(d, s.rhs) for s in self._spaces for d in s.non_dependencies]
        lhs, rhs = as_sides([*hold, *others], width)
        return {
            **self._rows.arrays(),
            "sets": as_masks(list(known), 2 * width),
            "pairs": np.fromiter(known.values(), np.int64, len(known)),
            "frontier": lhs,
            "rhs": rhs,
            "holds": np.arange(len(rhs)) < len(hold),
            "followed": as_masks([columns for asked in self._followed for columns in asked], width),
            "nullable": as_masks([self._counts.nullable], width),
            "longest": np.array(self._searched, np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, space: PredicateSpace, *, bounds: CoverBounds | None = None) -> Self:
        """The table whose :meth:`arrays` these are; bounds may differ from those it had.

        Raises:
            StateError: the space is not the one of that state.
        """
        rows = EncodedRows.from_arrays(arrays, columns_of(space))
        own = cls(space, rows, bounds or CoverBounds())
        own._counts.known = dict(zip(as_ints(arrays["sets"]), arrays["pairs"].tolist(), strict=True))
        own._counts.nullable = as_ints(arrays["nullable"])[0]
        for lhs, rhs, holds in zip(as_ints(arrays["frontier"]), arrays["rhs"].tolist(), arrays["holds"], strict=True):
            frontier = own._spaces[rhs + 1]
            (frontier.dependencies if holds else frontier.non_dependencies).append(lhs)
        followed = as_ints(arrays["followed"])
        own._followed = list(zip(followed[::2], followed[1::2], strict=True))
        fd, ucc = arrays["longest"].tolist()
        own._searched = fd, ucc
        own._settle()
        return own


def minimal_in(arrays: Arrays, columns: int) -> list[tuple[int, int, int]]:
    """The minimal dependencies of a state of ``columns`` columns: right side, left side, violating unordered pairs."""
    known = dict(zip(as_ints(arrays["sets"]), arrays["pairs"].tolist(), strict=True))
    counts = PairCounts(columns, 0, as_ints(arrays["nullable"])[0], known)
    frontier = zip(arrays["rhs"].tolist(), as_ints(arrays["frontier"]), arrays["holds"].tolist(), strict=True)
    return sorted((rhs, lhs, counts.violations(lhs, rhs)) for rhs, lhs, holds in frontier if holds)
