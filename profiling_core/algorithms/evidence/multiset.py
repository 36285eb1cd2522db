"""Evidence multisets from encoded rows, their signed sums, and what they say about constraints.

The counted evidence multiset is the state of a table: everything about its row constraints follows from it
(DynASt, section 3, for equality; DESIGN.md, "Two modes", for whole predicate spaces).
"""

from collections.abc import Iterable

import numpy as np

from profiling_core.algorithms.evidence import contexts
from profiling_core.algorithms.evidence.keys import KeyLayout, summed
from profiling_core.algorithms.evidence.masks import measure, ordered_masks
from profiling_core.algorithms.evidence.pairs import Side, collapsed, count, keys_with_itself, rectangle, triangle
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace

__all__ = ["combine", "compared_pairs", "cross_evidence", "measure", "ordered_masks", "self_evidence"]

# Rows are looked through for duplicates where each is compared with at least so many others.
COLLAPSE_AGAINST = 1_000
# From so many pairs of two sides on, it is looked into whether contexts give them at less.
PAIRS_WORTH_A_PLAN = 20_000_000
# From so many rows on the shorter side fills the vector lanes as well: tiles are the fewer the longer the other one is.
FILLS_LANES = 1_024


def self_evidence(rows: Encoded, space: PredicateSpace, *, threads: int = 0) -> EvidenceSet:
    """The evidence of all unordered pairs of different rows.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    layout = KeyLayout(space)
    side = collapsed(rows, layout)
    plan = contexts.plan(side, layout)
    if plan is not None:
        found = contexts.context_evidence(side, plan, layout, threads)
    else:
        found = [(count(side, side, list(triangle(side.rows)), layout, threads, same=True), 1)]
        found += [(keys_with_itself(side, layout), 1)]
    return combine((layout.canonical(part), sign) for part, sign in found)


def compared_pairs(rows: Encoded, space: PredicateSpace) -> float:
    """How many pairs :func:`self_evidence` is expected to compare, or work of as much cost."""
    layout = KeyLayout(space)
    side = collapsed(rows, layout)
    plan = contexts.plan(side, layout)
    return plan.cost if plan is not None else side.rows * (side.rows - 1) / 2


def cross_evidence(left: Encoded, right: Encoded, space: PredicateSpace, *, threads: int = 0) -> EvidenceSet:
    """The evidence of all pairs of one left row and one right row.

    Args:
        left: rows encoded together with ``right``.
        right: other rows.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    layout = KeyLayout(space)
    if left.rows * right.rows >= PAIRS_WORTH_A_PLAN:
        whole = Encoded(left.columns, np.concatenate([left.codes, right.codes], axis=1))
        plan = contexts.plan(collapsed(whole, layout), layout)
        # The sides alone cost as much again at worst.
        if plan is not None and 3 * plan.cost < left.rows * right.rows:
            signed = ((whole, 1), (left, -1), (right, -1))
            return combine((self_evidence(rows, space, threads=threads), sign) for rows, sign in signed)
    # Which side is which only mirrors the keys; the right one fills the vector lanes.
    few, many = sorted((left, right), key=lambda side: side.rows)
    order = ((many, few), (few, many)) if few.rows >= FILLS_LANES else ((few, many), (many, few))
    sides = [
        collapsed(side, layout) if other.rows >= COLLAPSE_AGAINST else Side(side.codes, np.ones(side.rows, np.uint64))
        for side, other in order
    ]
    found = count(sides[0], sides[1], list(rectangle(sides[0].rows, sides[1].rows)), layout, threads, same=False)
    return combine([(layout.canonical(found), 1)])


def combine(parts: Iterable[tuple[EvidenceSet, int]]) -> EvidenceSet:
    """The signed sum of evidence sets of one space, sorted by key; keys whose counts add up to zero are dropped.

    Args:
        parts: each an evidence set and the sign (any integer factor) that it counts with; at least one.
    """
    sets = list(parts)
    keys = np.concatenate([part.keys for part, _ in sets])
    counts = np.concatenate([part.counts * sign for part, sign in sets])
    keys, counts = summed(keys, counts)
    kept = counts != 0
    return EvidenceSet(np.ascontiguousarray(keys[kept]), counts[kept])
