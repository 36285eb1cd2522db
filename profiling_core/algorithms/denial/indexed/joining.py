"""Joins given rows with a segment's rows: the pairs that satisfy any of many conjunctions, by both sides' trees.

Two trees of bounds are descended together. A pair of nodes tells what comparing some pair of their rows may come to,
once for all conjunctions and both roles, along the tree of their checks; where no branch stays open the nodes' rows are
done with. So rows that are close to each other in the sort order are looked up together.
Sources: IncDC (Fetch, and its reversed use of an index); the joint descent is that of dual-tree algorithms (Gray and
Moore, N-body problems in statistical learning), the sets of outcomes in place of distances our own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.denial.indexed.checks import (
    COMPARISON,
    ELSE,
    ENDS,
    PASSING,
    Checks,
    Tree,
    WantedPairs,
    meet,
    wanted,
)
from profiling_core.algorithms.denial.indexed.outcomes import possible, within
from profiling_core.algorithms.denial.indexed.pair_groups import BETWEEN, GIVEN, OTHER, Conjunction, PairGroups
from profiling_core.algorithms.denial.indexed.segments import Index, IndexedSide, Rows, Segment, side
from profiling_core.algorithms.ground.kernel import kernel

EVERY = 1 << 62
"""A budget that always suffices."""
# Comparing two nodes costs as much as comparing 8 rows.
_NODE = 8
# Pairs that are sampled to see which checks they pass.
_SAMPLED = 512


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The given rows: ``labels`` int64[m, d], ``ids`` int64[d], and an index of them."""

    labels: Rows
    ids: Rows
    index: Index


class _Join(NamedTuple):
    """Both sides' rows and indexes, and what their pairs are asked."""

    given: IndexedSide
    own: Index
    segment: IndexedSide
    other: Index
    tree: Tree


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
        most: the most pairs of each conjunction.
        budget: the comparisons of two rows that the search may cost.

    Returns:
        int64[p, 2]: places in the given rows and in the segment; None: the budget does not suffice.
    """
    found = wanted(len(conjunctions), most, len(conjunctions) * min(most, len(given.ids) * len(segment.ids)))
    settled = _join(_joined(given, segment, index, Checks.of(groups, conjunctions)), found, budget)
    return found.out[: found.used[0]] if settled else None


def count(
    given: Given, segment: Segment, index: Index, groups: PairGroups, conjunction: Conjunction, *, budget: int
) -> int | None:
    """How many pairs of a given row and one of the segment's satisfy a conjunction.

    A row that is on both sides counts with itself. None: the budget, in comparisons of two rows, does not suffice.
    """
    found = wanted(1, EVERY, 0)
    settled = _join(_joined(given, segment, index, Checks.of(groups, [conjunction])), found, budget)
    return int(found.counts[0]) if settled else None


def _joined(given: Given, segment: Segment, index: Index, checks: Checks) -> _Join:
    random = np.random.default_rng(0)
    some = (random.integers(0, size, _SAMPLED) for size in (len(given.ids), len(segment.ids)))
    rows, others = side(given.labels, given.ids), segment.side
    return _Join(rows, given.index.fixed, others, index.fixed, checks.tree(rows, next(some), others, next(some)))


@kernel
def _depth(nodes: int) -> int:
    depth = 0
    while nodes > 1:
        nodes //= 2
        depth += 1
    return depth


@kernel
def _rows_of(side: IndexedSide, index: Index, node: int, depth: int) -> int:
    """How many rows of a node are not deleted."""
    below = (index.low.shape[0] // 2) >> depth
    first = (node - (1 << depth)) * below * index.leaf
    rows = 0
    for place in range(first, min(first + below * index.leaf, index.order.size)):
        rows += side.alive[index.order[place]]
    return rows


@kernel
def _outcomes(join: _Join, g: int, a: int, b: int) -> int:
    """The outcomes that a comparison can have for some pair of two nodes' rows."""
    sides = join.tree.sides
    kind, x, y = sides[g, 0], sides[g, 1], sides[g, 2]
    if kind == BETWEEN:
        return possible(join.own, a, x, join.other, b, y, join.tree.kinds[g])
    if kind == GIVEN:
        return within(join.given, join.own, a, x, y, join.tree.kinds[g])
    return within(join.segment, join.other, b, x, y, join.tree.kinds[g])


@kernel
def _undecided(join: _Join, wanted: WantedPairs, a: int, b: int, outcomes: Rows) -> int:
    """Whose rows, as bits of the sides, a wanted conjunction still depends on among two nodes' rows.

    −1: no pair of them satisfies one that is wanted. ``outcomes`` is scratch, int64[comparisons].
    """
    nodes, sides = join.tree.nodes, join.tree.sides
    outcomes[:] = 0
    undecided = 0
    node = 0
    while node < nodes.shape[0]:
        g = nodes[node, COMPARISON]
        if outcomes[g] == 0:
            outcomes[g] = _outcomes(join, g, a, b)
        if outcomes[g] & nodes[node, PASSING] == 0:
            node = nodes[node, ELSE]
            continue
        if outcomes[g] & ~nodes[node, PASSING]:
            undecided |= 1 << sides[g, 0]
        c = nodes[node, ENDS]
        if c >= 0 and wanted.counts[c] < wanted.most:
            return undecided
        node += 1
    return -1


@kernel
def _descends_other(join: _Join, a: int, depth: int, b: int, other_depth: int, undecided: int) -> bool:
    """Whether the other side's node is split: the side that alone can decide, else the larger share of its rows."""
    leaves, other_leaves = join.own.low.shape[0] // 2, join.other.low.shape[0] // 2
    share = (leaves >> depth) * join.other.order.size
    other_share = (join.other.leaf * other_leaves >> other_depth) * join.own.order.size
    settles = undecided & 1 << OTHER or (undecided & 1 << GIVEN == 0 and other_share >= share)
    return bool(a >= leaves or (b < other_leaves and settles))


@kernel
def _join(join: _Join, wanted: WantedPairs, budget: int) -> bool:
    """Counts and writes what is wanted; false when the budget is spent."""
    given, own, segment, other, tree = join
    counting = wanted.out.shape[0] == 0
    leaves, other_leaves, leaf = own.low.shape[0] // 2, other.low.shape[0] // 2, other.leaf
    stack = np.empty((2 * (_depth(leaves) + _depth(other_leaves) + 2), 4), np.int64)
    outcomes = np.empty(tree.sides.shape[0], np.int64)
    stack[0] = (1, 0, 1, 0)
    height = 1
    while height:
        budget -= _NODE
        if budget < 0:
            return False
        height -= 1
        a, depth, b, other_depth = stack[height, 0], stack[height, 1], stack[height, 2], stack[height, 3]
        undecided = _undecided(join, wanted, a, b, outcomes)
        if undecided < 0:
            continue
        if counting and undecided == 0:
            wanted.counts[0] += _rows_of(given, own, a, depth) * _rows_of(segment, other, b, other_depth)
            continue
        if a >= leaves and b >= other_leaves:
            budget -= leaf
            first = (b - other_leaves) * leaf
            if a - leaves < own.order.size:
                meet(tree, given, own.order[a - leaves], segment, other.order[first : first + leaf], wanted)
            continue
        of_other = _descends_other(join, a, depth, b, other_depth, undecided)
        for child in range(2):
            if of_other:
                stack[height] = (a, depth, 2 * b + 1 - child, other_depth + 1)
            else:
                stack[height] = (2 * a + 1 - child, depth + 1, b, other_depth)
            height += 1
    return True
