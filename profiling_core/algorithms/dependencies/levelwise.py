"""Approximate FDs and UCCs of wide tables, level by level with pruning, over agree sets.

A level holds the column sets of one size that some right side still needs. A set is visited only if all its subsets are
needed, and a right side that a subset satisfies is never looked at again (TANE, Huhtala et al. 1999, with right side
candidates as a mask). Errors come from the agree sets, the most frequent first, so that a right side that fails
usually fails within a few of them; no partition of rows is ever built.

Column sets are rows of ascending column indices, in lexicographic order. The bit after the last column stands for the
UCC.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import lowest, mask_of, word_count
from profiling_core.algorithms.dependencies.agree_set_counts import NO_RHS, new_stack, project, shared_prefix
from profiling_core.algorithms.dependencies.agreement import AgreeSets
from profiling_core.algorithms.kernel import kernel

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


def minimal_approximate(
    agree: AgreeSets, rights: Sequence[int], longest: int, limit: int
) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
    """Per right side its minimal left sides of up to ``longest`` columns with at most ``limit`` violating pairs."""
    columns = len(agree.columns)
    words = word_count(columns + 1)
    wanted = mask_of([columns if rhs == NO_RHS else rhs for rhs in rights], words)
    frequent = np.argsort(-agree.counts, kind="stable")
    equal, counts = agree.equal[frequent], agree.counts[frequent]
    violating = np.zeros((len(agree), words), np.uint64)
    violating[:, : agree.different.shape[1]] = agree.different[frequent]
    violating |= mask_of([columns], words)
    found: dict[int, list[tuple[int, ...]]] = {rhs: [] for rhs in rights}
    sets, inherited = np.empty((1, 0), np.int64), np.zeros((1, words), np.uint64)
    while len(sets):
        satisfied = _satisfied(equal, violating, counts, sets, inherited, wanted, limit)
        for row, bit in _set_bits(satisfied):
            found[NO_RHS if bit == columns else bit].append(tuple(sets[row].tolist()))
        if sets.shape[1] == longest:
            break
        sets, inherited = _next_level(sets, inherited | satisfied, wanted, columns)
    yield from found.items()


def _set_bits(masks: Words) -> Iterator[tuple[int, int]]:
    bits = np.unpackbits(np.ascontiguousarray(masks).view(np.uint8), axis=1, bitorder="little")
    rows, positions = np.nonzero(bits)
    return zip(rows.tolist(), positions.tolist(), strict=True)


@kernel
def _clear(mask: Words, bit: int | np.int64) -> None:
    mask[bit >> 6] &= ~(np.uint64(1) << np.uint64(bit & 63))


@kernel
def _satisfied(
    equal: Words, violating: Words, counts: Counts, sets: Counts, inherited: Words, wanted: Words, limit: int
) -> Words:
    """Per column set the wanted right sides that it satisfies and no subset of it does."""
    words = wanted.size
    satisfied = np.zeros((sets.shape[0], words), np.uint64)
    stack, sizes = new_stack(counts.size, sets.shape[1])
    errors = np.zeros(64 * words, np.int64)
    length = sets.shape[1]
    for x in range(sets.shape[0]):
        kept = shared_prefix(sets[x - 1], sets[x], length) if x else 0
        project(equal, stack, sizes, sets[x], length, kept)
        needed = satisfied[x]
        for w in range(words):
            needed[w] = wanted[w] & ~inherited[x, w]
        for column in sets[x]:
            _clear(needed, column)
        errors[:] = 0
        for k in range(sizes[length]):
            e = stack[length, k]
            some = False
            for w in range(words):
                word = needed[w] & violating[e, w]
                some |= needed[w] != 0
                while word != 0:
                    right = 64 * w + lowest(word)
                    word &= word - np.uint64(1)
                    errors[right] += counts[e]
                    if errors[right] > limit:
                        _clear(needed, right)
            if not some:
                break
    return satisfied


@kernel
def _next_level(sets: Counts, done: Words, wanted: Words, columns: int) -> tuple[Counts, Words]:
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
