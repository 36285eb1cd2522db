"""The stand-in of a long string where values are counted: a hash of 128 bits, and a check against collisions.

Texts of any length would otherwise be sent, sorted and stored once for every column that holds them.
"""

import hashlib
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_buffers import arrow_array, values_of

LONGEST_WHOLE = 256
"""Strings of more bytes are stood for."""


def hash128(text: bytes) -> bytes:
    """16 bytes that no two texts are known to share."""
    return hashlib.blake2b(text, digest_size=16).digest()


def stand_in(text: bytes) -> bytes:
    """28 bytes for a text: its hash, then its length and CRC-32, which tell texts apart whose hashes collide."""
    return hash128(text) + len(text).to_bytes(8, "little") + zlib.crc32(text).to_bytes(4, "little")


def shortened(texts: pa.Array) -> tuple[pa.Array, NDArray[np.bool_]]:
    """The texts (large binary, no nulls), long ones as what stands for them; and bool[n]: which these are."""
    long: NDArray[np.bool_] = values_of(pc.binary_length(texts), np.int64) > LONGEST_WHOLE
    if not long.any():
        return texts, long
    chosen = [stand_in(text) for text in texts.take(arrow_array(np.flatnonzero(long))).to_pylist()]
    ends = arrow_array(np.cumsum([0, *map(len, chosen)]))
    stand_ins = pa.Array.from_buffers(
        pa.large_binary(), len(chosen), [None, ends.buffers()[1], pa.py_buffer(b"".join(chosen))]
    )
    return pc.replace_with_mask(texts, arrow_array(long), stand_ins), long
