"""What comparing two rows, or the rows of two nodes, can come to: sets of outcomes, and the predicates these satisfy.

A node knows its rows' columns by bounds, and whether one of them is null; what its rows may come to is more than what
each pair of them does.
Source: IncDC, Fetch, on one side's bounds; on both sides' our own.
"""

import numpy as np

from profiling_core.algorithms.bit_words import Masks
from profiling_core.algorithms.incdc.pair_groups import (
    BETWEEN,
    GIVEN,
    ONLY_EQUAL,
    ONLY_GREATER,
    ONLY_INCOMPARABLE,
    ONLY_LESS,
    OTHER,
)
from profiling_core.algorithms.incdc.segments import Flags, Places, Rows
from profiling_core.algorithms.kernel import kernel


@kernel
def _possible(  # noqa: PLR0917 -- a kernel takes its values one by one
    low: int,
    high: int,
    null: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    other_low: int,
    other_high: int,
    other_null: bool,  # noqa: FBT001
    ordered: bool,  # noqa: FBT001
    nulls_equal: bool,  # noqa: FBT001
) -> int:
    """The outcomes of comparing a value within some bounds with one within others; ``high`` −1: null alone."""
    found = 0
    if high >= 0 and other_high >= 0:
        if low <= other_high and other_low <= high:
            found |= ONLY_EQUAL
        if ordered:
            if low < other_high:
                found |= ONLY_LESS
            if high > other_low:
                found |= ONLY_GREATER
        elif low != high or other_low != other_high or low != other_low:
            found |= ONLY_LESS
    if null or other_null:
        if not nulls_equal:
            return found | ONLY_INCOMPARABLE
        if null and other_null:
            found |= ONLY_EQUAL
        if (null and other_high >= 0) or (other_null and high >= 0):
            found |= ONLY_INCOMPARABLE if ordered else ONLY_LESS
    return found


@kernel
def outcome(a: int, b: int, ordered: bool, nulls_equal: bool) -> int:  # noqa: FBT001 -- kernels take no keyword arguments
    """The outcome of comparing two labels, as a set of one."""
    if a < 0 or b < 0:
        if not nulls_equal:
            return ONLY_INCOMPARABLE
        if a == b:
            return ONLY_EQUAL
        return ONLY_INCOMPARABLE if ordered else ONLY_LESS
    if a == b:
        return ONLY_EQUAL
    return ONLY_LESS if a < b or not ordered else ONLY_GREATER


@kernel
def _within(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    codes: Rows,
    alive: Flags,
    order: Places,
    low: Rows,
    high: Rows,
    null: Flags,
    leaf: int,
    node: int,
    x: int,
    y: int,
    ordered: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    nulls_equal: bool,  # noqa: FBT001
) -> int:
    """The outcomes of comparing two columns of a row, over a node's rows."""
    if node < low.shape[0] // 2:
        return _possible(
            low[node, x], high[node, x], null[node, x], low[node, y], high[node, y], null[node, y], ordered, nulls_equal
        )
    first = (node - low.shape[0] // 2) * leaf
    found = 0
    for place in range(first, min(first + leaf, order.size)):
        row = order[place]
        if alive[row]:
            found |= outcome(codes[x, row], codes[y, row], ordered, nulls_equal)
    return found


@kernel
def apart(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    low: Rows,
    high: Rows,
    null: Flags,
    a: int,
    other_low: Rows,
    other_high: Rows,
    other_null: Flags,
    b: int,
    equal: Rows,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
) -> bool:
    """Whether no row of one node agrees with one of the other where all conjunctions want it."""
    for k in range(equal.shape[0]):
        x = equal[k, 0]
        y = equal[k, 1]
        if (low[a, x] > other_high[b, y] or other_low[b, y] > high[a, x]) and not (
            nulls_equal and null[a, x] and other_null[b, y]
        ):
            return True
    return False


@kernel
def satisfiable(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    labels: Rows,
    given: Flags,
    order: Places,
    low: Rows,
    high: Rows,
    null: Flags,
    leaf: int,
    a: int,
    codes: Rows,
    alive: Flags,
    other_order: Places,
    other_low: Rows,
    other_high: Rows,
    other_null: Flags,
    other_leaf: int,
    b: int,
    sides: Rows,
    ordered: Flags,
    bits: Masks,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    mask: Masks,
) -> int:
    """Writes what some pair of two nodes' rows may satisfy.

    Returns, as bits, the kinds of the comparisons that may have several outcomes.
    """
    mask[:] = 0
    undecided = 0
    for g in range(sides.shape[0]):
        side = sides[g, 0]
        x = sides[g, 1]
        y = sides[g, 2]
        if side == BETWEEN:
            found = _possible(
                low[a, x],
                high[a, x],
                null[a, x],
                other_low[b, y],
                other_high[b, y],
                other_null[b, y],
                ordered[g],
                nulls_equal,
            )
        elif side == GIVEN:
            found = _within(labels, given, order, low, high, null, leaf, a, x, y, ordered[g], nulls_equal)
        else:
            found = _within(
                codes,
                alive,
                other_order,
                other_low,
                other_high,
                other_null,
                other_leaf,
                b,
                x,
                y,
                ordered[g],
                nulls_equal,
            )
        if found & (found - 1):
            undecided |= 1 << side
        for k in range(mask.size):
            mask[k] |= bits[g, found, k]
    return undecided


@kernel
def satisfied(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    labels: Rows,
    i: int,
    codes: Rows,
    j: int,
    sides: Rows,
    ordered: Flags,
    bits: Masks,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    mask: Masks,
) -> None:
    """Writes what a given row and another one satisfy."""
    mask[:] = 0
    for g in range(sides.shape[0]):
        left = labels[sides[g, 1], i] if sides[g, 0] != OTHER else codes[sides[g, 1], j]
        right = labels[sides[g, 2], i] if sides[g, 0] == GIVEN else codes[sides[g, 2], j]
        found = outcome(left, right, ordered[g], nulls_equal)
        for k in range(mask.size):
            mask[k] |= bits[g, found, k]
