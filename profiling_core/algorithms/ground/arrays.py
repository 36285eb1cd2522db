"""The arrays that all algorithms pass around, by what they hold.

A name says what stands in an array, its type how wide a cell is; shapes stand in the docstring of who takes it.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

# Bit sets: bit i of word i div 64.
Words = NDArray[np.uint64]
# Numbers of pairs, rows or values; signed, since a delta takes away.
Counts = NDArray[np.int64]
# A column's values as numbers, equal where the values are.
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]
Item = TypeVar("Item", bound=np.generic)


def grown(array: NDArray[Item], room: int) -> NDArray[Item]:
    """The array with zeros behind it, so that it has room for ``room`` entries."""
    larger = np.zeros((room, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def fixed(array: NDArray[Item]) -> NDArray[Item]:
    """The array, contiguous and not to be written to: mapped or not, kernels are compiled for one kind alone."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
