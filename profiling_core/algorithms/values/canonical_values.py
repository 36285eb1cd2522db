"""One canonical form per value, so that values are equal exactly where docs/semantics.md, "Values", says they are.

Numbers compare by value across integer, decimal and float; dates are midnights in UTC; strings compare byte for byte. A
canonical value is a *form* with either a 64-bit number or bytes, and each value has exactly one: an integral number is
``INTEGER`` wherever it fits 64 bits; else ``FLOAT``, by its bits, wherever a double holds it exactly; else
``DECIMAL + scale`` with the unscaled integer, without trailing zeros; else ``BIG``, as digits. A long string is
``LONG_STRING``, its bytes those that stand for it. So 1 = 1.00 = 1.0, and
0.1 as a double is not 0.1 as a decimal. Forms of different type classes differ, so that their values never meet.
"""

from decimal import Decimal
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_buffers import values_of
from profiling_core.algorithms.values.long_strings import shortened

BOOLEAN, INTEGER, FLOAT, BIG, TIME, BIG_TIME, STRING, BINARY, COMBINED, LONG_STRING = range(10)
DECIMAL = 64  # + scale
Values = Literal["typed", "text"]

_BIGGEST_FLOAT_INTEGER = 2**53
_INT64_LIMIT = 2.0**63
_LARGEST_POWER_OF_FIVE = 27  # 5^28 has more than 63 bits
_DAY_MICROSECONDS = 86_400_000_000
_MOST_DAYS = 106_751_990  # more of them, in microseconds, have more than 63 bits

Canonical = tuple[NDArray[np.int16], NDArray[np.int64], pa.Array | None]


def as_compared(array: pa.ChunkedArray, values: Values) -> pa.ChunkedArray:
    """A column with plain values and one zero; as text where text is what compares. Row by row, nulls and NaN too.

    Raises:
        TypeError: values of this type never compare.
    """
    if pa.types.is_nested(array.type):
        raise TypeError(f"values of type {array.type} cannot be compared")
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if values == "text" and not _is_text(array.type):
        return array.cast(pa.string())
    if pa.types.is_floating(array.type):
        return pc.add(array.cast(pa.float64()), 0.0)  # −0.0 + 0.0 is 0.0
    return array


def without_nulls(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values that :func:`as_compared` left, without nulls and NaN."""
    if pa.types.is_floating(array.type):
        return array.filter(pc.invert(pc.is_nan(array)))
    return array.drop_null() if array.null_count else array


def _is_text(type_: pa.DataType) -> bool:
    return any(test(type_) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _is_binary(type_: pa.DataType) -> bool:
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(test(type_) for test in tests)


def canonical(array: pa.Array) -> Canonical:  # noqa: PLR0911  # one line per type reads best
    """Forms int16[n], numbers int64[n] (0 where the form has bytes), and bytes (null where it has a number; None: all).

    Args:
        array: values as :func:`without_nulls` leaves them; work is per value, so best distinct ones.

    Raises:
        TypeError: values of this type never compare.
    """
    type_ = array.type
    if _is_text(type_) or _is_binary(type_):
        plain = array.cast(pa.binary()) if pa.types.is_fixed_size_binary(type_) else array
        form, data = (STRING if _is_text(type_) else BINARY), plain.cast(pa.large_binary())
        forms, numbers, _ = _form(form, np.zeros(len(array), np.int64))
        if form == STRING:
            data, long = shortened(data)
            forms[long] = LONG_STRING
        return forms, numbers, data
    if pa.types.is_boolean(type_) or pa.types.is_null(type_):
        return _form(BOOLEAN, _integers(array.cast(pa.int8())))
    if pa.types.is_floating(type_):
        return _floats(values_of(array.cast(pa.float64()), np.float64))
    if pa.types.is_decimal(type_):
        return _decimals(array)
    if pa.types.is_uint64(type_):
        return _decimals(array.cast(pa.decimal128(20, 0)))
    if pa.types.is_integer(type_):
        return _form(INTEGER, _integers(array))
    if pa.types.is_timestamp(type_) or pa.types.is_date64(type_):
        return _form(TIME, _integers(array.cast(pa.timestamp("us")).cast(pa.int64())))
    if pa.types.is_date32(type_):
        return _dates(_integers(array.cast(pa.int32())))
    raise TypeError(f"values of type {type_} cannot be compared")


def _form(form: int, numbers: NDArray[np.int64], data: pa.Array | None = None) -> Canonical:
    return np.full(len(numbers), form, np.int16), numbers, data


def _integers(array: pa.Array) -> NDArray[np.int64]:
    return values_of(array.cast(pa.int64()), np.int64)


def _floats(values: NDArray[np.float64]) -> Canonical:
    values = np.ascontiguousarray(values)
    with np.errstate(invalid="ignore"):
        whole = (np.trunc(values) == values) & (values >= -_INT64_LIMIT) & (values < _INT64_LIMIT)
    numbers = values.view(np.int64).copy()
    numbers[whole] = values[whole].astype(np.int64)
    return np.where(whole, np.int16(INTEGER), np.int16(FLOAT)), numbers, None


def _dates(days: NDArray[np.int64]) -> Canonical:
    small = np.abs(days) <= _MOST_DAYS
    numbers = np.where(small, days, 0) * _DAY_MICROSECONDS
    if small.all():
        return _form(TIME, numbers)
    digits = [None if s else str(int(d) * _DAY_MICROSECONDS).encode() for d, s in zip(days, small, strict=True)]
    forms = np.where(small, np.int16(TIME), np.int16(BIG_TIME))
    return forms, numbers, pa.array(digits, pa.large_binary())


def _decimals(array: pa.Array) -> Canonical:
    unscaled = unscaled_integers(array)
    if unscaled is None:
        return _big_decimals(array.to_pylist())
    forms, numbers = _reduced(unscaled, max(0, array.type.scale))
    return forms, numbers, None


def unscaled_integers(array: pa.Array) -> NDArray[np.int64] | None:
    """The unscaled integers of 128-bit decimals, read from the buffer; None where one does not fit 64 bits."""
    if not len(array):
        return np.empty(0, np.int64)
    if not pa.types.is_decimal128(array.type) or array.type.scale < 0:
        return None
    words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset : 2 * (array.offset + len(array))]
    low, high = words[0::2], words[1::2]
    return low.copy() if np.array_equal(high, low >> 63) else None


def _reduced(unscaled: NDArray[np.int64], scale: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Canonical forms of ``unscaled / 10**scale``."""
    numbers = unscaled
    scales = np.full(len(numbers), scale, np.int16)
    while True:
        shrinks = (scales > 0) & (numbers % 10 == 0)
        if not shrinks.any():
            break
        numbers = np.where(shrinks, numbers // 10, numbers)
        scales -= shrinks
    forms = np.where(scales == 0, INTEGER, DECIMAL + scales).astype(np.int16)
    for s in range(1, min(scale, _LARGEST_POWER_OF_FIVE) + 1):
        # Without a trailing zero, p / 10^s is a binary fraction iff 5^s divides p: then it is (p / 5^s) / 2^s.
        at = np.flatnonzero((scales == s) & (numbers % 5**s == 0))
        fraction = numbers[at] // 5**s
        exact = np.abs(fraction) < _BIGGEST_FLOAT_INTEGER
        at, fraction = at[exact], fraction[exact]
        numbers[at] = np.ldexp(fraction.astype(np.float64), -s).view(np.int64)
        forms[at] = FLOAT
    return forms, numbers


def _big_decimals(values: list[Decimal]) -> Canonical:
    """As :func:`_reduced`, value by value, for what has more than 64 bits."""
    found = [_big_decimal(value) for value in values]
    data = pa.array([digits for _, _, digits in found], pa.large_binary())
    return np.array([f for f, _, _ in found], np.int16), np.array([n for _, n, _ in found], np.int64), data


def _big_decimal(value: Decimal) -> tuple[int, int, bytes | None]:
    sign, digits, exponent = value.as_tuple()
    unscaled, scale = int("".join(map(str, digits)) or "0"), -int(exponent)
    if sign:
        unscaled = -unscaled
    unscaled *= 10 ** max(0, -scale)
    scale = max(0, scale)
    while scale and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    fits = -(2**63) <= unscaled < 2**63
    if scale == 0 and fits:
        return INTEGER, unscaled, None
    as_float = float(value)
    if Decimal(as_float) == value:
        return FLOAT, int(np.float64(as_float).view(np.int64)), None
    return (DECIMAL + scale, unscaled, None) if fits else (BIG, 0, f"{unscaled}e-{scale}".encode())
