"""Arrow arrays as NumPy arrays and back, by their buffers.

Arrow's own conversions import pandas on first use, which costs a short-lived process more than all else that it does.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike, NDArray


def values_of(array: pa.Array, dtype: DTypeLike) -> NDArray[Any]:
    """The values of a fixed-width array without copying; where the array is null, anything may stand.

    Args:
        array: an Arrow array.
        dtype: the NumPy type of its values, of as many bytes.
    """
    data = array.buffers()[1]
    if data is None or not len(array):
        return np.zeros(len(array), dtype)
    return np.frombuffer(data, dtype)[array.offset : array.offset + len(array)]


def present(array: pa.Array) -> NDArray[np.bool_]:
    """bool[n]: where the array is not null."""
    validity = array.buffers()[0]
    if pa.types.is_null(array.type):
        return np.zeros(len(array), np.bool_)
    if validity is None or not array.null_count:
        return np.ones(len(array), np.bool_)
    bits = np.unpackbits(np.frombuffer(validity, np.uint8), count=array.offset + len(array), bitorder="little")
    return bits[array.offset :].astype(np.bool_)


def doubles(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Numbers as doubles; integers that doubles do not tell apart (numbers of 19 digits) as near ones."""
    return pc.cast(array, pa.float64(), safe=False)


def arrow_array(values: NDArray[Any]) -> pa.Array:
    """Numbers or truth values as an Arrow array of their type, without nulls."""
    data = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(data)])


def array_of(values: NDArray[Any], type_: pa.DataType, valid: NDArray[np.bool_]) -> pa.Array:
    """An Arrow array of fixed-width values, null where not ``valid``."""
    validity = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(type_, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])
