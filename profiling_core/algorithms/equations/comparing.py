"""Two columns compared row by row."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.equations.judging import Judged, is_number
from profiling_core.algorithms.equations.numbers import Numbers, common_denominator, fits_int64, numbers_of, total
from profiling_core.algorithms.values.arrow_buffers import present
from profiling_core.model.predicate import Operator

HOLDS: Mapping[Operator, Callable[[Any, Any], Any]] = {
    Operator.EQ: np.equal,
    Operator.NE: np.not_equal,
    Operator.LT: np.less,
    Operator.LE: np.less_equal,
    Operator.GT: np.greater,
    Operator.GE: np.greater_equal,
}
"""By operator the function that tells which of two arrays' values it holds for."""


def compared(left: pa.ChunkedArray, op: Operator, right: pa.ChunkedArray) -> Judged:
    """Which rows have both values, and in which of them ``left op right`` does not hold.

    Numbers compare by value (a float with another number as doubles), moments as instants, other types as stored.
    """
    if not all(is_number(c.type) or pa.types.is_temporal(c.type) for c in (left, right)):
        return _as_they_are(left, op, right)
    return compared_numbers(numbers_of(left), op, numbers_of(right))


def compared_numbers(a: Numbers, op: Operator, b: Numbers) -> Judged:
    """As :func:`compared`, for numbers."""
    there = a.there & b.there
    if a.exact and b.exact and a.scale == b.scale:
        holds = HOLDS[op](a.values, b.values)
    elif a.exact and b.exact:
        terms = [(Fraction(1), [a]), (Fraction(-1), [b])]
        denominator = common_denominator(terms)
        apart = total(terms, denominator, len(there), wide=not fits_int64(terms, denominator))
        holds = HOLDS[op](apart, 0)
    else:
        holds = HOLDS[op](a.doubles, b.doubles)
    return Judged(there, there & ~np.asarray(holds, np.bool_))


def _as_they_are(left: pa.ChunkedArray, op: Operator, right: pa.ChunkedArray) -> Judged:
    arrays = [column.combine_chunks() for column in (left, right)]
    there = present(arrays[0]) & present(arrays[1])
    values = [array.to_numpy(zero_copy_only=False)[there] for array in arrays]
    violating = np.zeros(len(there), np.bool_)
    violating[there] = ~np.asarray(HOLDS[op](*values), np.bool_)
    return Judged(there, violating)
