"""What comparing two rows, or the rows of two nodes, can come to: sets of outcomes, and the predicates these satisfy.

A node knows its rows' columns by bounds, and whether one of them is null; what its rows may come to is more than what
each pair of them does.
Source: IncDC, Fetch, on one side's bounds; on both sides' our own.
"""

from profiling_core.algorithms.denial.indexed.pair_groups import (
    ONLY_EQUAL,
    ONLY_GREATER,
    ONLY_INCOMPARABLE,
    ONLY_LESS,
)
from profiling_core.algorithms.denial.indexed.segments import Places, Rows
from profiling_core.algorithms.ground.arrays import Flags
from profiling_core.algorithms.ground.kernel import kernel


@kernel
def possible(  # noqa: PLR0917 -- a kernel takes its values one by one
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
def within(  # noqa: PLR0917 -- a kernel takes its arrays one by one
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
        return possible(
            low[node, x], high[node, x], null[node, x], low[node, y], high[node, y], null[node, y], ordered, nulls_equal
        )
    first = (node - low.shape[0] // 2) * leaf
    found = 0
    for place in range(first, min(first + leaf, order.size)):
        row = order[place]
        if alive[row]:
            found |= outcome(codes[x, row], codes[y, row], ordered, nulls_equal)
    return found
