"""Which given rows are new to a constraint: those whose values in its columns no other row has.

A row that has the values of an old one in all columns that a constraint speaks of violates it with whom the old one
does, and with the old one itself only if equal values satisfy the constraint. So where a constraint held before, and
asks for a difference within some column, only rows with new values need to be looked up. Most rows of large tables
have old ones: hours, places and prices come again.
The old rows are read in one pass per set of columns against the few values of the given rows.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.incdc.segments import Flags, Order, Rows, Segment
from profiling_core.algorithms.kernel import kernel

# A first part of the old rows tells whether values come again at all.
_FIRST_PART, _LEAST_SHARE = 16, 0.02


def novel_rows(labels: Rows, columns: Order, segments: Iterable[Segment]) -> Flags:
    """Which of the given rows to look up: of each combination of values that no old row has, one row.

    Args:
        labels: int64[m, d], the given rows.
        columns: the columns whose values count.
        segments: the old rows.
    """
    chosen = np.array(columns, np.int64)
    table = np.full(1 << (8 * labels.shape[1]).bit_length(), -1, np.int32)
    novel = np.ones(labels.shape[1], np.bool_)
    _place(labels, chosen, table, novel)
    for segment in segments:
        size = len(segment.ids)
        first = size // _FIRST_PART
        before = int(novel.sum())
        _meet(labels, chosen, table, segment.codes, segment.alive, 0, first, novel)
        if before - int(novel.sum()) >= _LEAST_SHARE * before:
            _meet(labels, chosen, table, segment.codes, segment.alive, first, size, novel)
    return novel


@kernel
def _slot(rows: Rows, i: int, columns: NDArray[np.int64], size: int) -> np.int64:
    """Where the search for a row's values begins in a table of a power of two slots."""
    mixed = np.uint64(0)
    for c in columns:
        mixed = (mixed ^ np.uint64(rows[c, i])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(size - 1))


@kernel
def _agree(rows: Rows, i: int, others: Rows, j: int, columns: NDArray[np.int64]) -> bool:
    for c in columns:  # noqa: SIM110 -- kernels know no generators
        if rows[c, i] != others[c, j]:
            return False
    return True


@kernel
def _place(labels: Rows, columns: NDArray[np.int64], table: NDArray[np.int32], novel: Flags) -> None:
    """Puts the first row with each combination of values into the table; the others are not novel."""
    for i in range(labels.shape[1]):
        at = _slot(labels, i, columns, table.size)
        while table[at] >= 0 and not _agree(labels, i, labels, table[at], columns):
            at = (at + 1) & (table.size - 1)
        if table[at] >= 0:
            novel[i] = False
        else:
            table[at] = i


@kernel
def _meet(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    labels: Rows,
    columns: NDArray[np.int64],
    table: NDArray[np.int32],
    codes: Rows,
    alive: Flags,
    start: int,
    stop: int,
    novel: Flags,
) -> None:
    """Strikes the given rows whose values one of these old rows has that is not deleted."""
    for j in range(start, stop):
        at = _slot(codes, j, columns, table.size)
        while table[at] >= 0:
            i = table[at]
            if _agree(labels, i, codes, j, columns):
                if alive[j]:
                    novel[i] = False
                break
            at = (at + 1) & (table.size - 1)
