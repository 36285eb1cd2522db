"""Cluster pairs: sets of row pairs as left rows × right rows, refined predicate by predicate without listing pairs.

A partition is a list of disjoint cluster pairs. Equalities refine it by sorting. Inequalities and ≠ refine each
cluster pair by divide and conquer: rows are parted at a value, and two of the four quarters are decided for that
predicate, so that n rows need O(n · log n) steps per predicate where pairs are n². A cluster pair whose value ranges
rule a predicate out is left at once, which makes the check of a constraint that holds mostly one pass per level.
Source: Bleifuß et al., Hydra, sections 6.2 and 6.3 (refiners; the divide and conquer stands for its IEJoin, and takes
any number of inequalities); Liu et al., Rapidash, VLDB 2024 (near-linear verification).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.kernel import kernel

Rows = NDArray[np.int64]
Points = NDArray[np.int32]

# What a dimension asks of a left value x and a right value y.
LESS, UNEQUAL = 0, 1
# Cluster pairs of so few pairs are compared pair by pair.
_SMALL = 48
_NODES = 64


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """``left``, ``right``: int64 row positions; ``groups``: int64[g, 4], per cluster pair the bounds in both."""

    left: Rows
    right: Rows
    groups: Rows

    @classmethod
    def whole(cls, left: int, right: int) -> "Partition":
        """All pairs of ``left`` rows and ``right`` rows."""
        return cls(np.arange(left), np.arange(right), np.array([[0, left, 0, right]], np.int64))

    def filtered(self, keep_left: NDArray[np.bool_], keep_right: NDArray[np.bool_]) -> "Partition":
        """Without the rows that are not kept; flags are per place in ``left`` and in ``right``."""
        if keep_left.all() and keep_right.all():
            return self
        before = [np.concatenate([[0], np.cumsum(flags)]) for flags in (keep_left, keep_right)]
        groups = np.column_stack([before[0][self.groups[:, :2]], before[1][self.groups[:, 2:]]])
        filled = (groups[:, 0] < groups[:, 1]) & (groups[:, 2] < groups[:, 3])
        return Partition(self.left[keep_left], self.right[keep_right], groups[filled])

    def equated(self, left_codes: Points, right_codes: Points, *, same_rows: bool) -> "Partition":
        """The pairs of equal codes (per row; any integers from −1 on).

        With ``same_rows``, pairs of a row with itself alone are left out (both sides are the same rows).
        """
        width = 2 + int(max(left_codes.max(initial=-1), right_codes.max(initial=-1)))
        left, left_keys = _by_key(self.left, self.groups[:, :2], left_codes, width)
        right, right_keys = _by_key(self.right, self.groups[:, 2:], right_codes, width)
        groups = _matched(left_keys, right_keys)
        if same_rows and len(groups):
            single = (groups[:, 1] - groups[:, 0] == 1) & (groups[:, 3] - groups[:, 2] == 1)
            groups = groups[~(single & (left[groups[:, 0]] == right[groups[:, 2]]))]
        return Partition(left, right, groups).compact()

    def compact(self) -> "Partition":
        """Without rows that are in no cluster pair."""
        if not len(self.groups):
            return Partition(self.left[:0], self.right[:0], self.groups)
        sizes = np.column_stack([self.groups[:, 1] - self.groups[:, 0], self.groups[:, 3] - self.groups[:, 2]])
        if sizes[:, 0].sum() == len(self.left) and sizes[:, 1].sum() == len(self.right):
            return self
        ends = np.cumsum(sizes, axis=0)
        starts = ends - sizes
        left = np.repeat(self.groups[:, 0] - starts[:, 0], sizes[:, 0]) + np.arange(ends[-1, 0])
        right = np.repeat(self.groups[:, 2] - starts[:, 1], sizes[:, 1]) + np.arange(ends[-1, 1])
        groups = np.column_stack([starts[:, 0], ends[:, 0], starts[:, 1], ends[:, 1]])
        return Partition(self.left[left], self.right[right], groups)


def _by_key(rows: Rows, bounds: Rows, codes: Points, width: int) -> tuple[Rows, Rows]:
    """The rows sorted by group and code, and their keys."""
    sizes = bounds[:, 1] - bounds[:, 0]
    keys = np.repeat(np.arange(len(bounds), dtype=np.int64) * width, sizes)
    if int(sizes.sum()) != len(rows):
        inside = np.repeat(bounds[:, 0] - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
        rows = rows[inside]
    keys += codes[rows] + 1
    order = np.argsort(keys, kind="stable")
    return rows[order], keys[order]


@kernel
def _matched(left: Rows, right: Rows) -> Rows:
    """Bounds of the runs of equal keys in both, int64[g, 4]; keys ascend."""
    groups = np.empty((min(left.size, right.size), 4), np.int64)
    found = 0
    i = 0
    j = 0
    while i < left.size and j < right.size:
        if left[i] < right[j]:
            i += 1
        elif left[i] > right[j]:
            j += 1
        else:
            key = left[i]
            groups[found, 0] = i
            groups[found, 2] = j
            while i < left.size and left[i] == key:
                i += 1
            while j < right.size and right[j] == key:
                j += 1
            groups[found, 1] = i
            groups[found, 3] = j
            found += 1
    return groups[:found].copy()


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
def _holds(left: Points, i: int, right: Points, j: int, kinds: NDArray[np.int8], open_dimensions: int) -> bool:
    for d in range(kinds.size):
        if (open_dimensions >> d) & 1:
            x = left[i, d]
            y = right[j, d]
            if x >= y and (kinds[d] == LESS or x == y):
                return False
    return True


@kernel
def _sample(left: Points, right: Points, bounds: Rows, same_rows: int, each: int, out: Rows, written: int) -> int:
    """Writes up to ``each`` pairs of different rows of one cluster pair; returns how many are written in all."""
    last = left.shape[1] - 1
    wide = bounds[3] - bounds[2]
    until = min(out.shape[0], written + each)
    for i in range(bounds[0], bounds[1]):
        if written >= until:
            break
        j = bounds[2] + (i - bounds[0]) % wide
        if same_rows != 0 and left[i, last] == right[j, last]:
            if wide == 1:
                continue
            j = bounds[2] + (i - bounds[0] + 1) % wide
        out[written, 0] = left[i, last]
        out[written, 1] = right[j, last]
        written += 1
    return written


@kernel
def satisfying_pairs(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    left: Points,
    right: Points,
    groups: Rows,
    kinds: NDArray[np.int8],
    same_rows: int,
    sign: int,
    of_left: Rows,
    of_right: Rows,
    each: int,
    out: Rows,
) -> tuple[np.int64, np.int64]:
    """The pairs of a partition that satisfy every dimension: how many, of which rows, and some of them.

    Args:
        left: int32[n, d + 1], values per dimension and the row position; reordered within the groups.
        right: the same for right rows.
        groups: int64[g, 4], bounds of the cluster pairs.
        kinds: int8[d], LESS or UNEQUAL, of the left value and the right one.
        same_rows: 1 if equal row positions are the same row, which is sampled as no pair (but counted as one).
        sign: what a pair adds per row: 1 or −1.
        of_left: int64[rows], to which the number of each left row's partners is added; empty: only a sample is
            wanted, and the search ends when ``out`` is full.
        of_right: the same for right rows.
        each: how many pairs of one cluster pair are sampled at most.
        out: int64[limit, 2], filled with sampled pairs of row positions.

    Returns:
        The number of pairs (when counted), and of sampled ones.
    """
    total = np.int64(0)
    written = 0
    counting = of_left.size > 0
    last = kinds.size
    everything = (1 << kinds.size) - 1
    stack = np.empty((_NODES, 5), np.int64)
    x = np.zeros((kinds.size, 2), np.int64)
    y = np.zeros((kinds.size, 2), np.int64)
    for g in range(groups.shape[0]):
        depth = 1
        stack[0, :4] = groups[g]
        stack[0, 4] = everything
        while depth > 0:
            depth -= 1
            l0, l1, r0, r1, dimensions = stack[depth]
            if l0 == l1 or r0 == r1:
                continue
            if dimensions != 0 and (l1 - l0) * (r1 - r0) <= _SMALL:
                for i in range(l0, l1):
                    for j in range(r0, r1):
                        if _holds(left, i, right, j, kinds, dimensions):
                            if counting:
                                total += 1
                                of_left[left[i, last]] += sign
                                of_right[right[j, last]] += sign
                            if written < out.shape[0] and not (same_rows != 0 and left[i, last] == right[j, last]):
                                out[written, 0] = left[i, last]
                                out[written, 1] = right[j, last]
                                written += 1
                if not counting and written == out.shape[0]:
                    return total, np.int64(written)
                continue
            _ranges(left, l0, l1, dimensions, x)
            _ranges(right, r0, r1, dimensions, y)
            possible = True
            chosen = -1
            for d in range(kinds.size):
                if (dimensions >> d) & 1 == 0:
                    continue
                if kinds[d] == LESS:
                    if x[d, 0] >= y[d, 1]:
                        possible = False
                        break
                    if x[d, 1] < y[d, 0]:
                        dimensions ^= 1 << d
                        continue
                else:
                    if x[d, 0] == x[d, 1] and y[d, 0] == y[d, 1] and x[d, 0] == y[d, 0]:
                        possible = False
                        break
                    if x[d, 1] < y[d, 0] or y[d, 1] < x[d, 0]:
                        dimensions ^= 1 << d
                        continue
                if chosen < 0:
                    chosen = d
            if not possible:
                continue
            if chosen < 0:
                if counting:
                    total += (l1 - l0) * (r1 - r0)
                    for i in range(l0, l1):
                        of_left[left[i, last]] += sign * (r1 - r0)
                    for j in range(r0, r1):
                        of_right[right[j, last]] += sign * (l1 - l0)
                if written < out.shape[0]:
                    written = _sample(left, right, np.array([l0, l1, r0, r1]), same_rows, each, out, written)
                if not counting and written == out.shape[0]:
                    return total, np.int64(written)
                continue
            less = kinds[chosen] == LESS
            if less:
                low = max(x[chosen, 0], y[chosen, 0] - 1)
                high = min(x[chosen, 1], y[chosen, 1] - 1)
            else:
                low = min(x[chosen, 0], y[chosen, 0])
                high = max(x[chosen, 1], y[chosen, 1])
            pivot = low + (high - low) // 2
            lm = _parted(left, l0, l1, chosen, pivot)
            rm = _parted(right, r0, r1, chosen, pivot)
            if depth + 4 > stack.shape[0]:
                larger = np.empty((2 * stack.shape[0], 5), np.int64)
                larger[:depth] = stack[:depth]
                stack = larger
            decided = dimensions ^ (1 << chosen)
            for quarter in range(4):
                lows = quarter < 2
                if quarter == 3 and less:
                    break
                stack[depth, 0] = l0 if lows else lm
                stack[depth, 1] = lm if lows else l1
                # Quarters: low with low, low with high, high with high, high with low.
                right_low = quarter in (0, 3)
                stack[depth, 2] = r0 if right_low else rm
                stack[depth, 3] = rm if right_low else r1
                stack[depth, 4] = decided if quarter in (1, 3) else dimensions
                depth += 1
    return total, np.int64(written)
