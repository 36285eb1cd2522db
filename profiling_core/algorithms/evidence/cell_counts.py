"""Counts of evidence keys in plain cells: no hashing, no comparing, where the keys' lanes take few values.

A key is made of lanes of 16 bits (tile_kernel.py), and real tables fill each lane with hundreds of values, not 65,536.
Each value of a lane is named by a small number as it is first met, so that two lanes' numbers are the row and the
column of a cell; of more lanes the first two's cells are named in turn, and so on, until the last gives the cell that
counts. Where cells run out, what they hold goes into the hash table (counting_table.py) and they begin anew; where that
happens too often to pay, as in wide tables of many values, they are given up for it. :mod:`known_cells` does what is
done for each pair.
"""

from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.counting_table import counted
from profiling_core.algorithms.ground.kernel import kernel

Lanes = NDArray[np.uint16]
Numbers = NDArray[np.uint32]
Counts = NDArray[np.int32]

# Cells of each level; memory is taken as they are touched.
CELLS = 1 << 23
# With more lanes nearly every pair has a key of its own, and cells do not pay.
MOST_LANES = 4
_LANES_PER_WORD = 4
# The most columns that cells begin with, and the most that they grow to.
_FIRST_COLUMNS, _MOST_COLUMNS = 2048, 4096
# The first 2^15 cells of the last level count in 4 places each (*ways*); the last way belongs to all cells.
WAYS, FEW_CELLS = 4, 1 << 15
ALL_CELLS = (WAYS - 1) * FEW_CELLS
# Cells are emptied once they have counted this number of pairs each; otherwise they are given up.
_PAIRS_PER_CELL = 4
# Cells are emptied before they might have counted more.
_MOST_COUNTED = (1 << 31) - 1
# Places in ``Cells.state``.
COUNTED, _WEIGHT, GIVEN_UP = range(3)


class Cells(NamedTuple):
    """The counts so far; numbers begin with 1, and 0 stands for none.

    Attributes:
        numbers: uint16[lanes, 65536], the number of each lane's value; values: the inverse.
        links: uint32[lanes - 2, cells], the number of each cell of the levels before the last; cells: the inverse.
        counts: int32[(ways − 1) · few cells + cells] of the last level, one way after the other; a cell's count is the
            sum of its ways'.
        columns: int64[lanes], how many columns each lane's level has.
        given: int64[2, lanes], how many numbers there are of each lane's values, and of each level's cells.
        state: int64[3], pairs counted since the cells were empty, their weight, and whether cells are given up.
    """

    numbers: Lanes
    values: Lanes
    links: Numbers
    cells: Numbers
    counts: Counts
    columns: NDArray[np.int64]
    given: NDArray[np.int64]
    state: NDArray[np.int64]


def new_cells(values: Sequence[int], *, given_up: bool) -> Cells:
    """Empty cells for keys whose lanes take about ``values`` values each; ``given_up``: no cells at all."""
    lanes = len(values)
    size, kinds = (0, 0) if given_up else (CELLS, 1 << 16)
    levels = max(0, lanes - 2)
    # Odd, lest the columns of all rows should meet in the same few sets of the processor's cache.
    columns = [(min(many, _FIRST_COLUMNS, isqrt(CELLS)) + 1) | 1 for many in values]
    return Cells(
        np.zeros((lanes, kinds), np.uint16),
        np.zeros((lanes, kinds), np.uint16),
        np.zeros((levels, size), np.uint32),
        np.zeros((levels, size), np.uint32),
        np.zeros(0 if given_up else ALL_CELLS + size, np.int32),
        np.array(columns, np.int64),
        np.zeros((2, lanes), np.int64),
        np.array([0, 0, given_up], np.int64),
    )


@kernel
def _rows(cells: Cells, lane: int) -> int:
    """How many rows the level of the lane after this one has place for, or how many values the only lane has."""
    after = lane + 1
    return int((cells.counts.size - ALL_CELLS) // cells.columns[after]) if after < cells.columns.size else 1 << 16


@kernel
def _cell(cells: Cells, lanes: Lanes, j: int) -> int:
    """The cell of the last level that counts a pair, where all that leads there has a number; else 0."""
    at = int(cells.numbers[0, lanes[0, j]])
    for k in range(1, lanes.shape[0]):
        column = int(cells.numbers[k, lanes[k, j]])
        if at == 0 or column == 0:
            return 0
        at = at * int(cells.columns[k]) + column
        if k < lanes.shape[0] - 1:
            at = int(cells.links[k - 1, at])
    return at


@kernel
def _name(cells: Cells, lanes: Lanes, j: int) -> int:
    """Names what of a pair has no number; −1, or the lane that needs more columns, or how many lanes: more rows."""
    last = cells.columns.size - 1
    at = 0
    for k in range(last + 1):
        value = lanes[k, j]
        if cells.numbers[k, value] == 0:
            if cells.given[0, k] + 1 >= (cells.columns[k] if k else _rows(cells, 0)):
                return k or last + 1
            cells.given[0, k] += 1
            cells.numbers[k, value] = cells.given[0, k]
            cells.values[k, cells.given[0, k]] = value
        number = int(cells.numbers[k, value])
        at = at * int(cells.columns[k]) + number if k else number
        if 0 < k < last:
            if cells.links[k - 1, at] == 0:
                if cells.given[1, k] + 1 >= _rows(cells, k):
                    return last + 1
                cells.given[1, k] += 1
                cells.links[k - 1, at] = cells.given[1, k]
                cells.cells[k - 1, cells.given[1, k]] = at
            at = int(cells.links[k - 1, at])
    return -1


@kernel
def _filled_rows(cells: Cells) -> int:
    """How many rows of the last level have been named."""
    last = cells.columns.size - 1
    if last == 0:
        return 0
    return int(cells.given[0, 0] if last == 1 else cells.given[1, last - 1])


@kernel
def filled_cells(cells: Cells) -> int:
    """How many cells of the last level, those between them included, keys might have been counted in."""
    last = cells.columns.size - 1
    return int((_filled_rows(cells) + 1) * cells.columns[last] if last else cells.given[0, 0])


@kernel
def _count_of(cells: Cells, cell: int) -> int:
    """The count of a cell of the last level over all its ways."""
    total = int(cells.counts[ALL_CELLS + cell])
    if cell < FEW_CELLS:
        for way in range(WAYS - 1):
            total += cells.counts[way * FEW_CELLS + cell]
    return total


@kernel
def _write_key(cells: Cells, cell: int, key: Words) -> None:
    """The key that a cell of the last level counts, into uint64[words, 1]."""
    key[:] = 0
    for k in range(cells.columns.size - 1, -1, -1):
        number = cell
        if k > 0:
            number = cell % int(cells.columns[k])
            cell //= int(cells.columns[k])
            if k > 1:
                cell = int(cells.cells[k - 2, cell])
        shift = np.uint64(16 * (k % _LANES_PER_WORD))
        key[k // _LANES_PER_WORD, 0] |= np.uint64(cells.values[k, number]) << shift


@kernel
def _first_row(cells: Cells) -> int:
    """The first row of the last level whose cells count keys: of more than one lane, those of row 0 are no key's."""
    return 1 if cells.columns.size > 1 else 0


@kernel
def contents(cells: Cells) -> tuple[Words, NDArray[np.int64]]:
    """The keys that cells have counted, uint64[n, words], and how often, int64[n]."""
    last = cells.columns.size - 1
    columns = cells.columns[last] if last else 1 << 16
    many = 0
    for row in range(_first_row(cells), _filled_rows(cells) + 1):
        for column in range(1, cells.given[0, last] + 1):
            many += _count_of(cells, row * columns + column) != 0
    words = last // _LANES_PER_WORD + 1
    keys, counts, key = np.empty((many, words), np.uint64), np.empty(many, np.int64), np.empty((words, 1), np.uint64)
    many = 0
    for row in range(_first_row(cells), _filled_rows(cells) + 1):
        for column in range(1, cells.given[0, last] + 1):
            cell = row * columns + column
            count = _count_of(cells, cell)
            if count:
                _write_key(cells, cell, key)
                keys[many] = key[:, 0]
                counts[many] = count
                many += 1
    return keys, counts


@kernel
def emptied(cells: Cells, table: Words, used: int) -> tuple[Words, int]:
    """Adds what the cells hold to a hash table, and empties them; returns the table, grown if need be, and its rows."""
    keys, counts = contents(cells)
    weights, starts = counts.astype(np.uint64), np.empty(counts.size, np.uint64)
    table, used = counted(table, used, keys.T.copy(), counts.size, weights, np.uint64(1), starts)
    last = cells.columns.size - 1
    columns = cells.columns[last] if last else 1 << 16
    cells.counts[:ALL_CELLS] = 0
    for row in range(_filled_rows(cells) + 1):
        first = ALL_CELLS + row * columns
        cells.counts[first : first + cells.given[0, last] + 1] = 0
    for k in range(last + 1):
        for number in range(1, cells.given[0, k] + 1):
            cells.numbers[k, cells.values[k, number]] = 0
        if 0 < k < last:
            for number in range(1, cells.given[1, k] + 1):
                cells.links[k - 1, cells.cells[k - 1, number]] = 0
    cells.given[:] = 0
    cells.state[COUNTED] = cells.state[_WEIGHT] = 0
    return table, used


@kernel
def prepared(cells: Cells, table: Words, used: int, weight: np.int64) -> tuple[bool, Words, int]:
    """Whether cells can count pairs of this total ``weight``; they are emptied first if they must be.

    Returns:
        That, the table, its filled rows.
    """
    if cells.state[GIVEN_UP]:
        return False, table, used
    if cells.state[_WEIGHT] + weight > _MOST_COUNTED:
        table, used = emptied(cells, table, used)
    cells.state[_WEIGHT] += weight
    return bool(weight <= _MOST_COUNTED), table, used


@kernel
def count_rest(
    cells: Cells, table: Words, used: int, lanes: Lanes, size: int, weights: Words, weight: np.int64
) -> tuple[NDArray[np.int64], Words, int]:
    """Counts those pairs that :func:`known_cells.count_known` found no numbers for, naming what it meets.

    Args:
        cells: where to count.
        table: a hash table that takes what cells have no place for.
        used: its filled rows.
        lanes: uint16[lanes, at least n].
        size: n, how many pairs.
        weights: uint64[n], or empty: 1.
        weight: a factor of all of them.

    Returns:
        The pairs that are left (if any, cells are given up for the table), the table, its filled rows.
    """
    unnamed = np.empty(size, np.int64)
    many = 0
    for j in range(size):
        unnamed[many] = j
        many += _cell(cells, lanes, j) == 0
    for t in range(many):
        j = unnamed[t]
        short = _name(cells, lanes, j)
        while short >= 0:
            filled = _filled_rows(cells) * cells.given[0, cells.columns.size - 1]
            pays = cells.state[COUNTED] > _PAIRS_PER_CELL * filled
            weighed = cells.state[_WEIGHT]
            table, used = emptied(cells, table, used)
            cells.state[_WEIGHT] = weighed
            if short < cells.columns.size and cells.columns[short] < _MOST_COLUMNS:
                cells.columns[short] = 2 * cells.columns[short] + 1
            elif not pays:
                cells.state[GIVEN_UP] = 1
                return unnamed[t:many], table, used
            short = _name(cells, lanes, j)
        factor = np.int32(weights[j]) if weights.size else np.int32(1)
        cells.counts[ALL_CELLS + _cell(cells, lanes, j)] += np.int32(weight) * factor
    return unnamed[:0], table, used
