"""Inequalities and ≠ over cluster pairs, by divide and conquer, without listing pairs.

Rows are parted at a value, and two of the four quarters are decided for that predicate, so that n rows need
O(n · log n) steps per predicate where pairs are n². A cluster pair whose value ranges rule a predicate out is left at
once, which makes the check of a constraint that holds mostly one pass per level.
Source: Bleifuß et al., Hydra, section 6.3 (the divide and conquer stands for its IEJoin, and takes any number of
inequalities); Liu et al., Rapidash, VLDB 2024 (near-linear verification).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.partition import Points, Rows
from profiling_core.algorithms.ground.bit_words import lowest
from profiling_core.algorithms.ground.kernel import kernel

# The comparison of a dimension, between a left value x and a right value y.
LESS, UNEQUAL = 0, 1
# Cluster pairs of at most 48 pairs are compared pair by pair.
_SMALL = 48
_NODES = 64


@kernel
def _parted(points: Points, start: int, end: int, dimension: int, pivot: int) -> int:
    """Brings the points of at most ``pivot`` to the front of [start, end); returns where the others begin."""
    low = start
    high = end - 1
    while True:
        while low <= high and points[low, dimension] <= pivot:
            low += 1
        while low <= high and points[high, dimension] > pivot:
            high -= 1
        if low > high:
            return low
        for k in range(points.shape[1]):
            held = points[low, k]
            points[low, k] = points[high, k]
            points[high, k] = held
        low += 1
        high -= 1


class ComparedSides(NamedTuple):
    """The two sides of a comparison.

    Attributes:
        left: int32[n, d + 1], values per dimension and the row position; reordered within the groups.
        right: the same for right rows.
        kinds: int8[d], LESS or UNEQUAL, of the left value and the right one.
        same_rows: whether equal row positions are the same row, which is sampled as no pair (but counted as one).
    """

    left: Points
    right: Points
    kinds: NDArray[np.int8]
    same_rows: bool


class PairTally(NamedTuple):
    """The figures that are wanted of the pairs that satisfy every dimension.

    Attributes:
        sign: what a pair adds per row: 1 or −1.
        of_left: int64[rows], to which the number of each left row's partners is added; empty: only a sample is
            wanted, and the search ends when ``out`` is full.
        of_right: the same for right rows.
        each: how many pairs of one cluster pair are sampled at most.
        out: int64[limit, 2], filled with sampled pairs of row positions.
        written: int64[1], how many.
    """

    sign: int
    of_left: Rows
    of_right: Rows
    each: int
    out: Rows
    written: Rows


def counting(of_left: Rows, of_right: Rows, sign: int) -> PairTally:
    """Partners per row are wanted, and no pairs."""
    return PairTally(sign, of_left, of_right, 1, np.empty((0, 2), np.int64), np.zeros(1, np.int64))


def sampling(limit: int, each: int) -> PairTally:
    """Up to ``limit`` pairs are wanted, at most ``each`` of each cluster pair."""
    nothing = np.empty(0, np.int64)
    return PairTally(1, nothing, nothing, each, np.empty((limit, 2), np.int64), np.zeros(1, np.int64))


@kernel
def _ranges(points: Points, start: int, end: int, dimensions: int, out: NDArray[np.int64]) -> None:
    """Least and greatest value per dimension, for the dimensions that are bits of ``dimensions``."""
    for d in range(out.shape[0]):
        if (dimensions >> d) & 1:
            least = points[start, d]
            greatest = least
            for i in range(start + 1, end):
                value = points[i, d]
                least = min(least, value)
                greatest = max(greatest, value)
            out[d, 0] = least
            out[d, 1] = greatest


@kernel
def _holds(sides: ComparedSides, i: int, j: int, dimensions: int) -> bool:
    kinds = sides.kinds
    for d in range(kinds.size):
        if (dimensions >> d) & 1:
            x = sides.left[i, d]
            y = sides.right[j, d]
            if x >= y and (kinds[d] == LESS or x == y):
                return False
    return True


@kernel
def _compare(sides: ComparedSides, bounds: Rows, tally: PairTally) -> None:
    """Takes the pairs of a small cluster pair one by one."""
    last, limit = sides.kinds.size, tally.out.shape[0]
    for i in range(bounds[0], bounds[1]):
        row = sides.left[i, last]
        for j in range(bounds[2], bounds[3]):
            if not _holds(sides, i, j, bounds[4]):
                continue
            other, at = sides.right[j, last], tally.written[0]
            if tally.of_left.size:
                tally.of_left[row] += tally.sign
                tally.of_right[other] += tally.sign
            if at < limit and not (sides.same_rows and row == other):
                tally.out[at, 0] = row
                tally.out[at, 1] = other
                tally.written[0] += 1


@kernel
def _sample(sides: ComparedSides, bounds: Rows, tally: PairTally) -> None:
    """Writes some pairs of different rows of a cluster pair in which all pairs satisfy every dimension."""
    last, wide, out = sides.kinds.size, bounds[3] - bounds[2], tally.out
    until = min(out.shape[0], tally.written[0] + tally.each)
    for i in range(bounds[0], bounds[1]):
        at = tally.written[0]
        if at >= until:
            break
        j = bounds[2] + (i - bounds[0]) % wide
        if sides.same_rows and sides.left[i, last] == sides.right[j, last]:
            if wide == 1:
                continue
            j = bounds[2] + (i - bounds[0] + 1) % wide
        out[at, 0] = sides.left[i, last]
        out[at, 1] = sides.right[j, last]
        tally.written[0] += 1


@kernel
def _take_all(sides: ComparedSides, bounds: Rows, tally: PairTally) -> None:
    """Takes all pairs of a cluster pair."""
    last = sides.kinds.size
    if tally.of_left.size:
        for i in range(bounds[0], bounds[1]):
            tally.of_left[sides.left[i, last]] += tally.sign * (bounds[3] - bounds[2])
        for j in range(bounds[2], bounds[3]):
            tally.of_right[sides.right[j, last]] += tally.sign * (bounds[1] - bounds[0])
    if tally.written[0] < tally.out.shape[0]:
        _sample(sides, bounds, tally)


@kernel
def _undecided(kinds: NDArray[np.int8], x: Rows, y: Rows, dimensions: int) -> int:
    """The dimensions in which not all pairs of values within ranges (int64[d, 2]) are as asked; −1: in one none is."""
    for d in range(kinds.size):
        if (dimensions >> d) & 1 == 0:
            continue
        if kinds[d] == LESS:
            if x[d, 0] >= y[d, 1]:
                return -1
            if x[d, 1] < y[d, 0]:
                dimensions ^= 1 << d
        else:
            if x[d, 0] == x[d, 1] and y[d, 0] == y[d, 1] and x[d, 0] == y[d, 0]:
                return -1
            if x[d, 1] < y[d, 0] or y[d, 1] < x[d, 0]:
                dimensions ^= 1 << d
    return dimensions


@kernel
def _pivot(less: bool, x: Rows, y: Rows) -> int:  # noqa: FBT001 -- kernels take no keyword arguments
    """Where to part the values of a dimension with these ranges."""
    if less:
        low = max(x[0], y[0] - 1)
        high = min(x[1], y[1] - 1)
    else:
        low = min(x[0], y[0])
        high = max(x[1], y[1])
    return int(low + (high - low) // 2)


@kernel
def _quarter(sides: ComparedSides, bounds: Rows, x: Rows, y: Rows, out: Rows) -> int:
    """Parts a cluster pair in an undecided dimension; writes what is left of it to int64[4, 5]; how many that is.

    ``x``, ``y``: int64[d, 2], the ranges of the values.
    """
    chosen = int(lowest(np.uint64(bounds[4])))
    less = sides.kinds[chosen] == LESS
    pivot = _pivot(less, x[chosen], y[chosen])
    l0, l1, r0, r1, dimensions = bounds
    lm = _parted(sides.left, l0, l1, chosen, pivot)
    rm = _parted(sides.right, r0, r1, chosen, pivot)
    decided = dimensions ^ (1 << chosen)
    # Low with low, low with high, high with high, high with low.
    out[0] = (l0, lm, r0, rm, dimensions)
    out[1] = (l0, lm, rm, r1, decided)
    out[2] = (lm, l1, rm, r1, dimensions)
    out[3] = (lm, l1, r0, rm, decided)
    return 3 if less else 4


@kernel
def satisfying_pairs(sides: ComparedSides, groups: Rows, tally: PairTally) -> None:
    """Takes the pairs of a partition that satisfy every dimension; ``groups``: int64[g, 4], its cluster pairs."""
    kinds, sampled = sides.kinds, tally.of_left.size == 0
    stack = np.empty((_NODES, 5), np.int64)
    x = np.zeros((kinds.size, 2), np.int64)
    y = np.zeros((kinds.size, 2), np.int64)
    bounds = np.empty(5, np.int64)
    for g in range(groups.shape[0]):
        depth = 1
        stack[0, :4] = groups[g]
        stack[0, 4] = (1 << kinds.size) - 1
        while depth > 0:
            depth -= 1
            bounds[:] = stack[depth]
            pairs = (bounds[1] - bounds[0]) * (bounds[3] - bounds[2])
            if pairs == 0:
                continue
            if bounds[4] != 0 and pairs <= _SMALL:
                _compare(sides, bounds, tally)
            else:
                _ranges(sides.left, bounds[0], bounds[1], bounds[4], x)
                _ranges(sides.right, bounds[2], bounds[3], bounds[4], y)
                bounds[4] = _undecided(kinds, x, y, bounds[4])
                if bounds[4] < 0:
                    continue
                if bounds[4] > 0:
                    if depth + 4 > stack.shape[0]:
                        stack = np.concatenate((stack, np.empty_like(stack)))
                    depth += _quarter(sides, bounds, x, y, stack[depth : depth + 4])
                    continue
                _take_all(sides, bounds, tally)
            if sampled and tally.written[0] == tally.out.shape[0]:
                return
