"""A hash table that counts keys of a few words.

A row holds the key's words and its count beside each other; a count of zero marks an empty row. Where keys need
numbers, :mod:`mask_table` has them.
"""

import numpy as np

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.hashing import binary_logarithm, search_start, search_starts
from profiling_core.algorithms.ground.kernel import kernel


@kernel
def count_narrow(table: Words, start: Words, keys: Words, weights: Words, weight: np.uint64) -> int:
    """Counts one-word keys, one per start, with weights (none: 1); returns how many were new."""
    new = 0
    one = np.uint64(1)
    wrap = np.uint64(table.shape[0] - 1)
    for j in range(start.size):
        key = keys[j]
        at = start[j]
        while table[at, 0] != key:
            if table[at, 1] == 0:
                table[at, 0] = key
                new += 1
                break
            at = (at + one) & wrap
        if weights.size:
            table[at, 1] += weight * weights[j]
        else:
            table[at, 1] += weight
    return new


@kernel
def _count_wide(table: Words, start: Words, keys: Words, weights: Words, weight: np.uint64) -> int:
    """The same for keys of several words, uint64[words, n]."""
    new = 0
    one = np.uint64(1)
    wrap = np.uint64(table.shape[0] - 1)
    words = keys.shape[0]
    for j in range(start.size):
        at = start[j]
        while table[at, words]:
            same = True
            for w in range(words):
                if table[at, w] != keys[w, j]:
                    same = False
                    break
            if same:
                break
            at = (at + one) & wrap
        if table[at, words] == 0:
            for w in range(words):
                table[at, w] = keys[w, j]
            new += 1
        table[at, words] += weight * weights[j] if weights.size else weight
    return new


@kernel
def counted(
    table: Words, used: int, keys: Words, size: int, weights: Words, weight: np.uint64, starts: Words
) -> tuple[Words, int]:
    """Counts the first of some keys, uint64[words, n], into a table that grows where it must.

    Returns the table and its filled rows; ``starts`` is room for n. Grown beforehand: keys in the order of their hashes
    would pile up in the first rows of a table that is too small for all of them.
    """
    bits = binary_logarithm(table)
    while 2 * (used + size) > 1 << bits:
        bits += 1
    if 1 << bits > table.shape[0]:
        table = _grown(table, bits)
    begun = starts[:size]
    search_starts(keys, bits, begun)
    if keys.shape[0] == 1:
        return table, used + count_narrow(table, begun, keys[0], weights, weight)
    return table, used + _count_wide(table, begun, keys, weights, weight)


@kernel
def absorb(table: Words, used: int, other: Words) -> tuple[Words, int]:
    """Adds the counts of another table."""
    words = table.shape[1] - 1
    filled = other[other[:, words] != 0]
    keys, counts = filled[:, :words].T.copy(), filled[:, words].copy()
    return counted(table, used, keys, counts.size, counts, np.uint64(1), np.empty(counts.size, np.uint64))


@kernel
def _grown(table: Words, bits: int) -> Words:
    """The table's entries in one of 2^bits rows."""
    words = table.shape[1] - 1
    bigger = np.zeros((1 << bits, words + 1), np.uint64)
    wrap = np.uint64(bigger.shape[0] - 1)
    for old in range(table.shape[0]):
        if table[old, words]:
            at = search_start(table[old, :words], bits)
            while bigger[at, words]:
                at = (at + np.uint64(1)) & wrap
            bigger[at] = table[old]
    return bigger
