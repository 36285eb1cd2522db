"""Samples of violating pairs as agree sets, and the ascent that they guide (Pyro, sections 5.1 and 6.1).

A sample is focused: it is drawn from the position list index of the candidate at hand, among the pairs that violate
it. If j of k sampled pairs agree on more columns Y, about j / k of the candidate's violations are left
in Y. What is found so is a guess, which an exact count confirms or not.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes, Counts, Flags
from profiling_core.algorithms.ground.bit_words import WORD, popcount
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.partitions import Classes
from profiling_core.algorithms.values.encoding import NULL

SAMPLE = 512
_TRIES = 8


def sample(lists: Classes, codes: Codes, columns: int, rhs: int, seed: int) -> Flags:
    """Which columns pairs agree on that agree on the left side and differ on the right.

    Args:
        lists: the left side's index.
        codes: int32[m, n], the table.
        columns: how many of the table's columns are looked at.
        rhs: the right side's column; negative: any pair will do.
        seed: of the choice.

    Returns:
        bool[k, columns], with k of at most :data:`SAMPLE`.
    """
    drawn = np.random.default_rng(seed).random((_TRIES * SAMPLE, 3))
    return _sample(lists.members, lists.bounds, codes, columns, rhs, drawn)


@kernel
def _sample(members: Codes, bounds: Codes, codes: Codes, columns: int, rhs: int, drawn: NDArray[np.float64]) -> Flags:
    agreeing = np.zeros((SAMPLE, columns), np.bool_)
    if bounds.size == 1:
        return agreeing[:0]
    weights = np.empty(bounds.size, np.float64)
    weights[0] = 0.0
    for k in range(bounds.size - 1):
        size = np.float64(bounds[k + 1] - bounds[k])
        weights[k + 1] = weights[k] + size * (size - 1)
    many = 0
    for t in range(drawn.shape[0]):
        k = min(np.searchsorted(weights, drawn[t, 0] * weights[-1], side="right") - 1, bounds.size - 2)
        size = bounds[k + 1] - bounds[k]
        i = np.int64(drawn[t, 1] * size)
        j = np.int64(drawn[t, 2] * (size - 1))
        if j >= i:
            j += 1
        many += _compare(codes, members[bounds[k] + i], members[bounds[k] + j], rhs, agreeing[many])
        if many == SAMPLE:
            return agreeing[:many]
    if many == 0:
        # Chance met none: neighbours within the classes.
        for k in range(bounds.size - 1):
            for at in range(bounds[k], bounds[k + 1] - 1):
                many += _compare(codes, members[at], members[at + 1], rhs, agreeing[many])
                if many == SAMPLE:
                    return agreeing[:many]
    return agreeing[:many]


@kernel
def _compare(codes: Codes, one: np.int32, other: np.int32, rhs: int, agreeing: Flags) -> int:
    """1, and the columns that two rows agree on, if they differ in the right side; else 0."""
    if rhs >= 0 and (codes[rhs, one] == codes[rhs, other] or codes[rhs, one] == NULL or codes[rhs, other] == NULL):
        return 0
    for column in range(agreeing.size):
        agreeing[column] = codes[column, one] == codes[column, other] != NULL
    return 1


@kernel
def ascent(agreeing: Flags, start: Flags, allowed: Flags, violations: int, limit: int) -> tuple[Counts, Counts]:
    """Columns to add to a non-dependency, each the one that most of the sample still agrees on.

    Ends before a column with which about ``limit`` violations or fewer would be left.

    Args:
        agreeing: a sample.
        start: bool[m], the non-dependency's columns.
        allowed: bool[m], the columns that may be added.
        violations: the pairs that violate the start.
        limit: the greatest number of pairs that may violate a dependency.

    Returns:
        The columns in order, and how many sampled pairs are left after each.
    """
    rows, columns = agreeing.shape
    words = (rows + WORD - 1) // WORD
    # Per column the sampled pairs that agree on it, as bits.
    agree = np.zeros((columns, words), np.uint64)
    for row in range(rows):
        bit = np.uint64(1) << np.uint64(row % WORD)
        for column in range(columns):
            if agreeing[row, column]:
                agree[column, row // WORD] |= bit
    alive = np.full(words, ~np.uint64(0))
    chosen = start.copy()
    added = np.empty(columns, np.int64)
    left = np.empty(columns, np.int64)
    length = 0
    while True:
        best, most = -1, np.int64(0)
        for column in range(columns):
            if not allowed[column] or chosen[column]:
                continue
            count = np.int64(0)
            for w in range(words):
                count += popcount(agree[column, w] & alive[w])
            if count > most:
                best, most = column, count
        if best < 0 or violations * (most / rows) <= limit:
            return added[:length], left[:length]
        alive &= agree[best]
        chosen[best] = True
        added[length], left[length] = best, most
        length += 1
