"""Approximate FDs and UCCs of wide tables, level by level with pruning, over agree sets.

A level holds the column sets of one size that some right side still needs. A set is visited only if all its subsets are
needed, and a right side that a subset satisfies is never looked at again (TANE, Huhtala et al. 1999, with right side
candidates as a mask). Errors are bit counts of agree sets (:mod:`agree_set_counts`); no partition of rows is ever
built. Most of them are never counted: of the pairs that agree on X, no more do not differ in A than of those that agree
on a column of X, and if the others alone are too many, X → A is none.

Column sets are rows of ascending column indices, in lexicographic order. The bit after the last column stands for the
UCC.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import (
    UNLIMITED,
    narrow,
    new_stack,
    pairs_of,
    shared_prefix,
)
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import lowest, mask_of, word_count
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.weight_slices import WeightSlices

# Column sets that a thread takes at a time.
_SETS_AT_A_TIME = 256
# Seconds of one core per column set and right side, and of those per agree set: as measured on tables of 24 to 222
# columns. Most of them are never counted.
SET_AND_RIGHT, SET_RIGHT_AND_AGREE_SET = 20e-9, 0.5e-12


def seconds(sets: int, rights: int, agree_sets: int) -> float:
    """About the seconds of a core for a visit to ``sets`` column sets."""
    return sets * rights * (SET_AND_RIGHT + SET_RIGHT_AND_AGREE_SET * agree_sets)


def most_sets(columns: int, longest: int | None) -> int:
    """The column sets that are visited if none is left out."""
    bound = columns if longest is None else min(longest, columns)
    return sum(comb(columns, length) for length in range(bound + 1))


def levels(agree: AgreeSets, rights: Sequence[int], longest: int, limit: int) -> Iterator[tuple[Counts, Words]]:
    """Walks the levels, one at a time.

    Args:
        agree: the agree sets.
        rights: column indices, or :data:`NO_RHS`, which asks for unique column combinations.
        longest: the greatest number of columns on the left.
        limit: the greatest number of violating unordered pairs.

    Yields:
        The column sets that were visited, int64[sets, length], and per set the right sides for which it is a minimal
        left side, uint64[sets, words]; the bit after the last column stands for the UCC.
    """
    columns = len(agree.columns)
    words = word_count(columns + 1)
    wanted = mask_of([columns if rhs == NO_RHS else rhs for rhs in rights], words)
    asked = _Asked(agree.slices, wanted, limit, np.full((columns, columns), UNLIMITED))
    sets, inherited = np.empty((1, 0), np.int64), np.zeros((1, words), np.uint64)
    while len(sets):
        satisfied = _satisfied(asked, sets, inherited)
        yield sets, satisfied
        if sets.shape[1] == longest:
            break
        sets, inherited = _next_level(sets, inherited | satisfied, wanted, columns)


class _Asked(NamedTuple):
    """What column sets are asked.

    Attributes:
        slices: the agree sets.
        wanted: uint64[words], the right sides.
        limit: the greatest number of violating pairs.
        indifferent: int64[columns, columns], pairs that agree on one and do not differ in the other, once known.
    """

    slices: WeightSlices
    wanted: Words
    limit: int
    indifferent: Counts


def _satisfied(asked: _Asked, sets: Counts, inherited: Words) -> Words:
    """Per column set the wanted right sides that it satisfies and no subset of it does."""
    satisfied = np.zeros_like(inherited)

    def look(start: int) -> None:
        own = slice(start, start + _SETS_AT_A_TIME)
        _satisfy(asked, sets[own], inherited[own], satisfied[own])

    if len(sets) <= _SETS_AT_A_TIME:
        look(0)
    else:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(look, range(0, len(sets), _SETS_AT_A_TIME)))
    return satisfied


@kernel
def _clear(mask: Words, bit: int | np.int64) -> None:
    mask[bit >> 6] &= ~(np.uint64(1) << np.uint64(bit & 63))


@kernel
def _satisfy(asked: _Asked, sets: Counts, inherited: Words, satisfied: Words) -> None:
    """Fills in per column set the wanted right sides that it satisfies and no subset of it does."""
    slices, wanted, limit, indifferent = asked
    length, columns, half = sets.shape[1], indifferent.shape[0], slices.bits.shape[0] // 2
    # Of single columns all pairs are counted, which rules most longer sets out.
    most = limit if length > 1 else UNLIMITED
    stack = new_stack(slices, length)
    for x in range(sets.shape[0]):
        kept = shared_prefix(sets[x - 1], sets[x], length) if x else 0
        narrow(slices, stack, sets[x], length, kept)
        together = pairs_of(slices, stack[length], slices.every, UNLIMITED)
        needed = wanted & ~inherited[x]
        for column in sets[x]:
            _clear(needed, column)
        if together <= limit:
            satisfied[x] = needed
            continue
        # Only pairs that agree on X violate the UCC, and all of them do: it is none.
        _clear(needed, columns)
        for w in range(needed.size):
            word = needed[w]
            while word != 0:
                right = 64 * w + lowest(word)
                bit = word & (~word + np.uint64(1))
                word ^= bit
                if not _may_hold(indifferent, sets[x], right, together, limit):
                    continue
                violations = pairs_of(slices, stack[length], slices.bits[half + right], most)
                if length == 1:
                    indifferent[sets[x, 0], right] = together - violations
                if violations <= limit:
                    satisfied[x, w] |= bit


@kernel
def _may_hold(indifferent: Counts, columns: Counts, right: np.int64, together: np.int64, limit: int) -> bool:
    """Whether so few of the pairs that agree on the columns, ``together``, surely differ in the right side."""
    for column in columns:  # noqa: SIM110 -- kernels have no generators
        if together - indifferent[column, right] > limit:
            return False
    return True


@kernel
def _next_level(sets: Counts, done: Words, wanted: Words, columns: int) -> tuple[Counts, Words]:  # noqa: C901 -- one pass over pairs of sets
    """The sets of one column more that are still needed, and the right sides that their subsets satisfy already."""
    length = sets.shape[1]
    needed = np.empty(sets.shape[0], np.bool_)
    for x in range(sets.shape[0]):
        needed[x] = _is_needed(sets[x], done[x], wanted)
    if length == 0:
        if not needed[0]:
            return np.empty((0, 1), np.int64), np.empty((0, wanted.size), np.uint64)
        inherited = np.empty((columns, wanted.size), np.uint64)
        inherited[:] = done[0]
        return np.arange(columns).reshape(columns, 1), inherited
    capacity = 1024
    grown = np.empty((capacity, length + 1), np.int64)
    inherited = np.empty((capacity, wanted.size), np.uint64)
    many = 0
    for x in range(sets.shape[0]):
        if not needed[x]:
            continue
        for y in range(x + 1, sets.shape[0]):
            if shared_prefix(sets[x], sets[y], length - 1) < length - 1:
                break
            if not needed[y]:
                continue
            if many == capacity:
                grown = np.concatenate((grown, np.empty_like(grown)))
                inherited = np.concatenate((inherited, np.empty_like(inherited)))
                capacity *= 2
            grown[many, :length] = sets[x]
            grown[many, length] = sets[y, length - 1]
            inherited[many] = done[x] | done[y]
            if _inherit(grown[many], inherited[many], sets, done, needed) and _is_needed(
                grown[many], inherited[many], wanted
            ):
                many += 1
    return grown[:many].copy(), inherited[:many].copy()


@kernel
def _is_needed(columns: Counts, done: Words, wanted: Words) -> bool:
    """Whether a right side outside the set is still looking for its left sides."""
    rest = wanted & ~done
    for column in columns:
        _clear(rest, column)
    return bool(rest.any())


@kernel
def _inherit(grown: Counts, inherited: Words, sets: Counts, done: Words, needed: NDArray[np.bool_]) -> bool:
    """Adds what the subsets without one of the first columns satisfy; false if such a subset is not needed itself."""
    length = sets.shape[1]
    part = np.empty(length, np.int64)
    for left_out in range(length - 1):
        part[:left_out] = grown[:left_out]
        part[left_out:] = grown[left_out + 1 :]
        at = _find(sets, part)
        if at < 0 or not needed[at]:
            return False
        inherited |= done[at]
    return True


@kernel
def _find(sets: Counts, wanted: Counts) -> int:
    """The row of a set among sorted ones; −1 if it is not among them."""
    low, high = 0, sets.shape[0]
    while low < high:
        middle = (low + high) >> 1
        smaller = False
        for k in range(wanted.size):
            if sets[middle, k] != wanted[k]:
                smaller = sets[middle, k] < wanted[k]
                break
        if smaller:
            low = middle + 1
        else:
            high = middle
    if low < sets.shape[0] and (sets[low] == wanted).all():
        return low
    return -1
