"""The inner loop of evidence that updates change: only pairs whose evidence is not the same before and after.

A row that changes in few columns compares with most other rows as before: by an unordered column only rows with the
old or the new value see a difference, by an ordered one those whose value lies between both. So the columns that
changed are compared first, by both values, and only where these outcomes differ are pairs counted: once less for the
old row, once more for the new one. Sources: DynASt, section 3 (signed evidence of deltas); tile_kernel.py.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.cell_counts import ALL_CELLS, COUNTED, Cells, count_rest, prepared
from profiling_core.algorithms.evidence.known_cells import count_known
from profiling_core.algorithms.evidence.tile_kernel import (
    BLOCK,
    NULL_POSITION,
    SLOTS_PER_LANE,
    Lanes,
    Positions,
    add_outcomes,
    begin,
    count_keys,
    gather,
)
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

# Where at most one pair in so many changes, the other columns are compared for these alone.
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
    """Counts picked pairs of two lanes by what cells know, until one of the two has no number; how many.

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


@kernel
def count_changes(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    cells: Cells,
    table: Words,
    left: Positions,
    right: Positions,
    slots: NDArray[np.int64],
    modes: NDArray[np.int8],
    bits: Lanes,
    left_lanes: Lanes,
    right_lanes: Lanes,
    right_weights: Words,
) -> tuple[Words, bool]:
    """Counts keys of pairs of a tile as :func:`tile_kernel.count_tile`, of old rows as −1, of new ones as 1.

    Args:
        cells: counts before this tile.
        table: uint64[2^b, words + 1], empty; its counts are modulo 2^64.
        left: int16[2, p, rows], positions per compared slot, before and after.
        right: int16[p, tile rows].
        slots: int64[p], where each compared slot stands in the key, ascending.
        modes: int8[2, p], how its outcome is computed where the left side is not null, and where it is.
        bits: uint16[p, 4], the outcomes less, equal, greater as bits of the slot's lane, and 0.
        left_lanes: uint16[2, lanes, rows], the key bits that follow from the left row alone, before and after.
        right_lanes: uint16[lanes, tile rows], the key bits that follow from the right row alone.
        right_weights: uint64[tile rows]; empty if all are 1.

    Returns:
        The table, grown if need be, and whether anything is in it.
    """
    used, hashed, lanes = 0, False, right_lanes.shape[0]
    both, common = np.empty((2, lanes, BLOCK), np.uint16), np.empty((lanes, BLOCK), np.uint16)
    keys, starts = np.empty((table.shape[1] - 1, BLOCK), np.uint64), np.empty(BLOCK, np.uint64)
    picked, differing, compared, nothing = np.empty((4, BLOCK), np.uint16)
    chosen = np.empty(BLOCK, np.int16)
    nothing[:] = 0
    weighing = np.empty(BLOCK if right_weights.size else 0, np.uint64)
    signs = np.array([-1, 1], np.int64)
    heavy = np.int64(right_weights.sum()) if right_weights.size else np.int64(right.shape[1])
    in_cells, table, used = prepared(cells, table, used, 2 * left.shape[2] * heavy)
    numbers, columns, counts = cells.numbers, cells.columns, cells.counts[ALL_CELLS:]
    for start in range(0, right.shape[1], BLOCK):
        end = min(start + BLOCK, right.shape[1])
        size = end - start
        for i in range(left.shape[2]):
            changed = (left_lanes[0, :, i] != left_lanes[1, :, i]).any()
            for p in range(slots.size):
                changed |= left[0, p, i] != left[1, p, i]
            if not changed:
                continue
            for side in range(2):
                for lane in range(lanes):
                    begin(both[side, lane, :size], right_lanes[lane, start:end], left_lanes[side, lane, i])
                for p in range(slots.size):
                    at = left[side, p, i]
                    if left[0, p, i] != left[1, p, i]:
                        mode, lane = modes[1 if at == NULL_POSITION else 0, p], slots[p] // SLOTS_PER_LANE
                        add_outcomes(both[side, lane, :size], right[p, start:end], at, mode, bits[p])
            many = _differing(both[0, :, :size], both[1, :, :size], differing[:size])
            if many == 0:
                continue
            few = many * _FEW < size
            _picked(differing[:size], picked)
            for lane in range(lanes):
                begin(common[lane, :size], nothing[:size], np.uint16(0))
            for p in range(slots.size):
                at = left[0, p, i]
                if at != left[1, p, i]:
                    continue
                mode, lane = modes[1 if at == NULL_POSITION else 0, p], slots[p] // SLOTS_PER_LANE
                if few:
                    for t in range(many):
                        chosen[t] = right[p, start + np.int64(picked[t])]
                    compared[:many] = 0
                    add_outcomes(compared[:many], chosen[:many], at, mode, bits[p])
                    for t in range(many):
                        common[lane, picked[t]] |= compared[t]
                else:
                    add_outcomes(common[lane, :size], right[p, start:end], at, mode, bits[p])
            weights, counted = right_weights[start:end], 0
            if in_cells and lanes == 2:
                counted = _count_both(numbers, columns, counts, both, common, picked[:many], weights)
                cells.state[COUNTED] += 2 * counted
            many -= counted
            _gather(both, common, picked[counted : counted + many], weights, weighing)
            weights = weighing[:many]
            for side in range(2):
                now, sign, rest_size, rest_weights = both[side], signs[side], many, weights
                if in_cells:
                    if count_known(cells, now, many, weights, sign):
                        continue
                    rest, table, used = count_rest(cells, table, used, now, many, weights, sign)
                    in_cells, rest_size = rest.size == 0, rest.size
                    if in_cells:
                        continue
                    gather(now, rest)
                    if weights.size:
                        rest_weights = weights[rest]
                table, used = count_keys(table, used, now[:, :rest_size], rest_weights, np.uint64(sign), keys, starts)
                hashed = True
    return table, hashed or used > 0
