"""The rows that a table looks up: which of them each constraint needs, and indexes of those."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from profiling_core.algorithms.incdc.joining import Given
from profiling_core.algorithms.incdc.novelty import novel_rows
from profiling_core.algorithms.incdc.segments import Flags, Order, Places, Rows, Segment, build_index, sort_order

# Given rows are few: their trees go down almost to the single row.
_LEAF = 1
# Constraints to which at most this share of the rows is new are looked up apart from the others.
_FEW = 1 / 3


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """Rows by labels, int64[m, d], and ids, int64[d].

    ``before``: the segments of the old rows, to tell which given rows have new values; None: that does not pay.
    """

    labels: Rows
    ids: Rows
    before: Sequence[Segment] | None = None
    _sorted: dict[Order, Places] = field(default_factory=dict)
    _indexed: dict[Order, Given] = field(default_factory=dict)
    _novel: dict[Order, Flags] = field(default_factory=dict)

    def sorted_by(self, columns: Order) -> Places:
        """int32[d]: the rows sorted by these columns."""
        if columns not in self._sorted:
            self._sorted[columns] = sort_order(self.labels, columns)
        return self._sorted[columns]

    def by(self, columns: Order) -> Given:
        """All rows, with an index by these columns."""
        if columns not in self._indexed:
            index = build_index(self.labels, self.sorted_by(columns), _LEAF)
            self._indexed[columns] = Given(self.labels, self.ids, index)
        return self._indexed[columns]

    def parted(self, spoken: Sequence[Order | None]) -> list[tuple[Flags, list[int]]]:
        """Which rows to look up for which of some constraints.

        Args:
            spoken: per constraint the columns in which a row must have new values, or None where all rows count.
        """
        everything = np.ones(len(self.ids), np.bool_)
        if self.before is None:
            return [(everything, list(range(len(spoken))))]
        few, many = (np.zeros_like(everything), list[int]()), (np.zeros_like(everything), list[int]())
        for number, columns in enumerate(spoken):
            flags = everything if columns is None else self._new_to(columns)
            rows, members = few if flags.sum() <= _FEW * len(flags) else many
            rows |= flags
            members.append(number)
        return [(rows, members) for rows, members in (few, many) if rows.any()]

    def _new_to(self, columns: Order) -> Flags:
        if columns not in self._novel:
            self._novel[columns] = novel_rows(self.labels, columns, self.before or ())
        return self._novel[columns]

    def only(self, flags: Flags) -> "GivenRows":
        """These rows alone."""
        return self if flags.all() else GivenRows(self.labels[:, flags], self.ids[flags])
