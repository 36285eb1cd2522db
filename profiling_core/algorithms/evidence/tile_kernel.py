"""The inner loops of evidence: outcomes of a tile's pairs in 16-bit lanes, joined to keys and counted.

A tile pairs left rows with some thousands of right rows. Per slot the right rows' codes become *positions* 2·rank + 1
within the tile, and a left code that is not among them the even number between its neighbours: so all fit 16 bits and
compare as the codes do. Eight slots share one 16-bit lane, which keeps the comparisons in full SIMD width; the lanes of
a pair joined are its evidence key (model/evidence.py). Sources: Pena et al., "Fast Algorithms for Denial Constraint
Discovery" (FastADC; clues of two bits per group).
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.cell_counts import Cells, count_rest, prepared
from profiling_core.algorithms.evidence.known_cells import count_known
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.counting_table import counted
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.model.evidence import SLOTS_PER_WORD
from profiling_core.model.predicate import PredicateSpace

Lanes = NDArray[np.uint16]
Positions = NDArray[np.int16]

SLOTS_PER_LANE = 8
LANES_PER_WORD = SLOTS_PER_WORD // SLOTS_PER_LANE
# Right rows per tile, where there are many left ones and at most: positions reach twice that, and NULL_POSITION must
# stay above them.
TILE_ROWS, MOST_TILE_ROWS = 4096, 12_288
# Right rows per inner block: long enough to make up for the calls, short enough for the lanes to stay in the cache.
BLOCK = 4096
NULL_POSITION = 32767
# How a slot's outcome follows from two positions. NULLS: the right side has nulls that make outcomes incomparable.
# CONSTANT: the left side is null and incomparable with everything; NULL_EQUAL: it is null, equal to nulls and
# incomparable with the rest.
UNORDERED, ORDERED, UNORDERED_NULLS, ORDERED_NULLS, CONSTANT, NULL_EQUAL = range(6)


def slot_count(space: PredicateSpace) -> int:
    """Slots of an evidence key: one per group and one more per single-row group."""
    return len(space.groups) + sum(group.left.tuple == group.right.tuple for group in space.groups)


def key_words(space: PredicateSpace) -> int:
    """Words of an evidence key; at least one, so that arrays of keys always have a column."""
    return max(1, -(-slot_count(space) // SLOTS_PER_WORD))


@kernel
def tile_positions(
    left: NDArray[np.int32], right: NDArray[np.int32], codes: int, out_left: Positions, out_right: Positions
) -> None:
    """Positions of left and right codes (all below ``codes``, −1: null) for one slot of one tile."""
    present = np.zeros(codes + 1, np.int16)
    for j in range(right.size):
        if right[j] >= 0:
            present[right[j]] = 1
    position = np.int16(0)
    for code in range(codes):
        here = present[code]
        present[code] = position + here
        position += np.int16(2) * here
    for j in range(right.size):
        out_right[j] = present[right[j]] if right[j] >= 0 else NULL_POSITION
    for i in range(left.size):
        out_left[i] = present[left[i]] if left[i] >= 0 else NULL_POSITION


@kernel
def begin(target: Lanes, source: Lanes, left: np.uint16) -> None:
    """What follows from the rows alone; flat, since assigning two-dimensional slices costs as much as eight slots."""
    for j in range(target.size):
        target[j] = source[j] | left


@kernel
def add_outcomes(lanes: Lanes, right: Positions, left: np.int16, mode: int, bits: Lanes) -> None:
    """Adds one slot's outcomes to the lanes of a block.

    ``bits`` are the outcomes less, equal, greater, shifted into place. They come from memory so that the compiler
    cannot know how they are made: it would make them in 64-bit arithmetic, four times slower.
    """
    less, equal, greater, nothing = bits[0], bits[1], bits[2], bits[3]
    if mode == UNORDERED:
        for j in range(lanes.size):
            lanes[j] |= equal if right[j] == left else less
    elif mode == ORDERED:
        for j in range(lanes.size):
            outcome = less if left < right[j] else greater
            lanes[j] |= equal if right[j] == left else outcome
    elif mode == UNORDERED_NULLS:
        for j in range(lanes.size):
            outcome = equal if right[j] == left else less
            lanes[j] |= nothing if right[j] == NULL_POSITION else outcome
    elif mode == ORDERED_NULLS:
        for j in range(lanes.size):
            outcome = less if left < right[j] else greater
            outcome = nothing if right[j] == NULL_POSITION else outcome
            lanes[j] |= equal if right[j] == left else outcome
    elif mode == NULL_EQUAL:
        for j in range(lanes.size):
            lanes[j] |= equal if right[j] == NULL_POSITION else nothing


@kernel
def _join(keys: Words, lanes: Lanes) -> None:
    """Joins the lanes of pairs to key words, uint64[words, n]."""
    for w in range(keys.shape[0]):
        first = LANES_PER_WORD * w
        for j in range(keys.shape[1]):
            keys[w, j] = np.uint64(lanes[first, j])
        for k in range(first + 1, min(first + LANES_PER_WORD, lanes.shape[0])):
            shift = np.uint64(16 * (k - first))
            for j in range(keys.shape[1]):
                keys[w, j] |= np.uint64(lanes[k, j]) << shift


@kernel
def count_keys(
    table: Words, used: int, lanes: Lanes, weights: Words, weight: np.uint64, keys: Words, starts: Words
) -> tuple[Words, int]:
    """Counts the pairs of these lanes by their keys in the table, which grows where it must."""
    size = lanes.shape[1]
    _join(keys[:, :size], lanes)
    return counted(table, used, keys, size, weights, weight, starts)


@kernel
def compare(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    lanes: Lanes,
    at: int,
    left: tuple[Positions, Lanes],
    i: int,
    right: tuple[Positions, Lanes],
    start: int,
    end: int,
    slots: NDArray[np.int64],
    modes: NDArray[np.int8],
    bits: Lanes,
) -> None:
    """Writes the lanes of pairs of left row i with the right rows [start, end), from place ``at`` on.

    Args:
        lanes: uint16[lanes, BLOCK].
        at: where to begin in them.
        left: the left rows as :func:`count_tile` has them.
        i: which of them.
        right: likewise.
        start: the first right row.
        end: the end of the right rows.
        slots: likewise.
        modes: likewise.
        bits: uint16[p, 4].
    """
    positions, to = left[0], at + end - start
    for lane in range(lanes.shape[0]):
        begin(lanes[lane, at:to], right[1][lane, start:end], left[1][lane, i])
    for p in range(slots.size):
        position = positions[p, i]
        mode = modes[1 if position == NULL_POSITION else 0, p]
        add_outcomes(lanes[slots[p] // SLOTS_PER_LANE, at:to], right[0][p, start:end], position, mode, bits[p])


@kernel
def gather(lanes: Lanes, chosen: NDArray[np.int64]) -> None:
    """Moves the lanes of these pairs, in ascending order, to the front."""
    for t in range(chosen.size):
        # None is below its own place, so that nothing is overwritten too early.
        for lane in range(lanes.shape[0]):
            lanes[lane, t] = lanes[lane, chosen[t]]


@kernel
def count_tile(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    cells: Cells,
    table: Words,
    left: tuple[Positions, Lanes],
    right: tuple[Positions, Lanes],
    slots: NDArray[np.int64],
    modes: NDArray[np.int8],
    bits: Lanes,
    left_weights: NDArray[np.int64],
    right_weights: Words,
    turns: NDArray[np.int64],
    offset: int,
) -> tuple[Words, bool]:
    """Counts the keys of all pairs of a tile in cells, or in a table of rows (key words, count); empty rows count zero.

    Args:
        cells: counts before this tile.
        table: uint64[2^b, words + 1], empty; its counts are modulo 2^64.
        left: int16[p, rows], positions per compared slot; uint16[lanes, rows], the key bits that follow from the left
            row alone.
        right: the same of the right rows.
        slots: int64[p], where each compared slot stands in the key, ascending.
        modes: int8[2, p], how its outcome is computed where the left side is not null, and where it is.
        bits: uint16[2, p, 4], the outcomes less, equal, greater as bits of the slot's lane, and 0; and their mirrors.
        left_weights: int64[rows], how many rows each stands for, or by how much each of its pairs counts.
        right_weights: uint64[tile rows]; empty if all are 1.
        turns: int64[rows], with how many of the first right rows each is counted by the mirrors of the keys.
        offset: pair left row i only with the right rows from i + ``offset`` on (below −rows: with all).

    Returns:
        The table, grown if need be, and whether anything is in it.
    """
    used, hashed, many = 0, False, right[0].shape[1]
    lanes = np.empty((right[1].shape[0], BLOCK), np.uint16)
    keys = np.empty((table.shape[1] - 1, BLOCK), np.uint64)
    starts = np.empty(BLOCK, np.uint64)
    heavy = np.abs(left_weights).sum() * (np.int64(right_weights.sum()) if right_weights.size else many)
    in_cells, table, used = prepared(cells, table, used, heavy)
    for start in range(0, many, BLOCK):
        end = min(start + BLOCK, many)
        for i in range(left[0].shape[1]):
            first = max(start, i + offset)
            if first >= end:
                continue
            turn = min(max(turns[i], first), end)
            if turn > first:
                compare(lanes, 0, left, i, right, first, turn, slots, modes, bits[1])
            if turn < end:
                compare(lanes, turn - first, left, i, right, turn, end, slots, modes, bits[0])
            weights, weight, size = right_weights[first:end], left_weights[i], end - first
            if in_cells:
                if count_known(cells, lanes, size, weights, weight):
                    continue
                rest, table, used = count_rest(cells, table, used, lanes, size, weights, weight)
                in_cells, size = rest.size == 0, rest.size
                if in_cells:
                    continue
                gather(lanes, rest)
                if weights.size:
                    weights = weights[rest]
            table, used = count_keys(table, used, lanes[:, :size], weights, np.uint64(weight), keys, starts)
            hashed = True
    return table, hashed or used > 0
