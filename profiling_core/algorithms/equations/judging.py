"""Which rows an equation judges, and which of them violate it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.equations.numbers import (
    MOST_INT64,
    UNIT_MICROSECONDS,
    Array,
    Numbers,
    Term,
    common_denominator,
    fits_int64,
    numbers_of,
    total,
)
from profiling_core.algorithms.equations.other_values import values_of_expression, whole_numbers
from profiling_core.algorithms.values.arrow_buffers import present
from profiling_core.model.expression import (
    CheckDigits,
    Completed,
    Cut,
    Elapsed,
    Expression,
    Late,
    Linear,
    Logarithm,
    Polynomial,
    Precision,
    Product,
    RelativeDifference,
    Stamped,
    WholeParts,
)
from profiling_core.model.kinds.equation import Equation

# The relative error that doubles may have: beside half a unit of the last decimal, and where no decimals are stated.
ROUNDED, UNROUNDED = 1e-12, 1e-9


class Judged(NamedTuple):
    """bool[n] each: which rows an equation judges, and which of these violate it."""

    judged: NDArray[np.bool_]
    violating: NDArray[np.bool_]


def judge(equation: Equation, rows: pa.Table) -> Judged:
    """Judges each of n rows.

    Args:
        equation: over columns of the rows.
        rows: Arrow columns of the types in which the project stores values.
    """
    dated = isinstance(equation.value, Elapsed | Completed)
    numeric = {name: is_number(rows[name].type) or dated for name in equation.columns}
    if not equation.value.is_numeric or not all(numeric.values()):
        return _judge_equal(equation, rows)
    columns = {name: numbers_of(rows[name]) for name in equation.columns}
    return judge_numbers(equation.value, columns[equation.column], columns, equation.precision)


def is_number(type_: pa.DataType) -> bool:
    """Whether values of the type are numbers."""
    return bool(pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_))


def _judge_equal(equation: Equation, rows: pa.Table) -> Judged:
    """Judges by equality: texts, dates, parts of dates."""
    given = values_of_expression(equation.value, rows)
    column = rows[equation.column].combine_chunks()
    if isinstance(equation.value, Cut | Stamped | CheckDigits) and pa.types.is_integer(column.type):
        given = whole_numbers(given)
    if is_number(given.type) and is_number(column.type):
        same = {"": numbers_of(pa.chunked_array([given]))}
        return judge_numbers(Linear((("1", ""),)), numbers_of(rows[equation.column]), same, equation.precision)
    judged = present(column) & present(given)
    if pa.types.is_temporal(column.type):
        left, right = (numbers_of(pa.chunked_array([array])).values for array in (column, given))
        return Judged(judged, judged & (left != right))
    left, right = (array.cast(pa.large_string()).to_numpy(zero_copy_only=False) for array in (column, given))
    return Judged(judged, judged & (left != right))


def judge_numbers(value: Expression, target: Numbers, columns: dict[str, Numbers], precision: Precision) -> Judged:
    """Judges rows whose columns are numbers already.

    Args:
        value: a numeric expression.
        target: the column that it should be.
        columns: those that it is computed from, by name.
        precision: as the equation states it.
    """
    if isinstance(value, Completed):
        columns, value = {"": completed(value, columns)}, Linear((("1", ""),))
    used = [columns[name] for name in value.columns]
    judged = target.there.copy()
    for name in value.columns:
        if name not in value.optional:  # a null of an optional column counts as 0, which stands there
            judged &= columns[name].there
    if value.divisor:
        judged &= columns[value.divisor].values != 0
    if isinstance(value, Logarithm):
        judged &= have_logarithms(value, columns)
        found = computed(value, columns)
        # The logarithm is as uncertain as its argument's last digit, so the tolerance is taken for 1 more.
        violating = np.abs(target.doubles - found.values) > tolerance(
            precision, np.abs(target.doubles) + 1.0, found.magnitude
        )
    elif isinstance(value, WholeParts):
        violating = _counts_otherwise(value, target, columns)
    elif all(n.exact for n in (target, *used)):
        violating = _violates_exactly(multiplied_out(value, precision), target, columns)
    else:
        found = computed(value, columns)
        room = tolerance(precision, target.doubles, found.magnitude)
        with np.errstate(invalid="ignore"):
            violating = np.abs(target.doubles - found.values) > room
    return Judged(judged, judged & violating)


def tolerance(precision: Precision, target: NDArray[np.float64], magnitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far doubles may be from what an equation makes them.

    Args:
        precision: as the equation states it.
        target: float64[…], the column's values.
        magnitude: float64[…], the absolute values of the other side's summands, added.
    """
    size = np.abs(target)
    with np.errstate(over="ignore"):  # near the largest double the tolerance is infinite
        both = size + magnitude
    if precision == Precision():
        return UNROUNDED * both
    room = float(precision.half_unit) + ROUNDED * both
    return room if precision.digits is None else room + 0.5 * 10.0 ** (1 - precision.digits) * size


Summands = tuple[tuple[Fraction, tuple[str, ...]], ...]


class WithoutDivision(NamedTuple):
    """An equation without divisions: ``|A·times + Σ rest| ≤ half·|times|`` in each row that obeys it.

    ``times`` is the divisor, or empty; ``rest`` are constants and the columns that each is multiplied by. If it is
    ``late``, A is compared with 0 where −Σ rest is less.
    """

    times: tuple[str, ...]
    rest: Summands
    half: Fraction
    late: bool = False


def multiplied_out(value: Expression, precision: Precision) -> WithoutDivision:
    """An equation over exact numbers as a comparison of whole ones.

    Raises:
        TypeError: the expression computes no number from numbers.
    """
    half = precision.half_unit
    if isinstance(value, Linear):
        return WithoutDivision((), _taken_off(value), half)
    if isinstance(value, Polynomial):
        return WithoutDivision((), tuple((-Fraction(factor), names) for factor, names in value.terms), half)
    if isinstance(value, Elapsed):
        unit = Fraction(1, UNIT_MICROSECONDS[value.unit])
        rest = ((-unit, (value.later,)), (unit, (value.earlier,)), (Fraction(-value.plus), ()))
        return WithoutDivision((), rest, half, isinstance(value, Late))
    if isinstance(value, RelativeDifference):
        factor = Fraction(value.factor)
        return WithoutDivision((value.of,), ((-factor, (value.more,)), (factor, (value.less,))), half)
    if not isinstance(value, Product):
        raise TypeError(f"no numeric expression: {value.text}")
    factor = Fraction(value.factor)
    rated = ((-factor / Fraction(value.base), (*value.over, value.rate)),) if value.rate else ()
    return WithoutDivision((value.under,) if value.under else (), ((-factor, value.over), *rated), half)


def _taken_off(value: Linear) -> Summands:
    terms = ((-Fraction(factor), (name,)) for factor, name in value.terms)
    return (*terms, (-Fraction(value.constant), ()))


def _violates_exactly(sides: WithoutDivision, target: Numbers, columns: dict[str, Numbers]) -> NDArray[np.bool_]:
    times = [columns[name] for name in sides.times]
    sizes = [Numbers(n.sizes, n.scale, n.there) for n in times]
    rest = [(k, [columns[name] for name in names]) for k, names in sides.rest]
    own: list[Term] = [(Fraction(1), [target, *times])]
    allowed: list[Term] = [(sides.half, sizes)]
    every: list[Term] = [*own, *rest, *allowed]
    denominator = common_denominator(every)
    wide = not fits_int64(every, denominator)
    size = len(target.there)
    made = -total(rest, denominator, size, wide=wide)
    apart = np.abs(total(own, denominator, size, wide=wide) - (np.maximum(made, 0) if sides.late else made))
    return np.asarray(apart > total(allowed, denominator, size, wide=wide), np.bool_)


def _counts_otherwise(value: WholeParts, target: Numbers, columns: dict[str, Numbers]) -> NDArray[np.bool_]:
    """Where a column is not the number of whole or begun parts. Rows with a divisor of 0 are not judged."""
    used = [columns[name] for name in value.columns]
    if not all(n.exact for n in (target, *used)):
        found = computed(value, columns).values
        return np.asarray(target.doubles != found, np.bool_)
    unit, over, under = Fraction(value.unit), used[0], used[1:]
    above = unit.denominator * 10 ** sum(n.scale for n in under)
    below = unit.numerator * 10**over.scale
    sizes = [over.largest * above, below * max([1, *(n.largest for n in under)])]
    wide = max(sizes) * 10**target.scale >= MOST_INT64 or any(n.values.dtype == object for n in (target, *used))
    kind = object if wide else np.int64
    whole, parts = over.values.astype(kind) * above, np.full(len(target.there), below, kind)
    for one in under:
        parts = parts * np.where(one.values == 0, 1, one.values).astype(kind)
    counted = -(-whole // parts) if value.up else whole // parts
    return np.asarray(counted * 10**target.scale != target.values, np.bool_)


class Computed(NamedTuple):
    """float64[n] each: an expression's values, and the sum of its summands' absolute values, for the tolerance."""

    values: NDArray[np.float64]
    magnitude: NDArray[np.float64]


def computed(value: Expression, columns: dict[str, Numbers]) -> Computed:
    """A numeric expression in doubles, from left to right."""
    with np.errstate(all="ignore"):
        if isinstance(value, Linear):
            return _sum(value, columns)
        if isinstance(value, Polynomial):
            return _added([_product(Product(names, factor), columns) for factor, names in value.terms])
        if isinstance(value, Logarithm):
            return _logarithm(value, columns)
        if isinstance(value, Elapsed):
            found = _elapsed(value, columns)
        elif isinstance(value, Product):
            found = _product(value, columns)
        elif isinstance(value, WholeParts):
            unit = float(Fraction(value.unit)) * (columns[value.under].doubles if value.under else 1.0)
            found = (np.ceil if value.up else np.floor)(columns[value.over].doubles / unit)
        elif isinstance(value, RelativeDifference):
            apart = columns[value.more].doubles - columns[value.less].doubles
            found = float(Fraction(value.factor)) * apart / columns[value.of].doubles
        else:
            raise TypeError(f"no numeric expression: {value.text}")
        return Computed(found, np.abs(found))


def completed(value: Completed, columns: Mapping[str, Numbers]) -> Numbers:
    """The full years or months, or the nights, from one date to the other; of a moment its day counts."""
    days = [columns[name].values.astype("datetime64[us]").astype("datetime64[D]") for name in value.columns]
    there = np.logical_and.reduce([columns[name].there for name in value.columns])
    fixed = np.full(len(there), np.datetime64(value.on or 0, "D"))
    later, earlier = days if not value.on else (fixed, *days) if value.earlier else (*days, fixed)
    months, years = ([day.astype(f"datetime64[{unit}]") for day in (later, earlier)] for unit in "MY")
    if value.unit == "calendar years":
        made = (years[0] - years[1]).astype(np.int64)
    elif value.unit == "calendar days":
        made = (later - earlier).astype(np.int64)
    else:
        in_month = [(day - month).astype(np.int64) for day, month in zip((later, earlier), months, strict=True)]
        made = (months[0] - months[1]).astype(np.int64) - (in_month[0] < in_month[1])
        made = made // 12 if value.unit == "years" else made
    return Numbers(np.where(there, made, 0), 0, there)


def have_logarithms(value: Logarithm, columns: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    """bool[n]: where all arguments of the logarithm are above 0."""
    return np.asarray(np.logical_and.reduce([n > 0 for n in _arguments(value, columns)]), np.bool_)


def _arguments(value: Logarithm, columns: Mapping[str, Numbers]) -> list[NDArray[np.float64]]:
    first, *others = (columns[name].doubles for name in value.columns)
    return [first + value.plus, *others]


def _logarithm(value: Logarithm, columns: Mapping[str, Numbers]) -> Computed:
    logs = [np.log(np.where(n > 0, n, 1.0)) / value.per_unit for n in _arguments(value, columns)]
    return _added([logs[0], *(-one for one in logs[1:])])


def _elapsed(value: Elapsed, columns: dict[str, Numbers]) -> NDArray[np.float64]:
    span = columns[value.later].values - columns[value.earlier].values
    found = span.astype(np.float64) / UNIT_MICROSECONDS[value.unit] + float(value.plus)
    return np.maximum(found, 0.0) if isinstance(value, Late) else found


def _sum(value: Linear, columns: dict[str, Numbers]) -> Computed:
    summands: list[Array] = [float(Fraction(f)) * columns[name].doubles for f, name in value.terms]
    constant = float(Fraction(value.constant))
    return _added([*summands, np.full(len(summands[0]), constant)] if constant else summands)


def _added(summands: Sequence[Array]) -> Computed:
    found, magnitude = summands[0], np.abs(summands[0])
    for summand in summands[1:]:
        found, magnitude = found + summand, magnitude + np.abs(summand)
    return Computed(found, magnitude)


def _product(value: Product, columns: dict[str, Numbers]) -> NDArray[np.float64]:
    found = float(Fraction(value.factor)) * columns[value.over[0]].doubles
    for name in value.over[1:]:
        found = found * columns[name].doubles
    if value.under:
        found = found / columns[value.under].doubles
    if value.rate:
        found = found * (1.0 + columns[value.rate].doubles / float(Fraction(value.base)))
    return found
