"""Pairs that agree on given column sets, from the rows themselves: sizes of partitions, shared along prefixes.

Walked in lexicographic order, each column set splits the partition of its predecessor's common prefix (see
:mod:`partitions`). For many column sets at once this is far cheaper than a pass over all agree sets for each.
"""

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.bit_slices import shared_prefix
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.ground.arrays import Codes, Counts, Words
from profiling_core.algorithms.ground.bit_words import positions
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.partitions import Classes, pairs_with, scratch_for, split
from profiling_core.algorithms.values.column_dictionary import NULL_CODE
from profiling_core.algorithms.values.encoding import NULL


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
    codes, weights = np.ascontiguousarray(relation.codes[:, live]), relation.weights[live].astype(np.int64)
    if relation.nullable:
        codes -= np.int32(NULL_CODE - NULL)
    if presence:
        codes = np.concatenate([codes, np.where(codes == NULL, np.int32(NULL), np.int32(0))])
    order = np.lexsort(sets.T[::-1])
    new = np.ones(len(sets), np.bool_)
    new[1:] = (sets[order][1:] != sets[order][:-1]).any(axis=1)
    distinct, repeated = sets[order][new], np.flatnonzero(weights > 1)
    pairs = _agreeing(codes, weights, distinct)
    pairs += _equal(np.ascontiguousarray(codes[:, repeated]), weights[repeated], distinct)
    found = np.empty(len(sets), np.int64)
    found[order] = pairs[np.cumsum(new) - 1]
    return found


@kernel
def _agreeing(codes: Codes, weights: Counts, sets: Codes) -> Counts:
    """The pairs of different rows; ``sets``: int32[n, longest + 1], distinct, in lexicographic order."""
    rows, depths = weights.size, sets.shape[1]
    members = np.empty((depths, rows), np.int32)
    bounds = np.zeros((depths, rows // 2 + 2), np.int32)
    classes = np.zeros(depths, np.int64)
    scratch = scratch_for(codes)
    totals = np.zeros(scratch.sizes.size, np.int64)
    members[0] = np.arange(rows)
    bounds[0, 1] = rows
    classes[0] = 1
    # Of no columns, all pairs.
    found = np.full(sets.shape[0], (weights.sum() ** 2 - (weights**2).sum()) // 2)
    depth = 0
    for x in range(sets.shape[0]):
        following = shared_prefix(sets[x], sets[x + 1], depths - 1) if x + 1 < sets.shape[0] else 0
        while sets[x, depth] >= 0:
            own, here = codes[sets[x, depth]], Classes(members[depth], bounds[depth])
            is_last = sets[x, depth + 1] < 0
            if is_last:
                found[x] = pairs_with(here, classes[depth], own, weights, totals)
            if not is_last or depth < following:
                parts = Classes(members[depth + 1], bounds[depth + 1])
                classes[depth + 1], _ = split(here, classes[depth], own, scratch, parts)
            depth += 1
        depth = following
    return found


@kernel
def _equal(codes: Codes, weights: Counts, sets: Codes) -> Counts:
    """The pairs of equal rows, per set: they agree on it unless they have a null there."""
    found = np.zeros(sets.shape[0], np.int64)
    for x in range(sets.shape[0]):
        for row in range(weights.size):
            depth = 0
            while sets[x, depth] >= 0 and codes[sets[x, depth], row] >= 0:
                depth += 1
            if sets[x, depth] < 0:
                found[x] += weights[row] * (weights[row] - 1) // 2
    return found
