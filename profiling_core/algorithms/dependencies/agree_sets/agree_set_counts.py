"""Exact counts of given column sets over agree sets, sharing the work of common prefixes.

Column sets are walked in lexicographic order with a stack of intersections: the agree sets that contain the first k
columns are those that contain the first k − 1, without some. So a million sets over thousands of agree sets take
seconds.
"""

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.agree_sets.bit_slices import (
    BitSlices,
    narrow,
    new_stack,
    pairs_of,
    pairs_of_both,
    shared_prefix,
)
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import positions
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.ground.kernel import kernel

_UNLIMITED = np.iinfo(np.int64).max


def counts_of(agree: AgreeSets, lhs: Words, rhs: Counts) -> tuple[Counts, Counts]:
    """Per dependency the unordered pairs that agree on its left side, and those of them that differ on its right.

    Args:
        agree: the agree sets; their counts may be signed.
        lhs: uint64[n, words], the left sides.
        rhs: int64[n], a column each, or :data:`NO_RHS`, for which the second count is zero.
    """
    columns, lengths, order = _prefixes(lhs)
    together, apart = np.empty((2, len(rhs)), np.int64)
    together[order], apart[order] = _counts(agree.slices, columns, lengths, rhs[order])
    return together, apart


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
def _counts(slices: BitSlices, lhs: Counts, lengths: Counts, rhs: Counts) -> tuple[Counts, Counts]:
    equal, different, every, bounds, weights = slices
    together = np.zeros(lengths.size, np.int64)
    apart = np.zeros(lengths.size, np.int64)
    stack = new_stack(every, lhs.shape[1])
    for d in range(lengths.size):
        length = lengths[d]
        kept = shared_prefix(lhs[d - 1], lhs[d], min(length, lengths[d - 1])) if d else 0
        narrow(equal, stack, lhs[d], length, kept)
        if d and kept == length == lengths[d - 1]:
            together[d] = together[d - 1]
        else:
            together[d] = pairs_of(stack[length], bounds, weights)
        if rhs[d] >= 0:
            apart[d] = pairs_of_both(stack[length], different[rhs[d]], bounds, weights, _UNLIMITED)
    return together, apart
