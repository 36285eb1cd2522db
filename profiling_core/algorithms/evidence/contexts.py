"""Evidence by contexts: rows that agree on all frequent values are compared as one, and rare agreements are put right.

A value is *rare* when few rows have it. Were no rare value ever shared, two rows would differ in a column unless both
have the same frequent value there. So rows with the same frequent values form one *context*, contexts are compared
pair by pair with the product of their sizes, and only pairs inside the clusters (position list index) of rare values
are visited one by one: each counts once for its true key, and is taken from that which its contexts gave it. Where most
columns have many values or few, contexts are a hundredth of the pairs; a model of both ways' cost chooses.

Columns that are compared by order, or with other columns, keep all their values, but for one case: a single ordered
column in a space of same-column groups. Sorted by it, rows that differ there differ one way round.
Sources: Pena et al., FastADC (majority clue, corrected inside clusters); Pena et al., ECP (evidence contexts).
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.context_kernel import (
    ORDERED_NULLS_EQUAL,
    ORDERED_NULLS_UNEQUAL,
    PLAIN,
    UNORDERED_NULLS_UNEQUAL,
    KeyedRows,
    RowClusters,
    clusters,
    count_cluster_pairs,
    distinct,
    row_hashes,
)
from profiling_core.algorithms.evidence.keys import KeyLayout, Slot
from profiling_core.algorithms.evidence.pairs import FIRST_TABLE, Side, count, keys_with_itself, triangle
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.values.encoding import NULL
from profiling_core.model.evidence import EQUAL, LESS, EvidenceSet
from profiling_core.model.types import NullSemantics

Signed = list[tuple[EvidenceSet, int]]

# With fewer pairs, comparing all of them takes less time than planning.
_FEWEST_PAIRS = 2_000_000
# What visiting a pair of a cluster costs, in compared pairs of contexts (benchmarks/evidence_costs.py): 10 to 20 where
# cells count them (4 to 16 columns), 7 or 8 where keys are too wide for that (24 and 32). With anything from 8 to 20,
# the evidence of hospital, tax10k, airport and planes takes the same time within 5 %.
CLUSTER_PAIR_COSTS = 11
# Contexts must promise to cost less than this share, since they bring work of their own.
_WORTH = 0.75
# Thresholds that are tried: a value is rare if at most this number of rows have it.
_RARE = (1, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A way to compare by contexts.

    ``rare``: bool[m, n], per column and row whether the value is rare. ``layout``: how contexts are compared.
    ``visited``: the pairs inside clusters of rare values, those of several columns counted in each. ``cost``: what the
    whole is expected to cost, in compared pairs.
    """

    rare: NDArray[np.bool_]
    layout: KeyLayout
    visited: int
    cost: float = 0.0


def plan(side: Side, layout: KeyLayout) -> Plan | None:
    """The cheapest way by contexts; None where comparing all pairs is cheaper.

    Args:
        side: the table's rows, duplicates collapsed and sorted by the ordered columns first.
        layout: how keys are laid out.
    """
    pairs = side.rows * (side.rows - 1) / 2
    if pairs < _FEWEST_PAIRS:
        return None
    cheapest, best = pairs * _WORTH, None
    if least_cost(side, layout) >= cheapest:
        return None
    compared = _compared_layout(side, layout)
    sharing = _sharing(side, compared)
    for most in _RARE:
        tried = _with(sharing, compared, most)
        visiting = tried.visited * CLUSTER_PAIR_COSTS
        if visiting >= cheapest:
            break
        contexts = distinct(row_hashes(side.codes, tried.rare))
        cost = contexts * (contexts - 1) / 2 + visiting
        if cost < cheapest:
            cheapest, best = cost, replace(tried, cost=cost)
    return best


def least_cost(side: Side, layout: KeyLayout) -> float:
    """A lower bound of every plan's cost, in compared pairs: those of contexts if no possibly rare value counted.

    Args:
        side: rows; they need be neither sorted nor collapsed.
        layout: how keys are laid out.
    """
    rare = np.zeros(side.codes.shape, np.bool_)
    rare[_eligible(side, _compared_layout(side, layout))] = True
    contexts = distinct(row_hashes(side.codes, rare))
    return contexts * (contexts - 1) / 2


def plan_with(side: Side, layout: KeyLayout, most: int) -> Plan:
    """The plan in which a value is rare when at most ``most`` rows have it.

    Args:
        side: as for :func:`plan`.
        layout: how keys are laid out.
        most: the most rows of a rare value.
    """
    compared = _compared_layout(side, layout)
    return _with(_sharing(side, compared), compared, most)


def _sharing(side: Side, layout: KeyLayout) -> NDArray[np.int32]:
    """Per column and row how many rows have its value; of columns that have no rare ones, more than any number."""
    sharing = np.full(side.codes.shape, np.iinfo(np.int32).max, np.int32)
    for column in _eligible(side, layout):
        codes = side.codes[column] + 1
        sharing[column] = np.bincount(codes).astype(np.int32)[codes]
    return sharing


def _with(sharing: NDArray[np.int32], layout: KeyLayout, most: int) -> Plan:
    rare = sharing <= most
    return Plan(rare, layout, int((sharing[rare] - 1).sum(dtype=np.int64)) // 2)


def _compared_layout(side: Side, layout: KeyLayout) -> KeyLayout:
    """The layout with a single ordered column as an unordered one, where rows are sorted by it and nothing crosses."""
    groups = layout.space.groups
    ordered = [slot for slot in layout.compared if slot.ordered]
    crossing = any(group.left.column != group.right.column for group in groups)
    if len(ordered) != 1 or crossing or not _without_nulls(ordered[0], side):
        return layout
    return KeyLayout(replace(layout.space, groups=tuple(replace(group, ordered=False) for group in groups)))


def _eligible(side: Side, layout: KeyLayout) -> list[int]:
    """Which columns may have rare values: those that are only compared with themselves, for equality, and not null."""
    taking_part = [c for s in (*layout.compared, *layout.of_left) for c in {s.left, s.right}]
    return [
        slot.left
        for slot in layout.compared
        if slot.left == slot.right
        and taking_part.count(slot.left) == 1
        and not slot.ordered
        and (layout.nulls is NullSemantics.EQUAL or _without_nulls(slot, side))
    ]


def _without_nulls(slot: Slot, side: Side) -> bool:
    return not any((side.codes[c] == NULL).any() for c in (slot.left, slot.right))


def context_evidence(side: Side, chosen: Plan, layout: KeyLayout, threads: int) -> Signed:
    """The evidence of all pairs of different rows, as parts that are not canonical yet, each with its sign.

    Args:
        side: the table's rows, as for :func:`plan`.
        chosen: the plan.
        layout: how keys are laid out.
        threads: threads to use; 0: one per processor.
    """
    weights, representatives = _contexts(side, chosen.rare)
    codes, rare = side.codes[:, representatives], chosen.rare[:, representatives]
    unlike = int(side.codes.max(initial=NULL)) + 1
    # Rare values differ from everything, so that they get one code on the left and another one on the right.
    left = Side(np.where(rare, np.int32(unlike), codes), weights)
    right = Side(np.where(rare, np.int32(unlike + 1), codes), weights)
    contexts = count(left, right, list(triangle(left.rows)), chosen.layout, threads, same=True)
    within = keys_with_itself(left, chosen.layout)
    own = keys_with_itself(side, layout)
    repeated = side.weights > 1
    return [
        (contexts, 1),
        (_differing(within, rare[:, weights > 1], layout), 1),
        (own, 1),
        (_differing(own, chosen.rare[:, repeated], layout), -1),
        *cluster_pairs(side, chosen, layout, threads),
    ]


def _contexts(side: Side, rare: NDArray[np.bool_]) -> tuple[Words, NDArray[np.int64]]:
    """Per context how many rows of the table are in it, and its first row, by which contexts are in order.

    Equal rows under a hash that others share too may come as several contexts, which changes no result.
    """
    hashes = row_hashes(side.codes, rare)
    order = np.argsort(hashes, kind="stable")
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = hashes[order[1:]] != hashes[order[:-1]]
    for codes, flags in zip(side.codes, rare, strict=True):
        seen = np.where(flags, -2, codes)[order]
        fresh[1:] |= seen[1:] != seen[:-1]
    starts = np.flatnonzero(fresh)
    by_first = np.argsort(order[starts])
    return np.add.reduceat(side.weights[order], starts)[by_first], order[starts][by_first]


def _differing(own: EvidenceSet, rare: NDArray[np.bool_], layout: KeyLayout) -> EvidenceSet:
    """Keys of rows beside rows equal to them, as contexts have them: rare values (bool[m, n]) differ."""
    keys = own.keys.copy()
    for slot in layout.compared:
        keys[:, slot.word] ^= np.where(rare[slot.left], np.uint64(EQUAL ^ LESS) << slot.shift, np.uint64(0))
    return EvidenceSet(keys, own.counts)


def cluster_pairs(side: Side, chosen: Plan, layout: KeyLayout, threads: int) -> Signed:
    """The pairs that share a rare value: by their true keys, and subtracted by those that their contexts gave them."""
    rare = chosen.rare
    grouped = [(c, *clusters(side.codes[c], rare[c])) for c in np.flatnonzero(rare.any(axis=1)).tolist()]
    # Many clusters lie within one of a column with larger ones, and are done with once those are.
    grouped.sort(key=lambda part: int((np.diff(part[2]) ** 2).sum()), reverse=True)
    columns = [column for column, _, _ in grouped]
    slots = [
        (s.left, s.right, s.word, s.shift, _mode(s, side, layout), s.left in columns) for s in chosen.layout.compared
    ]
    keys = layout.left_keys(side.codes), layout.right_keys(side.codes)
    every = KeyedRows(side.codes, rare, np.array(slots, np.int64), *keys, side.weights)

    def work(at: int) -> Sequence[Words]:
        _, rows, starts = grouped[at]
        true_table, context_table = np.zeros((2, FIRST_TABLE, layout.words + 1), np.uint64)
        earlier = np.array(columns[:at], np.int64)
        return count_cluster_pairs(true_table, context_table, RowClusters(rows, starts), every, earlier)

    with ThreadPoolExecutor(min(threads or os.cpu_count() or 1, max(1, len(columns)))) as pool:
        found = list(pool.map(work, range(len(columns))))
    return [(_evidence(table), sign) for tables in found for table, sign in zip(tables, (1, -1), strict=True)]


def _mode(slot: Slot, side: Side, layout: KeyLayout) -> int:
    if layout.nulls is NullSemantics.SQL:
        if not slot.ordered and _without_nulls(slot, side):
            return PLAIN
        return ORDERED_NULLS_UNEQUAL if slot.ordered else UNORDERED_NULLS_UNEQUAL
    return ORDERED_NULLS_EQUAL if slot.ordered else PLAIN


def _evidence(table: Words) -> EvidenceSet:
    table = table[table[:, -1] != 0]
    return EvidenceSet(table[:, :-1], table[:, -1].astype(np.int64))
