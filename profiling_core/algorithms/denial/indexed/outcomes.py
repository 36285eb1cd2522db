"""What comparing two rows, or the rows of two nodes, can come to: sets of outcomes, and the predicates these satisfy.

A node knows its rows' columns by bounds, and whether one of them is null; what its rows may come to is more than what
each pair of them does.
Source: IncDC, Fetch, on one side's bounds; on both sides' our own.
"""

from profiling_core.algorithms.denial.indexed.pair_groups import (
    NULLS_EQUAL,
    ONLY_EQUAL,
    ONLY_GREATER,
    ONLY_INCOMPARABLE,
    ONLY_LESS,
    ORDERED,
)
from profiling_core.algorithms.denial.indexed.segments import Index, IndexedSide
from profiling_core.algorithms.evidence import pair_masks
from profiling_core.algorithms.ground.kernel import kernel

_compared = pair_masks.outcome


@kernel
def outcome(a: int, b: int, kind: int) -> int:
    """The outcome of comparing two labels, as a set of one; ``kind``: as in :class:`PairGroups`."""
    return 1 << _compared(a, b, kind & ORDERED != 0, kind & NULLS_EQUAL != 0)


@kernel
def possible(one: Index, a: int, x: int, other: Index, b: int, y: int, kind: int) -> int:
    """The outcomes of comparing column x of one node's rows with column y of another's, as their bounds tell."""
    high, null = one.high[a, x], one.null[a, x]
    other_high, other_null = other.high[b, y], other.null[b, y]
    found = _of_values(one.low[a, x], high, other.low[b, y], other_high, kind)
    if null or other_null:
        if not kind & NULLS_EQUAL:
            return found | ONLY_INCOMPARABLE
        if null and other_null:
            found |= ONLY_EQUAL
        if (null and other_high >= 0) or (other_null and high >= 0):
            found |= ONLY_INCOMPARABLE if kind & ORDERED else ONLY_LESS
    return found


@kernel
def _of_values(low: int, high: int, other_low: int, other_high: int, kind: int) -> int:
    """The outcomes of comparing values within two bounds; where the upper one is −1 there is no value."""
    found = 0
    if high >= 0 and other_high >= 0:
        if low <= other_high and other_low <= high:
            found |= ONLY_EQUAL
        if kind & ORDERED:
            if low < other_high:
                found |= ONLY_LESS
            if high > other_low:
                found |= ONLY_GREATER
        elif low != high or other_low != other_high or low != other_low:
            found |= ONLY_LESS
    return found


@kernel
def within(side: IndexedSide, index: Index, node: int, x: int, y: int, kind: int) -> int:
    """The outcomes of comparing two columns of a row, over a node's rows."""
    leaves = index.low.shape[0] // 2
    if node < leaves:
        return possible(index, node, x, index, node, y, kind)
    first = (node - leaves) * index.leaf
    found = 0
    for place in range(first, min(first + index.leaf, index.order.size)):
        row = index.order[place]
        if side.alive[row]:
            found |= outcome(side.codes[x, row], side.codes[y, row], kind)
    return found
