"""The hash function of all hash tables: it gives the place where the search for a key of a few words begins.

The number of places is a power of two, at most half of them are used, and a search goes on to the next place. The
hashes of a block of keys are computed beforehand by vector instructions. Places are unsigned, which spares a check for
negative values.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel
def binary_logarithm(table: Words | NDArray[np.int32]) -> int:
    """The binary logarithm of a table's number of places."""
    bits = 0
    while (1 << bits) < table.shape[0]:
        bits += 1
    return bits


@kernel
def search_starts(keys: Words, bits: int, out: Words) -> None:
    """Where the search for each key, uint64[words, n], begins among 2^bits places: the top bits of a product."""
    for j in range(out.size):
        out[j] = keys[0, j] * _MULTIPLIER
    for w in range(1, keys.shape[0]):
        for j in range(out.size):
            out[j] = (out[j] ^ (out[j] >> np.uint64(32)) ^ keys[w, j]) * _MULTIPLIER
    for j in range(out.size):
        out[j] >>= np.uint64(64 - bits)


@kernel
def search_start(key: Words, bits: int) -> np.uint64:
    """The same for one key, uint64[words]."""
    mixed = np.uint64(0)
    for word in key:
        mixed = mix(mixed, word)
    return np.uint64(mixed >> np.uint64(64 - bits))


@kernel
def mix(mixed: np.uint64, word: np.uint64) -> np.uint64:
    """The hash of a key's words so far (0: of none) and of the next one; its top bits are the good ones."""
    return np.uint64((mixed ^ (mixed >> np.uint64(32)) ^ word) * _MULTIPLIER)


def hashes(columns: Sequence[Words]) -> Words:
    """The same hash of rows; each array, uint64[n], has one word of them."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ (mixed >> np.uint64(32)) ^ column) * _MULTIPLIER
    return mixed
