"""How many pairs of rows agree on a set of columns: exact counts by position list indexes, each found once.

Everything that Pyro asks follows from them. A UCC's violations are the pairs that agree on its columns; an FD's are
those that agree on the left side without those that also agree on the right. Where nulls are incomparable, a column
with nulls has a *presence* beside it, a column with one value and the same nulls: of the pairs that agree on X and have
A present, those violate X → A that do not agree on A.

A set of columns is an int with bit i for column i; presences follow the columns.
"""

import threading

import numpy as np

from profiling_core.algorithms.dependencies.position_lists.list_cache import ListCache
from profiling_core.algorithms.dependencies.position_lists.position_lists import PositionLists, whole
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.column_sets import columns_in
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.types import NullSemantics

NO_RHS = -1
# Cached indexes may take as much as so many of all rows, within bounds of bytes: adult's 1,619 FDs at 0.01 take as long
# with an eighth of a GiB as with a whole one.
LISTS_OF_ALL_ROWS, LEAST_MEMORY, MOST_MEMORY = 1_000, 1 << 27, 1 << 30


class AgreeingPairs:
    """Counts of agreeing pairs of one table, with a cache of position list indexes.

    Attributes:
        columns: the number of columns.
        rows: the number of rows.
        codes: int32[columns + presences, rows], no nulls where null = null.
        known: the counts found so far.
        presence: for each column with incomparable nulls its presence's place in ``codes``.
    """

    def __init__(self, rows: Encoded, nulls: NullSemantics, memory: int | None = None) -> None:
        """Takes a table.

        Args:
            rows: its encoded rows.
            nulls: the meaning of nulls.
            memory: bytes that cached indexes may take; None: as many as suit its rows.
        """
        codes = rows.codes if nulls is NullSemantics.SQL else rows.codes - np.int32(NULL)
        nullable = np.flatnonzero((codes == NULL).any(axis=1))
        presences = np.where(codes[nullable] == NULL, np.int32(NULL), np.int32(0))
        self.columns = len(rows.columns)
        self.rows = rows.rows
        self.codes: Codes = np.ascontiguousarray(np.concatenate([codes, presences], dtype=np.int32))
        self.known: dict[int, int] = {}
        self.presence = {column: self.columns + at for at, column in enumerate(nullable.tolist())}
        self._scratch = threading.local()
        self._whole = whole(self.rows)
        if memory is None:
            memory = min(MOST_MEMORY, max(LEAST_MEMORY, LISTS_OF_ALL_ROWS * self._whole.nbytes))
        self._cache = ListCache(self._whole, len(self.codes), memory)
        pairs = [self._whole.pairs_with(column, self._zeros()) for column in self.codes]
        # Columns that tell most rows apart come first: what they leave is all that the others have to split.
        self._rank = {column: rank for rank, column in enumerate(np.argsort(pairs, kind="stable").tolist())}
        self.known.update({1 << column: count for column, count in enumerate(pairs)})

    def of(self, columns: int) -> int:
        """The unordered pairs that agree on the columns."""
        count = self.known.get(columns)
        if count is None:
            count = self._count(columns)
            self.known[columns] = count
        return count

    def parts(self, lhs: int, rhs: int) -> tuple[int, int]:
        """Two sets of columns; the pairs of the first without those of the second violate lhs → rhs."""
        presence = self.presence.get(rhs)
        return (lhs if presence is None else lhs | 1 << presence), lhs | 1 << rhs

    def violations(self, lhs: int, rhs: int) -> int:
        """The unordered pairs that violate lhs → rhs, or the UCC lhs if ``rhs`` is :data:`NO_RHS`."""
        if rhs == NO_RHS:
            return self.of(lhs)
        every, together = self.parts(lhs, rhs)
        return self.of(every) - self.of(together)

    def lists(self, columns: int) -> PositionLists:
        """The index of the columns: the smallest cached one of a part of them, intersected with the rest."""
        part, found = self._cache.smallest_part(columns)
        rest = sorted(columns_in(columns & ~part), key=self._rank.__getitem__)
        for column in rest:
            found = found.intersected(self.codes[column], self._zeros())
            part |= 1 << column
            self._cache.keep(part, found, always=part == columns)
        return found

    def _count(self, columns: int) -> int:
        if not columns:
            return self._whole.pairs
        last = None
        for column in columns_in(columns):
            cached = self._cache.get(columns & ~(1 << column))
            if cached is not None and (last is None or len(cached.members) < len(last[1].members)):
                last = column, cached
        if last is None:
            column = max(columns_in(columns), key=self._rank.__getitem__)
            last = column, self.lists(columns & ~(1 << column))
        return last[1].pairs_with(self.codes[last[0]], self._zeros())

    def _zeros(self) -> Codes:
        """The calling thread's scratch array."""
        scratch = getattr(self._scratch, "zeros", None)
        if scratch is None:
            scratch = self._scratch.zeros = np.zeros(int(self.codes.max(initial=0)) + 1, np.int32)
        return scratch
