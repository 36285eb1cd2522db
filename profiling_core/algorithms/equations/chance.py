"""Whether chance explains an equation: how often it still holds after a column's values are exchanged between rows."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.equations.judging import judge
from profiling_core.algorithms.equations.numbers import DAY_MICROSECONDS, EXACT_DOUBLE, Numbers, numbers_of
from profiling_core.algorithms.equations.other_values import is_text
from profiling_core.algorithms.equations.sample import distinct_rows, spread
from profiling_core.algorithms.equations.weighted_digits import surprise_of
from profiling_core.model.constraint import Measured
from profiling_core.model.expression import (
    CheckDigits,
    Completed,
    Elapsed,
    Linear,
    Logarithm,
    MonthsOn,
    OnDay,
    Product,
    RelativeDifference,
    Shifted,
    WholeParts,
)
from profiling_core.model.kinds.equation import Equation

_Codes = np.ndarray[tuple[int], np.dtype[np.int64]]
# −log₁₀ of the false positives per table that are allowed: one in a thousand tables.
CONFIDENCE = 3.0
GENEROUS = -3.0
"""The same for candidates that a score judges next: as many accidents per table as are allowed in a thousand tables."""
# Rows of a table that are judged, and permutations of each column.
_ROWS, _TURNS = 3_000, 3
# A text of two or more characters equals another text by chance in at most 1 of 100 rows, however few its values.
_TEXT_TELLS = 2.0
# Evidence, in powers of ten, if two crossed columns of few values give a third; what a sum of parts adds to it; and the
# rows that each combination of the two needs on average.
_CROSSED, _OF_PARTS, _ROWS_EACH = 6.0, 2.0, 10
_TWO = 2
# With fewer steps between the least and the greatest value, chance hits them too often.
_LEAST_STEPS = 20
# Significant digits that count as evidence in measured numbers, at most.
_MOST_DIGITS = 4


class TestedRule(NamedTuple):
    """A rule with its figures, −log₁₀ of how many rules like it chance would make, and further features."""

    measured: Measured
    evidence: float
    told: Mapping[str, float] = {}

    @property
    def constraint(self) -> Any:
        """The rule."""
        return self.measured.constraint


def surprise(equation: Equation, rows: pa.Table) -> float:
    """How improbable it is that chance made an equation hold: −log₁₀ of a bound, for its least telling column.

    Args:
        equation: one that holds in all rows.
        rows: a table; of a large one a sample is looked at.
    """
    taken = rows.select(list(equation.columns)).take(pa.array(spread(rows.num_rows, 4 * _ROWS)))
    taken = taken.filter(pa.array(judge(equation, taken).judged)).slice(0, _ROWS)
    if taken.num_rows < 2:
        return 0.0
    if isinstance(equation.value, CheckDigits):
        return surprise_of(equation.value, taken[equation.column].cast(pa.string()).to_pylist())
    codes = [_codes(taken[name]) for name in equation.columns]
    combinations = distinct_rows(codes) - _free_constants(equation)
    if _free_constants(equation) > 1:  # a constant per value of the column fits anything
        combinations = min(combinations, distinct_rows(codes[:1]) - _free_constants(equation))
    every = (equation.column,) if len(equation.columns) == 2 else equation.columns
    telling = min(-log10(_share_left(equation, taken, name)) for name in every)
    if _is_wordy(taken[equation.column]):
        telling = max(telling, _TEXT_TELLS)
    elif _is_of_one(equation):
        telling = max(telling, log10(_steps(equation, taken[equation.column])))
    elif _is_plain(equation):
        telling = max(telling, log10(_least_steps(equation, numbers_of(taken[equation.column]))))
    crossed = (_CROSSED + _OF_PARTS * _is_sum_of_parts(equation)) * _is_of_crossed(equation, codes)
    return max(0.0, combinations) * telling + crossed


def _is_sum_of_parts(equation: Equation) -> bool:
    """Whether it is a sum of columns without constants: guests = adults + children."""
    value = equation.value
    return isinstance(value, Linear) and {f for f, _ in value.terms} == {"1"} and value.constant == "0"


def _is_of_one(equation: Equation) -> bool:
    """Whether one column and constants give the other, so that a few different values suffice as evidence."""
    value = equation.value
    line = isinstance(value, Linear) and len(value.terms) == 1
    line |= isinstance(value, Logarithm) and not value.under
    return line or isinstance(value, (Shifted, OnDay)) or (isinstance(value, MonthsOn) and not value.by)


def _is_of_crossed(equation: Equation, codes: Sequence[_Codes]) -> bool:
    """Whether two columns of few values give a third by sum or product, each value paired with several of the other.

    Such a dependency is no chance; the distinct combinations are the evidence that it is a sum or a product.
    ``codes``: int64[n] of the column, and of the two.
    """
    value = equation.value
    free = isinstance(value, Linear) and value.constant == "0" and {f for f, _ in value.terms} <= {"1", "-1"}
    times = isinstance(value, Product) and not value.under and not value.rate
    if len(codes) != 1 + _TWO or not (free or times):
        return False
    combinations = distinct_rows(codes[1:])
    each = [len(np.unique(one)) for one in codes[1:]]
    return min(each) > 1 and sum(each) <= combinations <= len(codes[0]) / _ROWS_EACH


def _is_plain(equation: Equation) -> bool:
    """Whether it is a sum or a product without constants."""
    value = equation.value
    if isinstance(value, Product):
        return value.factor == "1" and len(value.over) > 1 and not value.under and not value.rate
    return isinstance(value, Linear) and value.constant == "0" and {f for f, _ in value.terms} <= {"1", "-1"}


def _least_steps(equation: Equation, numbers: Numbers) -> float:
    """How many values the column could have, in steps of its greatest common divisor; 1.0 where these are too few."""
    values, decimals = numbers.values[numbers.there], equation.precision.decimals
    if values.dtype == object or not len(values):
        return 1.0
    if not numbers.exact:
        if decimals is None or np.abs(values).max() * 10.0**decimals >= EXACT_DOUBLE:
            return 1.0
        values = np.rint(values * 10.0**decimals).astype(np.int64)
    step = int(np.gcd.reduce(values))
    steps = 1 + (int(values.max()) - int(values.min())) / step if step else 1.0
    return steps if steps >= _LEAST_STEPS else 1.0


def _steps(equation: Equation, column: pa.ChunkedArray) -> float:
    """How many values a column could have between its least and its greatest: numbers by their scale, dates in days."""
    bounds = pc.min_max(column)
    if pa.types.is_temporal(column.type):
        low, high = (bounds[side].cast(pa.timestamp("us")).value for side in ("min", "max"))
        return float(1 + (high - low) / DAY_MICROSECONDS)
    if equation.precision.decimals is None:
        return 10.0 ** min(_MOST_DIGITS, equation.precision.digits or 0)
    steps: float = (bounds["max"].as_py() - bounds["min"].as_py()) * 10**equation.precision.decimals
    return 1 + float(steps)


def _is_wordy(column: pa.ChunkedArray) -> bool:
    if not is_text(column.type):
        return False
    return float(pc.mean(pc.utf8_length(pc.unique(column))).as_py() or 0) >= 2


def _codes(column: pa.ChunkedArray) -> _Codes:
    codes: _Codes = column.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int64)
    return codes


def _free_constants(equation: Equation) -> int:
    """How many constants were fitted."""
    value = equation.value
    if isinstance(value, Linear):
        return sum(factor not in ("1", "-1") for factor, _ in value.terms) + (value.constant != "0")
    if isinstance(value, MonthsOn):
        return int(not value.by) + bool(value.days)
    if isinstance(value, Completed):
        return int(bool(value.on))
    times = isinstance(value, Product | RelativeDifference) and value.factor != "1"
    times |= isinstance(value, WholeParts) and value.unit != "1"
    return int(times or isinstance(value, (Shifted, OnDay, Elapsed)))


def _share_left(equation: Equation, rows: pa.Table, column: str) -> float:
    """The share of rows in which the equation still holds after one column's values are permuted."""
    size, random = rows.num_rows, np.random.default_rng(7)
    kept = judged = 0
    place = rows.column_names.index(column)
    for _ in range(_TURNS):
        others = random.permutation(size)
        found = judge(equation, rows.set_column(place, column, rows[column].take(pa.array(others))))
        judged += int(found.judged.sum())
        kept += int((found.judged & ~found.violating).sum())
    return (kept + 1) / (judged + 1)
