"""An open-addressing table that finds masks: which of very many are new costs no more than one look at each."""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.kernel import kernel


@kernel
def place(table: NDArray[np.int32], masks: Masks, mask: Masks) -> np.int64:
    """Where a mask is in the table, or the empty place where it belongs."""
    mixed = np.uint64(0)
    for k in range(mask.size):
        mixed = (mixed ^ mask[k]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    at = np.int64((mixed * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(32)) & np.int64(table.size - 1)
    while table[at] != 0:
        same = True
        for k in range(mask.size):
            same &= masks[table[at] - 1, k] == mask[k]
        if same:
            break
        at = (at + 1) & np.int64(table.size - 1)
    return at


def only_in(some: Masks, others: Masks) -> Masks:
    """The masks of the first array that are not in the second, whose masks are distinct."""
    table = np.zeros(1 << (2 * len(others) + 1).bit_length(), np.int32)
    return some[~_present(table, some, others)]


@kernel
def _present(table: NDArray[np.int32], some: Masks, others: Masks) -> NDArray[np.bool_]:
    fill(table, others, others.shape[0])
    found = np.empty(some.shape[0], np.bool_)
    for row in range(some.shape[0]):
        found[row] = table[place(table, others, some[row])] != 0
    return found


@kernel
def fill(table: NDArray[np.int32], masks: Masks, used: int) -> None:
    """Enters the first ``used`` masks into an empty table."""
    for e in range(used):
        table[place(table, masks, masks[e])] = e + 1
