"""Cluster pairs: sets of row pairs as left rows × right rows; a partition is a list of disjoint ones.

Equalities refine a partition by sorting, and filters leave rows out; what inequalities do is in :mod:`cluster_pairs`.
Source: Bleifuß et al., Hydra, sections 6.2 and 6.3 (refiners).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.kernel import kernel

Rows = NDArray[np.int64]
Points = NDArray[np.int32]


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
