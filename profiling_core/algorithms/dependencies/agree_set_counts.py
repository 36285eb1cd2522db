"""Exact counts of given column sets over agree sets, sharing the work of common prefixes.

Column sets are walked in lexicographic order with a stack of projections: the agree sets that contain the first k
columns are a sublist of those that contain the first k − 1. So a million sets over thousands of agree sets take
seconds.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import positions
from profiling_core.algorithms.dependencies.agreement import AgreeSets
from profiling_core.algorithms.kernel import kernel

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
NO_RHS = -1


def counts_of(agree: AgreeSets, lhs: Sequence[tuple[int, ...]], rhs: Sequence[int]) -> tuple[Counts, Counts]:
    """Per dependency the unordered pairs that agree on its left side, and those of them that differ on its right.

    Args:
        agree: the agree sets.
        lhs: ascending column indices per dependency.
        rhs: a column index each, or :data:`NO_RHS`, for which the second count is zero.
    """
    lengths = np.array([len(columns) for columns in lhs], np.int64)
    width = int(lengths.max(initial=0))
    padded = np.full((len(lhs), width + 1), -1, np.int64)
    for row, columns in zip(padded, lhs, strict=True):
        row[: len(columns)] = columns
    return _ordered_counts(agree, padded, lengths, np.array(rhs, np.int64))


def counts_of_masks(agree: AgreeSets, lhs: Words, rhs: Counts) -> tuple[Counts, Counts]:
    """As :func:`counts_of`, of left sides uint64[n, words]; counts of agree sets may be signed."""
    lengths = np.bitwise_count(lhs).sum(axis=1).astype(np.int64)
    padded = positions(np.ascontiguousarray(lhs), int(lengths.max(initial=0)) + 1).astype(np.int64)
    return _ordered_counts(agree, padded, lengths, rhs)


def _ordered_counts(agree: AgreeSets, padded: Counts, lengths: Counts, rhs: Counts) -> tuple[Counts, Counts]:
    order = np.lexsort(padded.T[::-1]) if len(rhs) else np.empty(0, np.int64)
    together, apart = np.empty((2, len(rhs)), np.int64)
    together[order], apart[order] = _counts(
        agree.equal, agree.different, agree.counts, padded[order], lengths[order], rhs[order]
    )
    return together, apart


@kernel
def has(masks: Words, row: int, column: int) -> bool:
    """Whether a mask has a column."""
    return bool((masks[row, column >> 6] >> np.uint64(column & 63)) & np.uint64(1))


@kernel
def project(equal: Words, stack: NDArray[np.int32], sizes: Counts, columns: Counts, length: int, kept: int) -> None:
    """Fills levels kept + 1 … length of the stack: level k lists the agree sets that contain the first k columns."""
    for level in range(kept, length):
        many = 0
        for k in range(sizes[level]):
            e = stack[level, k]
            if has(equal, e, columns[level]):
                stack[level + 1, many] = e
                many += 1
        sizes[level + 1] = many


@kernel
def shared_prefix(previous: Counts, columns: Counts, longest: int) -> int:
    """How many columns two sets have in common from the first on, at most ``longest``."""
    kept = 0
    while kept < longest and previous[kept] == columns[kept]:
        kept += 1
    return kept


@kernel
def new_stack(sets: int, longest: int) -> tuple[NDArray[np.int32], Counts]:
    """A stack for sets of up to ``longest`` columns; its level 0 lists all agree sets."""
    stack = np.empty((longest + 1, sets), np.int32)
    stack[0] = np.arange(sets)
    sizes = np.zeros(longest + 1, np.int64)
    sizes[0] = sets
    return stack, sizes


@kernel
def _counts(
    equal: Words, different: Words, counts: Counts, lhs: Counts, lengths: Counts, rhs: Counts
) -> tuple[Counts, Counts]:
    together = np.zeros(lengths.size, np.int64)
    apart = np.zeros(lengths.size, np.int64)
    stack, sizes = new_stack(counts.size, lhs.shape[1])
    for d in range(lengths.size):
        length = lengths[d]
        kept = shared_prefix(lhs[d - 1], lhs[d], min(length, lengths[d - 1])) if d else 0
        project(equal, stack, sizes, lhs[d], length, kept)
        for k in range(sizes[length]):
            e = stack[length, k]
            together[d] += counts[e]
            if rhs[d] >= 0 and has(different, e, rhs[d]):
                apart[d] += counts[e]
    return together, apart
