"""Whether chance explains an equation: what is left of it when one of its columns is exchanged between rows."""

from collections.abc import Sequence
from math import log10

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.equations.judging import UNIT_MICROSECONDS, judge
from profiling_core.algorithms.equations.numbers import Numbers, numbers_of
from profiling_core.algorithms.equations.other_values import is_text
from profiling_core.algorithms.equations.sample import distinct_rows, spread
from profiling_core.model.expression import (
    Completed,
    Elapsed,
    Extreme,
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
# An equation that chance explains is found once in a thousand tables.
CONFIDENCE = 3.0
_ROWS, _TURNS = 3_000, 3
# That a text of several characters is spelt like another one is no chance of one in a hundred, few as they may be.
_TEXT_TELLS = 2.0
# What speaks for a column that two crossed ones give, in powers of ten; so many rows have each combination of these.
_CROSSED, _OF_PARTS, _ROWS_EACH = 6.0, 2.0, 10
_TWO = 2
_FEWEST_KINDS, _FIRST_YEAR, _LAST_YEAR = 3, 1900, 2100
# Fewer steps between the least and the greatest value are hit by chance as well.
_LEAST_STEPS = 20
# Numbers that are known by their digits could have been as many others.
_MOST_DIGITS = 4
_EXACT = 2.0**53


def surprise(equation: Equation, rows: pa.Table) -> float:
    """How improbable it is that chance made an equation hold: −log₁₀ of a bound, for its least telling column.

    Args:
        equation: one that holds in all of the rows.
        rows: a table; of a large one some rows are looked at.
    """
    taken = rows.select(list(equation.columns)).take(pa.array(spread(rows.num_rows, 4 * _ROWS)))
    taken = taken.filter(pa.array(judge(equation, taken).judged)).slice(0, _ROWS)
    if taken.num_rows < 2:
        return 0.0
    codes = [_codes(taken[name]) for name in equation.columns]
    combinations = distinct_rows(codes) - _free_constants(equation)
    if _free_constants(equation) > 1:  # as many constants as a column has values fit whatever goes with these
        combinations = min(combinations, distinct_rows(codes[:1]) - _free_constants(equation))
    every = (equation.column,) if len(equation.columns) == 2 else equation.columns
    telling = min(-log10(_share_left(equation, taken, name)) for name in every)
    if _is_wordy(taken[equation.column]):
        telling = max(telling, _TEXT_TELLS)
    elif _is_of_one(equation):
        telling = max(telling, log10(_steps(equation, taken[equation.column])))
    elif _is_plain(equation):
        telling = max(telling, log10(_least_steps(equation, numbers_of(taken[equation.column]))))
    crossed = (
        _CROSSED + _OF_PARTS * _is_sum_of_parts(equation)
        if _is_of_crossed(equation, codes) or _is_of_steps(equation, codes, taken)
        else 0.0
    )
    return max(max(0.0, combinations) * telling + crossed, _by_digits(equation, taken, codes))


def _by_digits(equation: Equation, rows: pa.Table, codes: Sequence[_Codes]) -> float:
    """What the digits of measured numbers tell of products and ratios without a constant, times a power of ten at most.

    Each kind of row in which the column is not nought hits one of as many numbers as there are of so many digits.
    """
    value, digits = equation.value, equation.precision.digits or 0
    if not isinstance(value, Product) or value.rate or digits <= _MOST_DIGITS or value.factor.strip("0.") != "1":
        return 0.0
    other = numbers_of(rows[equation.column]).doubles != 0
    return _MOST_DIGITS * distinct_rows([one[other] for one in codes]) if other.any() else 0.0


def _is_sum_of_parts(equation: Equation) -> bool:
    """Whether it is a sum of columns alone, without constants: guests are adults and children."""
    value = equation.value
    return isinstance(value, Linear) and {f for f, _ in value.terms} == {"1"} and value.constant == "0"


def _is_of_one(equation: Equation) -> bool:
    """Whether one column gives the other by constants, so that a few different values tell it from chance."""
    value = equation.value
    line = isinstance(value, Linear) and len(value.terms) == 1
    line |= isinstance(value, Logarithm) and not value.under
    return line or isinstance(value, (Shifted, OnDay)) or (isinstance(value, MonthsOn) and not value.by)


def _is_of_crossed(equation: Equation, codes: Sequence[_Codes]) -> bool:
    """Whether two columns of few values give a third by their sum or product, each value beside several of the other.

    That they give it, row after row, is no chance; that they do by a sum is what the combinations are asked.
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


def _is_of_steps(equation: Equation, codes: Sequence[_Codes], rows: pa.Table) -> bool:
    """Whether a year lies so many after another one, or two shares make up a whole, in each of a few kinds of rows.

    As with crossed columns: that one gives the other, row after row, is no chance. Few columns could be so.
    """
    value = equation.value
    if not isinstance(value, Linear) or len(value.terms) != 1 or value.terms[0][0] not in ("1", "-1"):
        return False
    kinds = distinct_rows(codes)
    shared = value.terms[0][0] == "-1" and value.constant in ("1", "100")
    years = value.terms[0][0] == "1" and all(_are_years(rows[name]) for name in equation.columns)
    return (shared or years) and _FEWEST_KINDS <= kinds <= len(codes[0]) / _ROWS_EACH


def _are_years(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_integer(column.type):
        return False
    bounds = pc.min_max(column)
    return bool(bounds["min"].as_py() >= _FIRST_YEAR and bounds["max"].as_py() <= _LAST_YEAR)


def _is_plain(equation: Equation) -> bool:
    """Whether it is a sum, or a product, without constants."""
    value = equation.value
    if isinstance(value, Product):
        return value.factor == "1" and len(value.over) > 1 and not value.under and not value.rate
    return isinstance(value, Linear) and value.constant == "0" and {f for f, _ in value.terms} <= {"1", "-1"}


def _least_steps(equation: Equation, numbers: Numbers) -> float:
    """How many values a sum or a product could have, in steps of what divides all; each kind of row hits one."""
    values, decimals = numbers.values[numbers.there], equation.precision.decimals
    if values.dtype == object or not len(values):
        return 1.0
    if not numbers.exact:
        if decimals is None or np.abs(values).max() * 10.0**decimals >= _EXACT:
            return 1.0
        values = np.rint(values * 10.0**decimals).astype(np.int64)
    step = int(np.gcd.reduce(values))
    steps = 1 + (int(values.max()) - int(values.min())) / step if step else 1.0
    return steps if steps >= _LEAST_STEPS else 1.0


def _steps(equation: Equation, column: pa.ChunkedArray) -> float:
    """How many values a column could have between its least and its greatest: numbers by their scale, days."""
    bounds = pc.min_max(column)
    if pa.types.is_temporal(column.type):
        low, high = (bounds[side].cast(pa.timestamp("us")).value for side in ("min", "max"))
        return float(1 + (high - low) / UNIT_MICROSECONDS["days"])
    if equation.precision.decimals is None:
        return 10.0 ** min(_MOST_DIGITS, equation.precision.digits or 0)
    steps: float = (bounds["max"].as_py() - bounds["min"].as_py()) * 10**equation.precision.decimals
    return 1 + float(steps) / max(1, equation.precision.halves or 1)


def _is_wordy(column: pa.ChunkedArray) -> bool:
    if not is_text(column.type):
        return False
    return float(pc.mean(pc.utf8_length(pc.unique(column))).as_py() or 0) >= 2


def _codes(column: pa.ChunkedArray) -> _Codes:
    codes: _Codes = column.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int64)
    return codes


def _free_constants(equation: Equation) -> int:
    """How many constants were made to fit."""
    value = equation.value
    if isinstance(value, Linear):
        return _free_of_sum(value)
    if isinstance(value, Extreme):
        return sum(_free_of_sum(side) for side in value.sums)
    if isinstance(value, MonthsOn):
        return int(not value.by) + bool(value.days)
    if isinstance(value, Completed):
        return int(bool(value.on))
    times = isinstance(value, Product | RelativeDifference) and value.factor != "1"
    times |= isinstance(value, WholeParts) and value.unit != "1"
    return int(times or isinstance(value, (Shifted, OnDay, Elapsed)))


def _free_of_sum(value: Linear) -> int:
    return sum(factor not in ("1", "-1") for factor, _ in value.terms) + (value.constant != "0")


def _share_left(equation: Equation, rows: pa.Table, column: str) -> float:
    """The share of rows in which the equation holds though one column's values come from other rows."""
    size, random = rows.num_rows, np.random.default_rng(7)
    kept = judged = 0
    place = rows.column_names.index(column)
    for _ in range(_TURNS):
        others = random.permutation(size)
        found = judge(equation, rows.set_column(place, column, rows[column].take(pa.array(others))))
        judged += int(found.judged.sum())
        kept += int((found.judged & ~found.violating).sum())
    return (kept + 1) / (judged + 1)
