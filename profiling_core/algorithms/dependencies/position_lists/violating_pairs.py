"""Agree-set samples, which column sets share, and the ascent that they guide (Pyro, sections 5.3 and 6).

A sample is focused: it is drawn from the position list index of one or two columns, among all pairs that agree on them,
and kept. It speaks for every candidate that contains them, whatever its right side; a candidate takes the sample of the
fewest pairs. If too few of its pairs violate the candidate, one is drawn among those that do. If j of k violating pairs
agree on more columns Y, about j / k of the candidate's violations are left in Y. What is found so is a guess, which an
exact count confirms or not.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.ground.arrays import Codes, Counts, Flags, Words
from profiling_core.algorithms.ground.bit_words import WORD, popcount
from profiling_core.algorithms.ground.column_sets import NO_RHS, columns_in
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.partitions import Classes
from profiling_core.algorithms.values.encoding import NULL

SAMPLE = 512
_WORDS = SAMPLE // WORD
_TRIES = 8
# A candidate that at least 32 pairs of a shared sample violate needs none of its own.
_FEW = 32


class AgreeSetSample(NamedTuple):
    """Pairs of rows as bits: ``agree``, ``apart`` uint64[m, words], those that agree on a column and differ in it.

    ``pairs`` uint64[words]: those that are spoken of.
    """

    agree: Words
    apart: Words
    pairs: Words

    @property
    def size(self) -> int:
        """How many pairs are spoken of."""
        return int(np.bitwise_count(self.pairs).sum())

    def violating(self, columns: int, rhs: int) -> "AgreeSetSample":
        """Those of its pairs that agree on some columns and differ in the right side."""
        pairs = self.pairs & np.bitwise_and.reduce(self.agree[list(columns_in(columns))], axis=0)
        return self._replace(pairs=pairs if rhs == NO_RHS else pairs & self.apart[rhs])


class AgreeSetSamples:
    """The samples of one table, drawn when they are asked for.

    Args:
        pairs: its counts of agreeing pairs, and its indexes.
    """

    def __init__(self, pairs: AgreeingPairs) -> None:
        self._pairs = pairs
        self._drawn: dict[int, AgreeSetSample] = {}

    def violating(self, columns: int, rhs: int) -> AgreeSetSample:
        """Some pairs that agree on the columns and differ in the right side (:data:`NO_RHS`: any), if there are any."""
        part = self._part(columns)
        shared = self._drawn.get(part)
        if shared is None:
            shared = self._drawn[part] = self._draw(part, NO_RHS)
        found = shared.violating(columns, rhs)
        return found if found.size >= _FEW else self._draw(columns, rhs)

    def _part(self, columns: int) -> int:
        """One or two of the columns, by which the fewest pairs are known to agree."""
        known = self._pairs.known
        members = list(columns_in(columns))
        twos = ((1 << a) | (1 << b) for a, b in combinations(members, 2))
        parts = [*(1 << column for column in members), *(two for two in twos if two in known)]
        return min(parts, key=known.__getitem__, default=0)

    def _draw(self, columns: int, rhs: int) -> AgreeSetSample:
        tries = SAMPLE if rhs == NO_RHS else _TRIES * SAMPLE
        drawn = np.random.default_rng(columns % (1 << 64)).random((tries, 3))
        lists = self._pairs.lists(columns)
        return AgreeSetSample(*_sample(lists, self._pairs.codes, self._pairs.columns, rhs, drawn))


def _sample(lists: Classes, codes: Codes, columns: int, rhs: int, drawn: NDArray[np.float64]) -> tuple[Words, ...]:
    agree, apart = np.zeros((2, columns, _WORDS), np.uint64)
    found = _compared(lists.members, lists.bounds, codes, rhs, drawn, agree, apart)
    return agree, apart, np.packbits(np.arange(SAMPLE) < found, bitorder="little").view(np.uint64)


@kernel
def _compared(
    members: Codes, bounds: Codes, codes: Codes, rhs: int, drawn: NDArray[np.float64], agree: Words, apart: Words
) -> int:
    """Writes pairs that agree on a left side and differ on the right, as bits; returns how many."""
    if bounds.size == 1:
        return 0
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
        many += _compare(codes, members[bounds[k] + i], members[bounds[k] + j], rhs, many, agree, apart)
        if many == SAMPLE:
            return many
    if many == 0:
        # Chance met none: neighbours within the classes.
        for k in range(bounds.size - 1):
            for at in range(bounds[k], bounds[k + 1] - 1):
                many += _compare(codes, members[at], members[at + 1], rhs, many, agree, apart)
                if many == SAMPLE:
                    return many
    return many


@kernel
def _compare(codes: Codes, one: np.int32, other: np.int32, rhs: int, number: int, agree: Words, apart: Words) -> int:
    """1, and the columns that two rows agree on and differ in, if they differ in the right side; else 0."""
    if rhs >= 0 and (codes[rhs, one] == codes[rhs, other] or codes[rhs, one] == NULL or codes[rhs, other] == NULL):
        return 0
    word, bit = number // WORD, np.uint64(1) << np.uint64(number % WORD)
    for column in range(agree.shape[0]):
        left, right = codes[column, one], codes[column, other]
        if left == right:
            agree[column, word] |= bit if left != NULL else np.uint64(0)
        elif min(left, right) != NULL:
            apart[column, word] |= bit
    return 1


def ascent(sample: AgreeSetSample, start: int, allowed: int, violations: int, limit: int) -> tuple[Counts, Counts]:
    """Columns to add to a non-dependency, each the one that most of the sample still agrees on.

    Ends before a column with which about ``limit`` violations or fewer would be left.

    Args:
        sample: some of its violating pairs, at least one.
        start: the non-dependency's columns.
        allowed: the columns that may be added.
        violations: the pairs that violate the start.
        limit: the greatest number of pairs that may violate a dependency.

    Returns:
        The columns in order, and how many sampled pairs are left after each.
    """
    free = np.array([(allowed & ~start) >> column & 1 for column in range(len(sample.agree))], np.bool_)
    return _ascent(sample.agree, sample.pairs, free, violations, limit)


@kernel
def _ascent(agree: Words, pairs: Words, free: Flags, violations: int, limit: int) -> tuple[Counts, Counts]:
    columns, words = agree.shape
    alive, left_over = pairs.copy(), free.copy()
    sampled = np.int64(0)
    for w in range(words):
        sampled += popcount(pairs[w])
    added = np.empty(columns, np.int64)
    left = np.empty(columns, np.int64)
    length = 0
    while True:
        best, most = -1, np.int64(0)
        for column in range(columns):
            if not left_over[column]:
                continue
            count = np.int64(0)
            for w in range(words):
                count += popcount(agree[column, w] & alive[w])
            if count > most:
                best, most = column, count
        if best < 0 or violations * (most / sampled) <= limit:
            return added[:length], left[:length]
        alive &= agree[best]
        left_over[best] = False
        added[length], left[length] = best, most
        length += 1
