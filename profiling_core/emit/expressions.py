"""The right sides of equations in SQL, and how far the two sides are apart.

Numbers without floats are compared as decimals, multiplied out so that nothing is divided or rounded; with floats the
same operations are done on doubles, in the same order, as everywhere else in the project.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isinf, lcm
from types import MappingProxyType

from sqlglot import exp

from profiling_core.algorithms.equations.judging import ROUNDED, UNROUNDED, multiplied_out
from profiling_core.emit.comparison import InexpressibleError, Value, name
from profiling_core.model.expression import (
    STAMPS,
    WHOLE,
    Abridged,
    Apart,
    Cased,
    Cut,
    DatePart,
    Distance,
    Elapsed,
    Expression,
    Joined,
    Linear,
    OnDay,
    Part,
    Precision,
    Product,
    RelativeDifference,
    Shifted,
    Stamped,
    WholeParts,
    written_pieces,
)
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType, TypeClass

Columns = Mapping[str, Value]
_MOST_DIGITS, _BIGINT_DIGITS = 38, 19
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_EXTRACTED = MappingProxyType(
    {
        DatePart.YEAR: "YEAR",
        DatePart.QUARTER: "QUARTER",
        DatePart.MONTH: "MONTH",
        DatePart.DAY: "DAY",
        DatePart.DAY_OF_YEAR: "DOY",
        DatePart.WEEK: "WEEK",
        DatePart.HOUR: "HOUR",
        DatePart.MINUTE: "MINUTE",
    }
)
_A_MONDAY = "1900-01-01"


def column_of(column: str, row: str = "t") -> exp.Column:
    """A column of the row with that alias."""
    return exp.column(name(column), table=exp.to_identifier(row))


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
    if isinstance(value, WholeParts):
        return _counts_otherwise(target, value, columns)
    if any(used.column.type is LogicalType.FLOAT for used in (target, *(columns[c] for c in value.columns))):
        return _apart_in_doubles(target.expression, value, columns, precision)
    if isinstance(value, Elapsed):
        difference: exp.Expr = exp.Sub(this=target.expression, expression=exp.paren(_days_on(value, columns)))
        return _beyond(difference, _decimal(precision.half_unit))
    sides = multiplied_out(value, precision)
    whole = lcm(sides.half.denominator, *(constant.denominator for constant, _ in sides.rest))
    times = [columns[column] for column in sides.times]
    own = _product(Fraction(whole), [target, *times])
    products = [_product(constant * whole, [columns[c] for c in names]) for constant, names in sides.rest if constant]
    difference = (
        exp.Sub(this=own, expression=exp.Abs(this=_sum(products))) if sides.unsigned else _sum([own, *products])
    )
    return _beyond(difference, exp.Abs(this=_product(sides.half * whole, times)))


def _counts_otherwise(target: Value, value: WholeParts, columns: Columns) -> exp.Expr:
    """Whether a column is not how many parts another one has; without floats nothing is divided.

    What so many parts have is more than the whole, or as much, by less than a part; rounded down, less than it.
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
    size = exp.Abs(this=number.copy())
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
    if isinstance(value, Elapsed):
        made: exp.Expr = as_double(exp.paren(_days_on(value, columns)))
    elif isinstance(value, Distance):
        return _distance(value, columns)
    elif isinstance(value, Product):
        made = _multiplied(value, columns)
    elif isinstance(value, RelativeDifference):
        apart = exp.Sub(this=_double_of(columns[value.more]), expression=_double_of(columns[value.less]))
        made = exp.Mul(this=double(float(Fraction(value.factor))), expression=exp.paren(apart))
        made = _divided(made, exp.Nullif(this=_double_of(columns[value.of]), expression=double(0.0)))
    else:
        raise TypeError(f"no numeric expression: {value.text}")
    return made, exp.Abs(this=exp.paren(made.copy()))


def _days_on(value: Elapsed, columns: Columns) -> exp.Expr:
    """The days from one column to the other and what is added; of those that lie apart without the sign."""
    days = exp.Add(this=exp.paren(_days(value, columns)), expression=exp.convert(value.plus))
    return exp.Abs(this=days) if isinstance(value, Apart) else days


def _distance(value: Distance, columns: Columns) -> tuple[exp.Expr, exp.Expr]:
    numbers = [_double_of(columns[column]) for column in value.columns]
    made = exp.Sub(this=numbers[0], expression=numbers[1]) if value.other else numbers[0]
    return exp.Abs(this=made), _sum([exp.Abs(this=number.copy()) for number in numbers])


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


def other_value(value: Expression) -> exp.Expr:  # noqa: PLR0911 - one for each form
    """The value of an expression that computes no number from numbers; null where it has none."""
    if isinstance(value, Joined | Abridged):
        return _joined(value)
    if isinstance(value, Stamped):
        return _stamped(value)
    column = column_of(value.columns[0])
    if isinstance(value, Shifted):
        return _later(column, value.amount, value.unit[:-1])
    if isinstance(value, OnDay):
        return _later(exp.cast(column, "DATE"), value.days, "day")
    if isinstance(value, Part):
        return _part(DatePart(value.part), column)
    if isinstance(value, Cut):
        return _cut(value, exp.cast(column, "TEXT"))
    if isinstance(value, Cased):
        return _cased(value.case, column)
    return column


def _stamped(value: Stamped) -> exp.Expr:
    """A code with a date in its place; null where it is too short."""
    code, date = exp.cast(column_of(value.code), "TEXT"), column_of(value.date)
    length = exp.Length(this=code.copy())
    first: exp.Expr = exp.convert(value.start)
    if value.start < 0:
        first = exp.paren(exp.Sub(this=length.copy(), expression=exp.convert(-value.start)))
    written = [_stamp(piece, date) for piece in written_pieces(value.pattern)]
    behind = exp.Add(this=first.copy(), expression=exp.convert(value.size + 1))
    whole: exp.Expr = exp.Left(this=code, expression=first) if value.start else written.pop(0)
    for text in (*written, exp.Substring(this=code.copy(), start=behind)):
        whole = exp.DPipe(this=whole, expression=text, safe=True)
    least = exp.convert(value.start + value.size if value.start >= 0 else -value.start)
    return exp.Case(ifs=[exp.If(this=exp.GTE(this=length, expression=least), true=whole)])


def _stamp(piece: str, date: exp.Column) -> exp.Expr:
    """A part of a date with zeros in front, or the sign between two."""
    if piece not in STAMPS:
        return exp.Literal.string(piece)
    year, month, week = (exp.Extract(this=exp.var(part), expression=date.copy()) for part in ("YEAR", "MONTH", "WEEK"))
    parts: Mapping[str, exp.Expr] = {
        "%Y": year,
        "%y": exp.Mod(this=year.copy(), expression=exp.convert(100)),
        "%m": month,
        "%d": exp.Extract(this=exp.var("DAY"), expression=date.copy()),
        "%j": exp.Extract(this=exp.var("DOY"), expression=date.copy()),
        "%G": _year_of_week(year, month, week),
        "%V": week,
    }
    text = exp.cast(exp.cast(exp.paren(parts[piece]), "INT"), "TEXT")
    return exp.Pad(this=text, expression=exp.convert(STAMPS[piece]), fill_pattern=exp.Literal.string("0"), is_left=True)


def _year_of_week(year: exp.Expr, month: exp.Expr, week: exp.Expr) -> exp.Expr:
    """The year that a week counts to: the last days of December may be of the next one's first, and the other way."""
    early = exp.and_(
        exp.EQ(this=month.copy(), expression=exp.convert(12)), exp.EQ(this=week.copy(), expression=exp.convert(1))
    )
    late = exp.and_(
        exp.EQ(this=month.copy(), expression=exp.convert(1)), exp.GT(this=week.copy(), expression=exp.convert(50))
    )
    other = exp.Case(
        ifs=[exp.If(this=early, true=exp.convert(1)), exp.If(this=late, true=exp.convert(-1))], default=exp.convert(0)
    )
    return exp.Add(this=year.copy(), expression=other)


def whole_number(text: exp.Expr) -> exp.Expr:
    """A text of 1 to 18 digits as a whole number, null where there is anything else."""
    written = exp.RegexpLike(this=text, expression=exp.Literal.string("^[0-9]{1,18}$"))
    return exp.Case(ifs=[exp.If(this=written, true=exp.cast(text.copy(), "BIGINT"))])


def _later(moment: exp.Expr, amount: int, unit: str) -> exp.Expr:
    interval = exp.Interval(this=exp.Literal.string(str(amount)), unit=exp.var(unit.upper()))
    return exp.Add(this=moment, expression=interval)


def _joined(value: Joined | Abridged) -> exp.Expr:
    parts = value.parts if isinstance(value, Abridged) else [(WHOLE if c else 0, text) for c, text in value.parts]
    texts = [_begun(length, text) for length, text in parts]
    found: exp.Expr = texts[0]
    for text in texts[1:]:
        found = exp.DPipe(this=found, expression=text, safe=True)
    return _cased(value.case, exp.paren(found)) if isinstance(value, Abridged) and value.case else found


def _begun(length: int, text: str) -> exp.Expr:
    """A constant text, a column's, or what that begins with."""
    if not length:
        return exp.Literal.string(text)
    whole = exp.cast(column_of(text), "TEXT")
    return whole if length == WHOLE else exp.Left(this=whole, expression=exp.convert(length))


def _cased(case: str, text: exp.Expr) -> exp.Expr:
    return (exp.Upper if case == "upper" else exp.Lower)(this=text)


def _cut(value: Cut, column: exp.Expr) -> exp.Expr:
    if value.side in ("first", "last"):
        return (exp.Left if value.side == "first" else exp.Right)(this=column, expression=exp.convert(value.length))
    place = exp.convert(1 if value.side == "before" else -1)
    cut = exp.SplitPart(this=column, delimiter=exp.Literal.string(value.separator), part_index=place)
    found = exp.GT(
        this=exp.StrPosition(this=column.copy(), substr=exp.Literal.string(value.separator)), expression=exp.convert(0)
    )
    return exp.Case(ifs=[exp.If(this=found, true=cut)])


def _part(part: DatePart, column: exp.Column) -> exp.Expr:
    if part in _EXTRACTED:
        return exp.Extract(this=exp.var(_EXTRACTED[part]), expression=column)
    others: Mapping[DatePart, Callable[[exp.Column], exp.Expr]] = {
        DatePart.WEEKDAY: lambda c: exp.Add(this=_weekday(c), expression=exp.convert(1)),
        DatePart.WEEKDAY_FROM_ZERO: _weekday,
        DatePart.WEEKDAY_FROM_SUNDAY: lambda c: exp.Add(this=_weekday(c, 1), expression=exp.convert(1)),
        DatePart.DATE: lambda c: exp.cast(c, "DATE"),
        DatePart.YEAR_MONTH: lambda c: exp.TimeToStr(this=c, format=exp.Literal.string("%Y-%m")),
        DatePart.WEEKDAY_NAME: lambda c: _named(_weekday(c), _DAYS, 0),
        DatePart.MONTH_NAME: lambda c: _named(exp.Extract(this=exp.var("MONTH"), expression=c), _MONTHS, 1),
        DatePart.WEEKDAY_SHORT: lambda c: _named(_weekday(c), _short(_DAYS), 0),
        DatePart.MONTH_SHORT: lambda c: _named(exp.Extract(this=exp.var("MONTH"), expression=c), _short(_MONTHS), 1),
    }
    return others[part](column)


def _weekday(column: exp.Column, later: int = 0) -> exp.Expr:
    """Days since a Monday, modulo seven; from so many days later on."""
    monday = exp.cast(exp.Literal.string(_A_MONDAY), "DATE")
    days = exp.DateDiff(this=exp.cast(column, "DATE"), expression=monday, unit=exp.var("DAY"))
    week = exp.Mod(this=exp.paren(exp.Add(this=days, expression=exp.convert(later))), expression=exp.convert(7))
    return exp.Mod(this=exp.paren(exp.Add(this=week, expression=exp.convert(7))), expression=exp.convert(7))


def _short(names: Sequence[str]) -> list[str]:
    return [name[:3] for name in names]


def _named(number: exp.Expr, names: Sequence[str], first: int) -> exp.Expr:
    whens = [
        exp.If(this=exp.EQ(this=number.copy(), expression=exp.convert(i)), true=exp.Literal.string(text))
        for i, text in enumerate(names, first)
    ]
    return exp.Case(ifs=whens)
