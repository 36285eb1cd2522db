"""Exact counts of given column sets over agree sets, sharing the work of common prefixes.

The pairs that agree on X and differ in A are a bit count of X's columns and of A's, 64 agree sets at a time
(``ground/weight_slices.py``). Column sets are walked in lexicographic order with a stack of intersections: the agree
sets that contain the first k columns are those that contain the first k − 1, without some. So a million sets over
thousands of agree sets take seconds.
"""

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import popcount, positions
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.weight_slices import WeightSlices

UNLIMITED = np.iinfo(np.int64).max


def counts_of(agree: AgreeSets, lhs: Words, rhs: Counts) -> tuple[Counts, Counts]:
    """Per dependency the unordered pairs that agree on its left side, and those of them that violate it.

    Args:
        agree: the agree sets; their counts may be signed.
        lhs: uint64[n, words], the left sides.
        rhs: int64[n], a column each, or :data:`NO_RHS`: all pairs that agree on its left side violate a UCC.
    """
    columns, lengths, order = _prefixes(lhs)
    together, violations = np.empty((2, len(rhs)), np.int64)
    together[order], violations[order] = _counts(agree.slices, columns, lengths, rhs[order])
    return together, violations


def agreeing(agree: AgreeSets, sets: Words) -> Counts:
    """Per column set, uint64[n, words], the unordered pairs that agree on it."""
    return counts_of(agree, sets, np.full(len(sets), NO_RHS))[0]


def _prefixes(sets: Words) -> tuple[Counts, Counts, Counts]:
    """Column sets as ascending columns filled up with −1, and their lengths, both in the order also returned.

    In that order common prefixes stand together.
    """
    lengths = np.bitwise_count(sets).sum(axis=1).astype(np.int64)
    padded = positions(np.ascontiguousarray(sets), int(lengths.max(initial=0)) + 1).astype(np.int64)
    order = np.lexsort(padded.T[::-1]) if len(sets) else np.empty(0, np.int64)
    return padded[order], lengths[order], order


@kernel
def _counts(slices: WeightSlices, lhs: Counts, lengths: Counts, rhs: Counts) -> tuple[Counts, Counts]:
    half = slices.bits.shape[0] // 2
    together = np.zeros(lengths.size, np.int64)
    violations = np.zeros(lengths.size, np.int64)
    stack = new_stack(slices, lhs.shape[1])
    for d in range(lengths.size):
        length = lengths[d]
        kept = shared_prefix(lhs[d - 1], lhs[d], min(length, lengths[d - 1])) if d else 0
        narrow(slices, stack, lhs[d], length, kept)
        if d and kept == length == lengths[d - 1]:
            together[d] = together[d - 1]
        else:
            together[d] = pairs_of(slices, stack[length], slices.every, UNLIMITED)
        if rhs[d] >= 0:
            violations[d] = pairs_of(slices, stack[length], slices.bits[half + rhs[d]], UNLIMITED)
        else:
            violations[d] = together[d]
    return together, violations


@kernel
def pairs_of(slices: WeightSlices, chosen: Words, others: Words, limit: int) -> np.int64:
    """The pairs that the places in both stand for, or, of positive weights, some number beyond the limit."""
    bounds, weights = slices.bounds, slices.weights
    pairs = np.int64(0)
    for b in range(weights.size):
        one, other = chosen[bounds[b] : bounds[b + 1]], others[bounds[b] : bounds[b + 1]]
        some = np.int64(0)
        for w in range(one.size):
            some += popcount(one[w] & other[w])
        pairs += some * weights[b]
        if pairs > limit:
            break
    return pairs


@kernel
def narrow(slices: WeightSlices, stack: Words, columns: Counts, length: int, kept: int) -> None:
    """Fills levels kept + 1 … length of the stack: level k has the places of agree sets with the first k columns."""
    for level in range(kept, length):
        before, column, after = stack[level], slices.bits[columns[level]], stack[level + 1]
        for w in range(before.size):
            after[w] = before[w] & column[w]


@kernel
def shared_prefix(previous: Counts, columns: Counts, longest: int) -> int:
    """How many columns two sets have in common from the first on, at most ``longest``."""
    kept = 0
    while kept < longest and previous[kept] == columns[kept]:
        kept += 1
    return kept


@kernel
def new_stack(slices: WeightSlices, longest: int) -> Words:
    """A stack for sets of up to ``longest`` columns; its level 0 has all agree sets."""
    stack = np.empty((longest + 1, slices.every.size), np.uint64)
    stack[0] = slices.every
    return stack
