"""Agree sets of tall, narrow tables without looking at pairs: sizes of partitions, and inclusion–exclusion.

The pairs that agree on X are those within the classes of the partition of the rows by X. Walking the lattice depth
first, each partition refines its predecessor's, and classes of one row drop out (stripped partitions, Huhtala et al.,
TANE, section 5). The counts of exact agree sets then follow from those of all X by Möbius inversion. 102,000 rows of
10 columns take a quarter of a second instead of 5·10⁹ comparisons; with many columns of few values the lattice is the
dearer way, and the walk gives up as soon as it has cost a fair share of the comparisons.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.ground.arrays import Codes, Counts
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.partitions import Classes, pairs_with, scratch_for, split
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.predicate import PredicateSpace

# 2^20 counts are 8 MB.
WIDEST = 20
# One row's step in the lattice costs as much as two comparisons of pairs. Where the lattice is worth while it takes far
# fewer steps than there are pairs, so give up early: at an eighth of the price of the comparisons.
PAIRS_PER_STEP = 16
FREE_STEPS = 100_000
# Threads take a millisecond to begin.
ROWS_WORTH_THREADS = 5_000


def agree_sets_of(rows: Encoded, space: PredicateSpace) -> AgreeSets | None:
    """The agree sets of a space of same-column groups, or None where comparing all pairs is the cheaper way.

    Args:
        rows: the rows, encoded for the space.
        space: a space of nothing but same-column groups.
    """
    codes, nullable = rows.with_presences(space.nulls)
    columns = len(rows.columns)
    sums = _agreeing(codes) if 0 < len(codes) <= WIDEST else None
    if sums is None:
        return None
    for at, column in enumerate(nullable.tolist()):
        # Pairs that agree on a column agree on its presence, whether the walk came by both or not.
        presence = 1 << (columns + at)
        every = np.arange(sums.size)
        both = every[(every >> column & every >> (columns + at) & 1) == 1]
        sums[both] = sums[both ^ presence]
    exact = _inverted(sums, len(codes))
    found = np.flatnonzero(exact)
    equal = found.astype(np.uint64) & np.uint64((1 << columns) - 1)
    different = np.full(len(found), (1 << columns) - 1, np.uint64)
    for at, column in enumerate(nullable.tolist()):
        different &= ~((1 - (found >> (columns + at) & 1)).astype(np.uint64) << np.uint64(column))
    return AgreeSets(space.table, rows.columns, equal[:, None], (different & ~equal)[:, None], exact[found])


def _agreeing(codes: Codes) -> Counts | None:
    """int64[2^m]: the pairs that agree on each set of columns; None once that has cost too much."""
    columns, rows = codes.shape
    # The most selective columns first: what they leave of the rows is all that the others have to split.
    order = np.argsort(-codes.max(axis=1, initial=NULL), kind="stable")
    sums = np.zeros(1 << columns, np.int64)
    pairs = rows * (rows - 1) // 2
    sums[0] = pairs
    spent = np.zeros(1, np.int64)
    budget = pairs // PAIRS_PER_STEP + FREE_STEPS

    def walk(root: int) -> bool:
        return _walk(codes, order, root, sums, spent, budget)

    if rows < ROWS_WORTH_THREADS:
        return sums if all(map(walk, range(columns))) else None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sums if all(pool.map(walk, range(columns))) else None


@kernel
def _walk(codes: Codes, order: Counts, root: int, sums: Counts, spent: Counts, budget: int) -> bool:
    """Fills in the sets of columns whose first one, in ``order``, is ``root``; false when the budget is spent.

    ``spent`` is shared between threads without a lock: it bounds the work, and nothing else depends on it.
    """
    columns, rows = codes.shape
    depths = columns - root + 1
    members = np.empty((depths, rows), np.int32)
    bounds = np.zeros((depths, rows // 2 + 2), np.int32)
    classes = np.zeros(depths, np.int64)
    chosen = np.zeros(depths, np.int64)
    following = np.zeros(depths, np.int64)
    scratch = scratch_for(codes)
    for row in range(rows):
        members[0, row] = row
    bounds[0, 1] = rows
    classes[0] = 1 if rows > 1 else 0
    following[0] = root
    depth = 0
    while depth >= 0:
        at = following[depth]
        if at >= columns or classes[depth] == 0 or (depth == 0 and at > root):
            depth -= 1
            continue
        following[depth] = at + 1
        spent[0] += bounds[depth, classes[depth]]
        if spent[0] > budget:
            return False
        own, here = codes[order[at]], Classes(members[depth], bounds[depth])
        columns_now = chosen[depth] | (1 << order[at])
        if at == columns - 1:
            sums[columns_now] = pairs_with(here, classes[depth], own, scratch.sizes)
            continue
        parts = Classes(members[depth + 1], bounds[depth + 1])
        many, sums[columns_now] = split(here, classes[depth], own, scratch, parts)
        if many:
            depth += 1
            chosen[depth], classes[depth], following[depth] = columns_now, many, at + 1
    return True


@kernel
def _inverted(sums: Counts, columns: int) -> Counts:
    """From pairs that agree at least on X to pairs that agree on X exactly."""
    exact = sums.copy()
    for column in range(columns):
        half = 1 << column
        for base in range(0, exact.size, 2 * half):
            for i in range(base, base + half):
                exact[i] -= exact[i + half]
    return exact
