"""Keys of rows by number: which rows have one key, and whether any two have.

Tables of places as in :mod:`profiling_core.algorithms.ground.hashing`. A key below zero is null and like no other.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.hashing import binary_logarithm, mix
from profiling_core.algorithms.ground.kernel import kernel

Keys = NDArray[np.int64]


@kernel
def numbered(keys: Keys) -> tuple[Keys, int]:
    """int64[n]: each key's number, from 0 on in the order in which they first come, −1 for null; and how many."""
    table = _places(keys.size)
    bits = binary_logarithm(table)
    of = np.full(keys.size, -1, np.int64)
    count = 0
    for i in range(keys.size):
        if keys[i] < 0:
            continue
        at = _place(keys, i, table, bits)
        if table[at] < 0:
            table[at] = i
            of[i] = count
            count += 1
        else:
            of[i] = of[table[at]]
    return of, count


@kernel
def repeats(keys: Keys) -> bool:
    """Whether a key comes twice; ends with the first that does."""
    table = _places(keys.size)
    bits = binary_logarithm(table)
    for i in range(keys.size):
        if keys[i] < 0:
            continue
        at = _place(keys, i, table, bits)
        if table[at] >= 0:
            return True
        table[at] = i
    return False


@kernel
def _places(size: int) -> NDArray[np.int32]:
    """Free places for the first row with each key; half of them stay free."""
    places = 2
    while places < 2 * size:
        places *= 2
    return np.full(places, -1, np.int32)


@kernel
def _place(keys: Keys, row: int, table: NDArray[np.int32], bits: int) -> np.uint64:
    """The place of a row's key: that of the first row that has it, or a free one."""
    at = mix(np.uint64(0), np.uint64(keys[row])) >> np.uint64(64 - bits)
    last = np.uint64(table.size - 1)
    while table[at] >= 0 and keys[table[at]] != keys[row]:
        at = (at + np.uint64(1)) & last
    return at
