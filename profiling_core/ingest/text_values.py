"""Text to typed values, a column at a time: the value of a cell as a type, and the types that a column's cells allow.

One function decides both whether a cell can be read as a type and its value, so that casting agrees with inference. It
is fast if a whole column converts. Otherwise each distinct text is tried on its own, so that the bad cells are known.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_types import MAX_DIGITS, arrow_type
from profiling_core.ingest.exact_numbers import EXACT, WHOLE, Exactly, Fitting, codes, digits_lost, exactness, scale_of
from profiling_core.ingest.marked_numbers import plain_numbers
from profiling_core.ingest.number_forms import FORMED, form_of, signs_of_plain, taken_apart, trimmed, undressed
from profiling_core.ingest.slashed_days import AS_COLUMNS, Reading, Slashed, are_slashed, orders_of, with_year_first
from profiling_core.ingest.written_days import like_days, with_iso_days
from profiling_core.model.number_form import PLAIN_FORM, NumberForm
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column
from profiling_core.model.types import DayOrder, LogicalType

_INTEGER = r"^[+-]?[0-9]+$"
_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,9})?$"
_FLOAT = r"^[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf(inity)?|nan))$"
# 2024-05-31, 2024/05/31 or 31.05.2024; days with slashes and the year last are converted to this form first.
_DAY = r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}/[0-9]{2}/[0-9]{2}|[0-9]{2}\.[0-9]{2}\.[0-9]{4})"
_DATE = rf"^{_DAY}$"
_DOTTED = r"^([0-9]{2})\.([0-9]{2})\.([0-9]{4})"
_HOURS = r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?"
_HALF = r"(?i:[ap]\.? ?m\.?)"
_CLOCK = rf"({_HOURS}( ?{_HALF})?|{_HALF} ?{_HOURS})"
_TIMESTAMP = rf"^{_DAY}([T ]{_CLOCK}( ?(Z|UTC|GMT|[+-][0-9]{{2}}(:?[0-9]{{2}})?))?)?$"
_TIME = rf"^{_CLOCK}$"
_WHOLE_SECONDS = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"
_HALF_A_DAY = 12
_HALF_FIRST = re.compile(rf"^(.{{10}}[T ])({_HALF}) ?([0-9:.]+)")
_BOOLEAN = r"^(?i:true|false)$"
# Codes, not numbers, unless the column's type is given: 01234 and 00.5, words, and more digits than any type keeps.
_CODE = r"^[+-]?(0[0-9]|[a-zA-Z]|([0-9][.]?){39})"

Cast = tuple[pa.Array, NDArray[np.bool_]]


_NUMBERS = frozenset({LogicalType.INTEGER, LogicalType.DECIMAL, LogicalType.FLOAT})


def cast_text(texts: pa.Array, column: Column, marks: Marks = PLAIN) -> Cast:
    """Reads each text as a value of the column's type.

    Args:
        texts: strings; null stays null.
        column: the column, with precision and scale where it is a decimal.
        marks: how numbers are written.

    Returns:
        The values in the column's Arrow type, null where a text cannot be read, and bool[n]: which ones cannot.
        Integers of more than 64 bits, decimals with too many digits, and days that no calendar has cannot be read.
        NaN reads as null, −0.0 as 0.0 (docs/semantics.md, "Values").
    """
    if column.type is LogicalType.STRING:
        return texts, np.zeros(len(texts), bool)
    is_number = column.type in _NUMBERS
    if is_number and not column.written.is_plain_first:
        return _cast(plain_numbers(undressed(texts, column.written), marks), column)
    values, bad = _cast(plain_numbers(texts, marks) if is_number else texts, column)
    return _tried_again(texts, (values, bad), column, marks) if bad.any() else (values, bad)


def _tried_again(texts: pa.Array, found: Cast, column: Column, marks: Marks) -> Cast:
    """The values read so far, with bad texts read again in the forms that only people write."""
    values, bad = found
    odd = texts.filter(pa.array(bad)).dictionary_encode()
    written = _as_programs_write(odd.dictionary, column)
    if written.equals(odd.dictionary):
        return found
    again, still = _cast(plain_numbers(written, marks) if column.type in _NUMBERS else written, column)
    values = pc.replace_with_mask(values, pa.array(bad), again.take(odd.indices))
    bad[bad] = still[odd.indices.to_numpy()]
    return values, bad


def _as_programs_write(texts: pa.Array, column: Column) -> pa.Array:
    """Distinct texts without surrounding blanks, numbers and days in the forms that programs write."""
    if column.type in _NUMBERS:
        return undressed(texts, column.written)
    bare = trimmed(texts)
    return with_iso_days(bare) if column.type in (LogicalType.DATE, LogicalType.TIMESTAMP) else bare


def _cast(texts: pa.Array, column: Column) -> Cast:
    target = arrow_type(column)
    if column.day_order:
        texts = with_year_first(texts, column.day_order)
    if (plain := _as_written_plainly(texts, target)) is not None:
        return plain_floats(plain), np.zeros(len(texts), bool)
    pattern, fast, _ = _READERS[column.type]
    if (
        not pattern
        or _are_digits(texts, column.type)
        or pc.all(pc.match_substring_regex(texts, pattern)).as_py() is not False
    ):
        try:
            values = plain_floats(fast(texts, target))
            if not beyond_calendar(values).any():
                return values, np.zeros(len(texts), bool)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    return _one_by_one(texts, column, target)


def misread(texts: pa.Array, values: pa.Array, column: Column, marks: Marks = PLAIN) -> NDArray[np.bool_]:
    """bool[n]: the texts that inference would not have read as these numbers.

    Args:
        texts: strings.
        values: their values by :func:`cast_text`.
        column: the column.
        marks: how numbers are written.
    """
    if column.type not in _NUMBERS:
        return np.zeros(len(texts), bool)
    if not column.written.is_plain_first:
        texts = undressed(texts, column.written)
    wrong = codes(texts)
    if column.type is LogicalType.FLOAT:
        infinite = pc.fill_null(pc.is_inf(values), False)  # noqa: FBT003 -- a value
        wrong |= digits_lost(plain_numbers(texts, marks), values) | infinite.to_numpy(zero_copy_only=False)
    return wrong


def _are_digits(texts: pa.Array, type_: LogicalType) -> bool:
    """Whether a number column has only digits, which is far faster to check than the pattern."""
    return type_ in _NUMBERS and pc.all(pc.ascii_is_decimal(texts)).as_py() is not False


def plain_floats(values: pa.Array) -> pa.Array:
    """Floats without NaN (it is null) and without −0.0; other arrays as they are."""
    if not pa.types.is_floating(values.type):
        return values
    if pa.types.is_float16(values.type):  # Arrow does not compute on these
        values = values.cast(pa.float32())
    # Scalars are not made from Python values: the first one makes Arrow import pandas, which takes longer than most
    # files.
    values = pc.if_else(pc.is_nan(values), pa.nulls(1, values.type)[0], values)
    return pc.add(values, pa.Array.from_buffers(pa.int8(), 1, [None, pa.py_buffer(bytes(1))])[0])  # −0.0 + 0 = 0.0


def beyond_calendar(values: pa.Array) -> NDArray[np.bool_]:
    """bool[n]: which days or moments lie before year 1 or after 9999, where Python's and Spark's calendars end."""
    outside = np.zeros(len(values), bool)
    if not (pa.types.is_date32(values.type) or pa.types.is_timestamp(values.type)):
        return outside
    ends = pa.array([datetime.min, datetime.max], pa.timestamp("us")).cast(values.type, safe=False)  # noqa: DTZ901 -- in UTC
    numbers, (first, last) = (array.view(f"int{values.type.bit_width}") for array in (values, ends))
    least, most = pc.min_max(numbers).as_py().values()
    if least is None or (least >= first.as_py() and most <= last.as_py()):
        return outside
    beyond = pc.or_(pc.less(numbers, first), pc.greater(numbers, last))
    return np.asarray(pc.fill_null(beyond, False).to_numpy(zero_copy_only=False))  # noqa: FBT003 -- a value


def _one_by_one(texts: pa.Array, column: Column, target: pa.DataType) -> Cast:
    encoded = texts.dictionary_encode()
    pattern, _, slow = _READERS[column.type]
    matcher = re.compile(pattern) if pattern else None
    values = [_read(text, matcher, slow, target) for text in encoded.dictionary.to_pylist()]
    bad_text = np.array([isinstance(value, ValueError) for value in values] or [False])
    good = [None if isinstance(value, ValueError) else value for value in values]
    if len(good) == 0:
        return pa.nulls(len(texts), target), np.zeros(len(texts), bool)
    codes = encoded.indices
    present = codes.is_valid().to_numpy(zero_copy_only=False)
    bad = np.where(present, bad_text[codes.fill_null(0).to_numpy()], False)  # noqa: FBT003  # a value
    return plain_floats(pa.array(good, target).take(codes)), bad


def _read(text: str, matcher: "re.Pattern[str] | None", slow: Callable[[str], Any], target: pa.DataType) -> Any:
    if matcher is not None and not matcher.match(text):
        return ValueError(text)
    try:
        value = slow(text)
        pa.scalar(value, target)
    except (ValueError, ArithmeticError, pa.ArrowInvalid) as error:
        return ValueError(str(error))
    return value


def _fast_boolean(texts: pa.Array, _: pa.DataType) -> pa.Array:
    return pc.match_substring_regex(texts, "^(?i:true)$")


def _fast_number(texts: pa.Array, target: pa.DataType) -> pa.Array:
    return pc.cast(pc.utf8_ltrim(texts, characters="+"), target)


def _fast_decimal(texts: pa.Array, target: pa.DataType) -> pa.Array:
    if (pc.max(pc.utf8_length(texts)).as_py() or 0) > target.precision:
        raise pa.ArrowInvalid("perhaps too many digits, which Arrow does not check")
    return _fast_number(texts, target)


def _as_written_plainly(texts: pa.Array, target: pa.DataType) -> pa.Array | None:
    """The doubles or days if Arrow reads each text as one; None: it does not, or the type is another one.

    Arrow reads only texts that match the type's pattern, except words for no number and the year 0.
    """
    if not (pa.types.is_floating(target) or pa.types.is_date(target)):
        return None
    try:
        values = pc.cast(texts, target)
    except pa.ArrowInvalid:
        return None
    if pa.types.is_date(target):
        return None if beyond_calendar(values).any() else values
    return values if pc.all(pc.is_finite(values)).as_py() is not False else None


def _fast_float(texts: pa.Array, target: pa.DataType) -> pa.Array:
    values = _fast_number(texts, target)
    if pc.any(pc.is_inf(values)).as_py():
        raise pa.ArrowInvalid("infinite, or too large")
    return values


def _year_first(texts: pa.Array) -> pa.Array:
    """Days written 31.05.2024 as 2024-05-31."""
    if not pc.any(pc.match_substring_regex(texts, _DOTTED)).as_py():
        return texts
    return pc.replace_substring_regex(texts, _DOTTED, r"\3-\2-\1")


def _fast_date(texts: pa.Array, target: pa.DataType) -> pa.Array:
    return pc.cast(_year_first(texts), target)


def _slow_date(text: str) -> date:
    return date.fromisoformat(_as_iso_writes(text))


def _as_iso_writes(text: str) -> str:
    """A day or moment with its day as 2024-05-31; what follows the day stays."""
    return re.sub(_DOTTED, r"\3-\2-\1", text[:10]).replace("/", "-") + text[10:]


def _fast_timestamp(texts: pa.Array, target: pa.DataType) -> pa.Array:
    # No zone means UTC. Other zones than Z are not cast, and take the slow way.
    return pc.cast(pc.cast(pc.utf8_rtrim(_year_first(texts), characters="Z"), pa.timestamp("us")), target)


def _fast_time(texts: pa.Array, _: pa.DataType) -> pa.Array:
    if pc.all(pc.match_substring_regex(texts, _WHOLE_SECONDS)).as_py() is False:
        raise pa.ArrowInvalid("not two digits each")
    return texts


def _slow_time(text: str) -> str:
    """A time of a day as it is stored: 08:15:00, with fractions of seconds without trailing zeros."""
    found = datetime.fromisoformat(_with_microseconds(_on_24_hours(f"2000-01-01 {text.replace(',', '.')}")))
    return found.time().isoformat().rstrip("0") if found.microsecond else found.time().isoformat()


def _slow_decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(text) from error


def _slow_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")) and "inf" not in text.lower():
        raise ValueError(text)
    return value


def _slow_timestamp(text: str) -> datetime:
    value = datetime.fromisoformat(_with_microseconds(_on_24_hours(_as_iso_writes(text).replace(",", "."))))
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _with_microseconds(text: str) -> str:
    """A moment with fractions of seconds as six digits, if it has any; raises ``ValueError`` for finer ones."""
    whole, dot, rest = text.partition(".")
    if not dot:
        return text
    digits = re.match(r"[0-9]+", rest)[0]  # type: ignore[index]  # the pattern has matched
    if digits[6:].strip("0"):
        raise ValueError(text)
    return f"{whole}.{digits[:6].ljust(6, '0')}{rest[len(digits) :]}"


def _on_24_hours(text: str) -> str:
    """A moment with hours of two digits up to 23; raises ``ValueError`` for hours outside 1 to 12 with AM or PM."""
    text = _HALF_FIRST.sub(r"\1\3 \2", text)
    found = re.match(r"^(.{10}[T ])([0-9]{1,2})(:[0-9:.]*)( ?([aApP])\.? ?[mM]\.?)? ?(UTC|GMT)?(.*)$", text)
    if found is None:
        return text
    before, hour, after, _, half, _, zone = found.groups()
    if half:
        if not 1 <= int(hour) <= _HALF_A_DAY:
            raise ValueError(text)
        hour = str(int(hour) % _HALF_A_DAY + _HALF_A_DAY * (half in "pP"))
    return f"{before}{hour.rjust(2, '0')}{after}{zone.lstrip()}"


_READERS: Mapping[LogicalType, tuple[str, Callable[..., pa.Array], Callable[[str], Any]]] = MappingProxyType(
    {
        LogicalType.BOOLEAN: (_BOOLEAN, _fast_boolean, lambda text: text.lower() == "true"),
        LogicalType.INTEGER: (_INTEGER, _fast_number, int),
        LogicalType.DECIMAL: (_NUMBER, _fast_decimal, _slow_decimal),
        LogicalType.FLOAT: (_FLOAT, _fast_float, _slow_float),
        LogicalType.DATE: (_DATE, _fast_date, _slow_date),
        LogicalType.TIMESTAMP: (_TIMESTAMP, _fast_timestamp, _slow_timestamp),
        LogicalType.TIME: (_TIME, _fast_time, _slow_time),
        LogicalType.BINARY: ("", pc.cast, str.encode),
    }
)

# From the most specific to the least; a column's type is the first that all its cells allow.
INFERRED = (
    Column("", LogicalType.BOOLEAN, ordered=False),
    Column("", LogicalType.TIME, ordered=True),
    Column("", LogicalType.INTEGER, ordered=True),
    Column("", LogicalType.DECIMAL, ordered=True, precision=MAX_DIGITS, scale=0),
    Column("", LogicalType.FLOAT, ordered=True),
    Column("", LogicalType.DATE, ordered=True),
    Column("", LogicalType.TIMESTAMP, ordered=True),
)
_WORDY = frozenset({LogicalType.STRING, LogicalType.TIME})
"""Readings that still allow numbers: a time of a day may be a duration."""
ANYTHING: frozenset[Reading] = frozenset((*LogicalType, *Slashed, *EXACT, *FORMED))
_STRING = Column("", LogicalType.STRING, ordered=False)


def possible_types(
    texts: pa.Array, among: frozenset[Reading] | None = None, *, marks: Marks = PLAIN
) -> frozenset[Reading]:
    """The types that all of these texts can be read as; string is always among them.

    Args:
        texts: the cells.
        among: the only types to consider; None: all.
        marks: how numbers are written.

    The types of a whole column are the intersection over its parts; for numbers they also say which decimals hold them.
    Without any text all types are possible.
    """
    distinct = pc.drop_null(pc.unique(texts))
    asked = ANYTHING if among is None else among
    if len(distinct) == 0:
        return asked
    numbers = plain_numbers(distinct, marks)
    found = _readings(distinct, numbers, asked)
    if _NUMBERS & found:
        found |= signs_of_plain(numbers)
    elif found <= _WORDY:
        found |= _as_people_write(distinct, asked, marks)
    return frozenset(found & asked)


def _as_people_write(texts: pa.Array, asked: frozenset[Reading], marks: Marks) -> set[Reading]:
    """The types of texts in forms that programs do not write."""
    bare = pc.unique(trimmed(texts))
    numbers, formed = taken_apart(bare)
    days = with_iso_days(bare) if like_days(bare) else bare
    without_numbers = asked if formed else asked - _NUMBERS
    if not formed and days.equals(texts):
        return set()
    return _readings(days, plain_numbers(numbers, marks), without_numbers) | formed


def _readings(texts: pa.Array, numbers: pa.Array, asked: frozenset[Reading]) -> set[Reading]:
    """The types that texts can be read as; ``numbers`` are the same texts as plain numbers."""
    found: set[Reading] = {LogicalType.STRING}
    coded = pc.any(pc.match_substring_regex(numbers, _CODE)).as_py()
    for candidate in (c for c in INFERRED if c.type in asked):
        if candidate.type in _NUMBERS and coded:
            continue
        if candidate.type is LogicalType.DECIMAL:
            continue
        as_read = numbers if candidate.type in _NUMBERS else texts
        if _may_be(as_read, candidate):
            found.add(candidate.type)
    if LogicalType.FLOAT in found:
        exact = exactness(numbers)
        found |= exact | ({LogicalType.DECIMAL} if exact & set(Fitting) else set())
    return found | _with_slashes(texts, found)


def _with_slashes(texts: pa.Array, found: set[Reading]) -> set[Reading]:
    """The readings of texts as days with slashes; days in other forms may stand among them."""
    if not are_slashed(texts):
        return {slashed for slashed, column in AS_COLUMNS.items() if column.type in found}
    return {slashed for slashed, column in AS_COLUMNS.items() if _are_days(texts, column)}


def _are_days(texts: pa.Array, column: Column) -> bool:
    days = with_year_first(texts, column.day_order) if column.day_order else texts
    return _may_be(days, column)


def _may_be(texts: pa.Array, column: Column) -> bool:
    """Whether each text can be read as a value of the type; numbers and days have to be in plain form."""
    if _looks_otherwise(texts, column.type):
        return False
    try:
        _READERS[column.type][1](texts, arrow_type(column))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return not cast_text(texts, column)[1].any()
    return True


def _looks_otherwise(texts: pa.Array, type_: LogicalType) -> bool:
    """Whether a text breaks the type's pattern; checked before reading, since the first value read imports pandas."""
    pattern = _READERS[type_][0]
    matcher = re.compile(pattern)
    # Arrow's and Python's expressions differ at the end of a line.
    strange = texts.filter(pc.invert(pc.match_substring_regex(texts, pattern)))
    return any(not matcher.match(text.as_py()) for text in strange)


def inferred_type(possible: frozenset[Reading]) -> LogicalType:
    """The most specific of the types that a column's cells allow; string for a column without values."""
    return inferred(possible).type


def inferred(possible: frozenset[Reading], others: frozenset[DayOrder] = frozenset()) -> Column:
    """A column of the most specific type that its cells allow, without a name; text for one without values.

    Args:
        possible: the readings that the cells allow.
        others: the orders of days with slashes in the table's other columns.
    """
    if possible == ANYTHING:
        return _STRING
    form = form_of(possible)
    known = next((c for c in INFERRED if c.type in possible and (form or c.type not in _NUMBERS)), None)
    if known:
        column = _exact(known, possible)
        return replace(column, written=form) if form and column.type in _NUMBERS else column
    orders = orders_of(possible)
    told = orders if len(orders) == 1 else orders & others if len(others) == 1 else frozenset()
    return next((c for s, c in AS_COLUMNS.items() if s in possible and c.day_order in told), _STRING)


def _exact(known: Column, possible: frozenset[Reading]) -> Column:
    """For numbers with fractions: floats if these keep all digits, else decimals if these do, else text."""
    if known.type not in (LogicalType.DECIMAL, LogicalType.FLOAT) or WHOLE in possible:
        return known
    if Exactly.KEPT in possible or Exactly.PLAIN not in possible:
        return Column("", LogicalType.FLOAT, ordered=True)
    scale = scale_of(possible)
    return _STRING if scale is None else replace(known, type=LogicalType.DECIMAL, precision=MAX_DIGITS, scale=scale)


def decimal_scale(texts: pa.Array, form: NumberForm = PLAIN_FORM, *, marks: Marks = PLAIN) -> int:
    """The most digits after the decimal point, or comma, of all texts (0 without one)."""
    texts = plain_numbers(undressed(texts, form), marks)
    fractions = pc.extract_regex(pc.drop_null(texts), r"^[+-]?[0-9]*\.(?P<fraction>[0-9]+)")
    longest = pc.max(pc.utf8_length(pc.struct_field(fractions, "fraction"))).as_py()
    return min(longest or 0, MAX_DIGITS)
