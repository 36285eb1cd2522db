"""A hash table that counts keys of a few words, by open addressing with linear probing.

A row holds the key's words and its count; a count of zero marks an empty row. Tables have a power of two of rows and
are kept at most half full. Apart from the kernel that fills it because of its own tricks: hashes of a block are
computed in vector width beforehand, and indices are unsigned, so that no check for negative ones comes between.
"""

import numpy as np

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel
def binary_logarithm(table: Words) -> int:
    """The binary logarithm of a table's number of rows."""
    bits = 0
    while (1 << bits) < table.shape[0]:
        bits += 1
    return bits


@kernel
def search_starts(keys: Words, bits: int, out: Words) -> None:
    """Where the search for each key begins in a table of 2^bits rows: the top bits of a multiplicative hash."""
    for j in range(out.size):
        out[j] = keys[0, j] * _MULTIPLIER
    for w in range(1, keys.shape[0]):
        for j in range(out.size):
            out[j] = (out[j] ^ (out[j] >> np.uint64(32)) ^ keys[w, j]) * _MULTIPLIER
    for j in range(out.size):
        out[j] >>= np.uint64(64 - bits)


@kernel
def count_narrow(table: Words, start: Words, keys: Words, weights: Words, weight: np.uint64) -> int:
    """Counts one-word keys with weights (none: 1); returns how many were new. Indices are unsigned: they never wrap."""
    new = 0
    one = np.uint64(1)
    wrap = np.uint64(table.shape[0] - 1)
    for j in range(keys.size):
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
def count_wide(table: Words, start: Words, keys: Words, weights: Words, weight: np.uint64) -> int:
    """The same for keys of several words, uint64[words, n]."""
    new = 0
    one = np.uint64(1)
    wrap = np.uint64(table.shape[0] - 1)
    words = keys.shape[0]
    for j in range(keys.shape[1]):
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
def grown(table: Words, bits: int) -> Words:
    """The table's entries in one of 2^bits rows."""
    words = table.shape[1] - 1
    bigger = np.zeros((1 << bits, words + 1), np.uint64)
    wrap = np.uint64(bigger.shape[0] - 1)
    start = np.empty(1, np.uint64)
    key = np.empty((words, 1), np.uint64)
    for old in range(table.shape[0]):
        if table[old, words]:
            key[:, 0] = table[old, :words]
            search_starts(key, bits, start)
            at = start[0]
            while bigger[at, words]:
                at = (at + np.uint64(1)) & wrap
            bigger[at] = table[old]
    return bigger


@kernel
def absorb(table: Words, used: int, other: Words) -> tuple[Words, int]:
    """Adds the counts of another table; returns the table, grown if need be, and its filled rows.

    Grown beforehand: keys come in the order of their hashes, and would pile up in the first rows of a table that is too
    small for all of them.
    """
    words = table.shape[1] - 1
    bits = binary_logarithm(table)
    start = np.empty(1, np.uint64)
    key = np.empty((words, 1), np.uint64)
    unweighted = np.empty(0, np.uint64)
    coming = 0
    for row in range(other.shape[0]):
        coming += other[row, words] != 0
    if 2 * (used + coming) > table.shape[0]:
        while 2 * (used + coming) > 1 << bits:
            bits += 1
        table = grown(table, bits)
    for row in range(other.shape[0]):
        if other[row, words] == 0:
            continue
        key[:, 0] = other[row, :words]
        search_starts(key, bits, start)
        used += count_wide(table, start, key, unweighted, other[row, words])
    return table, used
