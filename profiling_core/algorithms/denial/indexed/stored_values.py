"""The forms in which dictionaries hold values, so that columns of different types compare exactly.

Values are kept as int64 or float64 where one such type holds a whole domain, else as bytes: strings as they are,
numbers of different types as keys whose byte order is the order of the exact values.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from profiling_core.algorithms.values.comparable_values import comparable

_EXACT_DIGITS = 18
_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def holds_plainly(types: Sequence[pa.DataType]) -> bool:
    """Whether :func:`comparable` brings each of these types to one form by itself, whatever its values."""
    if all(pa.types.is_integer(t) and not pa.types.is_uint64(t) for t in types):
        return True
    if all(pa.types.is_floating(t) for t in types):
        return True
    if len(set(types)) > 1:
        return all(not _is_number(t) for t in types)
    return not pa.types.is_uint64(types[0]) and (
        not pa.types.is_decimal(types[0]) or 0 <= types[0].scale <= types[0].precision <= _EXACT_DIGITS
    )


def _is_number(type_: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_date, pa.types.is_timestamp)
    return any(test(type_) for test in tests)


def number_key(value: float | Decimal) -> bytes:
    """Bytes whose order is that of the exact values: sign, decimal exponent, digits; complemented below zero."""
    sign, digits, exponent = Decimal(value).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return b"\x01"
    body = (len(text) + int(exponent) + (1 << 31)).to_bytes(4, "big")
    body += bytes(ord(digit) - 47 for digit in text.rstrip("0")) + b"\x00"
    return b"\x00" + bytes(255 - byte for byte in body) if sign else b"\x02" + body


def stored_values(array: pa.ChunkedArray, *, plain: bool) -> pa.Array:
    """A column's values in the form that its dictionary holds: int64, float64 or large_binary, with nulls."""
    if plain:
        values = comparable([array])[0].combine_chunks()
        return values.cast(pa.int64()) if pa.types.is_integer(values.type) or pa.types.is_null(values.type) else values
    distinct = array.combine_chunks().dictionary_encode()
    keys = pa.array([_exact_key(v) for v in _exact(distinct.dictionary)], pa.large_binary())
    return keys.take(distinct.indices)


def _exact_key(value: float | Decimal | None) -> bytes | None:
    return None if value is None or value != value else number_key(value)  # noqa: PLR0124  # NaN is null


def _exact(array: pa.Array) -> list[Any]:
    if not (pa.types.is_date(array.type) or pa.types.is_timestamp(array.type)):
        return list(array.to_pylist())
    scale = _UNITS[array.type.unit] if pa.types.is_timestamp(array.type) else 3 * pa.types.is_date64(array.type)
    seconds = comparable([pa.chunked_array([array])])[0].to_pylist()
    return [None if v is None else _shifted(v, scale) for v in seconds]


def _shifted(value: int, scale: int) -> Decimal:
    # The constructor is exact whatever the context's precision.
    return Decimal((int(value < 0), tuple(int(digit) for digit in str(abs(value))), -scale))
