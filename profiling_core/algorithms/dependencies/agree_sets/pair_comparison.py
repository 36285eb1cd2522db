"""Agree sets of few rows with many, by comparing codes column by column in vector width.

Codes come as 16-bit halves, so that one instruction compares 16 or 32 of them; 16 columns make a *lane* of agree bits.
Where all agree sets of a table fit a table of 2^m counters they are counted by direct address (:func:`count_direct`),
else they are looked up in the table of agree sets (:func:`agree_set_table.count_keys`). DynASt looks up which rows have
a value (section 4) in place of comparing; that takes longer here at any agreement (docs/tried/engines.md, 114).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.kernel import kernel

Halves = NDArray[np.uint16]


class RightRows(NamedTuple):
    """The rows at the positions of a relation, column by column.

    Attributes:
        low: uint16[m, positions], the codes' lower halves.
        high: uint16[h, positions], the upper halves of columns that need them.
        high_of: int64[m], where a column's upper halves stand; −1: they are all 0.
        nulls: uint64[words, positions], the null columns; of no words where nulls are values.
        pattern: int32[positions], the number of that set of columns.
        weights: int32[positions], how many rows each stands for.
    """

    low: Halves
    high: Halves
    high_of: Counts
    nulls: Words
    pattern: NDArray[np.int32]
    weights: NDArray[np.int32]


class LeftRows(NamedTuple):
    """The rows that are compared with them, row by row.

    Attributes:
        low: uint16[rows, m].
        high: uint16[rows, m].
        nulls: uint64[rows, words].
        weights: int64[rows], of either sign.
        before: int64[rows], each row is paired with positions before this one only.
    """

    low: Halves
    high: Halves
    nulls: Words
    weights: Counts
    before: Counts

    def part(self, rows: slice) -> "LeftRows":
        """Some of the rows, in arrays of their own."""
        return LeftRows(*(np.ascontiguousarray(array[rows]) for array in self))  # type: ignore[arg-type]  # each as it was


LANE = 16
# Right rows per block: their halves stay in the cache while all left rows pass.
BLOCK = 1024


@kernel
def lane_count(columns: int) -> int:
    """Lanes that hold a bit per column."""
    return max(1, -(-columns // LANE))


def lane_bits() -> Halves:
    """The bit of each column within its lane, and 0.

    They come from memory so that the compiler cannot know how they are made: it would make them in wider arithmetic.
    """
    return np.array([1 << bit for bit in range(LANE)] + [0], np.uint16)


@kernel
def _add(lane: Halves, low: Halves, value: np.uint16, bit: np.uint16, nothing: np.uint16) -> None:
    for j in range(lane.size):
        lane[j] |= bit if low[j] == value else nothing


@kernel
def _add_tall(
    lane: Halves, low: Halves, high: Halves, value: np.uint16, above: np.uint16, bit: np.uint16, nothing: np.uint16
) -> None:
    for j in range(lane.size):
        lane[j] |= bit if (low[j] == value) & (high[j] == above) else nothing


@kernel
def _add_four(lane: Halves, low: Halves, first: int, start: int, values: Halves, bits: Halves, bit: int) -> None:
    """Four columns at once: the lane is loaded and stored a quarter as often."""
    a = low[first, start : start + lane.size]
    b = low[first + 1, start : start + lane.size]
    c = low[first + 2, start : start + lane.size]
    d = low[first + 3, start : start + lane.size]
    va, vb, vc, vd = values[first], values[first + 1], values[first + 2], values[first + 3]
    ba, bb, bc, bd, nothing = bits[bit], bits[bit + 1], bits[bit + 2], bits[bit + 3], bits[LANE]
    for j in range(lane.size):
        ab = (ba if a[j] == va else nothing) | (bb if b[j] == vb else nothing)
        cd = (bc if c[j] == vc else nothing) | (bd if d[j] == vd else nothing)
        lane[j] |= ab | cd


@kernel
def compare(lanes: Halves, right: RightRows, left: LeftRows, row: int, start: int, size: int, bits: Halves) -> None:
    """Writes the agree bits of one left row with ``size`` positions from ``start`` on into uint16[lanes, BLOCK].

    Slices keep to one row each: of a slice in two dimensions the compiler knows no stride, and takes no vectors.
    """
    low, high_of, row_low = right.low, right.high_of, left.low[row]
    columns = low.shape[0]
    for lane in range(lanes.shape[0]):
        own = lanes[lane, :size]
        for j in range(size):
            own[j] = 0
        end = min(columns, LANE * (lane + 1))
        column = LANE * lane
        while column < end:
            four = column + 4 <= end
            for c in range(column, min(column + 4, end)):
                four &= high_of[c] < 0
            if four:
                _add_four(own, low, column, start, row_low, bits, column & (LANE - 1))
                column += 4
                continue
            for c in range(column, min(column + 4, end)):
                bit = bits[c & (LANE - 1)]
                if high_of[c] < 0:
                    _add(own, low[c, start : start + size], row_low[c], bit, bits[LANE])
                else:
                    above = right.high[high_of[c], start : start + size]
                    _add_tall(own, low[c, start : start + size], above, row_low[c], left.high[row, c], bit, bits[LANE])
            column += 4


@kernel
def count_direct(counts: Counts, right: RightRows, left: LeftRows, end: int, bits: Halves) -> None:
    """Adds pairs of left rows with the positions [0, end) to int64[2^m] counters of agree sets.

    A pair counts the product of its rows' weights; ``bits``: :func:`lane_bits`. Nulls are not looked at.
    """
    lanes = np.empty((2 if right.low.shape[0] > LANE else 1, BLOCK), np.uint16)
    for block in range(0, end, BLOCK):
        for row in range(left.low.shape[0]):
            size = min(BLOCK, end - block, left.before[row] - block)
            if size <= 0:
                continue
            compare(lanes, right, left, row, block, size, bits)
            weight = left.weights[row]
            if lanes.shape[0] == 1:
                for j in range(size):
                    counts[np.uint64(lanes[0, j])] += weight * right.weights[block + j]
            else:
                for j in range(size):
                    counts[np.uint64(lanes[0, j]) | np.uint64(lanes[1, j]) << np.uint64(LANE)] += (
                        weight * right.weights[block + j]
                    )
