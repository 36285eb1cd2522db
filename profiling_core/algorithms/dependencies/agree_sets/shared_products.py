"""Zip-bit products of evidence vectors, and which of them a batch of tuples shares (DynASt, section 5.3, Algorithm 3).

A vector pairs positions with the columns agreed on there; positions without any are left out, so it is as long as the
rows that it speaks of, not as the table. Patterns carry their columns, so that products may be taken in any order.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

Positions = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceVector:
    """``positions``: uint32[n], ascending; ``patterns``: uint64[n, words], or uint64[1, words] if all are the same."""

    positions: Positions
    patterns: Words

    def __len__(self) -> int:
        return len(self.positions)


def zip_product(left: EvidenceVector, right: EvidenceVector) -> EvidenceVector:
    """The zip-bit product: at each position the columns of both."""
    return EvidenceVector(*_zip(left.positions, left.patterns, right.positions, right.patterns))


def share_products(tuples: Sequence[Sequence[int]], vectors: list[EvidenceVector]) -> list[list[int]]:
    """Replaces products that several tuples share by vectors of their own, the one most shared first.

    Args:
        tuples: per tuple the numbers of its vectors, in the columns' order (the paper's T_to_V).
        vectors: the vectors by number; products are appended.

    Returns:
        Per tuple the numbers of the vectors left to be multiplied. A product is taken only where it can save more than
        it costs: at most the overlap of its factors, once for each tuple that shares it.
    """
    chains = [list(chain) for chain in tuples]
    users: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for t, chain in enumerate(chains):
        for pair in pairwise(chain):
            users[pair].add(t)
    queue = [(-len(having), pair) for pair, having in users.items() if _worth(pair, len(having), vectors)]
    heapify(queue)
    while queue:
        rank, pair = heappop(queue)
        having = users[pair]
        if len(having) != -rank:
            if _worth(pair, len(having), vectors):
                heappush(queue, (-len(having), pair))
            continue
        product = len(vectors)
        vectors.append(zip_product(vectors[pair[0]], vectors[pair[1]]))
        touched = set()
        for t in list(having):
            touched |= _replace(chains[t], pair, product, t, users)
        del users[pair]
        for other in touched:
            if _worth(other, len(users[other]), vectors):
                heappush(queue, (-len(users[other]), other))
    return chains


def _worth(pair: tuple[int, int], many: int, vectors: Sequence[EvidenceVector]) -> bool:
    first, second = len(vectors[pair[0]]), len(vectors[pair[1]])
    return many > 1 and many * min(first, second) > first + second


def _replace(
    chain: list[int], pair: tuple[int, int], product: int, t: int, users: dict[tuple[int, int], set[int]]
) -> set[tuple[int, int]]:
    """Puts a product in its factors' place in one tuple's chain; the pairs that this makes."""
    at = next(i for i in range(len(chain) - 1) if (chain[i], chain[i + 1]) == pair)
    made = set()
    if at > 0:
        users[chain[at - 1], chain[at]].discard(t)
        made.add((chain[at - 1], product))
    if at + 2 < len(chain):
        users[chain[at + 1], chain[at + 2]].discard(t)
        made.add((product, chain[at + 2]))
    chain[at : at + 2] = [product]
    for other in made:
        users[other].add(t)
    return made


@kernel
def _zip(left: Positions, left_patterns: Words, right: Positions, right_patterns: Words) -> tuple[Positions, Words]:
    words = left_patterns.shape[1]
    positions = np.empty(left.size + right.size, np.uint32)
    patterns = np.zeros((left.size + right.size, words), np.uint64)
    i, j, many = 0, 0, 0
    while i < left.size or j < right.size:
        from_left = j == right.size or (i < left.size and left[i] <= right[j])
        from_right = i == left.size or (j < right.size and right[j] <= left[i])
        if from_left:
            positions[many] = left[i]
            for w in range(words):
                patterns[many, w] |= left_patterns[i if left_patterns.shape[0] > 1 else 0, w]
            i += 1
        if from_right:
            positions[many] = right[j]
            for w in range(words):
                patterns[many, w] |= right_patterns[j if right_patterns.shape[0] > 1 else 0, w]
            j += 1
        many += 1
    return positions[:many].copy(), patterns[:many].copy()
