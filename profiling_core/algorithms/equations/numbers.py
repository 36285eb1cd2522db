"""Columns as numbers that equations compute with: exact ones as whole numbers and a scale, others as doubles."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_buffers import present, values_of
from profiling_core.algorithms.values.canonical_values import unscaled_integers

Array = NDArray[Any]
# Above this a whole number divided by a power of ten may not give the nearest double.
EXACT_DOUBLE = 2**53
MOST_INT64 = 2**62
"""From here on a sum of two numbers may not fit into 64 bits."""
UNIT_SECONDS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
UNIT_MICROSECONDS = {unit: 1_000_000 * seconds for unit, seconds in UNIT_SECONDS.items()}
DAY_MICROSECONDS = UNIT_MICROSECONDS["days"]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column's n values.

    ``values`` are int64[n] or, where they are larger, object[n] of whole numbers, to be divided by ``10**scale``; or
    float64[n] where not ``exact``. ``there`` is bool[n]: which rows have a value; elsewhere stands 0.
    """

    values: Array
    scale: int
    there: NDArray[np.bool_]

    @property
    def exact(self) -> bool:
        """Whether the values are whole numbers over a power of ten."""
        return bool(self.values.dtype != np.float64)

    @cached_property
    def largest(self) -> int:
        """The largest absolute value, unscaled; for exact numbers."""
        return max(abs(int(self.values.max())), abs(int(self.values.min()))) if len(self.values) else 0

    @cached_property
    def sizes(self) -> Array:
        """The absolute values, unscaled; for exact numbers. With the least 64-bit number they are Python integers."""
        wide = self.values.dtype == np.int64 and self.largest > np.iinfo(np.int64).max
        sizes: Array = np.abs(self.values.astype(object) if wide else self.values)
        return sizes

    @cached_property
    def doubles(self) -> NDArray[np.float64]:
        """float64[n]: the doubles nearest to the values."""
        if not self.exact:
            return self.values
        if not self.scale and self.values.dtype == np.int64:
            return self.values.astype(np.float64)
        if self.largest < EXACT_DOUBLE and self.scale <= 22:
            return self.values.astype(np.float64) / 10.0**self.scale
        return np.array([float(Fraction(int(v), 10**self.scale)) for v in self.values], np.float64)

    def at(self, rows: Array) -> "Numbers":
        """The values of some rows: positions, or bool[n]."""
        return Numbers(self.values[rows], self.scale, self.there[rows])


def numbers_of(column: pa.ChunkedArray) -> Numbers:
    """A numeric column as numbers, a date or moment as microseconds.

    Args:
        column: integers, decimals, floats (NaN is null), dates or timestamps in microseconds.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    there = present(array)
    if pa.types.is_floating(array.type):
        doubles = values_of(array.cast(pa.float64()), np.float64) + 0.0
        there = there & ~np.isnan(doubles)
        return Numbers(np.where(there, doubles, 0.0), 0, there)
    if pa.types.is_decimal(array.type):
        return Numbers(_unscaled(array, there), array.type.scale, there)
    return Numbers(np.where(there, _whole(array), 0), 0, there)


def _whole(array: pa.Array) -> NDArray[np.int64]:
    if pa.types.is_date32(array.type):
        return values_of(array.cast(pa.int32()), np.int32).astype(np.int64) * DAY_MICROSECONDS
    if pa.types.is_temporal(array.type):
        return values_of(array.cast(pa.timestamp("us")).cast(pa.int64()), np.int64)
    return values_of(array.cast(pa.int64()), np.int64)


def _unscaled(array: pa.Array, there: NDArray[np.bool_]) -> Array:
    filled = array if there.all() else array.fill_null(Decimal(0))
    found = unscaled_integers(filled)
    if found is not None:
        return found
    return np.array([int(Fraction(value) * 10**array.type.scale) for value in filled.to_pylist()], object)


Term = tuple[Fraction, Sequence[Numbers]]


def common_denominator(terms: Sequence[Term]) -> int:
    """The least factor that makes all terms' constants whole, with their columns' powers of ten."""
    return lcm(*(_scaled(term).denominator for term in terms)) if terms else 1


def _scaled(term: Term) -> Fraction:
    constant, factors = term
    return constant / int(10 ** sum(n.scale for n in factors))


def fits_int64(terms: Sequence[Term], denominator: int) -> bool:
    """Whether the terms' sum, times the denominator, stays within 64 bits for any signs, partial sums included."""
    if any(n.values.dtype == object for _, factors in terms for n in factors):
        return False
    sizes = (abs(_scaled(t) * denominator) * prod(max(1, n.largest) for n in t[1]) for t in terms)
    return sum(sizes) < MOST_INT64


def total(terms: Sequence[Term], denominator: int, size: int, *, wide: bool) -> Array:
    """The sum of the terms times the denominator, exactly: int64[size], or object[size] where ``wide``."""
    dtype = object if wide else np.int64
    found = np.zeros(size, dtype)
    for term in terms:
        product = np.full(size, int(_scaled(term) * denominator), dtype)
        for factor in term[1]:
            product = product * (factor.values.astype(object) if wide else factor.values)
        found = found + product
    return found
