"""The right sides of equations in SQL, and how far the two sides are apart.

Numbers without floats are compared as decimals, multiplied out so that nothing is divided or rounded; with floats the
same operations are done on doubles, in the same order, as everywhere else in the project.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isinf, lcm

from sqlglot import exp

from profiling_core.algorithms.equations.judging import ROUNDED, UNROUNDED, multiplied_out
from profiling_core.emit.comparison import InexpressibleError, Value
from profiling_core.emit.other_values import full_years_or_months
from profiling_core.model.expression import (
    Completed,
    Elapsed,
    Expression,
    Late,
    Linear,
    Logarithm,
    Polynomial,
    Precision,
    Product,
    RelativeDifference,
    WholeParts,
)
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType, TypeClass

Columns = Mapping[str, Value]
_MOST_DIGITS, _BIGINT_DIGITS = 38, 19


def double(value: float) -> exp.Expr:
    """A double, digit by digit."""
    return exp.cast(exp.Literal.string("Infinity" if isinf(value) else repr(value)), "DOUBLE")


def as_double(expression: exp.Expr) -> exp.Expr:
    """An expression as a double."""
    return exp.cast(expression, "DOUBLE")


def is_numeric(column: Column) -> bool:
    """Whether the column holds numbers."""
    return column.type.type_class is TypeClass.NUMERIC


def apart(target: Value, value: Expression, columns: Columns, precision: Precision) -> exp.Expr:
    """Whether a numeric column is not what an expression makes it; unknown where a value is missing.

    Args:
        target: the column's value.
        value: a numeric expression.
        columns: the values that it is computed from, by name.
        precision: as the equation states it.

    Raises:
        InexpressibleError: the numbers have too many digits, or the time between moments is asked for.
    """
    if isinstance(value, Completed):
        counted = Value(full_years_or_months(value, columns), Column("", LogicalType.INTEGER, ordered=True))
        return apart(target, Linear((("1", ""),)), {"": counted}, precision)
    if isinstance(value, WholeParts):
        return _counts_otherwise(target, value, columns)
    used = (target, *(columns[c] for c in value.columns))
    if isinstance(value, Logarithm) or any(one.column.type is LogicalType.FLOAT for one in used):
        return _apart_in_doubles(target.expression, value, columns, precision)
    if isinstance(value, Elapsed):
        passed = exp.paren(_days_on(value, columns))
        return _beyond(exp.Sub(this=_wide(target), expression=passed), _decimal(precision.half_unit))
    return _apart_exactly(target, value, columns, precision)


def _apart_exactly(target: Value, value: Expression, columns: Columns, precision: Precision) -> exp.Expr:
    """Of numbers without floats, multiplied out."""
    sides = multiplied_out(value, precision)
    whole = lcm(sides.half.denominator, *(constant.denominator for constant, _ in sides.rest))
    times = [columns[column] for column in sides.times]
    own = _product(Fraction(whole), [target, *times])
    rest = _products(sides.rest, whole, columns)
    if sides.late:
        made = exp.Neg(this=exp.paren(_sum(rest)))
        nothing = exp.paren(_decimal(Fraction(0)))
        rest = [exp.Neg(this=exp.Greatest(this=made, expressions=[nothing], ignore_nulls=True))]
    difference = _sum([own, *rest])
    return _beyond(difference, exp.Abs(this=_product(sides.half * whole, times)))


def _wide(number: Value) -> exp.Expr:
    """A number with a digit to spare: from the least whole number of 64 bits nothing can be taken."""
    is_whole = number.column.type is LogicalType.INTEGER
    return exp.cast(number.expression, "DECIMAL(20, 0)") if is_whole else number.expression


def _products(rest: Iterable[tuple[Fraction, tuple[str, ...]]], whole: int, columns: Columns) -> list[exp.Expr]:
    """Summands times a whole number, so that none is a fraction; zero if there are none."""
    made = [_product(constant * whole, [columns[c] for c in names]) for constant, names in rest if constant]
    return made or [exp.paren(_decimal(Fraction(0)))]


def _counts_otherwise(target: Value, value: WholeParts, columns: Columns) -> exp.Expr:
    """Whether a column is not how many parts another one has; without floats nothing is divided.

    Rounded up: whole ≤ parts · unit < whole + unit. Rounded down: whole − unit < parts · unit ≤ whole.
    """
    over, under = columns[value.over], [columns[value.under]] if value.under else []
    if any(used.column.type is LogicalType.FLOAT for used in (target, over, *under)):
        unit: exp.Expr = double(float(Fraction(value.unit)))
        for one in under:
            unit = exp.Mul(this=unit, expression=exp.Nullif(this=_double_of(one), expression=double(0.0)))
        found = _divided(_double_of(over), exp.paren(unit))
        rounded = exp.Ceil(this=found) if value.up else exp.Floor(this=found)
        return exp.NEQ(this=_double_of(target), expression=as_double(rounded))
    size = Fraction(value.unit)
    part = _product(Fraction(size.numerator), under) if under else exp.paren(_decimal(Fraction(size.numerator)))
    more = _product(Fraction(size.numerator), [target, *under])
    apart = exp.paren(exp.Sub(this=more, expression=_product(Fraction(size.denominator), [over])))
    if not value.up:
        apart = exp.paren(exp.Neg(this=apart))
    for one in under:
        sign = exp.Sign(this=one.expression.copy())
        apart = exp.paren(exp.Mul(this=apart, expression=sign))
    zero = _decimal(Fraction(0))
    wrong = [exp.LT(this=apart, expression=zero), exp.GTE(this=apart.copy(), expression=exp.Abs(this=part))]
    if target.column.scale:
        whole = exp.Floor(this=target.expression.copy())
        wrong.append(exp.NEQ(this=target.expression.copy(), expression=whole))
    return exp.paren(exp.or_(*wrong))


def _beyond(difference: exp.Expr, allowed: exp.Expr) -> exp.Expr:
    return exp.GT(this=exp.Abs(this=difference), expression=allowed)


def _sum(summands: Sequence[exp.Expr]) -> exp.Expr:
    found = summands[0]
    for summand in summands[1:]:
        found = exp.Add(this=found, expression=summand)
    return found


def _product(constant: Fraction, factors: Sequence[Value]) -> exp.Expr:
    digits = len(str(abs(constant.numerator))) + sum(_digits(factor.column) for factor in factors) + 2
    if digits > _MOST_DIGITS:
        raise InexpressibleError(
            f"SQL cannot compute it exactly: it needs up to {digits} digits, and has {_MOST_DIGITS}",
            remedy="state the columns' types with fewer digits in the dataset's configuration",
        )
    found = _decimal(constant)
    for expression, column in ((factor.expression, factor.column) for factor in factors):
        typed = exp.cast(expression, f"DECIMAL({_digits(column)}, {column.scale or 0})")
        found = exp.Mul(this=found, expression=typed)
    return exp.paren(found)


def _digits(column: Column) -> int:
    return _BIGINT_DIGITS if column.type is LogicalType.INTEGER else column.precision or _MOST_DIGITS


def _decimal(value: Fraction) -> exp.Expr:
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    number = abs(int(value * 10**digits))
    text = str(number) if not digits else f"{number // 10**digits}.{number % 10**digits:0{digits}d}"
    kind = f"DECIMAL({max(len(str(number)), digits + 1)}, {digits})"
    return exp.cast(exp.Literal.string(f"-{text}" if value < 0 else text), kind)


def _apart_in_doubles(target: exp.Expr, value: Expression, columns: Columns, precision: Precision) -> exp.Expr:
    number = as_double(target)
    made, magnitude = _computed(value, columns)
    size: exp.Expr = exp.Abs(this=number.copy())
    if isinstance(value, Logarithm):
        size = exp.paren(exp.Add(this=size, expression=double(1.0)))
    both = exp.paren(exp.Add(this=size, expression=magnitude))
    slack = exp.Mul(this=double(UNROUNDED if precision == Precision() else ROUNDED), expression=both)
    room: exp.Expr = slack
    if precision != Precision():
        room = exp.Add(this=double(float(precision.half_unit)), expression=slack)
    if precision.digits is not None:
        rounded = exp.Mul(this=double(0.5 * 10.0 ** (1 - precision.digits)), expression=size.copy())
        room = exp.Add(this=room, expression=rounded)
    # Of what is beyond all doubles nothing can be told; databases take no number for the greatest one.
    finite = exp.LT(this=room, expression=double(float("inf")))
    return exp.and_(finite, _beyond(exp.Sub(this=number, expression=exp.paren(made)), room.copy()))


def _computed(value: Expression, columns: Columns) -> tuple[exp.Expr, exp.Expr]:
    """An expression in doubles, and its summands' absolute values added."""
    if isinstance(value, Linear):
        return _linear(value, columns)
    if isinstance(value, Polynomial):
        summands = [exp.paren(_multiplied(Product(names, factor), columns)) for factor, names in value.terms]
        return _sum(summands), _sum([exp.Abs(this=summand.copy()) for summand in summands])
    if isinstance(value, Logarithm):
        return _logarithms(value, columns)
    if isinstance(value, Elapsed):
        made = as_double(exp.paren(_days_on(value, columns)))
    elif isinstance(value, Product):
        made = _multiplied(value, columns)
    elif isinstance(value, RelativeDifference):
        made = _relative_difference(value, columns)
    else:
        raise TypeError(f"no numeric expression: {value.text}")
    return made, exp.Abs(this=exp.paren(made.copy()))


def _relative_difference(value: RelativeDifference, columns: Columns) -> exp.Expr:
    apart = exp.Sub(this=_double_of(columns[value.more]), expression=_double_of(columns[value.less]))
    made = exp.Mul(this=double(float(Fraction(value.factor))), expression=exp.paren(apart))
    return _divided(made, exp.Nullif(this=_double_of(columns[value.of]), expression=double(0.0)))


def arguments(value: Logarithm, columns: Columns) -> list[exp.Expr]:
    """The arguments of the logarithms; each must be above zero."""
    first, *others = (_double_of(columns[column]) for column in value.columns)
    more = exp.paren(exp.Add(this=first, expression=double(float(value.plus))))
    return [more if value.plus else first, *others]


def _logarithms(value: Logarithm, columns: Columns) -> tuple[exp.Expr, exp.Expr]:
    logs = [_logarithm(argument, value.per_unit) for argument in arguments(value, columns)]
    made = exp.Sub(this=logs[0], expression=logs[1]) if value.under else logs[0]
    return made, _sum([exp.Abs(this=log.copy()) for log in logs])


def _logarithm(argument: exp.Expr, per_unit: float) -> exp.Expr:
    """A logarithm, null where there is none: databases end with an error there."""
    above = exp.GT(this=argument, expression=double(0.0))
    found = exp.Ln(this=exp.Case(ifs=[exp.If(this=above, true=argument.copy())]))
    return exp.paren(_divided(found, double(per_unit)) if per_unit != 1.0 else found)


def _days_on(value: Elapsed, columns: Columns) -> exp.Expr:
    """The days from one column to the other, plus a constant; a delay is at least 0."""
    days = exp.Add(this=exp.paren(_days(value, columns)), expression=exp.convert(value.plus))
    if isinstance(value, Late):
        return exp.Greatest(this=days, expressions=[exp.convert(0)], ignore_nulls=True)
    return days


def _linear(value: Linear, columns: Columns) -> tuple[exp.Expr, exp.Expr]:
    factors = ((double(float(Fraction(factor))), _double_of(columns[column])) for factor, column in value.terms)
    summands: list[exp.Expr] = [exp.paren(exp.Mul(this=factor, expression=column)) for factor, column in factors]
    if Fraction(value.constant):
        summands.append(double(float(Fraction(value.constant))))
    return _sum(summands), _sum([exp.Abs(this=summand.copy()) for summand in summands])


def _multiplied(value: Product, columns: Columns) -> exp.Expr:
    made = double(float(Fraction(value.factor)))
    for column in value.over:
        made = exp.Mul(this=made, expression=_double_of(columns[column]))
    if value.under:
        made = _divided(made, exp.Nullif(this=_double_of(columns[value.under]), expression=double(0.0)))
    if value.rate:
        rate = _divided(_double_of(columns[value.rate]), double(float(Fraction(value.base))))
        made = exp.Mul(this=made, expression=exp.paren(exp.Add(this=double(1.0), expression=rate)))
    return made


def _divided(number: exp.Expr, by: exp.Expr) -> exp.Expr:
    return exp.Div(this=number, expression=by, typed=True)


def _double_of(value: Value) -> exp.Expr:
    return as_double(value.expression.copy())


def _days(value: Elapsed, columns: Columns) -> exp.Expr:
    later, earlier = (columns[column] for column in value.columns)
    if value.unit != "days" or {later.column.type, earlier.column.type} != {LogicalType.DATE}:
        raise InexpressibleError("SQL dialects differ in the time between moments")
    return exp.DateDiff(this=later.expression.copy(), expression=earlier.expression.copy(), unit=exp.var("DAY"))
