"""Runs of distinct values in ascending order with their labels, held as plain arrays that can be mapped from files."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Flags, fixed
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.arrow_buffers import values_of

Labels = NDArray[np.int64]
Plain = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """``labels`` int64[n], ascending and at least 0; ``plain``: the values as int64 or float64, or offsets and data."""

    labels: Labels
    plain: Plain

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, values: pa.Array, labels: Labels) -> "Run":
        """The run of values, int64, float64 or large_binary, that are all different."""
        if pa.types.is_large_binary(values.type):
            offsets, data = _bytes_of(values)
            return cls(labels, {"offsets": offsets, "data": data})
        return cls(labels, {"values": values_of(values, np.int64 if pa.types.is_int64(values.type) else np.float64)})

    @property
    def none(self) -> "Run":
        """A run of such values that has none."""
        return Run.of(self.values.slice(0, 0), self.labels[:0])

    @property
    def values(self) -> pa.Array:
        """The values, without a copy."""
        if "values" not in self.plain:
            buffers = [None, *(pa.py_buffer(self.plain[name]) for name in ("offsets", "data"))]
            return pa.Array.from_buffers(pa.large_binary(), len(self), buffers)
        values = self.plain["values"]
        type_ = pa.int64() if values.dtype == np.int64 else pa.float64()
        return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(values)])

    def merged(self, other: "Run") -> "Run":
        """The run with the values of another one, which are different from these."""
        if not len(self) or not len(other):
            return self if len(self) else other
        labels = np.concatenate([self.labels, other.labels])
        order = np.argsort(labels, kind="stable")
        return Run.of(pa.concat_arrays([self.values, other.values]).take(pa.array(order)), labels[order])

    def places(self, wanted: pa.Array) -> tuple[Labels, Flags]:
        """Where each value stands or would stand, and whether it is there."""
        if "values" not in self.plain:
            offsets, data = _bytes_of(wanted)
            return _find(fixed(self.plain["offsets"]), fixed(self.plain["data"]), fixed(offsets), fixed(data))
        own = self.plain["values"]
        values = values_of(wanted, own.dtype)
        places = np.searchsorted(own, values)
        known = np.zeros(len(values), np.bool_)
        inside = places < len(own)
        known[inside] = own[places[inside]] == values[inside]
        return places.astype(np.int64), known


@kernel
def _find(
    own: Labels, own_data: NDArray[np.uint8], wanted: Labels, wanted_data: NDArray[np.uint8]
) -> tuple[Labels, Flags]:
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


def _bytes_of(array: pa.Array) -> tuple[Labels, NDArray[np.uint8]]:
    """The offsets, int64[n + 1], and the bytes of a binary array that starts at the beginning of its buffers."""
    if not len(array):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int64)[: len(array) + 1]
    data = array.buffers()[2]
    return offsets, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
