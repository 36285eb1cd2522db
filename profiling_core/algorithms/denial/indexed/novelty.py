"""Which given rows are new to a constraint: those whose values in its columns no other row has.

A row that has the values of an old one in all columns that a constraint speaks of violates it with whom the old one
does, and with the old one itself only if equal values satisfy the constraint. So where a constraint held before, and
asks for a difference within some column, only rows with new values need to be looked up. Most rows of large tables
have old ones: hours, places and prices come again.
Old rows with these values are sought by the index that tells most of them apart, among the first ones of a run; a row
whose like is not found there is looked up in vain.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.equal_runs import Runs, runs_of
from profiling_core.algorithms.denial.indexed.orders import telling
from profiling_core.algorithms.denial.indexed.segments import IndexedSide, Order, Places, Rows, Segment
from profiling_core.algorithms.ground.arrays import Flags, fixed
from profiling_core.algorithms.ground.hashing import binary_logarithm, mix
from profiling_core.algorithms.ground.kernel import kernel

# Rows of a run that are read.
_READ = 64


def novel_rows(
    labels: Rows,
    flags: Flags,
    columns: Order,
    segments: Iterable[Segment],
    distinct: NDArray[np.int64],
    sorted_by: Callable[[Order], Places],
) -> Flags:
    """Which of the given rows to look up: of each combination of values that no old row has, one row.

    Args:
        labels: int64[m, d], the given rows.
        flags: bool[d]: those that are asked for.
        columns: the columns whose values count.
        segments: the old rows.
        distinct: int64[m], how many values columns have.
        sorted_by: the given rows sorted by some columns.
    """
    chosen = np.array(columns, np.int64)
    table = np.full(1 << (8 * int(flags.sum())).bit_length(), -1, np.int32)
    novel = flags.copy()
    _place(fixed(labels), fixed(chosen), table, novel)
    for segment in segments:
        prefix = telling(segment.indexes, columns, distinct)
        order = segment.sorted_by(prefix)
        given = sorted_by(prefix)
        runs = runs_of(labels, given[novel[given]], prefix, segment, order, prefix, nulls_equal=True)
        _meet(runs, fixed(labels), fixed(chosen), segment.side, fixed(order), novel)
    return novel


@kernel
def _slot(rows: Rows, i: int, columns: NDArray[np.int64], bits: int) -> np.int64:
    """Where the search for a row's values begins in a table of 2^bits slots."""
    mixed = np.uint64(0)
    for c in columns:
        mixed = mix(mixed, np.uint64(rows[c, i]))
    return np.int64(mixed >> np.uint64(64 - bits))


@kernel
def _agree(rows: Rows, i: int, others: Rows, j: int, columns: NDArray[np.int64]) -> bool:
    for c in columns:  # noqa: SIM110 -- kernels know no generators
        if rows[c, i] != others[c, j]:
            return False
    return True


@kernel
def _place(labels: Rows, columns: NDArray[np.int64], table: NDArray[np.int32], novel: Flags) -> None:
    """Puts the first row with each combination of values into the table; the others are not novel."""
    bits = binary_logarithm(table)
    for i in range(labels.shape[1]):
        if not novel[i]:
            continue
        at = _slot(labels, i, columns, bits)
        while table[at] >= 0 and not _agree(labels, i, labels, table[at], columns):
            at = (at + 1) & (table.size - 1)
        if table[at] >= 0:
            novel[i] = False
        else:
            table[at] = i


@kernel
def _meet(
    runs: Runs, labels: Rows, columns: NDArray[np.int64], segment: IndexedSide, order: Places, novel: Flags
) -> None:
    """Strikes the given rows whose values an old row of their run has that is not deleted."""
    given, starts, stops = runs
    for at in range(given.size):
        for place in range(starts[at], min(stops[at], starts[at] + _READ)):
            if segment.alive[order[place]] and _agree(labels, given[at], segment.codes, order[place], columns):
                novel[given[at]] = False
                break
