"""Agree sets as bits per column, their counts sliced into powers of two: weighted sums by intersecting words.

The pairs that agree on X and differ in A are a bit count of X's columns and of A's, 64 agree sets at a time
(``ground/weight_slices.py``).
"""

from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import popcount
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.weight_slices import weight_slices


class BitSlices(NamedTuple):
    """``equal`` and ``different``: uint64[columns, w]; ``every``: uint64[w], the places that stand for an agree set.

    Block b is the words ``bounds[b]`` to ``bounds[b + 1]``; each of its bits stands for ``weights[b]`` pairs, which is
    negative where counts are.
    """

    equal: Words
    different: Words
    every: Words
    bounds: Counts
    weights: Counts


def bit_slices(agreeing: Words, differing: Words, counts: Counts, columns: int) -> BitSlices:
    """The slices of agree sets.

    Args:
        agreeing: uint64[e, w], per agree set the columns that its pairs agree on.
        differing: uint64[e, w], the columns that they differ in.
        counts: int64[e], its pairs; may be signed.
        columns: how many columns there are.
    """
    width = 64 * agreeing.shape[1]
    slices = weight_slices(np.concatenate([agreeing, differing], axis=1), counts, 2 * width)
    return BitSlices(slices.bits[:columns], slices.bits[width : width + columns], *slices[1:])


@kernel
def pairs_of(chosen: Words, bounds: Counts, weights: Counts) -> np.int64:
    """The pairs that some places stand for."""
    pairs = np.int64(0)
    for b in range(weights.size):
        some = np.int64(0)
        for word in chosen[bounds[b] : bounds[b + 1]]:
            some += popcount(word)
        pairs += some * weights[b]
    return pairs


@kernel
def pairs_of_both(chosen: Words, others: Words, bounds: Counts, weights: Counts, limit: int) -> np.int64:
    """The pairs that the places in both stand for, or, of positive weights, some number beyond the limit."""
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
def narrow(equal: Words, stack: Words, columns: Counts, length: int, kept: int) -> None:
    """Fills levels kept + 1 … length of the stack: level k has the places of agree sets with the first k columns."""
    for level in range(kept, length):
        before, column, after = stack[level], equal[columns[level]], stack[level + 1]
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
def new_stack(every: Words, longest: int) -> Words:
    """A stack for sets of up to ``longest`` columns; its level 0 has all agree sets."""
    stack = np.empty((longest + 1, every.size), np.uint64)
    stack[0] = every
    return stack
