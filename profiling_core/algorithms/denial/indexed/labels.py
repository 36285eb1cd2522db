"""Order-maintaining labels: integer codes of values that stay what they are when other values come.

Each domain (columns that compare with each other) has a sorted dictionary of its values with gapped int64 labels. A new
value takes a label between its neighbours'; only where a gap is used up is the domain labelled anew. Values are kept as
int64 or float64 where one such type holds the whole domain, else as bytes: strings as they are, numbers of different
types as keys whose byte order is the order of the exact values.
Source: order maintenance by gapped labels, Dietz and Sleator, STOC 1987.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.arrow_buffers import present, values_of
from profiling_core.algorithms.values.comparable_values import comparable
from profiling_core.algorithms.values.encoding import NULL

Labels = NDArray[np.int64]
GAP = 1 << 20
_MIDDLE = 1 << 60
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


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """A domain's distinct values in ascending order and their labels, int64, ascending and at least 0."""

    values: pa.Array
    labels: Labels

    def ranks_of(self, labels: Labels) -> Codes:
        """int32: the places of labels that are all in the dictionary, in the order of its values; −1 for null."""
        ranks = np.searchsorted(self.labels, labels).astype(np.int32)
        ranks[labels < 0] = NULL
        return ranks

    def extended(self, values: pa.Array) -> tuple["Dictionary", Labels, Labels | None]:
        """The dictionary with these values too.

        Returns:
            The dictionary; the values' labels, −1 for null; the labels of the old values, in order, where they change.
        """
        coded = values.dictionary_encode()
        ascending = pc.sort_indices(coded.dictionary)
        distinct = coded.dictionary.take(ascending)
        places, known = self._places(distinct)
        places += np.cumsum(~known) - ~known
        extended, moved = self._with(distinct.filter(pa.array(~known)), places[~known])
        labels = np.full(len(distinct) + 1, -1, np.int64)
        labels[values_of(ascending, np.uint64).astype(np.int64)] = extended.labels[places]
        return extended, labels[np.where(present(coded.indices), values_of(coded.indices, np.int32), -1)], moved

    def _with(self, fresh: pa.Array, at: Labels) -> tuple["Dictionary", Labels | None]:
        """The dictionary with new values, ascending, at these places of it; the old ones' labels where they change."""
        if not len(fresh):
            return self, None
        total = len(self.values) + len(fresh)
        is_new = np.zeros(total, np.bool_)
        is_new[at] = True
        source = np.empty(total, np.int64)
        source[is_new] = len(self.values) + np.arange(len(fresh))
        source[~is_new] = np.arange(len(self.values))
        merged = pa.concat_arrays([self.values, fresh]).take(pa.array(source))
        labels = np.zeros(total, np.int64)
        labels[~is_new] = self.labels
        if _fill(labels, is_new):
            return Dictionary(merged, labels), None
        labels = _evenly(total)
        return Dictionary(merged, labels), labels[~is_new]

    def _places(self, wanted: pa.Array) -> tuple[Labels, NDArray[np.bool_]]:
        """Where each value stands or would stand, and whether it is there."""
        if not pa.types.is_large_binary(self.values.type):
            dtype = np.int64 if pa.types.is_int64(self.values.type) else np.float64
            own, values = values_of(self.values, dtype), values_of(wanted, dtype)
            places = np.searchsorted(own, values)
            known = np.zeros(len(values), np.bool_)
            inside = places < len(own)
            known[inside] = own[places[inside]] == values[inside]
            return places.astype(np.int64), known
        places, known = _find(*bytes_of(self.values), *bytes_of(wanted))
        return places, known


@kernel
def _find(
    own: Labels, own_data: NDArray[np.uint8], wanted: Labels, wanted_data: NDArray[np.uint8]
) -> tuple[Labels, NDArray[np.bool_]]:
    """Binary search of byte strings, given by offsets and data, in ascending ones: where each belongs, and is there."""
    places = np.empty(wanted.size - 1, np.int64)
    known = np.zeros(wanted.size - 1, np.bool_)
    for i in range(places.size):
        value = wanted_data[wanted[i] : wanted[i + 1]]
        low = 0
        high = own.size - 1
        while low < high:
            middle = (low + high) // 2
            other = own_data[own[middle] : own[middle + 1]]
            sign = 0
            for k in range(min(value.size, other.size)):
                if value[k] != other[k]:
                    sign = -1 if value[k] < other[k] else 1
                    break
            if sign == 0:
                sign = value.size - other.size
            if sign == 0:
                known[i] = True
                low = middle
                break
            if sign > 0:
                low = middle + 1
            else:
                high = middle
        places[i] = low
    return places, known


def bytes_of(array: pa.Array) -> tuple[Labels, NDArray[np.uint8]]:
    """The offsets, int64[n + 1], and the bytes of a binary array that starts at the beginning of its buffers."""
    if not len(array):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int64)[: len(array) + 1]
    data = array.buffers()[2]
    return offsets, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)


def _evenly(total: int) -> Labels:
    return _MIDDLE + (np.arange(total, dtype=np.int64) - total // 2) * GAP


def _fill(labels: Labels, is_new: NDArray[np.bool_]) -> bool:
    """Labels new values between their neighbours, in place; False where a gap is too small for its new values."""
    old = np.flatnonzero(~is_new)
    if not len(old):
        labels[:] = _evenly(len(labels))
        return True
    at = np.flatnonzero(is_new)
    gap, first, sizes = np.unique(np.searchsorted(old, at), return_index=True, return_counts=True)
    low = labels[old[np.maximum(gap - 1, 0)]]
    width = (labels[old[np.minimum(gap, len(old) - 1)]] - low) // (sizes + 1)
    below, above = gap == 0, gap == len(old)
    width[below | above] = GAP
    low[below] = labels[old[0]] - (sizes[below] + 1) * GAP
    if (width == 0).any():
        return False
    steps = np.arange(1, len(at) + 1) - np.repeat(first, sizes)
    labels[at] = np.repeat(low, sizes) + steps * np.repeat(width, sizes)
    return True


def empty_dictionary(types: Sequence[pa.DataType], *, plain: bool) -> Dictionary:
    """The dictionary of a domain without values."""
    values = [stored_values(pa.chunked_array([], type_), plain=plain) for type_ in types]
    kinds = [v.type for v in values if not pa.types.is_int64(v.type)]
    return Dictionary(pa.array([], kinds[0] if kinds else pa.int64()), np.empty(0, np.int64))
