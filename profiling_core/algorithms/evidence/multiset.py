"""Evidence multisets from encoded rows, their signed sums, and what they say about constraints.

The counted evidence multiset is the state of a table: everything about its row constraints follows from it
(DynASt, section 3, for equality; whole predicate spaces: docs/adr/0009).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence import changed_rows, contexts
from profiling_core.algorithms.evidence.keys import KeyLayout, is_ascending, merged, summed
from profiling_core.algorithms.evidence.masks import measure, measured_by, ordered_masks
from profiling_core.algorithms.evidence.pairs import (
    Side,
    collapsed,
    count,
    count_changes,
    keys_with_itself,
    rectangle,
    sorting,
    triangle,
)
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace

__all__ = [
    "AllPairs",
    "changed_evidence",
    "combine",
    "cross_difference",
    "cross_evidence",
    "measure",
    "measured_by",
    "ordered_masks",
    "self_evidence",
]

# Rows are sorted and equal ones merged if each is compared with at least this number of others.
COLLAPSE_AGAINST = 100
# From this number of pairs of two sides on, the plan estimates whether contexts cost less.
PAIRS_WORTH_A_PLAN = 20_000_000
# From this number of deleted and inserted rows on, all rows are planned anew: a plan takes as long as comparing each
# row with about as many others.
ROWS_WORTH_A_PLAN = 400
# Where an update changes the evidence of a larger share of a row's pairs, all are compared for the old and the new row:
# to pick pairs costs as well. Cautious: at 0.45 some deltas of adult and lineitem took longer than without
# (docs/tried/engines.md, 36).
MOST_CHANGING = 0.3

# Sorted evidence that is at least 4 times as large as the rest is merged with it, not sorted anew.
_MERGED = 4


@dataclass(frozen=True)
class AllPairs:
    """All unordered pairs of different rows. They are compared one by one or by contexts: what should cost less."""

    rows: Encoded
    space: PredicateSpace

    @cached_property
    def _layout(self) -> KeyLayout:
        return KeyLayout(self.space)

    @cached_property
    def _side(self) -> Side:
        return collapsed(self.rows, self._layout)

    @cached_property
    def _plan(self) -> contexts.Plan | None:
        return contexts.plan(self._side, self._layout)

    @cached_property
    def cost(self) -> float:
        """How many pairs are expected to be compared, or work of as much cost."""
        return self._side.rows * (self._side.rows - 1) / 2 if self._plan is None else self._plan.cost

    def evidence(self, threads: int = 0) -> EvidenceSet:
        """Their evidence, by this number of threads; 0: one per processor."""
        side, layout = self._side, self._layout
        if self._plan is not None:
            found = contexts.context_evidence(side, self._plan, layout, threads)
        else:
            found = [(count(side, side, list(triangle(side.rows)), layout, threads, same=True), 1)]
            found += [(keys_with_itself(side, layout), 1)]
        return combine((layout.canonical(part), sign) for part, sign in found)


def self_evidence(rows: Encoded, space: PredicateSpace, *, threads: int = 0) -> EvidenceSet:
    """The evidence of all unordered pairs of different rows.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    return AllPairs(rows, space).evidence(threads)


def cross_evidence(left: Encoded, right: Encoded, space: PredicateSpace, *, threads: int = 0) -> EvidenceSet:
    """The evidence of all pairs of one left row and one right row.

    Args:
        left: rows encoded together with ``right``.
        right: other rows.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    layout = KeyLayout(space)
    if _contexts_pay(left, right, layout):
        whole = Encoded(left.columns, np.concatenate([left.codes, right.codes], axis=1))
        signed = ((whole, 1), (left, -1), (right, -1))
        return combine((self_evidence(rows, space, threads=threads), sign) for rows, sign in signed)
    # Which side is which only mirrors the keys; the right one fills the vector lanes.
    few, many = sorted((left, right), key=lambda side: side.rows)
    return _cross(_side(few, many.rows, layout), _side(many, few.rows, layout), layout, threads)


def _cross(few: Side, many: Side, layout: KeyLayout, threads: int) -> EvidenceSet:
    found = count(few, many, list(rectangle(few.rows, many.rows)), layout, threads, same=False)
    return combine([(layout.canonical(found), 1)])


def cross_difference(
    kept: Encoded, gone: Encoded, came: Encoded, space: PredicateSpace, *, threads: int = 0
) -> EvidenceSet:
    """Signed evidence of all pairs of a kept row with an inserted one, less those with a deleted one.

    A deleted row is taken together with an inserted one that is much like it, as which an update comes, so that only
    pairs whose evidence changes are counted.

    Args:
        kept: the rows that stay, encoded together with the others.
        gone: the deleted rows.
        came: the inserted rows.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    layout = KeyLayout(space)
    before, after, rest = _updates(kept, gone, came, layout)
    others = _side(kept, sum(rows.rows for rows, _ in rest) + before.rows, layout)
    parts = [(_cross(_signed(rest, layout), others, layout, threads), 1)]
    if before.rows:
        old, new = (Side(rows.codes, np.ones(rows.rows, np.uint64)) for rows in (before, after))
        parts += [(layout.canonical(count_changes(old, new, others, layout, threads)), 1)]
    return combine(parts)


def changed_evidence(
    before: EvidenceSet, kept: Encoded, gone: Encoded, came: Encoded, space: PredicateSpace, *, threads: int = 0
) -> EvidenceSet:
    """The evidence of a table after a delta: the one before with what changes, or anew where contexts cost less.

    Args:
        before: the evidence of the kept and the deleted rows.
        kept: the rows that stay, encoded together with the others.
        gone: the deleted rows.
        came: the inserted rows.
        space: the predicate space.
        threads: threads to use; 0: one per processor.
    """
    most = max(gone.rows, came.rows)
    if gone.rows + came.rows >= ROWS_WORTH_A_PLAN:
        whole = AllPairs(Encoded(kept.columns, np.concatenate([kept.codes, came.codes], axis=1)), space)
        if whole.cost < most * kept.rows:
            return whole.evidence(threads)
    parts = [(before, 1), (cross_difference(kept, gone, came, space, threads=threads), 1)]
    parts += [(self_evidence(came, space, threads=threads), 1), (self_evidence(gone, space, threads=threads), -1)]
    return combine(parts)


def _signed(parts: list[tuple[Encoded, int]], layout: KeyLayout) -> Side:
    """Rows that each count with their sign."""
    rows = Encoded(parts[0][0].columns, np.concatenate([rows.codes for rows, _ in parts], axis=1))
    signs = np.concatenate([np.full(rows.rows, sign, np.int64) for rows, sign in parts])
    return collapsed(rows, layout, signs.view(np.uint64))


def _updates(
    kept: Encoded, gone: Encoded, came: Encoded, layout: KeyLayout
) -> tuple[Encoded, Encoded, list[tuple[Encoded, int]]]:
    """Rows before and after updates that few pairs' evidence changes by, and the other deleted and inserted rows."""
    whole = [(gone, -1), (came, 1)]
    changed = min(gone.rows, came.rows)
    if not kept.columns or not kept.rows or not changed:
        return _rows(gone, slice(0)), _rows(came, slice(0)), whole
    orders = changed_rows.paired(gone.codes, came.codes)
    before, after = (_rows(rows, order) for rows, order in zip((gone, came), orders, strict=True))
    old, new = before.codes[:, :changed], after.codes[:, :changed]
    few = changed_rows.changing_share(old, new, kept.codes, layout) <= MOST_CHANGING
    if 2 * np.count_nonzero(few) < changed:
        return _rows(gone, slice(0)), _rows(came, slice(0)), whole
    rest = [
        (_rows(rows, np.concatenate([np.flatnonzero(~few), np.arange(changed, rows.rows)])), sign)
        for rows, sign in ((before, -1), (after, 1))
    ]
    before, after = (_rows(rows, np.flatnonzero(few)) for rows in (before, after))
    order = sorting(before, layout)
    return _rows(before, order), _rows(after, order), rest


def _rows(rows: Encoded, chosen: slice | NDArray[np.int64]) -> Encoded:
    return Encoded(rows.columns, rows.codes[:, chosen])


def _side(rows: Encoded, others: int, layout: KeyLayout) -> Side:
    """Rows to compare with ``others`` others; sorted, and equal ones merged, where that pays."""
    if others >= COLLAPSE_AGAINST:
        return collapsed(rows, layout)
    return Side(rows.codes, np.ones(rows.rows, np.uint64))


def _contexts_pay(left: Encoded, right: Encoded, layout: KeyLayout) -> bool:
    """Whether the pairs of two sides are had for less from those of all rows, by contexts."""
    pairs = left.rows * right.rows
    if pairs < PAIRS_WORTH_A_PLAN:
        return False
    codes = np.concatenate([left.codes, right.codes], axis=1)
    # The sides alone cost as much again at worst.
    if 3 * contexts.least_cost(Side(codes, np.ones(codes.shape[1], np.uint64)), layout) >= pairs:
        return False
    plan = contexts.plan(collapsed(Encoded(left.columns, codes), layout), layout)
    return plan is not None and 3 * plan.cost < pairs


def combine(parts: Iterable[tuple[EvidenceSet, int]]) -> EvidenceSet:
    """The signed sum of evidence sets of one space, sorted by key; keys whose counts add up to zero are dropped.

    Args:
        parts: each an evidence set and the sign (any integer factor) that it counts with; at least one.
    """
    largest, *others = sorted(parts, key=lambda part: len(part[0]), reverse=True)
    most = largest[0]
    if others and _MERGED * sum(len(part) for part, _ in others) < len(most) and is_ascending(most.keys):
        keys, counts = merged((most.keys, most.counts * largest[1]), _sum(others))
    else:
        keys, counts = _sum([largest, *others])
    kept = counts != 0
    return EvidenceSet(np.ascontiguousarray(keys[kept]), counts[kept])


def _sum(parts: Sequence[tuple[EvidenceSet, int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    keys = np.concatenate([part.keys for part, _ in parts])
    return summed(keys, np.concatenate([part.counts * sign for part, sign in parts]))
