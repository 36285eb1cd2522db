"""Immutable runs of rows with sort orders as indexes: the parts of a log-structured merge tree.

An index of a run is a sort order of its rows with a tree of bounds over it: per node the least and greatest label of
each column, and whether it has nulls. A search descends only where every predicate can still hold, so that one
structure serves equalities (on leading columns), inequalities, and both together, and any order serves any constraint.
In place of IncDC's OptIndex (Section 6.1: sorted lists for two inequalities). Source: O'Neil et al., the LSM-tree.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Flags, fixed
from profiling_core.algorithms.ground.kernel import kernel

Rows = NDArray[np.int64]
Places = NDArray[np.int32]
# Rows per leaf: bounds of few rows cost more memory than they save comparisons.
LEAF = 64
# Rows per segment at most: what a process works on at once.
MOST_ROWS = 1 << 21
# With fewer rows, starting threads costs more than it saves.
_WORTH_THREADS = 100_000
# Columns whose bounds are taken together: a row's labels of 8 columns stand in one line of a processor's cache.
_BESIDE = 8
HIGHEST = np.iinfo(np.int64).max
Order = tuple[int, ...]


class Index(NamedTuple):
    """``order``: int32[n], row positions sorted; bounds int64[nodes, m], bool[nodes, m]: node i has 2i and 2i + 1.

    A leaf has ``leaf`` rows, the last ones fewer.
    """

    order: Places
    low: Rows
    high: Rows
    null: Flags
    leaf: int

    @property
    def fixed(self) -> "Index":
        """The index as kernels take it."""
        return Index(fixed(self.order), fixed(self.low), fixed(self.high), fixed(self.null), self.leaf)


class IndexedSide(NamedTuple):
    """One side's rows as kernels take them: ``codes``: int64[m, n] labels; ``ids``: int64[n]; ``alive``: bool[n]."""

    codes: Rows
    ids: Rows
    alive: Flags


def side(codes: Rows, ids: Rows, alive: Flags | None = None) -> IndexedSide:
    """Some rows, all of them alive if nothing else is said."""
    return IndexedSide(fixed(codes), fixed(ids), fixed(np.ones(len(ids), np.bool_) if alive is None else alive))


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Rows: ``ids``: int64[n], ascending; ``codes``: int64[m, n] labels, −1 null; ``alive``: bool[n]; ``indexes``."""

    ids: Rows
    codes: Rows
    alive: Flags
    indexes: dict[Order, Index] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows that are not deleted."""
        return int(np.count_nonzero(self.alive))

    @property
    def side(self) -> IndexedSide:
        """The rows as kernels take them."""
        return side(self.codes, self.ids, self.alive)

    def places_of(self, ids: Rows) -> NDArray[np.int64]:
        """The positions of those of these row ids (ascending) that it has and that are not deleted."""
        if not len(self.ids) or not len(ids):
            return np.empty(0, np.int64)
        places = np.searchsorted(self.ids, ids)
        places = places[(places < len(self.ids)) & (self.ids[np.minimum(places, len(self.ids) - 1)] == ids)]
        found: NDArray[np.int64] = places[self.alive[places]]
        return found

    def without(self, deleted: Rows) -> "Segment":
        """The segment without these row ids (ascending)."""
        places = self.places_of(deleted)
        if not len(places):
            return self
        alive = self.alive.copy()
        alive[places] = False
        return replace(self, alive=alive)

    def sorted_by(self, columns: Order) -> Places:
        """int32[n]: rows sorted by these columns, by an index if there is one."""
        found = (index.order for order, index in self.indexes.items() if order[: len(columns)] == columns)
        order = next(found, None)
        return sort_order(self.codes, columns) if order is None else order

    def indexed(self, orders: Sequence[Order]) -> "Segment":
        """The segment with indexes of exactly these orders."""

        def built(order: Order) -> Index:
            return build_index(self.codes, sort_order(self.codes, order))

        if len(self.ids) < _WORTH_THREADS:
            return replace(self, indexes={order: built(order) for order in orders})
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return replace(self, indexes=dict(zip(orders, pool.map(built, orders), strict=True)))


def merged(segments: Sequence[Segment]) -> Segment:
    """One segment, without indexes, of all rows that are not deleted."""
    ids = np.concatenate([s.ids[s.alive] for s in segments])
    codes = np.concatenate([s.codes[:, s.alive] for s in segments], axis=1)
    by_id = np.argsort(ids, kind="stable")
    return Segment(ids[by_id], np.ascontiguousarray(codes[:, by_id]), np.ones(len(ids), np.bool_))


def sort_order(codes: Rows, columns: Order) -> Places:
    """int32[n]: rows sorted by these columns, the first one first."""
    by_columns = np.lexsort([codes[c] for c in reversed(columns)]) if columns else np.arange(codes.shape[1])
    return by_columns.astype(np.int32)


def build_index(codes: Rows, order: Places, leaf: int = LEAF) -> Index:
    """The index of rows, int64[m, n], that are sorted so."""
    leaves = 1
    while leaves * leaf < codes.shape[1]:
        leaves *= 2
    low = np.full((2 * leaves, codes.shape[0]), HIGHEST, np.int64)
    high = np.full((2 * leaves, codes.shape[0]), -1, np.int64)
    null = np.zeros((2 * leaves, codes.shape[0]), np.bool_)
    for first in range(0, codes.shape[0], _BESIDE):
        _bound(np.ascontiguousarray(codes[first : first + _BESIDE].T), first, order, leaf, low, high, null)
    return Index(order, low, high, null, leaf)


@kernel
def _bound(rows: Rows, first: int, order: Places, leaf: int, low: Rows, high: Rows, null: Flags) -> None:
    """Bounds of some columns, ``first`` and those after it; ``rows``: int64[n, columns], so that a row is one place."""
    leaves = low.shape[0] // 2
    for start in range(0, order.size, leaf):
        node, places = leaves + start // leaf, order[start : start + leaf]
        for beside in range(rows.shape[1]):
            least, most, some = np.int64(HIGHEST), np.int64(-1), False
            for row in places:
                code = rows[row, beside]
                some |= code < 0
                least = min(least, code if code >= 0 else least)
                most = max(most, code)
            low[node, first + beside], high[node, first + beside], null[node, first + beside] = least, most, some
    for node in range(leaves - 1, 0, -1):
        for column in range(first, first + rows.shape[1]):
            low[node, column] = min(low[2 * node, column], low[2 * node + 1, column])
            high[node, column] = max(high[2 * node, column], high[2 * node + 1, column])
            null[node, column] = null[2 * node, column] or null[2 * node + 1, column]
