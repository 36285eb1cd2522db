"""Loops over generator entries that NumPy would need many passes for: hashing contents, ordering by small keys."""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.kernel import kernel

_HASHED_WORDS = 512  # of a value's bytes: a prefix of 4 KiB, and the last word


@kernel
def _mixed(word: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64: each bit of a word changes half of the result's."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def _word(content: NDArray[np.uint8], first: int, end: int) -> np.uint64:
    """Up to eight bytes as a little-endian number, left-aligned where there are fewer."""
    word = np.uint64(0)
    for i in range(first, end):
        word |= np.uint64(content[i]) << np.uint64(8 * (i - first))
    return word << np.uint64(8 * (8 - (end - first)))


@kernel
def number_hashes(forms: NDArray[np.int16], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of each form and number."""
    hashes = np.empty(len(forms), np.uint64)
    for i in range(len(forms)):
        hashes[i] = _mixed(np.uint64(numbers[i]) ^ np.uint64(forms[i]))
    return hashes


@kernel
def mix_contents(
    content: NDArray[np.uint8], offsets: NDArray[np.int64], present: NDArray[np.bool_], hashes: NDArray[np.uint64]
) -> None:
    """Mixes into each hash that of its value's length and bytes, eight at a time, where there are bytes."""
    for i in range(len(hashes)):
        if not present[i]:
            continue
        first, end = offsets[i], offsets[i + 1]
        found = _mixed(np.uint64(end - first))
        for word in range(min(_HASHED_WORDS, (end - first + 7) // 8)):
            at = first + 8 * word
            found = _mixed(found ^ _word(content, at, min(end, at + 8)))
        if end - first > 8 * (_HASHED_WORDS - 1):
            found = _mixed(found ^ _word(content, end - 8, end))
        hashes[i] = _mixed(hashes[i] ^ found)


@kernel
def stable_order(keys: NDArray[np.int64], distinct: int, before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions by ascending key, those of one key in the order in which ``before`` lists them: a counting sort.

    Args:
        keys: int64[n] below ``distinct``.
        distinct: how many keys there may be; it is paid for, so keys should be dense.
        before: int64[n], all positions in some order.
    """
    ends = np.zeros(distinct + 1, np.int64)
    for key in keys:
        ends[key + 1] += 1
    for key in range(distinct):
        ends[key + 1] += ends[key]
    order = np.empty(len(keys), np.int64)
    for position in before:
        key = keys[position]
        order[ends[key]] = position
        ends[key] += 1
    return order
