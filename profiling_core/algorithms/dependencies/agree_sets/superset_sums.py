"""Narrow tables: counts for all 2^m column sets at once, and the minimal sets below any threshold.

A superset sum (the zeta transform of the subset lattice) turns agree-set counts into the number of pairs that agree on
X, for every X. What is monotone in X then has its minimal sets by looking at immediate generalisations alone.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Counts
from profiling_core.algorithms.ground.kernel import kernel

# 2^20 counts are 8 MB and take some 20 ms.
WIDEST = 20


@kernel
def superset_sums(masks: NDArray[np.uint64], counts: Counts, columns: int) -> Counts:
    """int64[2^columns]: for each column set the sum of counts over the masks that contain it."""
    sums = np.zeros(1 << columns, np.int64)
    for e in range(masks.size):
        sums[np.int64(masks[e])] += counts[e]
    for column in range(columns):
        half = 1 << column
        for base in range(0, sums.size, 2 * half):
            for i in range(base, base + half):
                sums[i] += sums[i + half]
    return sums


@kernel
def minimal_sets(violations: Counts, forbidden: int, longest: int, limit: int) -> Counts:
    """The minimal column sets with at most ``limit`` violations.

    Args:
        violations: int64[2^m], falling as sets grow.
        forbidden: the set of columns that may not take part.
        longest: the greatest number of columns.
        limit: the greatest number of violations.
    """
    found = np.empty(1024, np.int64)
    many = 0
    for candidate in range(violations.size):
        if candidate & forbidden or violations[candidate] > limit:
            continue
        size = 0
        minimal = True
        rest = candidate
        while rest and minimal:
            column = rest & -rest
            rest ^= column
            size += 1
            minimal = violations[candidate ^ column] > limit
        if not minimal or size > longest:
            continue
        if many == found.size:
            found = np.concatenate((found, np.empty(many, np.int64)))
        found[many] = candidate
        many += 1
    return found[:many]


@kernel
def violations_of(sums: Counts, rhs: int) -> Counts:
    """Per X the pairs that agree on X but not on the column ``rhs``, where no pair is incomparable."""
    bit = 1 << rhs
    violations = np.empty(sums.size, np.int64)
    for i in range(sums.size):
        violations[i] = sums[i] - sums[i | bit]
    return violations
