"""Values of one type class brought to one Arrow type in which equality and order are those of docs/semantics.md.

Numbers of different types, and dates beside timestamps, compare by value without a lossy cast: 2^53 and 2^53 + 1
differ, 1 and 1.00 do not. The common case (one type, or types that fit one exactly) stays within Arrow and NumPy; what
fits no machine type is ranked by Python's own numbers, whose comparisons are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_buffers import array_of, present, values_of

Number = int | float | Decimal
_EXACT_IN_FLOAT = 2**53
_INT64_LIMIT = 2**63
_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_DAY_SECONDS = 86_400
_PLAIN = {"null": pa.null(), "boolean": pa.uint8(), "bytes": pa.large_binary()}


def comparable(arrays: Sequence[pa.ChunkedArray]) -> list[pa.ChunkedArray]:
    """The arrays with one common type: null, binary, uint8 (booleans), int64, or float64 without NaN and −0.0.

    Raises:
        TypeError: values of these types never compare with each other, or with anything.
    """
    arrays = [_decoded(array) for array in arrays]
    kinds = {_kind(array.type) for array in arrays} - {"null"}
    if len(kinds) > 1:
        raise TypeError(f"columns of types {sorted({str(a.type) for a in arrays})} do not compare with each other")
    kind = kinds.pop() if kinds else "null"
    if kind in _PLAIN:
        return [array.cast(_PLAIN[kind]) for array in arrays]
    return _unified([_scaled(array) for array in arrays])


def _decoded(array: pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(array, pa.Array):
        array = pa.chunked_array([array])
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    return array


@cache
def _kind(type_: pa.DataType) -> str:
    tests = {
        "null": (pa.types.is_null,),
        "boolean": (pa.types.is_boolean,),
        "bytes": (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
                  pa.types.is_fixed_size_binary, pa.types.is_string_view, pa.types.is_binary_view),
        "number": (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal),
        "time": (pa.types.is_date, pa.types.is_timestamp),
    }  # fmt: skip
    for kind, accepted in tests.items():
        if any(test(type_) for test in accepted):
            return kind
    raise TypeError(f"values of type {type_} cannot be compared")


@dataclass(frozen=True, slots=True)
class _Scaled:
    """Numbers as ``values / 10**scale`` where ``valid``; int64 or float64 values, or Python numbers (scale 0)."""

    values: NDArray[Any]
    valid: NDArray[np.bool_]
    scale: int = 0

    @property
    def largest(self) -> int:
        """The greatest magnitude among the valid values of an integer array."""
        kept = self.values[self.valid]
        return max(abs(int(kept.min())), abs(int(kept.max()))) if len(kept) else 0


def _scaled(array: pa.ChunkedArray) -> _Scaled:
    whole = array.combine_chunks()
    valid = present(whole)
    type_ = whole.type
    if pa.types.is_floating(type_):
        values = values_of(whole.cast(pa.float64()), np.float64) + 0.0  # −0.0 + 0.0 = 0.0
        valid = valid & ~np.isnan(values)
        return _Scaled(np.where(valid, values, 0.0), valid)
    if pa.types.is_decimal(type_):
        return _decimals(whole, valid)
    if pa.types.is_date(type_) or pa.types.is_timestamp(type_):
        return _instants(whole, valid)
    if pa.types.is_uint64(type_) and _maximum(whole) >= _INT64_LIMIT:
        return _Scaled(_python_numbers(whole), valid)
    return _Scaled(_integers(whole.cast(pa.int64())), valid)


def _integers(array: pa.Array) -> NDArray[np.int64]:
    return values_of(array, np.int64)


def _maximum(array: pa.Array) -> int:
    return pc.max(array).as_py() or 0


def _instants(array: pa.Array, valid: NDArray[np.bool_]) -> _Scaled:
    """Seconds since 1970, scaled by the type's unit; a date is its midnight in UTC."""
    if pa.types.is_date32(array.type):
        return _Scaled(_integers(array.cast(pa.int32()).cast(pa.int64())) * _DAY_SECONDS, valid)
    unit = "ms" if pa.types.is_date64(array.type) else array.type.unit
    return _Scaled(_integers(array.cast(pa.int64())), valid, _UNITS[unit])


def _decimals(array: pa.Array, valid: NDArray[np.bool_]) -> _Scaled:
    """Unscaled integers, read from the buffer where they fit into 64 bits."""
    type_ = array.type
    if pa.types.is_decimal128(type_) and type_.scale >= 0 and len(array):
        words = values_of(array, np.dtype((np.int64, 2)))
        low, high = words[:, 0], words[:, 1]
        if np.array_equal(high[valid], low[valid] >> 63):
            return _Scaled(np.where(valid, low, 0), valid, type_.scale)
    return _Scaled(_python_numbers(array), valid)


def _python_numbers(array: pa.Array) -> NDArray[np.object_]:
    """Python's numbers, 0 for null."""
    values = np.empty(len(array), object)
    values[:] = [0 if value is None else value for value in array.to_pylist()]
    return values


def _unified(parts: Sequence[_Scaled]) -> list[pa.ChunkedArray]:
    kinds = {part.values.dtype.kind for part in parts}
    if kinds == {"f"}:
        return [_arrow(part.values, part.valid) for part in parts]
    if "O" not in kinds:
        if kinds == {"i"}:
            scale = max(part.scale for part in parts)
            if all(part.largest * 10 ** (scale - part.scale) < _INT64_LIMIT for part in parts):
                return [_arrow(part.values * 10 ** (scale - part.scale), part.valid) for part in parts]
        elif all(p.scale == 0 and p.largest <= _EXACT_IN_FLOAT for p in parts if p.values.dtype.kind == "i"):
            return [_arrow(part.values.astype(np.float64), part.valid) for part in parts]
    return _python_ranks(parts)


def _arrow(values: NDArray[Any], valid: NDArray[np.bool_]) -> pa.ChunkedArray:
    type_ = pa.float64() if values.dtype.kind == "f" else pa.int64()
    return pa.chunked_array([array_of(values, type_, valid)])


def _python_ranks(parts: Sequence[_Scaled]) -> list[pa.ChunkedArray]:
    """Ranks by Python's exact comparison of int, Decimal and float; each distinct value is looked at once."""
    distinct: list[list[Number]] = []
    inverses = []
    for part in parts:
        values, inverse = np.unique(part.values, return_inverse=True)
        distinct.append([_python_number(value, part.scale) for value in values.tolist()])
        inverses.append(inverse)
    rank = {value: i for i, value in enumerate(sorted({value for values in distinct for value in values}))}
    return [
        _arrow(np.array([rank[value] for value in values], np.int64)[inverse], part.valid)
        for part, values, inverse in zip(parts, distinct, inverses, strict=True)
    ]


def _python_number(value: Number, scale: int) -> Number:
    if scale == 0 or not isinstance(value, int):
        return value
    # The constructor is exact whatever the context's precision; an operation on Decimals would round.
    return Decimal((int(value < 0), tuple(int(digit) for digit in str(abs(value))), -scale))
