"""The values of expressions that are not computed from numbers: dates, their parts, and texts."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.equations.further_on import days_further_on
from profiling_core.algorithms.equations.numbers import DAY_MICROSECONDS, UNIT_MICROSECONDS
from profiling_core.algorithms.equations.weighted_digits import with_right_digits
from profiling_core.model.expression import (
    LAST,
    MONTHS,
    PIECE,
    WEEKDAYS,
    WHOLE,
    Abridged,
    CheckDigits,
    Cut,
    DatePart,
    Expression,
    Inscribed,
    Joined,
    Linear,
    MonthsOn,
    OnDay,
    Part,
    Shifted,
    Stamped,
    written_pieces,
)

_WEEKDAYS, _MONTHS = pa.array(WEEKDAYS), pa.array(MONTHS)
# Directives that strftime does not know.
_OWN = frozenset({"%q", "%N"})

_PARTS: Mapping[DatePart, Callable[[pa.Array], pa.Array]] = MappingProxyType(
    {
        DatePart.YEAR: pc.year,
        DatePart.QUARTER: pc.quarter,
        DatePart.MONTH: pc.month,
        DatePart.DAY: pc.day,
        DatePart.DAY_OF_YEAR: pc.day_of_year,
        DatePart.WEEK: pc.iso_week,
        DatePart.WEEKDAY: lambda column: pc.day_of_week(column, count_from_zero=False),
        DatePart.WEEKDAY_FROM_ZERO: pc.day_of_week,
        DatePart.WEEKDAY_FROM_SUNDAY: lambda column: pc.day_of_week(column, count_from_zero=False, week_start=7),
        DatePart.HOUR: pc.hour,
        DatePart.MINUTE: pc.minute,
        DatePart.DATE: lambda column: column.cast(pa.date32()),
        DatePart.YEAR_MONTH: lambda column: pc.strftime(column, format="%Y-%m"),
        DatePart.WEEKDAY_NAME: lambda column: _WEEKDAYS.take(pc.day_of_week(column)),
        DatePart.MONTH_NAME: lambda column: _MONTHS.take(_less_one(pc.month(column))),
        DatePart.WEEKDAY_SHORT: lambda column: _short(_WEEKDAYS).take(pc.day_of_week(column)),
        DatePart.MONTH_SHORT: lambda column: _short(_MONTHS).take(_less_one(pc.month(column))),
    }
)


def _short(names: pa.Array) -> pa.Array:
    return pc.utf8_slice_codeunits(names, 0, 3)


def _less_one(numbers: pa.Array) -> pa.Array:
    return pc.subtract(numbers, pa.scalar(1, numbers.type))


def values_of_expression(value: Expression, rows: pa.Table) -> pa.Array:
    """The values of an expression in each row, null where it has none.

    Raises:
        TypeError: it computes numbers from numbers.
    """
    if (make := _OF_ROWS.get(type(value))) is not None:
        return make(value, rows)
    column = rows[value.columns[0]].combine_chunks()
    if isinstance(value, Linear) and len(value.terms) == 1:
        return column
    if isinstance(value, Shifted):
        return _shifted(value, column)
    if isinstance(value, OnDay | Part):
        return _by_the_day(value, column)
    if isinstance(value, Cut):
        texts = column if is_text(column.type) else column.cast(pa.string())
        return _of_each(texts, lambda text: cut(value, text))
    raise TypeError(f"a numeric expression: {value.text}")


def date_part(part: DatePart, column: pa.Array) -> pa.Array:
    """A part of each date or moment; hours and minutes of moments alone."""
    if part in (DatePart.HOUR, DatePart.MINUTE) and pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("us"))
    return _PARTS[part](column)


def _by_the_day(value: OnDay | Part, column: pa.Array) -> pa.Array:
    if isinstance(value, OnDay):
        return _shifted(Shifted(value.column, value.days), column.cast(pa.date32()))
    return date_part(DatePart(value.part), column)


def _shifted(value: Shifted, column: pa.Array) -> pa.Array:
    moved = value.amount * UNIT_MICROSECONDS[value.unit]
    if pa.types.is_date32(column.type):
        days = moved // DAY_MICROSECONDS
        return pc.add(column.cast(pa.int32()), pa.scalar(days, pa.int32())).cast(pa.date32())
    return pc.add(column.cast(pa.int64()), pa.scalar(moved, pa.int64())).cast(column.type)


def _part(rows: pa.Table, name: str) -> pa.Array:
    return rows[name].combine_chunks().cast(pa.large_string())


def _put_together(parts: Sequence[pa.Array | str], size: int) -> pa.Array:
    """Texts and constants concatenated; null where a text is null."""
    columns = (pa.repeat(pa.scalar(p, pa.large_string()), size) if isinstance(p, str) else p for p in parts)
    return pc.binary_join_element_wise(*columns, pa.scalar("", pa.large_string()))


def _joined(value: Joined, rows: pa.Table) -> pa.Array:
    return _put_together([_part(rows, name) if column else name for column, name in value.parts], rows.num_rows)


def _abridged(value: Abridged, rows: pa.Table) -> pa.Array:
    parts = [_begun(_part(rows, name), length) if length else name for length, name in value.parts]
    whole = _put_together(parts, rows.num_rows)
    return _of_each(whole, lambda text: cased(text, value.case)) if value.case else whole


def _begun(texts: pa.Array, length: int) -> pa.Array:
    if length > LAST:
        return pc.utf8_slice_codeunits(texts, LAST - length, None)
    if length > 0:
        return pc.utf8_slice_codeunits(texts, 0, length)
    return texts if length == WHOLE else pc.utf8_lpad(texts, -length, "0")


def written_date(pattern: str, dates: pa.Array, months: int = 0) -> pa.Array:
    """The dates, or moments' days, moved by ``months`` and written as they are in codes: large_string[n]."""
    if months:
        dates = days_further_on(MonthsOn("", months, first=True), pa.table({"": dates}))
    pieces = written_pieces(pattern)
    if not _OWN.intersection(pieces):
        return pc.strftime(dates, format=pattern).cast(pa.large_string())
    return _put_together([_piece(piece, dates) if "%" in piece else piece for piece in pieces], len(dates))


def _piece(piece: str, dates: pa.Array) -> pa.Array:
    if piece == "%q":
        written = pc.quarter(dates).cast(pa.string())
    elif piece == "%N":
        following = pc.add(pc.year(dates), 1).cast(pa.string())
        written = pc.utf8_slice_codeunits(following, -2, None)
    else:
        written = pc.strftime(dates, format=piece)
    return written.cast(pa.large_string())


def _stamped(value: Stamped, rows: pa.Table) -> pa.Array:
    """The codes with the date written at its place; null where a code is too short for it."""
    codes, size = _part(rows, value.code), value.size
    end = value.start + size
    before = pc.utf8_slice_codeunits(codes, 0, value.start)
    # A slice up to the last character takes no end.
    behind = pc.utf8_slice_codeunits(codes, end, None) if end else pa.repeat(pa.scalar("", codes.type), len(codes))
    written = written_date(value.pattern, rows[value.date].combine_chunks(), value.months)
    whole = _put_together([before, written, behind], len(codes))
    long = pc.greater_equal(pc.utf8_length(codes), end if value.start >= 0 else -value.start)
    return pc.if_else(long, whole, pa.scalar(None, whole.type))


def _inscribed(value: Inscribed, rows: pa.Table) -> pa.Array:
    """The codes with the text written at its place; null where a code is too short for it."""
    codes, begun = _part(rows, value.code).to_pylist(), _begun(_part(rows, value.column), value.length)
    texts = begun.to_pylist()
    cases = (None if text is None else cased(text, value.case) for text in texts)
    made = (
        None
        if code is None or text is None or len(code) < value.start + len(text)
        else f"{code[: value.start]}{text}{code[value.start + len(text) :]}"
        for code, text in zip(codes, cases, strict=True)
    )
    return pa.array(made, pa.large_string())


def _checked(value: CheckDigits, rows: pa.Table) -> pa.Array:
    codes = _part(rows, value.code).dictionary_encode()
    right = with_right_digits(value, codes.dictionary.to_pylist())
    return pa.array(right, pa.large_string()).take(codes.indices)


def cased(text: str, case: str) -> str:
    """A text in ``upper`` or ``lower`` case; without a case as it is."""
    return text.upper() if case == "upper" else text.lower() if case == "lower" else text


def _of_each(column: pa.Array, change: Callable[[str], str | None]) -> pa.Array:
    """A function applied to each distinct text."""
    encoded = column.dictionary_encode()
    changed = pa.array([change(text) for text in encoded.dictionary.to_pylist()], pa.string())
    return changed.take(encoded.indices)


def cut(value: Cut, text: str) -> str | None:
    """The part that is cut from a text; None where the separator does not occur in it."""
    if value.side == "first":
        return text[value.start : value.start + value.length]
    if value.side == "last":
        return text[-value.length :]
    if value.separator not in text:
        return None
    if value.side == PIECE:
        pieces = text.split(value.separator)
        return pieces[value.length - 1] if value.length <= len(pieces) else None
    before, after = text.split(value.separator, 1)[0], text.rsplit(value.separator, 1)[1]
    return before if value.side == "before" else after


def whole_numbers(texts: pa.Array) -> pa.Array:
    """int64[n]: texts of 1 to 18 digits as numbers, null for all other texts."""
    written = pc.match_substring_regex(texts, "^[0-9]{1,18}$")
    return pc.if_else(written, texts, pa.scalar(None, texts.type)).cast(pa.int64())


def is_text(type_: pa.DataType) -> bool:
    """Whether values of the type are texts."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


_OF_ROWS: Mapping[type[Expression], Callable[[Any, pa.Table], pa.Array]] = MappingProxyType(
    {
        Joined: _joined,
        Abridged: _abridged,
        Stamped: _stamped,
        Inscribed: _inscribed,
        CheckDigits: _checked,
        MonthsOn: days_further_on,
    }
)
