"""Evidence multisets from encoded rows, their signed sums, and what they say about constraints.

The counted evidence multiset is the state of a table: everything about its row constraints follows from it
(DynASt, section 3, for equality; DESIGN.md, "Two modes", for whole predicate spaces).
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence import tile_kernel
from profiling_core.algorithms.evidence.counting_table import absorb
from profiling_core.algorithms.evidence.keys import KeyLayout, outcomes, summed
from profiling_core.algorithms.evidence.masks import measure, ordered_masks
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace

__all__ = ["combine", "cross_evidence", "measure", "ordered_masks", "self_evidence"]

Words = NDArray[np.uint64]

LEFT_ROWS = 8_192
# Below so many pairs a second thread costs more than it brings.
PAIRS_PER_THREAD = 4_000_000
# Rows are looked through for duplicates where each is compared with at least so many others.
COLLAPSE_AGAINST = 1_000
_FIRST_TABLE = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Rows to compare: int32[m, n] codes and how many rows each stands for."""

    codes: NDArray[np.int32]
    weights: Words

    @property
    def rows(self) -> int:
        return len(self.weights)

    @property
    def repeated(self) -> bool:
        return bool((self.weights > 1).any())


@dataclass(frozen=True, slots=True)
class _Tile:
    """Rows [left_start, left_end) against [right_start, right_end)."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int


def self_evidence(rows: Encoded, space: PredicateSpace, *, threads: int = 0) -> EvidenceSet:
    """The evidence of all unordered pairs of different rows.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    layout = KeyLayout(space)
    side = _collapsed(rows, layout)
    tiles = list(_triangle(side.rows))
    found = _count(side, side, tiles, layout, threads, same=True)
    repeated = side.weights > 1
    weights = side.weights[repeated].astype(np.int64)
    keys = _keys_with_itself(side.codes[:, repeated], layout)
    return combine(
        [(layout.canonical(found), 1), (layout.canonical(EvidenceSet(keys, weights * (weights - 1) // 2)), 1)]
    )


def cross_evidence(left: Encoded, right: Encoded, space: PredicateSpace, *, threads: int = 0) -> EvidenceSet:
    """The evidence of all pairs of one left row and one right row.

    Args:
        left: rows encoded together with ``right``.
        right: other rows.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    layout = KeyLayout(space)
    # Which side is which only mirrors the keys; the longer one fills the vector lanes.
    few, many = sorted((left, right), key=lambda side: side.rows)
    sides = [
        _collapsed(side, layout) if other.rows >= COLLAPSE_AGAINST else _Side(side.codes, np.ones(side.rows, np.uint64))
        for side, other in ((few, many), (many, few))
    ]
    found = _count(sides[0], sides[1], list(_rectangle(sides[0].rows, sides[1].rows)), layout, threads, same=False)
    return combine([(layout.canonical(found), 1)])


def _collapsed(rows: Encoded, layout: KeyLayout) -> _Side:
    """Equal rows as one with a weight, sorted by the ordered columns first.

    Sorted so, nearly every evidence is met in one of its two directions only, which halves the distinct keys met.
    """
    if not rows.rows:
        return _Side(rows.codes, np.empty(0, np.uint64))
    if not rows.columns:
        return _Side(np.empty((0, 1), np.int32), np.array([rows.rows], np.uint64))
    first = sorted(range(len(rows.columns)), key=lambda i: (rows.columns[i] not in layout.ordered_columns, i))
    order = np.lexsort([rows.codes[i] for i in reversed(first)])
    codes = rows.codes[:, order]
    fresh = np.ones(rows.rows, np.bool_)
    fresh[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    starts = np.flatnonzero(fresh)
    weights = np.diff(starts, append=rows.rows).astype(np.uint64)
    return _Side(np.ascontiguousarray(codes[:, starts]), weights)


def _triangle(rows: int) -> Iterator[_Tile]:
    for right in range(0, rows, tile_kernel.TILE_ROWS):
        end = min(right + tile_kernel.TILE_ROWS, rows)
        for left in range(0, end, LEFT_ROWS):
            yield _Tile(left, min(left + LEFT_ROWS, end), right, end)


def _rectangle(left_rows: int, right_rows: int) -> Iterator[_Tile]:
    for right in range(0, right_rows, tile_kernel.TILE_ROWS):
        for left in range(0, left_rows, LEFT_ROWS):
            yield _Tile(left, min(left + LEFT_ROWS, left_rows), right, min(right + tile_kernel.TILE_ROWS, right_rows))


def _count(
    left: _Side, right: _Side, tiles: Sequence[_Tile], layout: KeyLayout, threads: int, *, same: bool
) -> EvidenceSet:
    """Keys as they are met, not canonical, with counts; a key may come once per thread."""
    codes = int(max(left.codes.max(initial=NULL), right.codes.max(initial=NULL))) + 1
    queue = iter(tiles)

    def work(_: int) -> EvidenceSet:
        table, used = np.zeros((_FIRST_TABLE, layout.words + 1), np.uint64), 0
        own = np.zeros_like(table)
        for tile in queue:
            # A tile meets few of all keys, and mostly the same: its own table stays in the cache.
            own = _count_tile(own, left, right, tile, layout, codes, same=same)
            table, used = absorb(table, used, own)
            own = np.zeros_like(own)
        table = table[table[:, -1] != 0]
        return EvidenceSet(table[:, :-1], table[:, -1].astype(np.int64))

    pairs = left.rows * right.rows // (2 if same else 1)
    workers = min(threads or os.cpu_count() or 1, len(tiles), 1 + pairs // PAIRS_PER_THREAD)
    if workers <= 1:
        return work(0)
    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(work, range(workers)))
    return EvidenceSet(np.concatenate([p.keys for p in parts]), np.concatenate([p.counts for p in parts]))


def _count_tile(
    table: Words, left: _Side, right: _Side, tile: _Tile, layout: KeyLayout, codes: int, *, same: bool
) -> Words:
    lefts = slice(tile.left_start, tile.left_end)
    rights = slice(tile.right_start, tile.right_end)
    compared = layout.compared
    positions = np.empty((len(compared), lefts.stop - lefts.start), np.int16)
    right_positions = np.empty((len(compared), rights.stop - rights.start), np.int16)
    modes = np.empty((2, len(compared)), np.int8)
    for p, slot in enumerate(compared):
        right_codes = right.codes[slot.right, rights]
        tile_kernel.tile_positions(left.codes[slot.left, lefts], right_codes, codes, positions[p], right_positions[p])
        modes[:, p] = layout.modes(slot, nulls=bool((right_codes == NULL).any()))
    return tile_kernel.count_tile(
        table,
        positions,
        right_positions,
        layout.slots,
        modes,
        layout.outcome_bits,
        layout.left_keys(left.codes[:, lefts]),
        layout.right_lanes(right.codes[:, rights]),
        left.weights[lefts],
        right.weights[rights] if right.repeated else right.weights[:0],
        tile.left_start - tile.right_start + 1 if same else -(1 << 60),
    )


def _keys_with_itself(codes: NDArray[np.int32], layout: KeyLayout) -> Words:
    """The key of each row beside another one equal to it."""
    keys = layout.left_keys(codes) | layout.right_keys(codes)
    for slot in layout.compared:
        outcome = outcomes(codes[slot.left], codes[slot.right], layout.nulls, ordered=slot.ordered)
        keys[:, slot.word] |= outcome << slot.shift
    return keys


def combine(parts: Iterable[tuple[EvidenceSet, int]]) -> EvidenceSet:
    """The signed sum of evidence sets of one space, sorted by key; keys whose counts add up to zero are dropped.

    Args:
        parts: each an evidence set and the sign (any integer factor) that it counts with; at least one.
    """
    sets = list(parts)
    keys = np.concatenate([part.keys for part, _ in sets])
    counts = np.concatenate([part.counts * sign for part, sign in sets])
    keys, counts = summed(keys, counts)
    kept = counts != 0
    return EvidenceSet(np.ascontiguousarray(keys[kept]), counts[kept])
