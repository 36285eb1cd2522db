"""Dates, their parts, full years between them, and texts in SQL: expressions that compute no number from numbers."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from profiling_core.emit.comparison import Value, name
from profiling_core.model.expression import (
    LAST,
    MONTHS,
    MOST_DAYS,
    MOST_MONTHS,
    PIECE,
    STAMPS,
    WEEKDAYS,
    WHOLE,
    Abridged,
    CheckDigits,
    Completed,
    Cut,
    DatePart,
    Expression,
    Inscribed,
    Joined,
    MonthsOn,
    OnDay,
    Part,
    Shifted,
    Stamped,
    written_pieces,
)

_EXTRACTED = MappingProxyType(
    {
        DatePart.YEAR: "YEAR",
        DatePart.QUARTER: "QUARTER",
        DatePart.MONTH: "MONTH",
        DatePart.DAY: "DAY",
        DatePart.DAY_OF_YEAR: "DOY",
        DatePart.WEEK: "WEEK",
    }
)
_A_MONDAY = "1900-01-01"


def column_of(column: str, row: str = "t") -> exp.Column:
    """A column of the row with that alias."""
    return exp.column(name(column), table=exp.to_identifier(row))


def other_value(value: Expression) -> exp.Expr:
    """The value of an expression that computes no number from numbers; null where it has none."""
    if (make := _OF_SEVERAL.get(type(value))) is not None:
        return make(value)
    column = column_of(value.columns[0])
    if isinstance(value, Shifted):
        return _later(column, value.amount, value.unit[:-1])
    if isinstance(value, OnDay):
        return _later(exp.cast(column, "DATE"), value.days, "day")
    if isinstance(value, Part):
        return _part(DatePart(value.part), column)
    if isinstance(value, Cut):
        return _cut(value, exp.cast(column, "TEXT"))
    return column


def _stamped(value: Stamped) -> exp.Expr:
    """A code with a date in its place; null where it is too short."""
    code, date = exp.cast(column_of(value.code), "TEXT"), _written_of(value)
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


def _written_of(value: Stamped) -> exp.Expr:
    """The date that is written: the column's, or the first of a month before or after."""
    if not value.months:
        return column_of(value.date)
    return exp.paren(
        _further(_first_of_month(exp.cast(column_of(value.date), "DATE")), exp.convert(value.months), "MONTH")
    )


def _first_of_month(day: exp.Expr) -> exp.Expr:
    month = exp.DateTrunc(this=day, unit=exp.Literal.string("MONTH"))  # type: ignore[no-untyped-call]
    return exp.cast(month, "DATE")


def _inscribed(value: Inscribed) -> exp.Expr:
    """A code with a text in its place; null where it is too short."""
    code, text = exp.cast(column_of(value.code), "TEXT"), _begun(value.length, value.column)
    if value.case:
        text = _cased(value.case, text)
    end = exp.Add(this=exp.Length(this=text.copy()), expression=exp.convert(value.start))
    behind = exp.Substring(this=code.copy(), start=exp.Add(this=end.copy(), expression=exp.convert(1)))
    whole: exp.Expr = exp.DPipe(this=text, expression=behind, safe=True)
    if value.start:
        before = exp.Left(this=code.copy(), expression=exp.convert(value.start))
        whole = exp.DPipe(this=before, expression=whole, safe=True)
    return exp.Case(ifs=[exp.If(this=exp.GTE(this=exp.Length(this=code), expression=end), true=whole)])


def _checked(value: CheckDigits) -> exp.Expr:
    """A code with its right check digits; null if it is of another length, or a character of the sum is no digit."""
    code, end = exp.cast(column_of(value.code), "TEXT"), value.start + value.size
    digits = _in_a_row([_characters(code, place, 1) for place in value.places])
    written = exp.RegexpLike(this=digits, expression=exp.Literal.string(f"^[0-9]{{{len(value.places)}}}$"))
    is_long = exp.EQ(this=exp.Length(this=code.copy()), expression=exp.convert(len(value.weights)))
    right = _modulo(_modulo(_weighted(value, code), value.modulus), 10**value.size)
    apart = exp.Sub(this=exp.cast(_characters(code, value.start, value.size), "INT"), expression=right)
    congruent = exp.EQ(this=_modulo(apart, value.modulus), expression=exp.convert(0))
    text = _to_digits(exp.cast(right.copy(), "TEXT"), value.size)
    behind = [exp.Substring(this=code.copy(), start=exp.convert(end + 1))] if end < len(value.weights) else []
    whole = _in_a_row([*([_characters(code, 0, value.start)] if value.start else []), text, *behind])
    told = exp.Case(ifs=[exp.If(this=congruent, true=code.copy())], default=whole)
    return exp.Case(ifs=[exp.If(this=exp.and_(is_long, written), true=told)])


def _weighted(value: CheckDigits, code: exp.Expr) -> exp.Expr:
    """The weighted sum of a code's digits plus a constant."""
    total: exp.Expr = exp.convert(value.plus)
    for place, weight in enumerate(value.weights):
        digit: exp.Expr = exp.cast(_characters(code, place, 1), "INT")
        if place in value.doubled_places:
            twice = exp.Mul(this=digit, expression=exp.convert(2))
            less = exp.paren(exp.Sub(this=twice.copy(), expression=exp.convert(9)))
            large = exp.GTE(this=digit.copy(), expression=exp.convert(5))
            digit = exp.Case(ifs=[exp.If(this=large, true=less)], default=twice)
        if weight:
            product = exp.Mul(this=digit, expression=exp.convert(weight % value.modulus))
            total = exp.Add(this=total, expression=product)
    return total


def _modulo(number: exp.Expr, modulus: int) -> exp.Expr:
    return exp.Mod(this=exp.paren(number), expression=exp.convert(modulus))


def _characters(text: exp.Expr, start: int, length: int) -> exp.Expr:
    return exp.Substring(this=text.copy(), start=exp.convert(start + 1), length=exp.convert(length))


def _in_a_row(texts: Sequence[exp.Expr]) -> exp.Expr:
    whole, *others = texts
    for text in others:
        whole = exp.DPipe(this=whole, expression=text, safe=True)
    return whole


def _stamp(piece: str, date: exp.Expr) -> exp.Expr:
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
        "%q": exp.Extract(this=exp.var("QUARTER"), expression=date.copy()),
        "%N": exp.Mod(
            this=exp.paren(exp.Add(this=year.copy(), expression=exp.convert(1))), expression=exp.convert(100)
        ),
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


def _further(day: exp.Expr, amount: exp.Expr, unit: str) -> exp.Expr:
    return exp.cast(exp.DateAdd(this=day, expression=amount, unit=exp.var(unit)), "DATE")


def _months_on(value: MonthsOn) -> exp.Expr:
    """The day some months and days later; null if a column's number of them is not whole or is out of range."""
    day: exp.Expr = exp.cast(column_of(value.column), "DATE")
    if value.first:
        day = _first_of_month(day)

    asked: list[exp.Expr] = []
    months: exp.Expr = exp.convert(value.months)
    if value.by:
        asked.append(_is_whole(value.by, MOST_MONTHS // abs(value.months)))
        months = exp.paren(exp.Mul(this=exp.cast(column_of(value.by), "INT"), expression=months))
    day = _further(day, months, "MONTH") if value.months else day
    day = _further(day, exp.convert(value.days), "DAY") if value.days else day
    if value.days_by:
        asked.append(_is_whole(value.days_by, MOST_DAYS))
        day = _further(day, exp.cast(column_of(value.days_by), "INT"), "DAY")
    return exp.Case(ifs=[exp.If(this=exp.and_(*asked), true=day)]) if asked else day


def _is_whole(name_: str, limit: int) -> exp.Expr:
    """Whether a column's number is whole and not too large."""
    column = column_of(name_)
    near = exp.Between(this=column, low=exp.convert(-limit), high=exp.convert(limit))
    return exp.and_(near, exp.EQ(this=exp.Floor(this=column.copy()), expression=column.copy()))


def full_years_or_months(value: Completed, columns: Mapping[str, Value]) -> exp.Expr:
    """How many years or months are full, or how many midnights lie, from one date to the other."""
    fixed = exp.cast(exp.Literal.string(value.on), "DATE")
    ends = [columns[name].expression if name else fixed for name in (value.later, value.earlier)]

    def part(name: str) -> list[exp.Expr]:
        return [exp.Extract(this=exp.var(name), expression=end.copy()) for end in ends]

    def apart_by(numbers: list[exp.Expr]) -> exp.Expr:
        return exp.paren(exp.Sub(this=numbers[0], expression=numbers[1]))

    if value.unit == "calendar days":
        later, earlier = (exp.cast(end.copy(), "DATE") for end in ends)
        return exp.DateDiff(this=later, expression=earlier, unit=exp.var("DAY"))
    years = apart_by(part("YEAR"))
    if value.unit == "calendar years":
        return exp.cast(years, "INT")
    if value.unit == "months":
        months = exp.Add(this=exp.Mul(this=years, expression=exp.convert(12)), expression=apart_by(part("MONTH")))
        return exp.cast(exp.paren(exp.Sub(this=months, expression=_one_where_less(part("DAY")))), "INT")
    in_year = [
        exp.Add(this=exp.Mul(this=month, expression=exp.convert(100)), expression=day)
        for month, day in zip(part("MONTH"), part("DAY"), strict=True)
    ]
    return exp.cast(exp.paren(exp.Sub(this=years, expression=_one_where_less(in_year))), "INT")


def _one_where_less(numbers: Sequence[exp.Expr]) -> exp.Expr:
    less = exp.LT(this=exp.paren(numbers[0]), expression=exp.paren(numbers[1]))
    return exp.Case(ifs=[exp.If(this=less, true=exp.convert(1))], default=exp.convert(0))


def _joined(value: Joined | Abridged) -> exp.Expr:
    parts = value.parts if isinstance(value, Abridged) else [(WHOLE if c else 0, text) for c, text in value.parts]
    texts = [_begun(length, text) for length, text in parts]
    found: exp.Expr = texts[0]
    for text in texts[1:]:
        found = exp.DPipe(this=found, expression=text, safe=True)
    return _cased(value.case, exp.paren(found)) if isinstance(value, Abridged) and value.case else found


def _begun(length: int, text: str) -> exp.Expr:
    """A constant text, a column's, or what that begins or ends with."""
    if not length:
        return exp.Literal.string(text)
    whole = exp.cast(column_of(text), "TEXT")
    if length > LAST:
        return exp.Right(this=whole, expression=exp.convert(length - LAST))
    if length > 0:
        return exp.Left(this=whole, expression=exp.convert(length))
    return whole if length == WHOLE else _to_digits(whole, -length)


def _to_digits(text: exp.Expr, digits: int) -> exp.Expr:
    """A text with zeros in front; a longer one as it is, which SQL would cut."""
    filled = exp.Pad(
        this=text.copy(), expression=exp.convert(digits), fill_pattern=exp.Literal.string("0"), is_left=True
    )
    short = exp.LT(this=exp.Length(this=text.copy()), expression=exp.convert(digits))
    return exp.Case(ifs=[exp.If(this=short, true=filled)], default=text)


def _cased(case: str, text: exp.Expr) -> exp.Expr:
    return (exp.Upper if case == "upper" else exp.Lower)(this=text)


def _cut(value: Cut, column: exp.Expr) -> exp.Expr:
    if value.start:
        return exp.Substring(this=column, start=exp.convert(value.start + 1), length=exp.convert(value.length))
    if value.side in ("first", "last"):
        return (exp.Left if value.side == "first" else exp.Right)(this=column, expression=exp.convert(value.length))
    place = exp.convert({"before": 1, "after": -1}.get(value.side, value.length))
    cut = exp.SplitPart(this=column, delimiter=exp.Literal.string(value.separator), part_index=place)
    found: exp.Expr = exp.GT(
        this=exp.StrPosition(this=column.copy(), substr=exp.Literal.string(value.separator)), expression=exp.convert(0)
    )
    if value.side == PIECE:  # there are as many separators as the text is longer with them
        nothing, separator = exp.Literal.string(""), exp.Literal.string(value.separator)
        without = exp.Length(this=exp.Replace(this=column.copy(), expression=separator, replacement=nothing))
        separators = exp.Sub(this=exp.Length(this=column.copy()), expression=without)
        found = exp.GTE(this=separators, expression=exp.convert((value.length - 1) * len(value.separator)))
    return exp.Case(ifs=[exp.If(this=found, true=cut)])


def _part(part: DatePart, column: exp.Column) -> exp.Expr:
    if part in _EXTRACTED:
        return exp.Extract(this=exp.var(_EXTRACTED[part]), expression=column)
    others: Mapping[DatePart, Callable[[exp.Column], exp.Expr]] = {
        DatePart.WEEKDAY: lambda c: exp.Add(this=_weekday(c), expression=exp.convert(1)),
        DatePart.WEEKDAY_FROM_ZERO: _weekday,
        DatePart.WEEKDAY_FROM_SUNDAY: lambda c: exp.Add(this=_weekday(c, 1), expression=exp.convert(1)),
        DatePart.DATE: lambda c: exp.cast(c, "DATE"),
        # dates have no hours for PostgreSQL to extract
        DatePart.HOUR: lambda c: exp.cast(exp.TimeToStr(this=c, format=exp.Literal.string("%H")), "INT"),
        DatePart.MINUTE: lambda c: exp.cast(exp.TimeToStr(this=c, format=exp.Literal.string("%M")), "INT"),
        DatePart.YEAR_MONTH: lambda c: exp.TimeToStr(this=c, format=exp.Literal.string("%Y-%m")),
        DatePart.WEEKDAY_NAME: lambda c: _named(_weekday(c), WEEKDAYS, 0),
        DatePart.MONTH_NAME: lambda c: _named(exp.Extract(this=exp.var("MONTH"), expression=c), MONTHS, 1),
        DatePart.WEEKDAY_SHORT: lambda c: _named(_weekday(c), _short(WEEKDAYS), 0),
        DatePart.MONTH_SHORT: lambda c: _named(exp.Extract(this=exp.var("MONTH"), expression=c), _short(MONTHS), 1),
    }
    return others[part](column)


def _weekday(column: exp.Column, later: int = 0) -> exp.Expr:
    """Days since a Monday, modulo seven, of the day ``later`` days after the column's."""
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


_OF_SEVERAL: Mapping[type[Expression], Callable[[Any], exp.Expr]] = MappingProxyType(
    {
        Joined: _joined,
        Abridged: _joined,
        Stamped: _stamped,
        Inscribed: _inscribed,
        CheckDigits: _checked,
        MonthsOn: _months_on,
    }
)
