"""Masks with counts as bits per position, the counts sliced into powers of two: weighted sums by intersecting words.

A mask that is counted 5 times stands at two places, one where each bit means four and one where it means one. So the
weight of the masks that have some bits and lack others is a bit count, 64 masks at a time (bit-sliced sums: O'Neil and
Quass, Improved Query Performance with Variant Indexes, SIGMOD 1997, section 2.3). The dear places come first: a sum
that passes a limit usually does so within a few words.
"""

from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import full_set, vertical

# Words between looks at a limit: few beside a table's, many beside the registers that a loop fills at once.
BLOCK = 64


class WeightSlices(NamedTuple):
    """``bits``: uint64[bits, w], per bit the places that have it; ``every``: uint64[w], those that stand for masks.

    Block b is the words ``bounds[b]`` to ``bounds[b + 1]``; each of its places counts ``weights[b]`` times, which is
    negative where counts are.
    """

    bits: Words
    every: Words
    bounds: Counts
    weights: Counts


def weight_slices(masks: Words, counts: Counts, bits: int) -> WeightSlices:
    """The slices of counted masks.

    Args:
        masks: uint64[e, words].
        counts: int64[e], how often each is counted; may be signed.
        bits: how many bits of the masks matter.
    """
    sliced, every = [np.zeros((bits, 0), np.uint64)], [np.empty(0, np.uint64)]
    bounds, weights = [0], list[int]()
    sizes = np.abs(counts)
    for bit in range(int(sizes.max(initial=0)).bit_length() - 1, -1, -1):
        for sign in (1, -1):
            own = np.flatnonzero((sizes >> bit & 1 == 1) & (np.sign(counts) == sign))
            if not len(own):
                continue
            width = -(-len(own) // 64)
            sliced.append(vertical(masks[own], bits))
            every.append(full_set(len(own), width))
            bounds += [bounds[-1] + min(end, width) for end in range(BLOCK, width + BLOCK, BLOCK)]
            weights += [sign << bit] * (len(bounds) - 1 - len(weights))
    return WeightSlices(
        np.concatenate(sliced, axis=1), np.concatenate(every), np.array(bounds, np.int64), np.array(weights, np.int64)
    )
