"""Cluster pairs: sets of row pairs as left rows × right rows; a partition is a list of disjoint ones.

Equalities refine a partition by sorting, and filters leave rows out; what inequalities do is in :mod:`cluster_pairs`.
Source: Bleifuß et al., Hydra, sections 6.2 and 6.3 (refiners).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import fixed
from profiling_core.algorithms.ground.kernel import kernel

Rows = NDArray[np.int64]
Points = NDArray[np.int32]
# Rows are sorted by counting if there are at most 4 times as many codes as rows.
_DENSE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """``left``, ``right``: int64 row positions; ``groups``: int64[g, 4], per cluster pair the bounds in both."""

    left: Rows
    right: Rows
    groups: Rows

    @classmethod
    def whole(cls, left: int, right: int) -> "Partition":
        """All pairs of ``left`` rows and ``right`` rows."""
        rows = np.arange(left)
        return cls(rows, rows if right == left else np.arange(right), np.array([[0, left, 0, right]], np.int64))

    @property
    def pairs(self) -> int:
        """How many pairs there are; with itself, a row is one, too."""
        sizes = self.groups[:, 1::2] - self.groups[:, ::2]
        return int((sizes[:, 0] * sizes[:, 1]).sum())

    @property
    def _alike(self) -> bool:
        """Whether both sides are the same positions in the same cluster pairs, so that one tells the other."""
        return self.left is self.right and np.array_equal(self.groups[:, :2], self.groups[:, 2:])

    def filtered(self, keep_left: NDArray[np.bool_], keep_right: NDArray[np.bool_]) -> "Partition":
        """Without the rows that are not kept; flags are per place in ``left`` and in ``right``."""
        if keep_left.all() and keep_right.all():
            return self
        before = [np.concatenate([[0], np.cumsum(flags)]) for flags in (keep_left, keep_right)]
        groups = np.column_stack([before[0][self.groups[:, :2]], before[1][self.groups[:, 2:]]])
        filled = (groups[:, 0] < groups[:, 1]) & (groups[:, 2] < groups[:, 3])
        left = self.left[keep_left]
        alike = self.left is self.right and np.array_equal(keep_left, keep_right)
        return Partition(left, left if alike else self.right[keep_right], groups[filled])

    def equated(self, left_codes: Points, right_codes: Points, *, same_rows: bool) -> "Partition":
        """The pairs of equal codes (per row; any integers from −1 on).

        With ``same_rows``, pairs of a row with itself alone are left out (both sides are the same rows).
        """
        width = 2 + int(max(left_codes.max(initial=-1), right_codes.max(initial=-1)))
        left, left_keys = right, right_keys = _by_key(self.left, self.groups, 0, left_codes, width)
        if left_codes is not right_codes or not self._alike:
            right, right_keys = _by_key(self.right, self.groups, 2, right_codes, width)
        groups = _matched(left_keys, right_keys)
        if same_rows and len(groups):
            single = (groups[:, 1] - groups[:, 0] == 1) & (groups[:, 3] - groups[:, 2] == 1)
            groups = groups[~(single & (left[groups[:, 0]] == right[groups[:, 2]]))]
        return Partition(left, right, groups).compact()

    def compact(self) -> "Partition":
        """Without rows that are in no cluster pair."""
        if not len(self.groups):
            none = self.left[:0]
            return Partition(none, none, self.groups)
        sizes = np.column_stack([self.groups[:, 1] - self.groups[:, 0], self.groups[:, 3] - self.groups[:, 2]])
        if sizes[:, 0].sum() == len(self.left) and sizes[:, 1].sum() == len(self.right):
            return self
        ends = np.cumsum(sizes, axis=0)
        starts = ends - sizes
        groups = np.column_stack([starts[:, 0], ends[:, 0], starts[:, 1], ends[:, 1]])
        left = right = self.left[np.repeat(self.groups[:, 0] - starts[:, 0], sizes[:, 0]) + np.arange(ends[-1, 0])]
        if not self._alike:
            right = self.right[np.repeat(self.groups[:, 2] - starts[:, 1], sizes[:, 1]) + np.arange(ends[-1, 1])]
        return Partition(left, right, groups)


def _by_key(rows: Rows, groups: Rows, side: int, codes: Points, width: int) -> tuple[Rows, Rows]:
    """The rows of one side sorted by group and code, and their keys; ``side``: where the bounds of groups begin."""
    sizes = groups[:, side + 1] - groups[:, side]
    total = int(sizes.sum())
    if width <= _DENSE * total:
        return _counted(rows, groups, side, fixed(codes), width, total)
    keys = np.repeat(np.arange(len(groups), dtype=np.int64) * width, sizes)
    if total != len(rows):
        inside = np.repeat(groups[:, side] - (np.cumsum(sizes) - sizes), sizes) + np.arange(total)
        rows = rows[inside]
    keys += codes[rows] + 1
    order = np.argsort(keys, kind="stable")
    return rows[order], keys[order]


@kernel
def _counted(rows: Rows, groups: Rows, side: int, codes: Points, width: int, total: int) -> tuple[Rows, Rows]:
    """The same by counting, first codes and then groups: linear in rows, groups and codes."""
    ends = np.zeros(width + 1, np.int64)
    for g in range(groups.shape[0]):
        for place in range(groups[g, side], groups[g, side + 1]):
            ends[codes[rows[place]] + 2] += 1
    for code in range(width):
        ends[code + 1] += ends[code]
    by_code = np.empty((total, 2), np.int64)
    free = np.empty(groups.shape[0], np.int64)
    filled = 0
    for g in range(groups.shape[0]):
        free[g] = filled
        filled += groups[g, side + 1] - groups[g, side]
        for place in range(groups[g, side], groups[g, side + 1]):
            code = codes[rows[place]] + 1
            by_code[ends[code], 0] = rows[place]
            by_code[ends[code], 1] = g
            ends[code] += 1
    sorted_rows = np.empty(total, np.int64)
    keys = np.empty(total, np.int64)
    start = 0
    for code in range(width):
        for k in range(start, ends[code]):
            g = by_code[k, 1]
            sorted_rows[free[g]] = by_code[k, 0]
            keys[free[g]] = g * width + code
            free[g] += 1
        start = ends[code]
    return sorted_rows, keys


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
