"""A sum over bytes that tells damage about as fast as memory is read: 64 bits, in eight lanes that do not wait.

Any damage within one word changes the sum, since each step can be undone; of other damage one in 2⁶⁴ goes unseen. It is
no digest for those who mean harm.
Source: Collet, xxHash (XXH64), whose rounds these are; eight lanes instead of four.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

_LANES, _WORD = 8, 8
_FIRST, _SECOND = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
_LEFT, _RIGHT = np.uint64(31), np.uint64(33)


def byte_sum(data: NDArray[np.uint8]) -> int:
    """The sum of some bytes, their number included."""
    lanes = np.arange(1, _LANES + 1, dtype=np.uint64)
    whole = len(data) // (_LANES * _WORD) * _LANES * _WORD
    _add(data[:whole].view(np.uint64).reshape(-1, _LANES), lanes)
    rest = np.zeros(_LANES * _WORD, np.uint8)
    rest[: len(data) - whole] = data[whole:]
    _add(rest.view(np.uint64).reshape(-1, _LANES), lanes)
    total = np.zeros(1, np.uint64)
    _add(np.append(lanes, np.uint64(len(data))).reshape(-1, 1), total)
    return int(total[0])


@kernel
def _add(words: Words, lanes: Words) -> None:
    """Adds words, uint64[n, lanes], to the lanes."""
    for i in range(words.shape[0]):
        for k in range(lanes.size):
            mixed = lanes[k] + words[i, k] * _SECOND
            lanes[k] = ((mixed << _LEFT) | (mixed >> _RIGHT)) * _FIRST
