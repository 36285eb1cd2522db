"""The roles of a table's columns, inferred from values, names and types; docs/roles.md says what each means.

Each test looks for one role and gives its reason; the first that finds it decides. What stands first is what is
hardest to mistake: columns without variety, points in time, truth values; then names, since people name identifiers
and quantities alike in all trades; what no name tells, the values tell.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.roles import names, vocabulary
from profiling_core.algorithms.roles.figures import Figures, figures_of
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# Rows that roles are inferred from: more change nothing.
_SAMPLED = 20_000
_MOST_CLASSES = 60
_FEW_TIMES = 5
# The fewest columns whose names differ by a number alone that are a series.
_SERIES = 3
_LEAST_ROWS = 20
_CODE_LENGTH = 5
_LONG = 10
# Numbers that are given out have at least 7 digits and lie below 1.5 times the least one.
_GIVEN_OUT, _CLOSE = 7, 1.5
_DAYS = 366
# The pairs of rows that would agree by chance, from which on it says something that none does.
_REPEATED, _IN_FRONT = 15, 3
_FIRST_DAY, _LAST_DAY = 19_000_101, 21_001_231
_YEARS = (1000, 2200)
_SHORT, _WORDY = 24, 0.3
# Plates and telephone numbers have blanks.
_SHORT_CODE = 16
_TRUTHS = ({"yes", "no"}, {"y", "n"}, {"t", "f"}, {"true", "false"}, {"0", "1"}, {"on", "off"})

Found = tuple[Role, str] | None
_Test = Callable[[Column, list[str], Figures], Found]


def infer_roles(
    rows: pa.Table, schema: TableSchema, declared: Mapping[str, Role] | None = None
) -> dict[str, ColumnRole]:
    """The role of each profiled column.

    Args:
        rows: the table, or a sample of its rows; columns in the Arrow types of their logical types.
        schema: the table's columns.
        declared: roles that a person gave; they override what is inferred.
    """
    sample = _sampled(rows)
    # A sample of a tall table has some of its values twice that are unique in it, and none of the others.
    of_sample = {column.name: figures_of(sample[column.name], column) for column in schema.profiled}
    given, all_names = declared or {}, schema.names
    found = {
        column.name: _role(column, names.words(names.bare(column.name, all_names)), of_sample[column.name], given)
        for column in schema.profiled
    }
    found |= _as_their_like(found, of_sample)
    first = next((n for n in all_names if not names.counts_rows(n, all_names)), all_names[0])
    if first in found and _leads(found[first], of_sample[first]):
        found[first] = _become(found[first], Role.IDENTIFIER, "numbers in front that never repeat")
    return found


def _as_their_like(found: Mapping[str, ColumnRole], figures: Mapping[str, Figures]) -> dict[str, ColumnRole]:
    """The roles of columns in a numbered series: if most of them are measured, all are."""
    series: defaultdict[str, list[str]] = defaultdict(list)
    for name in found:
        if numbered := names.numbered(name):
            series[numbered[0]].append(name)
    return {
        name: replace(_become(found[name], Role.QUANTITY, "numbers, as its like are"), scale=figures[name].scale)
        for alike in series.values()
        if 2 * sum(found[name].role is Role.QUANTITY for name in alike) > len(alike) >= _SERIES
        for name in alike
        if found[name].role in (Role.IDENTIFIER, Role.CODE) and not found[name].declared and figures[name].whole
    }


def with_recurring_times(tables: Mapping[str, Mapping[str, ColumnRole]]) -> dict[str, dict[str, ColumnRole]]:
    """The roles of a dataset's tables, each time with the share of the other tables that have one of its name.

    Most tables of a database may say when a row was changed, in whatever words. Two tables are added that have none, so
    that few tables tell little.
    """
    often = Counter(name for roles in tables.values() for name, role in roles.items() if role.role.is_temporal)
    shares = {name: (count - 1) / (len(tables) + 1) for name, count in often.items()}
    return {
        table: {
            name: replace(role, upkeep=max(role.upkeep, shares[name])) if role.role.is_temporal else role
            for name, role in roles.items()
        }
        for table, roles in tables.items()
    }


def with_keys(
    roles: Mapping[str, ColumnRole], key: Collection[str], references: Mapping[str, str], naming: Collection[str] = ()
) -> dict[str, ColumnRole]:
    """The roles in the light of the key and the references that were found.

    Args:
        roles: what was inferred.
        key: the columns of the table's primary key.
        references: per column what it refers to, as text, such as ``customers.id``.
        naming: columns that number nothing within another one, so that as a part of the key they name something.
    """
    found = dict(roles)
    for name, target in references.items():
        if name in found and not found[name].declared:
            found[name] = _become(found[name], Role.REFERENCE, f"its values are those of {target}")
    for name in key if len(key) > 1 else ():
        if name in found and _is_bare(found[name]) and name in naming:
            found[name] = _become(found[name], Role.REFERENCE, "names rows, as a part of the table's key")
    for name in key if len(key) == 1 else ():
        if name in found and not found[name].declared and name not in references:
            found[name] = replace(_become(found[name], Role.IDENTIFIER, "the table's key"), is_key=True)
    return found


def _is_bare(role: ColumnRole) -> bool:
    return not role.declared and role.role is Role.QUANTITY and not role.unit and role.scale == 0


def _become(before: ColumnRole, role: Role, reason: str) -> ColumnRole:
    return replace(before, role=role, reason=reason, unit=None, scale=None)


def _sampled(rows: pa.Table) -> pa.Table:
    if rows.num_rows <= _SAMPLED:
        return rows
    return rows.take(np.linspace(0, rows.num_rows - 1, _SAMPLED).astype(np.int64))


def _role(column: Column, parts: list[str], figures: Figures, declared: Mapping[str, Role]) -> ColumnRole:
    given = declared.get(column.name)
    role, reason = (given, "declared") if given else _inferred(column, parts, figures)
    quantity = role is Role.QUANTITY
    return ColumnRole(
        column.name,
        role,
        reason,
        unit=_unit(parts, figures) if quantity else None,
        scale=figures.scale if quantity else None,
        declared=given is not None,
        upkeep=float(names.maintains(parts)),
    )


def _inferred(column: Column, parts: list[str], figures: Figures) -> tuple[Role, str]:
    for test in _TESTS:
        found = test(column, parts, figures)
        if found:
            return found
    if column.type.type_class is TypeClass.NUMERIC:
        return Role.QUANTITY, "numbers"
    return Role.TEXT, "texts of many kinds"


def _unit(parts: list[str], figures: Figures) -> str | None:
    unit = names.unit_of(parts)
    return None if unit == "year" and not _are_years(figures) else unit


def _are_years(figures: Figures) -> bool:
    return figures.whole and _YEARS[0] <= figures.low <= figures.high <= _YEARS[1]


def _constant(_: Column, __: list[str], figures: Figures) -> Found:
    if not figures.present:
        return Role.CONSTANT, "no values"
    if figures.distinct > 1:
        return None
    if figures.present == figures.rows:
        return (Role.CONSTANT, "one value in all rows") if figures.rows > 1 else None
    return Role.FLAG, "one value, or none"


def _with_a_unit(column: Column, _: list[str], __: Figures) -> Found:
    return (Role.QUANTITY, f"numbers {column.written.words}") if column.written.unit else None


def _temporal(column: Column, _: list[str], figures: Figures) -> Found:
    if column.type.type_class is TypeClass.CLOCK:
        return Role.MOMENT, "times of a day"
    if column.type.type_class is not TypeClass.TEMPORAL:
        return None
    written = f", {column.day_order}" if column.day_order else ""
    if column.type is LogicalType.DATE or figures.midnight:
        return Role.DATE, f"days{written}"
    return Role.MOMENT, f"points in time{written}"


def _flag(column: Column, _: list[str], figures: Figures) -> Found:
    if column.type is LogicalType.BOOLEAN:
        return Role.FLAG, "true or false"
    if figures.distinct != 2:
        return None
    if figures.whole and (figures.low, figures.high) == (0.0, 1.0):
        return Role.FLAG, "0 or 1"
    if {text.casefold() for text in figures.some} in _TRUTHS:
        return Role.FLAG, " or ".join(sorted(figures.some))
    return None


def _named_identifier(column: Column, parts: list[str], figures: Figures) -> Found:
    numbered = names.numbers(parts)
    if column.type is LogicalType.FLOAT or not (numbered or names.identifies(parts)):
        return None
    if figures.is_unique:
        return Role.IDENTIFIER, f"{_called(parts)}, and unique"
    return (Role.CODE if numbered else Role.REFERENCE), f"{_called(parts)}, and values repeat"


def _calendar(column: Column, parts: list[str], figures: Figures) -> Found:
    if column.type.type_class is TypeClass.NUMERIC and not (
        figures.whole and 0 <= figures.low <= figures.high <= _DAYS
    ):
        return None
    part = names.head(parts) in vocabulary.CALENDAR and figures.distinct <= _DAYS
    return (Role.CATEGORY, f"{_called(parts)}, a part of a date") if part else None


def _date_in_digits(_: Column, __: list[str], figures: Figures) -> Found:
    day = figures.days and _FIRST_DAY <= figures.low <= figures.high <= _LAST_DAY
    return (Role.DATE, "days in digits") if day else None


def _named_code(_: Column, parts: list[str], figures: Figures) -> Found:
    wordy = figures.spaced > _WORDY and figures.longest > _SHORT_CODE
    if names.head(parts) not in vocabulary.CODING or figures.scale or wordy:
        return None
    if figures.is_unique and names.head(parts) in vocabulary.NAMING:
        return Role.IDENTIFIER, f"{_called(parts)}, and unique"
    return Role.CODE, _called(parts)


def _named_class(column: Column, parts: list[str], figures: Figures) -> Found:
    few = figures.distinct <= _MOST_CLASSES and figures.each >= 2
    classes = names.head(parts) in vocabulary.CLASSING and column.type is not LogicalType.FLOAT
    return (Role.CATEGORY, f"{_called(parts)}, {figures.distinct} values") if classes and few else None


def _number(column: Column, parts: list[str], figures: Figures) -> Found:
    if column.type.type_class is not TypeClass.NUMERIC:
        return None
    unit = _unit(parts, figures)
    if unit:
        return Role.QUANTITY, f"numbers, by the name of unit {unit!r}"
    if not figures.whole:
        return Role.QUANTITY, "numbers with fractions"
    if _counts_rows(figures) or _is_never_repeated(figures):
        return Role.IDENTIFIER, f"numbers that {'count the rows' if _counts_rows(figures) else 'never repeat'}"
    long = _is_long(figures) and vocabulary.TIMING.isdisjoint(parts)
    if long or _has_fixed_length(figures) or (vocabulary.TIMING.isdisjoint(parts) and _begins_alike(figures)):
        unique = long and figures.is_unique
        return (Role.IDENTIFIER if unique else Role.CODE), f"numbers of {_digits(figures)} digits each"
    return None


def _counts_rows(figures: Figures) -> bool:
    """Whether whole numbers run on without repeating, as serial numbers do; of a sample, evenly."""
    return figures.is_unique and figures.rows >= _LEAST_ROWS and figures.high - figures.low < 1.05 * figures.rows


def _is_never_repeated(figures: Figures, least: float = _REPEATED) -> bool:
    """Whether whole numbers are unique although measured ones would repeat in this number of rows."""
    pairs = figures.present * (figures.present - 1) / 2
    return figures.is_unique and pairs >= least * (figures.high - figures.low + 1)


def _leads(role: ColumnRole, figures: Figures) -> bool:
    """Whether whole numbers of no unit, in each row, name it: what stands first does so sooner than what follows."""
    measured = role.declared or role.role is not Role.QUANTITY or bool(role.unit) or not figures.whole
    return not measured and figures.present == figures.rows >= _LEAST_ROWS and _is_never_repeated(figures, _IN_FRONT)


def _is_long(figures: Figures) -> bool:
    """Whether all numbers have the same number of digits, and more than measurements usually have."""
    same = figures.low > 0 and _digits(figures) == len(str(int(figures.low)))
    return same and _digits(figures) >= _LONG and figures.present >= _LEAST_ROWS


def _digits(figures: Figures) -> int:
    return len(str(int(figures.high)))


def _has_fixed_length(figures: Figures) -> bool:
    """Whether all numbers have the same number of digits and spread over all numbers of that length."""
    digits = len(str(int(figures.high)))
    decade = 10.0 ** (digits - 1)
    spread = figures.low < 3 * decade and figures.high > 7 * decade
    many = figures.present >= _LEAST_ROWS and digits >= _CODE_LENGTH
    return many and figures.low >= decade and spread


def _begins_alike(figures: Figures) -> bool:
    """Whether numbers of many digits lie close to each other and far from zero, as numbers that are given out do."""
    digits = len(str(int(figures.low))) if figures.low > 0 else 0
    return digits >= _GIVEN_OUT and figures.high < _CLOSE * figures.low and figures.distinct >= _LEAST_ROWS


def _text(column: Column, parts: list[str], figures: Figures) -> Found:
    if column.type.type_class is not TypeClass.STRING:
        return None
    if figures.leading or figures.digits == 1.0:
        return Role.CODE, "digits with leading zeros" if figures.leading else "digits that are no numbers"
    prose = not vocabulary.PROSE.isdisjoint(parts)
    if figures.distinct <= _MOST_CLASSES and figures.each >= _FEW_TIMES and figures.longest <= 2 * _SHORT:
        return Role.CATEGORY, f"{figures.distinct} values"
    one_word = figures.spaced == 0.0 and figures.longest <= _SHORT
    if one_word and not prose and figures.shortest == figures.longest:
        unique = figures.is_unique and figures.rows >= _LEAST_ROWS and figures.longest >= 3
        return (Role.IDENTIFIER if unique else Role.CODE), f"words of length {figures.longest}"
    return None


def _called(parts: list[str]) -> str:
    return f"called {names.head(parts)!r}"


_TESTS: tuple[_Test, ...] = (
    _constant,
    _with_a_unit,
    _temporal,
    _flag,
    _named_identifier,
    _date_in_digits,
    _calendar,
    _named_code,
    _named_class,
    _number,
    _text,
)
