"""A sum over bytes that tells damage about as fast as memory is read: 64 bits, in eight lanes that do not wait.

Any damage within one word changes the sum, since each step can be undone; of other damage one in 2⁶⁴ goes unseen. It is
no digest for those who mean harm.
Source: Collet, xxHash (XXH64), whose rounds these are; eight lanes instead of four.
"""

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.kernel import kernel

_LANES = 8
_ROUND = 8 * _LANES
# Bytes that are read at once: they stay in a processor's cache.
_AT_ONCE = 1 << 18
_FIRST, _SECOND = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
_LEFT, _RIGHT = np.uint64(31), np.uint64(33)


def byte_sum(file: BinaryIO) -> tuple[int, int]:
    """The sum of a file's bytes, their number included; and that number."""
    lanes, size = np.arange(1, _LANES + 1, dtype=np.uint64), 0
    room = np.zeros(_AT_ONCE, np.uint8)
    while (read := _filled(file, room)) == _AT_ONCE:
        _add(room.view(np.uint64).reshape(-1, _LANES), lanes)
        size += read
    room[read:] = 0
    _add(room[: -(-read // _ROUND) * _ROUND].view(np.uint64).reshape(-1, _LANES), lanes)
    size += read
    total = np.zeros(1, np.uint64)
    _add(np.append(lanes, np.uint64(size)).reshape(-1, 1), total)
    return int(total[0]), size


def _filled(file: BinaryIO, room: NDArray[np.uint8]) -> int:
    """How many bytes a file gave; fewer than there is room for at its end."""
    read, view = 0, room.data
    while read < len(room) and (more := file.readinto(view[read:])):  # type: ignore[attr-defined] # of BytesIO, too
        read += more
    return read


@kernel
def _add(words: Words, lanes: Words) -> None:
    """Adds words, uint64[n, lanes], to the lanes."""
    for i in range(words.shape[0]):
        for k in range(lanes.size):
            mixed = lanes[k] + words[i, k] * _SECOND
            lanes[k] = ((mixed << _LEFT) | (mixed >> _RIGHT)) * _FIRST
