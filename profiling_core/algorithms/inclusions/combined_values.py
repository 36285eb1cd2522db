"""Values of several columns taken together as one: what n-ary inclusions compare.

A combination is the concatenation of its parts' canonical forms, each with its length where it has one, so that two
combinations are the same bytes exactly where all their parts are equal. Rows with a null in any part have none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.canonical_values import COMBINED, Canonical, Values, as_compared, canonical

_MOST_KEYS = 1 << 62
_HEAD = np.dtype([("form", "<i2"), ("number", "<i8")])


@dataclass(frozen=True, slots=True)
class Coded:
    """Rows by their value: whether a row has one (bool[n]), for those that do its place in the distinct values."""

    present: NDArray[np.bool_]
    places: NDArray[np.int64]
    distinct: Canonical

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """Per distinct value how many rows have it."""
        return np.bincount(self.places, minlength=len(self.distinct[0])).astype(np.int64)


def coded(columns: Sequence[pa.ChunkedArray], values: Values) -> Coded:
    """The rows of one column, or of several as combinations.

    Raises:
        TypeError: a column's values never compare with anything.
    """
    parts = [_coded_column(column, values) for column in columns]
    present = np.logical_and.reduce([part.present for part in parts])
    if len(parts) == 1:
        return parts[0]
    codes = []
    for part in parts:
        places = np.zeros(len(present), np.int64)
        places[part.present] = part.places
        codes.append(places[present])
    chosen, places = _distinct_rows(codes, [max(1, len(part.distinct[0])) for part in parts])
    pieces = [_as_bytes(part.distinct).take(pa.array(at)) for part, at in zip(parts, chosen, strict=True)]
    data = pc.binary_join_element_wise(*pieces, pa.scalar(b"", pa.large_binary()))
    size = len(chosen[0])
    return Coded(present, places, (np.full(size, COMBINED, np.int16), np.zeros(size, np.int64), data))


def _coded_column(column: pa.ChunkedArray, values: Values) -> Coded:
    encoded = as_compared(column, values).combine_chunks().dictionary_encode()
    codes, dictionary = encoded.indices, encoded.dictionary
    present = codes.is_valid().to_numpy(zero_copy_only=False)
    places = codes.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if pa.types.is_floating(dictionary.type) and len(dictionary):
        present = present & ~np.isnan(dictionary.to_numpy())[places]
    return Coded(present, places[present], canonical(dictionary))


def _distinct_rows(
    codes: Sequence[NDArray[np.int64]], sizes: Sequence[int]
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """The distinct rows of several columns of codes, column by column, and per row its place among them."""
    keys, radix = codes[0], sizes[0]
    steps: list[tuple[NDArray[np.int64] | None, int]] = []
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        known = None
        if radix * size >= _MOST_KEYS:  # else keys of different rows might meet
            known, keys = np.unique(keys, return_inverse=True)
            radix = len(known)
        steps.append((known, size))
        keys, radix = keys * size + code, radix * size
    encoded = pa.array(keys).dictionary_encode()
    left = encoded.dictionary.to_numpy()
    found = []
    for known, size in reversed(steps):
        left, last = np.divmod(left, size)
        found.append(last)
        left = left if known is None else known[left]
    return [left, *reversed(found)], encoded.indices.to_numpy().astype(np.int64)


def _as_bytes(values: Canonical) -> pa.Array:
    """Each value as bytes that no other value's begin with."""
    forms, numbers, data = values
    heads = np.empty(len(forms), _HEAD)
    heads["form"], heads["number"] = forms, numbers
    if data is not None:
        sized = data.is_valid().to_numpy(zero_copy_only=False)
        heads["number"][sized] = pc.binary_length(data).fill_null(0).to_numpy()[sized]
    fixed = pa.binary(_HEAD.itemsize)
    head = pa.Array.from_buffers(fixed, len(forms), [None, pa.py_buffer(heads.tobytes())]).cast(pa.large_binary())
    if data is None:
        return head
    rest = pc.fill_null(data, pa.scalar(b"", pa.large_binary()))
    return pc.binary_join_element_wise(head, rest, pa.scalar(b"", pa.large_binary()))
