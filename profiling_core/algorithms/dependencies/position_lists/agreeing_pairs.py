"""Counts of agreeing pairs by position list indexes, each found once: everything that Pyro asks follows from them."""

import threading

import numpy as np

from profiling_core.algorithms.dependencies.position_lists.list_cache import ListCache
from profiling_core.algorithms.dependencies.position_lists.pair_counts import PairCounts
from profiling_core.algorithms.ground.column_sets import columns_in
from profiling_core.algorithms.ground.partitions import Classes, Scratch, pairs_with, scratch_for, split_off, whole
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.types import NullSemantics

# Cached indexes may take the memory of this number of copies of all rows, within bounds of bytes: adult's 1,619 FDs at
# 0.01 take as long with an eighth of a GiB as with a whole one.
LISTS_OF_ALL_ROWS, LEAST_MEMORY, MOST_MEMORY = 1_000, 1 << 27, 1 << 30


class AgreeingPairs(PairCounts):
    """Counts of agreeing pairs of one table, with a cache of position list indexes.

    Attributes:
        codes: int32[columns + presences, rows], no nulls where null = null.
    """

    def __init__(self, rows: Encoded, nulls: NullSemantics, memory: int | None = None) -> None:
        """Takes a table.

        Args:
            rows: its encoded rows.
            nulls: the meaning of nulls.
            memory: bytes that cached indexes may take; None: as many as suit its rows.
        """
        self.codes, nullable = rows.with_presences(nulls)
        columns = len(rows.columns)
        super().__init__(columns, rows.rows, sum(1 << column for column in nullable.tolist()), {})
        members = [*range(columns), *(columns + nullable).tolist()]
        self._row = {member: row for row, member in enumerate(members)}
        self._every = sum(1 << member for member in members)
        self._threads = threading.local()
        self._whole = whole(self.rows)
        if memory is None:
            memory = min(MOST_MEMORY, max(LEAST_MEMORY, LISTS_OF_ALL_ROWS * self._whole.nbytes))
        self._cache = ListCache(self._whole, 1 + max(members, default=0), memory)
        pairs = [self._pairs_with(self._whole, member) for member in members]
        # Columns that tell most rows apart come first: what they leave is all that the others have to split.
        self._rank = {members[row]: rank for rank, row in enumerate(np.argsort(pairs, kind="stable").tolist())}
        self.known.update({1 << member: count for member, count in zip(members, pairs, strict=True)})

    def of(self, columns: int) -> int:
        """The unordered pairs that agree on a set; presences of columns without nulls make no difference."""
        count = self.known.get(columns)
        if count is None:
            count = self._count(columns & self._every)
            self.known[columns] = count
        return count

    def lists(self, columns: int) -> Classes:
        """The index of the columns: the smallest cached one of a part of them, intersected with the rest."""
        part, found = self._cache.smallest_part(columns)
        rest = sorted(columns_in(columns & ~part), key=self._rank.__getitem__)
        for column in rest:
            found = split_off(found, self.codes[self._row[column]], self._scratch)
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
        return self._pairs_with(last[1], last[0])

    def _pairs_with(self, lists: Classes, column: int) -> int:
        codes = self.codes[self._row[column]]
        return int(pairs_with(lists, len(lists.bounds) - 1, codes, self._scratch.sizes))

    @property
    def _scratch(self) -> Scratch:
        """The calling thread's scratch arrays."""
        scratch: Scratch | None = getattr(self._threads, "scratch", None)
        if scratch is None:
            scratch = self._threads.scratch = scratch_for(self.codes)
        return scratch
