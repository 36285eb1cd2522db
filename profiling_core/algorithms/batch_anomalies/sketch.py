"""Sketches of one column of a batch: a few counters, so that the sketches of two batches add up to that of both.

All figures are whole numbers, so that merging is exact and its order does not matter.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.garbled import count_garbled
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.columns.repeats import hashes_of
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType, TypeClass

# Distinct values of a category, at most; and steps per doubling in which sizes are counted.
MOST_CATEGORIES = 100
STEPS = 16
_MOST_HOURS = 5_000
_LONGEST = 1_000
# Digits after the decimal point from −3 (thousands) to 6; the levels of a time from the day (0) to below a second (4).
FINEST = 6
_COARSEST = -3
_TIME_UNITS = (60_000_000 * 60 * 24, 60_000_000 * 60, 60_000_000, 1_000_000)
HOUR = 3_600_000_000
_COUNTED = (LogicalType.STRING, LogicalType.INTEGER, LogicalType.BOOLEAN)

Counts = Mapping[int, int]
_COUNTS = ("sizes", "grains", "lengths")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class ColumnSketch:
    """One column of a batch.

    ``rows`` have a value, ``nulls`` none. ``digest`` is the sum of the values' hashes modulo 2⁶⁴: equal for batches of
    the same values in any order; ``least`` and ``most`` are the least and the greatest hash, equal if all rows with
    a value have the same one. ``values`` counts rows by value (None: too many, or a type that is not counted). For
    numbers
    ``sizes`` counts rows by the logarithm of the absolute value in steps of 1/16 of a doubling, ``negative`` and
    ``zero``
    the rest; ``grains`` counts them by digits after the decimal point, and times by their finest unit. ``hours`` counts
    times
    by hours since 1970 (None: too many), ``lengths`` texts by characters; ``garbled`` are texts that were read in a
    wrong
    encoding, ``marked`` texts that begin with neither a letter nor a
    digit. ``cells`` counts the cells that were changed by what happened to them (None: of rows that are new or go).
    """

    rows: int = 0
    nulls: int = 0
    digest: int = 0
    least: int = 2**64
    most: int = -1
    negative: int = 0
    zero: int = 0
    garbled: int = 0
    marked: int = 0
    values: Mapping[str, int] | None = field(default_factory=dict)
    hours: Counts | None = field(default_factory=dict)
    sizes: Counts = field(default_factory=dict)
    grains: Counts = field(default_factory=dict)
    lengths: Counts = field(default_factory=dict)
    cells: Counts | None = None

    @property
    def has_one_value(self) -> bool:
        """Whether all rows with a value have the same one."""
        return self.least == self.most

    def merged(self, other: Self) -> "ColumnSketch":
        """The sketch of both batches together."""
        cells = None if self.cells is None or other.cells is None else _sum(self.cells, other.cells)
        sizes, grains, lengths = (_sum(getattr(self, name), getattr(other, name)) for name in _COUNTS)
        return ColumnSketch(
            self.rows + other.rows,
            self.nulls + other.nulls,
            (self.digest + other.digest) % 2**64,
            min(self.least, other.least),
            max(self.most, other.most),
            self.negative + other.negative,
            self.zero + other.zero,
            self.garbled + other.garbled,
            self.marked + other.marked,
            _few(self.values, other.values, MOST_CATEGORIES),
            _few(self.hours, other.hours, _MOST_HOURS),
            sizes,
            grains,
            lengths,
            cells,
        )


def sketch(values: pa.ChunkedArray, column: Column) -> ColumnSketch:
    """The sketch of one column of a batch."""
    values = present(values)
    there = values.drop_null()
    if not len(there):
        return ColumnSketch(nulls=values.null_count)
    hashes = hashes_of(there)
    digest = int(hashes.sum(dtype=np.uint64))
    least, most = int(hashes.min()), int(hashes.max())
    made = ColumnSketch(len(there), values.null_count, digest, least, most, values=values_counted(there, column))
    return _SKETCHED.get(column.type.type_class, lambda bare, _: bare)(made, there)


def values_counted(there: pa.ChunkedArray, column: Column) -> dict[str, int] | None:
    """How many rows have each value; None: they are too many, or of a type that is not counted."""
    if column.type not in _COUNTED:
        return None
    counted = pc.value_counts(there.combine_chunks())
    if len(counted) > MOST_CATEGORIES:
        return None
    texts = counted.field("values").cast(pa.string()).to_pylist()
    return dict(zip(texts, counted.field("counts").to_pylist(), strict=True))


def _of_numbers(bare: ColumnSketch, there: pa.ChunkedArray) -> ColumnSketch:
    numbers = doubles(there).to_numpy()
    numbers = numbers[np.isfinite(numbers)]
    sizes = np.rint(np.log2(np.abs(numbers[numbers != 0])) * STEPS).astype(np.int64)
    return _with(
        bare,
        negative=int((numbers < 0).sum()),
        zero=int((numbers == 0).sum()),
        sizes=counted_numbers(sizes),
        grains=counted_numbers(grains_of(numbers)),
    )


def grains_of(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """int64[n]: the digits after the decimal point that each number needs; −3 to −1: it ends in this many zeros."""
    found = np.full(len(numbers), FINEST, np.int64)
    for digits in range(FINEST - 1, _COARSEST - 1, -1):
        scaled = numbers * 10.0**digits
        found[np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, np.abs(scaled))] = digits
    found[numbers == 0] = 0  # a zero does not show the precision
    return found


def _of_times(bare: ColumnSketch, there: pa.ChunkedArray) -> ColumnSketch:
    micros = micros_of(there)
    hours = counted_numbers(micros // HOUR)
    return _with(
        bare, hours=hours if len(hours) <= _MOST_HOURS else None, grains=counted_numbers(time_grains_of(micros))
    )


def micros_of(times: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """int64[n]: microseconds since 1970, for dates those of midnight; no nulls."""
    if times.type.id == pa.date32().id:
        days: npt.NDArray[np.int64] = times.cast(pa.int32()).to_numpy().astype(np.int64)
        return days * _TIME_UNITS[0]
    micros: npt.NDArray[np.int64] = (
        times.cast(pa.timestamp("us", times.type.tz), safe=False).cast(pa.int64()).to_numpy()
    )
    return micros


def time_grains_of(micros: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64[n]: the finest unit of each time: 0 the day, 1 the hour, 2 the minute, 3 the second, 4 finer."""
    found = np.full(len(micros), len(_TIME_UNITS), np.int64)
    for level in range(len(_TIME_UNITS) - 1, -1, -1):
        found[micros % _TIME_UNITS[level] == 0] = level
    return found


def _of_texts(bare: ColumnSketch, there: pa.ChunkedArray) -> ColumnSketch:
    lengths = np.minimum(pc.utf8_length(there).to_numpy().astype(np.int64), _LONGEST)
    return _with(
        bare,
        lengths=counted_numbers(lengths),
        garbled=count_garbled(there),
        marked=int(are_marked(there).sum()),
    )


def are_marked(texts: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """bool[n]: which texts begin with neither a letter nor a digit: with a blank, a quotation mark, a sign."""
    mask: npt.NDArray[np.bool_] = pc.match_substring_regex(texts, r"^[^\p{L}\p{N}]").to_numpy()
    return mask


_SKETCHED = {TypeClass.NUMERIC: _of_numbers, TypeClass.TEMPORAL: _of_times, TypeClass.STRING: _of_texts}


def counted_numbers(numbers: npt.NDArray[np.int64]) -> dict[int, int]:
    """How often each number comes."""
    distinct, counts = np.unique(numbers, return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def _with(bare: ColumnSketch, **more: object) -> ColumnSketch:
    return replace(bare, **more)  # type: ignore[arg-type]  # counters by name


def _few(one: Mapping[K, int] | None, other: Mapping[K, int] | None, most: int) -> dict[K, int] | None:
    if one is None or other is None:
        return None
    both = _sum(one, other)
    return both if len(both) <= most else None


def _sum(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    return dict(Counter(one) + Counter(other))
