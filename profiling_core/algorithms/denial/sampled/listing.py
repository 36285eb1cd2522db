"""What violates some denial constraints among all pairs of a partition, by comparing them one by one.

Where equalities leave few pairs, this costs less than to refine them further for every constraint, and what violates a
constraint is known as a whole then. A pair of each evidence is kept: large tables have few evidences and many pairs.
The evidences are transposed, so that a constraint is looked up in 64 at once.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.checking.partition import Partition, Rows
from profiling_core.algorithms.evidence.pair_masks import SpaceGroups, groups_of, write_mask
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.bit_words import Masks, vertical, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import MaskTable, enter_all
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import PredicateSpace

# The number of pairs that are compared before their evidences are looked up.
_BLOCK = 1 << 16


@kernel
def _compared(
    rows: tuple[Codes, Codes],
    partition: tuple[Rows, Rows, Rows],
    space: SpaceGroups,
    at: Rows,
    pairs: Rows,
    masks: Masks,
) -> int:
    """Writes the next pairs of different rows, and what they satisfy; returns how many.

    ``rows``: int32[n, columns] of the left and of the right side; ``partition``: see :class:`Partition`; ``at``:
    int64[3], the cluster pair, left place and right place to begin with, which move on.
    """
    left, right, groups = partition
    written = 0
    g, i, j = at
    while g < groups.shape[0] and written < pairs.shape[0]:
        if left[i] != right[j]:
            write_mask(rows[0][i], rows[1][j], space, masks[written])
            pairs[written, 0] = left[i]
            pairs[written, 1] = right[j]
            written += 1
        j += 1
        if j == groups[g, 3]:
            i += 1
            j = groups[g, 2]
        if i == groups[g, 1]:
            g += 1
            if g < groups.shape[0]:
                i, j = groups[g, 0], groups[g, 2]
    at[0], at[1], at[2] = g, i, j
    return written


def violating_evidences(
    rows: Encoded, partition: Partition, dcs: Sequence[tuple[int, ...]], space: PredicateSpace
) -> list[Rows]:
    """For each constraint a pair (t, s) of different rows for each evidence that violates it: int64[k, 2] each.

    Args:
        rows: the rows of both sides, encoded for the space.
        partition: pairs of them.
        dcs: constraints as predicate positions.
        space: the predicate space.
    """
    left = np.ascontiguousarray(rows.codes[:, partition.left].T)
    right = left if partition.right is partition.left else np.ascontiguousarray(rows.codes[:, partition.right].T)
    groups, words = groups_of(space), word_count(len(space.predicates))
    pairs, masks = np.empty((_BLOCK, 2), np.int64), np.empty((_BLOCK, words), np.uint64)
    at = np.array([0, *partition.groups[0, [0, 2]]])
    known = MaskTable(np.empty((0, words), np.uint64), witnesses=pairs[:0])
    sides = (partition.left, partition.right, partition.groups)
    while written := _compared((left, right), sides, groups, at, pairs, masks):
        index, beside = known.with_room(written)
        numbers = np.zeros(written, np.int64)
        more = enter_all(index, masks[:written], known.used, numbers)
        came, first = np.unique(numbers, return_index=True)
        fresh = came >= known.used
        beside["witnesses"][came[fresh]] = pairs[first[fresh]]
        known.used = more
    hits = vertical(known.masks, len(space.predicates))
    return [known["witnesses"][_places(np.bitwise_and.reduce(hits[list(dc)], axis=0))] for dc in dcs]


def _places(bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The numbers of the bits that are set."""
    words = np.flatnonzero(bits)
    if not len(words):
        return words
    inside = np.unpackbits(bits[words].view(np.uint8), bitorder="little").reshape(-1, 64)
    word, bit = np.nonzero(inside)
    return words[word] * 64 + bit
