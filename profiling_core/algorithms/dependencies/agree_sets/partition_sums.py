"""Pairs that agree on given column sets, from the rows themselves: sizes of partitions, shared along prefixes.

Walked in lexicographic order, each column set refines the partition of its predecessor's common prefix, and classes
without a pair drop out (stripped partitions: Huhtala et al., TANE, section 5). For many column sets at once this is far
cheaper than a pass over all agree sets for each.
"""

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.ground.arrays import Codes, Counts, Words
from profiling_core.algorithms.ground.bit_words import positions
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.column_dictionary import NULL_CODE


def agreeing_pairs(relation: CompressedRelation, sets: Words) -> Counts:
    """Per column set (uint64[n, words]) the unordered pairs of rows that agree on it."""
    longest = int(np.bitwise_count(sets).sum(axis=1).max(initial=0))
    return _by_partitions(relation, positions(np.ascontiguousarray(sets), longest + 1), presence=False)


def differing_pairs(relation: CompressedRelation, sets: Words, columns: Counts) -> Counts:
    """Per column set the unordered pairs of rows that agree on it, and differ in a column (int64[n], one each).

    These are the pairs in which both rows have a value in the column, without those that agree on it.
    """
    longest = int(np.bitwise_count(sets).sum(axis=1).max(initial=0))
    members = positions(np.ascontiguousarray(sets), longest + 2)
    agree, comparable = members.copy(), members.copy()
    own = np.bitwise_count(sets).sum(axis=1).astype(np.int64)
    every = np.arange(len(sets))
    agree[every, own] = columns
    if not relation.nullable:
        return _by_partitions(relation, members, presence=False) - _by_partitions(relation, agree, presence=False)
    comparable[every, own] = relation.columns + columns
    return _by_partitions(relation, comparable, presence=True) - _by_partitions(relation, agree, presence=False)


def _by_partitions(relation: CompressedRelation, sets: Codes, *, presence: bool) -> Counts:
    """Agreeing pairs of sets int32[n, longest + 1], filled up with −1, sorted with common prefixes beside each other.

    With ``presence``, column m + c has one value wherever column c is not null.
    """
    if not len(sets):
        return np.empty(0, np.int64)
    live = np.flatnonzero(relation.weights[: relation.used])
    codes = np.ascontiguousarray(relation.codes[:, live])
    if presence:
        codes = np.concatenate([codes, (codes != NULL_CODE).astype(np.int32)])
    order = np.lexsort(sets.T[::-1])
    distinct = np.ones(len(sets), np.bool_)
    distinct[1:] = (sets[order][1:] != sets[order][:-1]).any(axis=1)
    pairs = _agreeing(codes, relation.weights[live].astype(np.int64), relation.nullable, sets[order][distinct])
    found = np.empty(len(sets), np.int64)
    found[order] = pairs[np.cumsum(distinct) - 1]
    return found


@kernel
def _agreeing(codes: Codes, weights: Counts, nullable: bool, sets: Codes) -> Counts:  # noqa: FBT001 -- a kernel
    """``sets``: int32[n, longest + 1], ascending columns filled up with −1, in lexicographic order."""
    rows = weights.size
    depths = sets.shape[1]
    members = np.empty((depths, rows), np.int32)
    bounds = np.zeros((depths, rows + 1), np.int32)
    classes = np.zeros(depths, np.int64)
    pairs = np.zeros(depths, np.int64)
    found = np.zeros(sets.shape[0], np.int64)
    most = 1
    for column in range(codes.shape[0]):
        for row in range(rows):
            most = max(most, codes[column, row] + 1)
    sizes, place, total = np.zeros(most, np.int32), np.zeros(most, np.int32), np.zeros(most, np.int64)
    touched = np.empty(rows, np.int32)
    for row in range(rows):
        members[0, row] = row
        pairs[0] += weights[row]
    pairs[0] = pairs[0] * (pairs[0] - 1) // 2
    bounds[0, 1] = rows
    classes[0] = 1 if pairs[0] else 0
    known = 0
    for x in range(sets.shape[0]):
        following = _shared(sets, x + 1) if x + 1 < sets.shape[0] else 0
        depth = known
        while sets[x, depth] >= 0:
            own = codes[sets[x, depth]]
            if depth >= following and sets[x, depth + 1] < 0:
                pairs[depth + 1] = _pairs_with(
                    own, weights, nullable, members[depth], bounds[depth], classes[depth], total
                )
            else:
                classes[depth + 1], pairs[depth + 1] = _refine(
                    own, weights, nullable, members[depth], bounds[depth], classes[depth],
                    members[depth + 1], bounds[depth + 1], sizes, place, total, touched,
                )  # fmt: skip
            depth += 1
        found[x] = pairs[depth]
        known = following
    return found


@kernel
def _shared(sets: Codes, x: int) -> int:
    """How many columns a set has in common with the one before it, from the first on."""
    depth = 0
    while sets[x, depth] >= 0 and sets[x, depth] == sets[x - 1, depth]:
        depth += 1
    return depth


@kernel
def _pairs_with(
    codes: Codes,
    weights: Counts,
    nullable: bool,  # noqa: FBT001 -- a kernel
    members: Codes,
    bounds: Codes,
    classes: int,
    total: Counts,
) -> np.int64:
    """The pairs within the classes that agree on one column more; ``total`` is zero before and after."""
    pairs = np.int64(0)
    for k in range(classes):
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if nullable and code == NULL_CODE:
                continue
            weight = weights[members[i]]
            pairs += total[code] * weight + weight * (weight - 1) // 2
            total[code] += weight
        for i in range(bounds[k], bounds[k + 1]):
            total[codes[members[i]]] = 0
    return pairs


@kernel
def _refine(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    codes: Codes,
    weights: Counts,
    nullable: bool,  # noqa: FBT001 -- a kernel
    members: Codes,
    bounds: Codes,
    classes: int,
    out_members: Codes,
    out_bounds: Codes,
    sizes: Codes,
    place: Codes,
    total: Counts,
    touched: Codes,
) -> tuple[int, np.int64]:
    """Splits classes by one column more; how many parts have a pair, and the pairs within them."""
    filled, many, pairs = 0, 0, np.int64(0)
    for k in range(classes):
        some = 0
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if nullable and code == NULL_CODE:
                continue
            if sizes[code] == 0:
                touched[some] = code
                some += 1
            sizes[code] += 1
            total[code] += weights[members[i]]
        for c in range(some):
            code = touched[c]
            place[code] = -1
            if total[code] > 1:
                place[code] = filled
                out_bounds[many] = filled
                many += 1
                filled += sizes[code]
                pairs += total[code] * (total[code] - 1) // 2
        for i in range(bounds[k], bounds[k + 1]):
            code = codes[members[i]]
            if sizes[code] and place[code] >= 0:
                out_members[place[code]] = members[i]
                place[code] += 1
        for c in range(some):
            sizes[touched[c]] = 0
            total[touched[c]] = 0
    out_bounds[many] = filled
    return many, pairs
