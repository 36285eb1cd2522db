"""Joins given rows with a segment's rows: the pairs that satisfy any of many conjunctions, by both sides' trees.

Two trees of bounds are descended together. A pair of nodes tells what comparing some pair of their rows may come to,
once for all conjunctions and both roles, along the tree of their checks; where no branch stays open the nodes' rows are
done with. So rows that are close to each other in the sort order are looked up together.
Sources: IncDC (Fetch, and its reversed use of an index); the joint descent is that of dual-tree algorithms (Gray and
Moore, N-body problems in statistical learning), the sets of outcomes in place of distances our own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.denial.indexed.checks import COMPARISON, ELSE, ENDS, PASSING, Bytes, Checks, meet
from profiling_core.algorithms.denial.indexed.outcomes import possible, within
from profiling_core.algorithms.denial.indexed.pair_groups import BETWEEN, GIVEN, OTHER, Conjunction, PairGroups
from profiling_core.algorithms.denial.indexed.segments import Index, Places, Rows, Segment, fixed
from profiling_core.algorithms.ground.arrays import Flags
from profiling_core.algorithms.ground.kernel import kernel

_EVERY = 1 << 62
# Comparing two nodes costs as much as comparing so many rows.
_NODE = 8
# What pairs come to is told by so many of them.
_SAMPLED = 512


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
    checks = Checks.of(groups, conjunctions)
    labels, asked = given.labels, checks.groups
    random = np.random.default_rng(0)
    some = (random.integers(0, size, _SAMPLED) for size in (labels.shape[1], len(segment.ids)))
    nodes = checks.tree(labels, next(some), segment.codes, next(some))
    counts = np.zeros(len(conjunctions), np.int64)
    own, other = given.index, index
    used = _join(
        fixed(labels), fixed(given.ids), fixed(own.order), fixed(own.low), fixed(own.high), fixed(own.null),
        fixed(segment.codes), fixed(segment.ids), fixed(segment.alive), fixed(other.order), fixed(other.low),
        fixed(other.high), fixed(other.null), other.leaf, fixed(nodes), fixed(asked.sides), fixed(asked.ordered),
        asked.nulls_equal, most, budget, counts, *checks.scratch(nodes), out,
    )  # fmt: skip
    return int(used), int(counts.sum())


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
    codes: Rows,
    ids: Rows,
    alive: Flags,
    other_order: Places,
    other_low: Rows,
    other_high: Rows,
    other_null: Flags,
    leaf: int,
    nodes: Rows,
    sides: Rows,
    ordered: Flags,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    most: int,
    budget: int,
    counts: Rows,
    known: Flags,
    found: Bytes,
    passing: Bytes,
    out: Rows,
) -> int:
    """How many pairs are written to ``out``, or −1 when the budget is spent.

    ``counts`` grows by the pairs of each conjunction.
    """
    counting = out.shape[0] == 0
    leaves, other_leaves = low.shape[0] // 2, other_low.shape[0] // 2
    stack = np.empty((2 * (_depth(leaves) + _depth(other_leaves) + 2), 4), np.int64)
    outcomes = np.empty(sides.shape[0], np.int64)
    given = np.ones(order.size, np.bool_)
    used = 0
    stack[0] = (1, 0, 1, 0)
    height = 1
    while height:
        budget -= _NODE
        if budget < 0:
            return -1
        height -= 1
        a = stack[height, 0]
        depth = stack[height, 1]
        b = stack[height, 2]
        other_depth = stack[height, 3]
        outcomes[:] = 0
        undecided = 0
        wanted = False
        node = 0
        while node < nodes.shape[0] and not wanted:
            g = nodes[node, COMPARISON]
            side = sides[g, 0]
            x = sides[g, 1]
            y = sides[g, 2]
            if outcomes[g] == 0:
                if side == BETWEEN:
                    outcomes[g] = possible(
                        low[a, x], high[a, x], null[a, x], other_low[b, y], other_high[b, y], other_null[b, y],
                        ordered[g], nulls_equal,
                    )  # fmt: skip
                elif side == GIVEN:
                    outcomes[g] = within(labels, given, order, low, high, null, 1, a, x, y, ordered[g], nulls_equal)
                else:
                    outcomes[g] = within(
                        codes,
                        alive,
                        other_order,
                        other_low,
                        other_high,
                        other_null,
                        leaf,
                        b,
                        x,
                        y,
                        ordered[g],
                        nulls_equal,
                    )
            if outcomes[g] & nodes[node, PASSING] == 0:
                node = nodes[node, ELSE]
                continue
            if outcomes[g] & ~nodes[node, PASSING]:
                undecided |= 1 << side
            c = nodes[node, ENDS]
            wanted = c >= 0 and counts[c] < most
            node += 1
        if not wanted:
            continue
        if counting and undecided == 0:
            rows = _rows_of(order, given, leaves >> depth, 1, a, depth)
            counts[0] += rows * _rows_of(other_order, alive, other_leaves >> other_depth, leaf, b, other_depth)
            continue
        if a >= leaves and b >= other_leaves:
            budget -= leaf
            first = (b - other_leaves) * leaf
            for place in range(a - leaves, min(a - leaves + 1, order.size)):
                i = order[place]
                used = meet(
                    nodes, sides, ordered, nulls_equal, labels, i, given_ids[i], codes, ids, alive, other_order, first,
                    min(first + leaf, other_order.size), most, counts, known, found, passing, out, used,
                )  # fmt: skip
            continue
        # The side that alone can decide, else the one whose node has the larger share of its rows.
        share = (leaves >> depth) * other_order.size
        other_share = (leaf * other_leaves >> other_depth) * order.size
        settles = undecided & 1 << OTHER or (undecided & 1 << GIVEN == 0 and other_share >= share)
        of_other = a >= leaves or (b < other_leaves and settles)
        for child in range(2):
            if of_other:
                stack[height] = (a, depth, 2 * b + 1 - child, other_depth + 1)
            else:
                stack[height] = (2 * a + 1 - child, depth + 1, b, other_depth)
            height += 1
    return used
