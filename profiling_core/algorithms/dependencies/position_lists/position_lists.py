"""Position list indexes: the classes of rows that agree on a set of columns, and their intersections.

Classes of one row are left out (stripped partitions; Pyro, section 5.2). All kernels count classes by their codes in a
scratch array that is zero before and after, so that an intersection is one pass over what the index holds.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from profiling_core.algorithms.ground.arrays import Codes, Counts
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import NULL


@dataclass(frozen=True, eq=False)
class PositionLists:
    """Class k holds the rows ``members[bounds[k]:bounds[k + 1]]``, int32; each has two rows or more."""

    members: Codes
    bounds: Codes

    @cached_property
    def pairs(self) -> int:
        """The unordered pairs of rows within the classes."""
        bounds = self.bounds.astype(np.int64)
        sizes: Counts = bounds[1:] - bounds[:-1]
        return int((sizes * (sizes - 1) // 2).sum())

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return self.members.nbytes + self.bounds.nbytes

    def intersected(self, codes: Codes, scratch: Codes) -> "PositionLists":
        """The index of one column more.

        Args:
            codes: that column's code per row; rows with :data:`NULL` agree with none.
            scratch: zeros, for every code.
        """
        members, bounds = _intersected(self.members, self.bounds, codes, scratch)
        return PositionLists(members, bounds)

    def pairs_with(self, codes: Codes, scratch: Codes) -> int:
        """The pairs of the index of one column more, without that index; arguments as in :meth:`intersected`."""
        return int(_pairs_with(self.members, self.bounds, codes, scratch))


def whole(rows: int) -> PositionLists:
    """The index of no columns: all rows agree."""
    bounds = [0, rows] if rows > 1 else [0]
    return PositionLists(np.arange(bounds[-1], dtype=np.int32), np.array(bounds, np.int32))


@kernel
def _intersected(members: Codes, bounds: Codes, codes: Codes, sizes: Codes) -> tuple[Codes, Codes]:
    out = np.empty(members.size, np.int32)
    out_bounds = np.zeros(members.size // 2 + 1, np.int32)
    touched = np.empty(sizes.size, np.int32)
    many = 0
    filled = np.int32(0)
    for k in range(bounds.size - 1):
        some = 0
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if code == NULL:
                continue
            if sizes[code] == 0:
                touched[some] = code
                some += 1
            sizes[code] += 1
        for c in range(some):
            size = sizes[touched[c]]
            if size == 1:
                sizes[touched[c]] = 0
                continue
            # From here on the code's entry is where its next row goes, counted down from −1.
            sizes[touched[c]] = -filled - 1
            filled += size
            many += 1
            out_bounds[many] = filled
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if code != NULL and sizes[code] < 0:
                out[-sizes[code] - 1] = members[i]
                sizes[code] -= 1
        for c in range(some):
            sizes[touched[c]] = 0
    return out[:filled].copy(), out_bounds[: many + 1].copy()


@kernel
def _pairs_with(members: Codes, bounds: Codes, codes: Codes, sizes: Codes) -> np.int64:
    pairs = np.int64(0)
    for k in range(bounds.size - 1):
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if code != NULL:
                pairs += sizes[code]
                sizes[code] += 1
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if code != NULL:
                sizes[code] = 0
    return pairs
