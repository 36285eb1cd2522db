"""The inner loop of evidence that updates change: only pairs whose evidence is not the same before and after.

A row that changes in few columns compares with most other rows as before: by an unordered column only rows with the
old or the new value see a difference, by an ordered one those whose value lies between both. So the columns that
changed are compared first, by both values, and only where these outcomes differ are pairs counted: once less for the
old row, once more for the new one. Sources: DynASt, section 3 (signed evidence of deltas); tile_kernel.py.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.cell_counts import ALL_CELLS, COUNTED, Cells
from profiling_core.algorithms.evidence.tile_kernel import (
    BLOCK,
    HASHED,
    IN_CELLS,
    NULL_POSITION,
    SLOTS_PER_LANE,
    USED,
    Compared,
    Lanes,
    Positions,
    RightTile,
    add_outcomes,
    begin,
    count_block,
    new_counting,
)
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

# If at most one pair in 12 changes, the other columns are compared for the changed pairs alone.
_FEW = 12


@kernel
def _differing(before: Lanes, after: Lanes, out: NDArray[np.uint16]) -> int:
    """Where lanes (uint16[lanes, n]) differ, as other numbers than 0 in ``out``; how often they do."""
    out[:] = 0
    for lane in range(before.shape[0]):
        old, new = before[lane], after[lane]
        for j in range(out.size):
            out[j] |= old[j] ^ new[j]
    many = 0
    for j in range(out.size):
        many += out[j] != 0
    return many


@kernel
def _picked(differing: NDArray[np.uint16], out: NDArray[np.uint16]) -> None:
    """The positions of other numbers than 0; indices are unsigned, so that no check for negative ones comes between."""
    many, one, nothing = np.uint64(0), np.uint64(1), np.uint64(0)
    for j in range(differing.size):
        out[many] = np.uint16(j)
        many += one if differing[j] else nothing


@kernel
def _count_both(
    numbers: Lanes,
    columns: NDArray[np.int64],
    counts: NDArray[np.int32],
    both: Lanes,
    common: Lanes,
    picked: NDArray[np.uint16],
    weights: Words,
) -> int:
    """Counts picked pairs of two lanes by the cells' numbers; returns how many it counted before one without a number.

    Args:
        numbers: as in the cells, like what follows.
        columns: likewise.
        counts: likewise.
        both: uint16[2, 2, n], lanes before and after, of the columns that changed.
        common: uint16[2, n], lanes of the others.
        picked: uint16[pairs], which to count.
        weights: uint64[n], or empty: 1.
    """
    of_high, of_low, many = numbers[0], numbers[1], np.uint64(columns[1])
    old_high, old_low, new_high, new_low = both[0, 0], both[0, 1], both[1, 0], both[1, 1]
    rest_high, rest_low, weighted, weight = common[0], common[1], weights.size > 0, np.int32(1)
    for t in range(picked.size):
        j = picked[t]
        high, low = rest_high[j], rest_low[j]
        row, column = np.uint64(of_high[old_high[j] | high]), np.uint64(of_low[old_low[j] | low])
        new_row, new_column = np.uint64(of_high[new_high[j] | high]), np.uint64(of_low[new_low[j] | low])
        if row == 0 or column == 0 or new_row == 0 or new_column == 0:
            return t
        if weighted:
            weight = np.int32(weights[j])
        counts[row * many + column] -= weight
        counts[new_row * many + new_column] += weight
    return int(picked.size)


@kernel
def _gather(both: Lanes, common: Lanes, picked: NDArray[np.uint16], weights: Words, weighing: Words) -> None:
    """Moves the whole lanes of picked pairs, and their weights if any, to the front."""
    for t in range(picked.size):
        j = picked[t]
        # Positions ascend and are never below their own, so that nothing is overwritten too early.
        for lane in range(common.shape[0]):
            both[0, lane, t] = both[0, lane, j] | common[lane, j]
            both[1, lane, t] = both[1, lane, j] | common[lane, j]
        if weights.size:
            weighing[t] = weights[j]


class ChangedSide(NamedTuple):
    """Rows before and after: ``positions``: int16[2, p, rows], per compared slot; ``lanes``: uint16[2, lanes, rows]."""

    positions: Positions
    lanes: Lanes


class _Scratch(NamedTuple):
    """The outcomes of a row's pairs with a block of right rows.

    Attributes:
        both: uint16[2, lanes, BLOCK], by the slots that changed, before and after.
        common: uint16[lanes, BLOCK], by the others.
        picked: uint16[BLOCK], the pairs that changed.
        differing: uint16[BLOCK], other numbers than 0 where they did.
        outcomes: uint16[BLOCK], the outcomes of some of them in one slot.
        chosen: int16[BLOCK], the right rows' positions in that slot.
        nothing: uint16[BLOCK], zeros.
    """

    both: Lanes
    common: Lanes
    picked: NDArray[np.uint16]
    differing: NDArray[np.uint16]
    outcomes: NDArray[np.uint16]
    chosen: NDArray[np.int16]
    nothing: NDArray[np.uint16]


@kernel
def _scratch(lanes: int) -> _Scratch:
    both, common = np.empty((2, lanes, BLOCK), np.uint16), np.empty((lanes, BLOCK), np.uint16)
    more = np.zeros((4, BLOCK), np.uint16)
    return _Scratch(both, common, more[0], more[1], more[2], np.empty(BLOCK, np.int16), more[3])


@kernel
def _changes(left: ChangedSide, i: int) -> bool:
    """Whether a row is another one after than before."""
    for lane in range(left.lanes.shape[1]):
        if left.lanes[0, lane, i] != left.lanes[1, lane, i]:
            return True
    for p in range(left.positions.shape[1]):  # noqa: SIM110 -- kernels know no generators
        if left.positions[0, p, i] != left.positions[1, p, i]:
            return True
    return False


@kernel
def _pick(
    scratch: _Scratch, left: ChangedSide, i: int, right: RightTile, span: tuple[int, int], compared: Compared
) -> int:
    """Compares by the slots that changed; how many pairs that makes a difference to."""
    start, end = span
    size, both, positions = end - start, scratch.both, left.positions
    for side in range(2):
        for lane in range(both.shape[1]):
            begin(both[side, lane, :size], right.lanes[lane, start:end], left.lanes[side, lane, i])
        for p in range(compared.slots.size):
            at = positions[side, p, i]
            if positions[0, p, i] != positions[1, p, i]:
                mode, lane = compared.modes[1 if at == NULL_POSITION else 0, p], compared.slots[p] // SLOTS_PER_LANE
                add_outcomes(both[side, lane, :size], right.positions[p, start:end], at, mode, compared.bits[p])
    many = _differing(both[0, :, :size], both[1, :, :size], scratch.differing[:size])
    if many:
        _picked(scratch.differing[:size], scratch.picked)
    return many


@kernel
def _compare_rest(
    scratch: _Scratch, left: ChangedSide, i: int, right: RightTile, span: tuple[int, int], compared: Compared, many: int
) -> None:
    """Compares by the other slots; where few pairs changed, these alone."""
    start, end = span
    size, common, picked = end - start, scratch.common, scratch.picked
    chosen, outcomes = scratch.chosen, scratch.outcomes
    for lane in range(common.shape[0]):
        begin(common[lane, :size], scratch.nothing[:size], np.uint16(0))
    for p in range(compared.slots.size):
        at = left.positions[0, p, i]
        if at != left.positions[1, p, i]:
            continue
        mode, lane = compared.modes[1 if at == NULL_POSITION else 0, p], compared.slots[p] // SLOTS_PER_LANE
        if many * _FEW >= size:
            add_outcomes(common[lane, :size], right.positions[p, start:end], at, mode, compared.bits[p])
            continue
        for t in range(many):
            chosen[t] = right.positions[p, start + np.int64(picked[t])]
        outcomes[:many] = 0
        add_outcomes(outcomes[:many], chosen[:many], at, mode, compared.bits[p])
        for t in range(many):
            common[lane, picked[t]] |= outcomes[t]


@kernel
def count_changes(
    cells: Cells, table: Words, left: ChangedSide, right: RightTile, compared: Compared
) -> tuple[Words, bool]:
    """Counts keys of pairs of a tile as :func:`tile_kernel.count_tile`, of old rows as −1, of new ones as 1.

    Args:
        cells: counts before this tile.
        table: uint64[2^b, words + 1], empty; its counts are modulo 2^64.
        left: the rows that change.
        right: those that they are compared with.
        compared: the compared slots.

    Returns:
        The table, grown if need be, and whether anything is in it.
    """
    many_right, lanes, right_weights = right.positions.shape[1], right.lanes.shape[0], right.weights
    scratch = _scratch(lanes)
    both, common, picked = scratch.both, scratch.common, scratch.picked
    weighing = np.empty(BLOCK if right_weights.size else 0, np.uint64)
    heavy = np.int64(right_weights.sum()) if right_weights.size else np.int64(many_right)
    counting, table = new_counting(cells, table, 2 * left.positions.shape[2] * heavy)
    numbers, columns, counts = cells.numbers, cells.columns, cells.counts[ALL_CELLS:]
    for start in range(0, many_right, BLOCK):
        span = (start, min(start + BLOCK, many_right))
        for i in range(left.positions.shape[2]):
            many = _pick(scratch, left, i, right, span, compared) if _changes(left, i) else 0
            if many == 0:
                continue
            _compare_rest(scratch, left, i, right, span, compared, many)
            weights, known = right_weights[start : span[1]], 0
            if counting.state[IN_CELLS] and lanes == 2:
                known = _count_both(numbers, columns, counts, both, common, picked[:many], weights)
                cells.state[COUNTED] += 2 * known
            _gather(both, common, picked[known:many], weights, weighing)
            for side in range(2):
                sign, some = np.int64(2 * side - 1), weighing[: many - known]
                table = count_block(counting, table, both[side], many - known, some, sign)
    return table, counting.state[HASHED] != 0 or counting.state[USED] > 0
