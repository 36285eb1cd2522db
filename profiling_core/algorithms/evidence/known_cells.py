"""The counting of pairs in cells that have a number already, as nearly all do: the inner loops of :mod:`cell_counts`.

No pair is looked at for whether it has a cell: those that have none are counted in cells of row or column 0, which are
no key's, and the least number met tells whether there were any. Where there are few cells, pairs one after the other
often have the same one, and each would wait for the count of the one before to be written; so they take the ways of a
cell in turn.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.cell_counts import ALL_CELLS, COUNTED, FEW_CELLS, WAYS, Cells, filled_cells
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

Lanes = NDArray[np.uint16]
Counts = NDArray[np.int32]


@kernel
def count_known(cells: Cells, lanes: Lanes, size: int, weights: Words, weight: np.int64) -> bool:
    """Counts pairs, but for those with a value or a cell without a number: :func:`cell_counts.count_rest` does these.

    Args:
        cells: where to count.
        lanes: uint16[lanes, at least n].
        size: n, how many pairs.
        weights: uint64[n], or empty: 1.
        weight: a factor of all of them.

    Returns:
        Whether all of them had numbers.
    """
    cells.state[COUNTED] += size
    few = filled_cells(cells) <= FEW_CELLS
    counts = cells.counts if few else cells.counts[ALL_CELLS:]
    step = np.uint64(FEW_CELLS if few else 0)
    if lanes.shape[0] == 2:
        return _count_two(cells, counts, step, lanes, size, weights, np.int32(weight))
    if lanes.shape[0] == 3 and weights.size == 0:
        return _count_three(cells, counts, step, lanes, size, np.int32(weight))
    least, last = np.uint64(1), lanes.shape[0] - 1
    for j in range(size):
        at = np.uint64(cells.numbers[0, lanes[0, j]])
        least = min(least, at)
        for k in range(1, last + 1):
            column = np.uint64(cells.numbers[k, lanes[k, j]])
            at = at * np.uint64(cells.columns[k]) + column
            least = min(least, column)
            if k < last:
                at = np.uint64(cells.links[k - 1, at])
                least = min(least, at)
        cells.counts[np.uint64(ALL_CELLS) + at] += (
            np.int32(weight) * np.int32(weights[j]) if weights.size else np.int32(weight)
        )
    return bool(least)


@kernel
def _count_two(
    cells: Cells, counts: Counts, step: np.uint64, lanes: Lanes, size: int, weights: Words, factor: np.int32
) -> bool:
    """The same for two lanes, as most tables have.

    ``counts`` begin with the first way to take, ways are ``step`` apart; 0: all pairs take that one. Indices are
    unsigned, so that no check for negative ones comes between.
    """
    high, low, of_high, of_low = lanes[0], lanes[1], cells.numbers[0], cells.numbers[1]
    least, many, ways = np.uint64(1), np.uint64(cells.columns[1]), np.uint64(WAYS - 1)
    if weights.size:
        for j in range(size):
            row, column = np.uint64(of_high[high[j]]), np.uint64(of_low[low[j]])
            least = min(least, row, column)
            counts[row * many + column + (np.uint64(j) & ways) * step] += factor * np.int32(weights[j])
        return bool(least)
    if step:
        for j in range(size):
            row, column = np.uint64(of_high[high[j]]), np.uint64(of_low[low[j]])
            least = min(least, row, column)
            counts[row * many + column + (np.uint64(j) & ways) * step] += factor
        return bool(least)
    for j in range(size):
        row, column = np.uint64(of_high[high[j]]), np.uint64(of_low[low[j]])
        least = min(least, row, column)
        counts[row * many + column] += factor
    return bool(least)


@kernel
def _count_three(cells: Cells, counts: Counts, step: np.uint64, lanes: Lanes, size: int, factor: np.int32) -> bool:
    """The same for three lanes in which each right row stands for one."""
    high, middle, low = lanes[0], lanes[1], lanes[2]
    of_high, of_middle, of_low = cells.numbers[0], cells.numbers[1], cells.numbers[2]
    link, between, many = cells.links[0], np.uint64(cells.columns[1]), np.uint64(cells.columns[2])
    least, ways = np.uint64(1), np.uint64(WAYS - 1)
    for j in range(size):
        row, inner = np.uint64(of_high[high[j]]), np.uint64(of_middle[middle[j]])
        at, column = np.uint64(link[row * between + inner]), np.uint64(of_low[low[j]])
        least = min(least, at, column)
        counts[at * many + column + (np.uint64(j) & ways) * step] += factor
    return bool(least)
