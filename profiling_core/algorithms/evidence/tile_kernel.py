"""The inner loops of evidence: outcomes of a tile's pairs in 16-bit lanes, joined to keys and counted.

A tile pairs left rows with some thousands of right rows. Per slot the right rows' codes become *positions* 2·rank + 1
within the tile, and a left code that is not among them the even number between its neighbours: so all fit 16 bits and
compare as the codes do. Eight slots share one 16-bit lane, which keeps the comparisons in full SIMD width; the lanes of
a pair joined are its evidence key (model/evidence.py). Sources: Pena et al., "Fast Algorithms for Denial Constraint
Discovery" (FastADC; clues of two bits per group).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.cell_counts import Cells, count_rest, prepared
from profiling_core.algorithms.evidence.known_cells import count_known
from profiling_core.algorithms.ground.arrays import Counts, Words
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
# Where :class:`Counting` keeps what.
USED, IN_CELLS, HASHED = range(3)
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
    """Adds one slot's outcomes to the lanes of a block: a loop per mode, so that each runs in vectors.

    ``bits`` are the outcomes less, equal, greater, shifted into place. They come from memory so that the compiler
    cannot know how they are made: it would make them in 64-bit arithmetic, four times slower. Nothing is called here:
    else this is not put into its caller, and a block's slots take a third longer.
    """
    less, equal, greater, nothing = bits[0], bits[1], bits[2], bits[3]
    if mode == UNORDERED:
        for j in range(lanes.size):
            lanes[j] |= equal if right[j] == left else less
    elif mode == ORDERED:
        for j in range(lanes.size):
            outcome = less if left < right[j] else greater
            lanes[j] |= equal if right[j] == left else outcome
    elif mode != CONSTANT:
        below = nothing if mode == NULL_EQUAL else less
        above = greater if mode == ORDERED_NULLS else below
        for j in range(lanes.size):
            outcome = below if left < right[j] else above
            outcome = nothing if right[j] == NULL_POSITION else outcome
            lanes[j] |= equal if right[j] == left else outcome


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


class LeftTile(NamedTuple):
    """A tile's left rows.

    Attributes:
        positions: int16[p, rows], per compared slot.
        lanes: uint16[lanes, rows], the key bits that follow from the row alone.
        weights: int64[rows], how many rows each stands for, or by how much each of its pairs counts.
    """

    positions: Positions
    lanes: Lanes
    weights: Counts


class RightTile(NamedTuple):
    """A tile's right rows: the same, but for ``weights``, uint64[rows], or empty if all are 1."""

    positions: Positions
    lanes: Lanes
    weights: Words


class Compared(NamedTuple):
    """The compared slots.

    Attributes:
        slots: int64[p], where each stands in the key, ascending.
        modes: int8[2, p], how its outcome is computed where the left side is not null, and where it is.
        bits: uint16[p, 4], the outcomes less, equal, greater as bits of the slot's lane, and 0.
    """

    slots: NDArray[np.int64]
    modes: NDArray[np.int8]
    bits: Lanes


@kernel
def compare(
    lanes: Lanes, at: int, left: LeftTile, i: int, right: RightTile, span: tuple[int, int], compared: Compared
) -> None:
    """Writes the lanes of pairs of left row i with a span of right rows into uint16[lanes, BLOCK], from ``at`` on."""
    start, end = span
    slots, modes, bits = compared
    positions, right_positions, to = left.positions, right.positions, at + end - start
    left_lanes, right_lanes = left.lanes, right.lanes
    for lane in range(lanes.shape[0]):
        begin(lanes[lane, at:to], right_lanes[lane, start:end], left_lanes[lane, i])
    for p in range(slots.size):
        position = positions[p, i]
        mode = modes[1 if position == NULL_POSITION else 0, p]
        add_outcomes(lanes[slots[p] // SLOTS_PER_LANE, at:to], right_positions[p, start:end], position, mode, bits[p])


@kernel
def gather(lanes: Lanes, chosen: NDArray[np.int64]) -> None:
    """Moves the lanes of these pairs, in ascending order, to the front."""
    for t in range(chosen.size):
        # None is below its own place, so that nothing is overwritten too early.
        for lane in range(lanes.shape[0]):
            lanes[lane, t] = lanes[lane, chosen[t]]


class Counting(NamedTuple):
    """Where a tile's pairs are counted, beside the table, which may grow.

    ``cells``: counts before this tile; ``keys``: uint64[words, BLOCK] and ``starts``: uint64[BLOCK], scratch;
    ``state``: int64[3], the table's filled rows, whether cells still have room, and whether the table was counted in.
    """

    cells: Cells
    keys: Words
    starts: Words
    state: Counts


@kernel
def new_counting(cells: Cells, table: Words, heavy: np.int64) -> tuple[Counting, Words]:
    """How pairs of weight ``heavy`` are counted, and the table, uint64[2^b, words + 1], which is empty before."""
    in_cells, table, used = prepared(cells, table, 0, heavy)
    keys, starts = np.empty((table.shape[1] - 1, BLOCK), np.uint64), np.empty(BLOCK, np.uint64)
    return Counting(cells, keys, starts, np.array([used, np.int64(in_cells), 0])), table


@kernel
def count_block(counting: Counting, table: Words, lanes: Lanes, size: int, weights: Words, weight: np.int64) -> Words:
    """Counts a block's pairs in cells as long as these have room, else in the table, by their keys."""
    if counting.state[IN_CELLS] and count_known(counting.cells, lanes, size, weights, weight):
        return table
    return _count_unknown(counting, table, lanes, size, weights, weight)


@kernel
def _count_unknown(
    counting: Counting, table: Words, lanes: Lanes, size: int, weights: Words, weight: np.int64
) -> Words:
    """The same where cells are not used, or after those of the pairs that have a cell were counted there."""
    cells, keys, starts, state = counting
    if state[IN_CELLS]:
        rest, table, used = count_rest(cells, table, state[USED], lanes, size, weights, weight)
        size = rest.size
        state[USED], state[IN_CELLS] = used, size == 0
        if size == 0:
            return table
        gather(lanes, rest)
        if weights.size:
            weights = weights[rest]
    _join(keys[:, :size], lanes[:, :size])
    table, used = counted(table, state[USED], keys, size, weights, np.uint64(weight), starts)
    state[USED], state[HASHED] = used, 1
    return table


@kernel
def count_tile(
    cells: Cells, table: Words, left: LeftTile, right: RightTile, compared: Compared, turns: Counts, offset: int
) -> tuple[Words, bool]:
    """Counts the keys of all pairs of a tile in cells, or in a table of rows (key words, count); empty rows count zero.

    Args:
        cells: counts before this tile.
        table: uint64[2^b, words + 1], empty; its counts are modulo 2^64.
        left: the left rows.
        right: the right rows.
        compared: the compared slots; ``bits`` are uint16[2, p, 4], outcomes and their mirrors.
        turns: int64[rows], with how many of the first right rows each is counted by the mirrors of the keys.
        offset: pair left row i only with the right rows from i + ``offset`` on (below −rows: with all).

    Returns:
        The table, grown if need be, and whether anything is in it.
    """
    many, right_weights = right.positions.shape[1], right.weights
    lanes = np.empty((right.lanes.shape[0], BLOCK), np.uint16)
    plain = Compared(compared.slots, compared.modes, compared.bits[0])
    mirrored = Compared(compared.slots, compared.modes, compared.bits[1])
    heavy = np.abs(left.weights).sum() * (np.int64(right_weights.sum()) if right_weights.size else many)
    counting, table = new_counting(cells, table, heavy)
    state = counting.state
    for start in range(0, many, BLOCK):
        end = min(start + BLOCK, many)
        for i in range(left.positions.shape[1]):
            first = max(start, i + offset)
            if first >= end:
                continue
            turn = min(max(turns[i], first), end)
            if turn > first:
                compare(lanes, 0, left, i, right, (first, turn), mirrored)
            if turn < end:
                compare(lanes, turn - first, left, i, right, (turn, end), plain)
            size, weights, weight = end - first, right_weights[first:end], left.weights[i]
            # Mostly all that there is to do, and so not behind a call that takes all that the rest needs.
            if state[IN_CELLS] and count_known(cells, lanes, size, weights, weight):
                continue
            table = _count_unknown(counting, table, lanes, size, weights, weight)
    return table, state[HASHED] != 0 or state[USED] > 0
