"""The inner loops of evidence: outcomes of a tile's pairs in 16-bit lanes, counted in an open-addressing table.

A tile pairs left rows with some thousands of right rows. Per slot the right rows' codes become *positions* 2·rank + 1
within the tile, and a left code that is not among them the even number between its neighbours: so all fit 16 bits and
compare as the codes do. Eight slots share one 16-bit lane, which keeps the comparisons in full SIMD width; the lanes of
a pair joined are its evidence key (model/evidence.py). Sources: Pena et al., "Fast Algorithms for Denial Constraint
Discovery" (FastADC; clues of two bits per group); DESIGN.md, "Evidence kernel".
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.kernel import kernel
from profiling_core.model.evidence import SLOTS_PER_WORD
from profiling_core.model.predicate import PredicateSpace

Words = NDArray[np.uint64]
Lanes = NDArray[np.uint16]
Positions = NDArray[np.int16]

SLOTS_PER_LANE = 8
LANES_PER_WORD = SLOTS_PER_WORD // SLOTS_PER_LANE
# Right rows per tile: positions reach twice that, and NULL_POSITION must stay above them.
TILE_ROWS = 4096
# Right rows per inner block: the lanes and positions of one block stay in the first-level cache.
BLOCK = 1024
NULL_POSITION = 32767
# How a slot's outcome follows from two positions. The first bit: ordered; the second: the right side has nulls that make
# outcomes incomparable. CONSTANT: the left side is null and incomparable with everything; NULL_EQUAL: the left side is
# null, equal to nulls and incomparable with the rest.
UNORDERED, ORDERED, UNORDERED_NULLS, ORDERED_NULLS, CONSTANT, NULL_EQUAL = range(6)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


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
def _add_outcomes(lanes: Lanes, right: Positions, left: np.int16, mode: int, shift: int) -> None:
    """Adds one slot's outcomes, shifted into place, to the lanes of a block."""
    less, equal, greater = np.uint16(1 << shift), np.uint16(2 << shift), np.uint16(3 << shift)
    nothing = np.uint16(0)
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
def _grown(table: Words, bits: int) -> Words:
    """The table with twice the slots; ``bits`` is the old binary logarithm of their number."""
    words = table.shape[1] - 1
    bigger = np.zeros((2 * table.shape[0], words + 1), np.uint64)
    for old in range(table.shape[0]):
        if table[old, words]:
            bigger[_find(bigger, table[old, :words], bits + 1)] = table[old]
    return bigger


@kernel
def _find(table: Words, key: Words, bits: int) -> int:
    """The slot of a key, or the empty slot where it belongs."""
    words = key.size
    hashed = np.uint64(0)
    for w in range(words):
        hashed = (hashed ^ key[w]) * _MULTIPLIER
        if words > 1:
            hashed ^= hashed >> np.uint64(29)
    if words > 1:
        hashed *= _MULTIPLIER
    at = np.int64(hashed >> np.uint64(64 - bits))
    while table[at, words]:
        same = True
        for w in range(words):
            same &= table[at, w] == key[w]
        if same:
            break
        at = (at + 1) & (table.shape[0] - 1)
    return at


@kernel
def _count_narrow(table: Words, bits: int, keys: Words, weights: Words, weight: np.uint64) -> int:
    """Counts one-word keys; returns how many were new."""
    new = 0
    wrap = table.shape[0] - 1
    shift = np.uint64(64 - bits)
    for j in range(keys.size):
        key = keys[j]
        at = np.int64((key * _MULTIPLIER) >> shift)
        while table[at, 1] and table[at, 0] != key:
            at = (at + 1) & wrap
        if table[at, 1] == 0:
            table[at, 0] = key
            new += 1
        table[at, 1] += weight * weights[j]
    return new


@kernel
def _count_wide(table: Words, bits: int, keys: Words, weights: Words, weight: np.uint64) -> int:
    """Counts keys of several words, uint64[words, n]; returns how many were new."""
    new = 0
    words = keys.shape[0]
    key = np.empty(words, np.uint64)
    for j in range(keys.shape[1]):
        key[:] = keys[:, j]
        at = _find(table, key, bits)
        if table[at, words] == 0:
            table[at, :words] = key
            new += 1
        table[at, words] += weight * weights[j]
    return new


@kernel
def count_tile(
    table: Words,
    used: int,
    left: Positions,
    right: Positions,
    slots: NDArray[np.int64],
    modes: NDArray[np.int8],
    null_modes: NDArray[np.int8],
    left_keys: Words,
    right_lanes: Lanes,
    left_weights: Words,
    right_weights: Words,
    offset: int,
) -> tuple[Words, int]:
    """Counts the keys of all pairs of a tile into a table of rows (key words, count); an empty row counts zero.

    Args:
        table: uint64[2^b, words + 1].
        used: its filled rows.
        left: int16[p, rows], positions per compared slot.
        right: int16[p, tile rows].
        slots: int64[p], where each compared slot stands in the key, ascending.
        modes: int8[p], how its outcome is computed where the left side is not null.
        null_modes: int8[p], the same where it is.
        left_keys: uint64[rows, words], the key bits that follow from the left row alone.
        right_lanes: uint16[lanes, tile rows], the key bits that follow from the right row alone.
        left_weights: uint64[rows], how many rows each stands for.
        right_weights: uint64[tile rows].
        offset: pair left row i only with the right rows from i + ``offset`` on (below −rows: with all).

    Returns:
        The table, grown if need be, and its filled rows.
    """
    words = table.shape[1] - 1
    lanes = np.empty((right_lanes.shape[0], BLOCK), np.uint16)
    keys = np.empty((words, BLOCK), np.uint64)
    bits = 0
    while (1 << bits) < table.shape[0]:
        bits += 1
    for start in range(0, right.shape[1], BLOCK):
        end = min(start + BLOCK, right.shape[1])
        for i in range(left.shape[1]):
            first = max(start, i + offset)
            size = end - first
            if size <= 0:
                continue
            if 2 * (used + size) > table.shape[0]:
                table = _grown(table, bits)
                bits += 1
            lanes[:, :size] = right_lanes[:, first:end]
            for p in range(slots.size):
                position = left[p, i]
                mode = null_modes[p] if position == NULL_POSITION else modes[p]
                lane = slots[p] // SLOTS_PER_LANE
                shift = 2 * (slots[p] % SLOTS_PER_LANE)
                _add_outcomes(lanes[lane, :size], right[p, first:end], position, mode, shift)
            _join(keys[:, :size], lanes[:, :size], left_keys[i])
            if words == 1:
                used += _count_narrow(table, bits, keys[0, :size], right_weights[first:end], left_weights[i])
            else:
                used += _count_wide(table, bits, keys[:, :size], right_weights[first:end], left_weights[i])
    return table, used


@kernel
def _join(keys: Words, lanes: Lanes, left_key: Words) -> None:
    """Joins lanes to words and adds the left row's part."""
    for w in range(keys.shape[0]):
        base = left_key[w]
        for j in range(keys.shape[1]):
            keys[w, j] = base
        for k in range(LANES_PER_WORD * w, min(LANES_PER_WORD * (w + 1), lanes.shape[0])):
            shift = np.uint64(16 * (k % LANES_PER_WORD))
            for j in range(keys.shape[1]):
                keys[w, j] |= np.uint64(lanes[k, j]) << shift
