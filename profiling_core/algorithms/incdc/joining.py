"""Joins given rows with a segment's rows: the pairs that satisfy any of many conjunctions, by both sides' trees.

Two trees of bounds are descended together. A pair of nodes tells which predicates some pair of their rows may satisfy,
once for all conjunctions and both roles; those that contain another predicate are left behind, and where none remains
the nodes' rows are done with. So rows that are close to each other in the sort order are looked up together, and what
many conjunctions ask of the same rows is found out once.
Sources: IncDC (Fetch, and its reversed use of an index); the joint descent is that of dual-tree algorithms (Gray and
Moore, N-body problems in statistical learning), the sets of outcomes in place of distances our own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.bit_words import Masks
from profiling_core.algorithms.incdc.outcomes import apart, satisfiable, satisfied
from profiling_core.algorithms.incdc.pair_groups import GIVEN, OTHER, Conjunction, PairGroups
from profiling_core.algorithms.incdc.segments import HIGHEST, Flags, Index, Places, Rows, Segment
from profiling_core.algorithms.kernel import kernel

_EVERY = 1 << 62
# Comparing two nodes costs as much as comparing so many rows.
_NODE = 8


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The given rows: ``labels`` int64[m, d], ``ids`` int64[d], and an index of them."""

    labels: Rows
    ids: Rows
    index: Index


def pairs_of(
    given: Given,
    segment: Segment,
    index: Index,
    groups: PairGroups,
    conjunctions: Sequence[Conjunction],
    *,
    most: int,
    budget: int,
) -> Rows | None:
    """Some pairs of a given and another row that satisfy a conjunction, at least one of each that has any.

    Args:
        given: the given rows.
        segment: the other rows; a row is never paired with itself.
        index: one of the segment's indexes.
        groups: the space's comparisons.
        conjunctions: at least one.
        most: at most so many pairs of each conjunction.
        budget: the comparisons of two rows that the search may cost.

    Returns:
        int64[p, 2]: places in the given rows and in the segment; None: the budget does not suffice.
    """
    out = np.empty((len(conjunctions) * min(most, given.labels.shape[1] * len(segment.ids)), 2), np.int64)
    used, _ = _joined(given, segment, index, groups, conjunctions, out, most=most, budget=budget)
    return None if used < 0 else out[:used]


def count(given: Given, segment: Segment, index: Index, groups: PairGroups, conjunction: Conjunction) -> int:
    """How many pairs of a given row and one of the segment's satisfy a conjunction.

    A row that is on both sides counts with itself.
    """
    nowhere = np.empty((0, 2), np.int64)
    return _joined(given, segment, index, groups, [conjunction], nowhere, most=_EVERY, budget=_EVERY)[1]


def _joined(
    given: Given,
    segment: Segment,
    index: Index,
    groups: PairGroups,
    conjunctions: Sequence[Conjunction],
    out: Rows,
    *,
    most: int,
    budget: int,
) -> tuple[int, int]:
    masks = groups.masks_of(conjunctions)
    asked = groups.about(masks)
    counts = np.zeros(len(conjunctions), np.int64)
    used = _join(
        np.ascontiguousarray(given.labels),
        given.ids,
        *_tree(given.index),
        segment.codes,
        segment.ids,
        segment.alive,
        *_tree(index),
        asked.sides,
        asked.ordered,
        asked.bits,
        asked.nulls_equal,
        asked.equal_in_all(masks),
        masks,
        most,
        budget,
        counts,
        out,
    )
    return int(used), int(counts.sum())


def _tree(index: Index) -> tuple[Places, Rows, Rows, Flags, int]:
    return index.order, index.low, index.high, index.null, index.leaf


@kernel
def _contained(masks: Masks, c: int, mask: Masks) -> bool:
    for k in range(mask.size):  # noqa: SIM110 -- kernels know no generators
        if masks[c, k] & ~mask[k]:
            return False
    return True


@kernel
def _kept(numbers: Rows, start: int, stop: int, masks: Masks, mask: Masks, full: Flags) -> int:
    """Lists behind ``stop`` those of the conjunctions listed from ``start`` that the mask contains; where that ends."""
    end = stop
    for at in range(start, stop):
        c = numbers[at]
        if not full[c] and _contained(masks, c, mask):
            numbers[end] = c
            end += 1
    return end


@kernel
def _depth(nodes: int) -> int:
    depth = 0
    while nodes > 1:
        nodes //= 2
        depth += 1
    return depth


@kernel
def _rows_of(order: Places, alive: Flags, below: int, leaf: int, node: int, depth: int) -> int:
    """How many rows of a node that has so many leaves are not deleted."""
    first = (node - (1 << depth)) * below * leaf
    rows = 0
    for place in range(first, min(first + below * leaf, order.size)):
        rows += alive[order[place]]
    return rows


@kernel
def _join(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    labels: Rows,
    given_ids: Rows,
    order: Places,
    low: Rows,
    high: Rows,
    null: Flags,
    leaf: int,
    codes: Rows,
    ids: Rows,
    alive: Flags,
    other_order: Places,
    other_low: Rows,
    other_high: Rows,
    other_null: Flags,
    other_leaf: int,
    sides: Rows,
    ordered: Flags,
    bits: Masks,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    equal: Rows,
    masks: Masks,
    most: int,
    budget: int,
    counts: Rows,
    out: Rows,
) -> int:
    """How many pairs are written to ``out``, or −1 when the budget is spent.

    ``counts`` grows by the pairs of each conjunction.
    """
    counting = out.shape[0] == 0
    leaves, other_leaves = low.shape[0] // 2, other_low.shape[0] // 2
    levels = _depth(leaves) + _depth(other_leaves) + 3
    stack = np.empty((2 * levels, 6), np.int64)
    numbers = np.empty((levels + 1) * counts.size, np.int64)
    numbers[: counts.size] = np.arange(counts.size)
    full = np.zeros(counts.size, np.bool_)
    mask = np.empty(masks.shape[1], np.uint64)
    given = np.ones(labels.shape[1], np.bool_)
    # One given row as a tree of one node.
    columns = labels.shape[0]
    row_low, row_high = np.empty((2, columns), np.int64), np.empty((2, columns), np.int64)
    row_null = np.empty((2, columns), np.bool_)
    itself = np.zeros(1, np.int32)
    used = 0
    stack[0] = (1, 0, 1, 0, 0, counts.size)
    height = 1
    while height:
        budget -= _NODE
        if budget < 0:
            return -1
        height -= 1
        a, depth, b, other_depth, start, stop = stack[height]
        if apart(low, high, null, a, other_low, other_high, other_null, b, equal, nulls_equal):
            continue
        undecided = satisfiable(
            labels, given, order, low, high, null, leaf, a,
            codes, alive, other_order, other_low, other_high, other_null, other_leaf, b,
            sides, ordered, bits, nulls_equal, mask,
        )  # fmt: skip
        end = _kept(numbers, start, stop, masks, mask, full)
        if end == stop:
            continue
        if counting and undecided == 0:
            rows = _rows_of(order, given, leaves >> depth, leaf, a, depth)
            counts[0] += rows * _rows_of(other_order, alive, other_leaves >> other_depth, other_leaf, b, other_depth)
            continue
        if a >= leaves and b >= other_leaves:
            first = (a - leaves) * leaf
            for place in range(first, min(first + leaf, order.size)):
                i = order[place]
                itself[0] = i
                for c in range(columns):
                    row_low[1, c] = labels[c, i] if labels[c, i] >= 0 else HIGHEST
                    row_high[1, c] = labels[c, i]
                    row_null[1, c] = labels[c, i] < 0
                if apart(row_low, row_high, row_null, 1, other_low, other_high, other_null, b, equal, nulls_equal):
                    continue
                satisfiable(
                    labels, given, itself, row_low, row_high, row_null, 1, 1,
                    codes, alive, other_order, other_low, other_high, other_null, other_leaf, b,
                    sides, ordered, bits, nulls_equal, mask,
                )  # fmt: skip
                budget -= _NODE
                last = _kept(numbers, stop, end, masks, mask, full)
                if last == end:
                    continue
                budget -= other_leaf
                other_first = (b - other_leaves) * other_leaf
                for other_place in range(other_first, min(other_first + other_leaf, other_order.size)):
                    j = other_order[other_place]
                    agree = True
                    for k in range(equal.shape[0]):
                        agree = agree and labels[equal[k, 0], i] == codes[equal[k, 1], j]
                    if not agree or not alive[j] or (ids[j] == given_ids[i] and not counting):
                        continue
                    satisfied(labels, i, codes, j, sides, ordered, bits, nulls_equal, mask)
                    wanted = False
                    for at in range(end, last):
                        c = numbers[at]
                        if not full[c] and _contained(masks, c, mask):
                            counts[c] += 1
                            full[c] = counts[c] >= most
                            wanted = True
                    if wanted and not counting:
                        out[used, 0] = i
                        out[used, 1] = j
                        used += 1
            continue
        # The side that alone can decide, else the one whose node has the larger share of its rows.
        share = (leaf * leaves >> depth) * other_order.size
        other_share = (other_leaf * other_leaves >> other_depth) * order.size
        settles = undecided & 1 << OTHER or (undecided & 1 << GIVEN == 0 and other_share >= share)
        of_other = a >= leaves or (b < other_leaves and settles)
        for child in range(2):
            if of_other:
                stack[height] = (a, depth, 2 * b + 1 - child, other_depth + 1, stop, end)
            else:
                stack[height] = (2 * a + 1 - child, depth + 1, b, other_depth, stop, end)
            height += 1
    return used
