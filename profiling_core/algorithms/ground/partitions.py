"""Partitions of rows: the classes that agree on a set of columns, and what one column more makes of them.

Classes of one row are left out, as no pair is in them (stripped partitions: Huhtala et al., TANE, 1999, section 5;
position list indexes: Pyro, section 5.2). The rows of a class are counted by their codes in scratch arrays that are
zero before and after, so that a split is one pass over what the classes hold. Codes below zero are nulls that agree
with nothing.
"""

from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.ground.arrays import Codes, Counts
from profiling_core.algorithms.ground.kernel import kernel


class Classes(NamedTuple):
    """Class k has the rows ``members[bounds[k]:bounds[k + 1]]``, two or more; int32 each."""

    members: Codes
    bounds: Codes

    @property
    def pairs(self) -> int:
        """The unordered pairs of rows within the classes."""
        bounds = self.bounds.astype(np.int64)
        sizes: Counts = bounds[1:] - bounds[:-1]
        return int((sizes * (sizes - 1) // 2).sum())

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return self.members.nbytes + self.bounds.nbytes


class Scratch(NamedTuple):
    """``sizes``: a zero for every code; ``touched``: room for as many codes. int32 each."""

    sizes: Codes
    touched: Codes


def whole(rows: int) -> Classes:
    """The classes of no columns: all rows agree."""
    bounds = [0, rows] if rows > 1 else [0]
    return Classes(np.arange(bounds[-1], dtype=np.int32), np.array(bounds, np.int32))


@kernel
def scratch_for(codes: Codes) -> Scratch:
    """Scratch arrays for columns of codes, int32[columns, rows]."""
    most = np.int32(0)
    for column in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            most = max(most, codes[column, row])
    return Scratch(np.zeros(most + 1, np.int32), np.empty(most + 1, np.int32))


@kernel
def split(classes: Classes, many: int, codes: Codes, scratch: Scratch, parts: Classes) -> tuple[int, np.int64]:
    """Splits classes by a column.

    Args:
        classes: the classes.
        many: how many of them, from the first on, there are.
        codes: the column's code per row.
        scratch: for all of its codes.
        parts: filled with the classes of two rows or more that come of it; has room for the members of ``classes``, and
            for half as many bounds and one more.

    Returns:
        How many parts there are, and the unordered pairs within them.
    """
    sizes, touched = scratch
    pairs, parted, filled = np.int64(0), 0, np.int32(0)
    parts.bounds[0] = 0
    for k in range(many):
        some = 0
        for i in range(classes.bounds[k], classes.bounds[k + 1]):
            code = codes[classes.members[i]]
            if code < 0:
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
            parted += 1
            parts.bounds[parted] = filled
            pairs += np.int64(size) * (np.int64(size) - 1) // 2
        for i in range(classes.bounds[k], classes.bounds[k + 1]):
            code = codes[classes.members[i]]
            if code >= 0 and sizes[code] < 0:
                parts.members[-sizes[code] - 1] = classes.members[i]
                sizes[code] -= 1
        for c in range(some):
            sizes[touched[c]] = 0
    return parted, pairs


@kernel
def split_off(classes: Classes, codes: Codes, scratch: Scratch) -> Classes:
    """The classes of one column more, in arrays of their own."""
    parts = Classes(np.empty(classes.members.size, np.int32), np.empty(classes.members.size // 2 + 1, np.int32))
    many, _ = split(classes, classes.bounds.size - 1, codes, scratch, parts)
    return Classes(parts.members[: parts.bounds[many]].copy(), parts.bounds[: many + 1].copy())


@kernel
def pairs_with(classes: Classes, many: int, codes: Codes, sizes: Codes) -> np.int64:
    """The unordered pairs of the first ``many`` classes that agree on one column more.

    Args:
        classes: the classes.
        many: how many of them there are.
        codes: the column's code per row.
        sizes: a zero for every code.
    """
    pairs = np.int64(0)
    for k in range(many):
        for i in range(classes.bounds[k], classes.bounds[k + 1]):
            code = codes[classes.members[i]]
            if code >= 0:
                pairs += sizes[code]
                sizes[code] += 1
        for i in range(classes.bounds[k], classes.bounds[k + 1]):
            code = codes[classes.members[i]]
            if code >= 0:
                sizes[code] = 0
    return pairs
