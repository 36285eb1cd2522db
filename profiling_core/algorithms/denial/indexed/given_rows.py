"""The rows that a table looks up: which of them each constraint needs, and indexes of those."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from profiling_core.algorithms.denial.indexed.joining import Given
from profiling_core.algorithms.denial.indexed.novelty import novel_rows
from profiling_core.algorithms.denial.indexed.segments import Order, Places, Rows, Segment, build_index, sort_order
from profiling_core.algorithms.ground.arrays import Flags

# Given rows are few: their trees go down to the single row.
_LEAF = 1
# Constraints to which at most this share of the rows is new are looked up apart from the others.
_FEW = 1 / 3
# Asking which rows are new to a set of columns costs as much as 64 comparisons of two rows per row, plus 2,048.
_ASKING, _ASKING_AT_ALL = 64, 2048


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """Rows by labels, int64[m, d], and ids, int64[d].

    ``before``: the segments of the old rows, to tell which given rows have new values; ``distinct`` int64[m]: how many
    values columns have.
    """

    labels: Rows
    ids: Rows
    before: Sequence[Segment] = ()
    distinct: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    _sorted: dict[Order, Places] = field(default_factory=dict)
    _indexed: dict[Order, Given] = field(default_factory=dict)
    _novel: dict[Order, tuple[Flags, Flags]] = field(default_factory=dict)

    def sorted_by(self, columns: Order) -> Places:
        """int32[d]: the rows sorted by these columns."""
        if columns not in self._sorted:
            self._sorted[columns] = sort_order(self.labels, columns)
        return self._sorted[columns]

    def learn_orders(self, segment: Segment) -> None:
        """Takes over the orders of a segment of the same rows."""
        if np.array_equal(segment.ids, self.ids):
            self._sorted.update({columns: index.order for columns, index in segment.indexes.items()})

    def by(self, columns: Order) -> Given:
        """All rows, with an index by these columns."""
        if columns not in self._indexed:
            index = build_index(self.labels, self.sorted_by(columns), _LEAF)
            self._indexed[columns] = Given(self.labels, self.ids, index)
        return self._indexed[columns]

    def parted(self, flags: Flags, spoken: Sequence[Order | None], cost: int) -> list[tuple[Flags, list[int]]]:
        """Which of some rows to look up for which of some constraints.

        Args:
            flags: bool[d], the rows.
            spoken: per constraint the columns in which a row must have new values, or None where all rows count.
            cost: what looking them all up costs, in comparisons of two rows.
        """
        rows = int(flags.sum())
        if cost <= (_ASKING * rows + _ASKING_AT_ALL) * len(set(spoken)):
            return [(flags, list(range(len(spoken))))] if rows else []
        few, many = (np.zeros_like(flags), list[int]()), (np.zeros_like(flags), list[int]())
        for number, columns in enumerate(spoken):
            new = flags if columns is None else flags & self._new_to(columns, flags)
            found, members = few if new.sum() <= _FEW * rows else many
            found |= new
            members.append(number)
        return [(found, members) for found, members in (few, many) if found.any()]

    def _new_to(self, columns: Order, flags: Flags) -> Flags:
        """Those of the rows that have new values in some columns; what it says of other rows is unknown."""
        asked, novel = self._novel.get(columns, (np.zeros_like(flags), np.zeros_like(flags)))
        if (flags & ~asked).any():
            found = novel_rows(self.labels, flags & ~asked, columns, self.before, self.distinct, self.sorted_by)
            asked, novel = self._novel[columns] = asked | flags, novel | found
        return novel

    def only(self, flags: Flags) -> "GivenRows":
        """These rows alone."""
        return self if flags.all() else GivenRows(self.labels[:, flags], self.ids[flags])
