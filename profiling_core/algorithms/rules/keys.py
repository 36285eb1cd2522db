"""Finds unique column combinations that are meant: the primary key, and others that are no accident.

A column of measured numbers, or of long texts, is unique because it has many values; so is a time combined with almost
any other column. The evidence is the number of pairs of rows that would agree if values were combined by chance.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.roles import names, vocabulary
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.numbering import nearly_numbers_within, numbers_beside, numbers_within
from profiling_core.algorithms.rules.periods import closer_by_chance
from profiling_core.model.constraint import ColumnList, Measured, UniqueColumnCombination
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.types import LogicalType

# Rows that rule out most combinations.
_SAMPLED = 5_000
# Columns of a key, at most.
_LONGEST = 4
# Besides the primary key, keys of up to this many columns are shown; longer ones are rarely meant.
_TOLD_BESIDE = 2
# Pairs of rows that have to agree by chance before it is evidence that none does.
_EXPECTED = 15.0
# Below this worth a single column is unique only because it has many values: a comment, a timestamp.
_LEAST_WORTH = 1.0
# The same for three columns, since there are many sets of three.
_SURELY_MEANT = 100.0
# From this worth on a second column is shown as a key: an identifier, an e-mail address, the name of the rows' things.
_MEANT = 1.8
# Tables with fewer rows have a key only by its name.
_LEAST_ROWS = 5
# Pairs of codes that would have to be equal by chance before it is evidence that none are.
_FEW_ALIKE = 3
# A text whose values each come this often on average names something.
_REPEATED = 2
# How far the primary key's worth stands above the others'.
_FIRST = 0.5
# The range in which whole numbers may be years.
_YEARS = (1900, 2100)
# From this many rows on, a row for each combination of values is no accident: n!/nⁿ is below one in four hundred.
_EACH_ONCE = 8
# The worth of a column whose name is that of the table's rows.
_CALLED = 2.0
# A key that a person declared is worth more than any other.
_DECLARED = 100.0
_REFERRING = (Role.REFERENCE, Role.IDENTIFIER, Role.CODE)
# Names have at most this many words.
_MOST_WORDS = 5
# For two references this many pairs by chance suffice: there are few references, and a pair listed once is meant to be.
_SURPRISING = 5.0
# If each of two columns predicts the other at least this well, one is another name of the other.
_SAME = 0.9
_ROLE_WORTH = {
    Role.IDENTIFIER: 3.0,
    Role.CODE: 2.0,
    Role.REFERENCE: 2.0,
    Role.CATEGORY: 1.0,
    Role.DATE: 1.5,
    Role.MOMENT: 0.5,
    Role.TEXT: 0.0,
}


def find_keys(table: CodedTable, budget: Budget, declared: tuple[str, ...] = ()) -> list[Candidate]:
    """The table's keys, the primary one first if there is one; its columns have no nulls.

    Args:
        table: the table.
        budget: when to end with what there is.
        declared: the columns of the primary key by a person's declaration; none: it is searched.
    """
    singles = [_candidate(table, (name,)) for name in budget.steps(table.roles) if _may_be_key(table, name)]
    whole = [c for c in singles if c.worth >= _LEAST_WORTH and _is_complete(table, c.constraint.columns)]
    composite = _beside(table, whole, budget)
    meant = _meant(table, singles, composite)
    whole = _without_counters(table, whole, [*composite, *meant])
    primary = max(whole or composite, key=lambda c: c.worth, default=None)
    if declared and table.roles.keys() >= set(declared):
        primary = replace(_candidate(table, declared), worth=_DECLARED)
    return _with_first(primary, meant) if primary else meant


def _beside(table: CodedTable, whole: Sequence[Candidate], budget: Budget) -> list[Candidate]:
    """The keys of several columns; if neither they nor others identify rows, a text that does."""
    named = [c.constraint.columns[0] for c in whole if not _counts_rows(table, c.constraint.columns[0])]
    composite = _once_a_period(table, _apart(table, _composite(table, budget, _longest(table, named))))
    if named or any(_is_told_beside(c) for c in composite):
        return composite
    return _named_by_text(table) or composite


def _without_counters(table: CodedTable, whole: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """The keys without row numbers of the file, if another key identifies the rows."""
    telling = (c.constraint.columns for c in others if not _is_number(table, c.constraint.columns))
    if all(_counts_rows(table, columns[0]) for columns in telling):
        return [*whole]
    return [c for c in whole if not _counts_rows(table, c.constraint.columns[0])]


def _is_number(table: CodedTable, columns: Sequence[str]) -> bool:
    """Whether a key is one number without a name of identifiers, and so may be unique only by accident."""
    integer = len(columns) == 1 and pa.types.is_integer(table.rows[columns[0]].type)
    return integer and not names.tells_rows(names.words(columns[0])) and not _is_each_year(table, columns[0])


def _named_by_text(table: CodedTable) -> list[Candidate]:
    """The first short unique text, or leading dates: the natural key of a table without numbers or codes."""
    front = next((n for n in table.schema.names if n in table.roles and not _counts_rows(table, n)), "")
    whole = [n for n in table.roles if table.is_unique(n) and _is_complete(table, (n,)) and table.size >= _LEAST_ROWS]
    names_ = (n for n in whole if table.roles[n].role is Role.TEXT and _may_name(table, n))
    days = (n for n in whole if n == front and table.roles[n].role is Role.DATE)
    return [replace(_candidate(table, (name,)), worth=_MEANT) for name in [*days, *names_][:1]]


def _may_name(table: CodedTable, name: str) -> bool:
    """Whether texts have few words, and are no parts of people's names."""
    words = pc.add(pc.count_substring(table.rows[name], " "), 1)
    personal = not vocabulary.PERSONAL.isdisjoint(names.words(name))
    return not personal and bool(pc.max(words).as_py() <= _MOST_WORDS)


def _longest(table: CodedTable, named: Sequence[str]) -> int:
    """The most columns of a key; beside an assigned number a natural key may have three."""
    if not named:
        return _LONGEST
    return 3 if all(_is_given_out(table, name) for name in named) else 2


def _meant(table: CodedTable, singles: Sequence[Candidate], composite: Sequence[Candidate]) -> list[Candidate]:
    """The keys that are no accident, the shorter ones first."""
    columns = [c.constraint.columns[0] for c in singles]
    named = (c for c, name in zip(singles, columns, strict=True) if not _counts_rows(table, name))
    meant = [c for c in named if c.worth >= _MEANT and not _differs_by_chance(table, c.constraint.columns[0])]
    meant += [c for c in composite if _is_told_beside(c) or len(c.constraint.columns) == 1]
    return sorted(meant, key=lambda c: (len(c.constraint.columns), -c.worth))


def _apart(table: CodedTable, keys: Sequence[Candidate]) -> list[Candidate]:
    """The keys without those that use another name of the same thing: a team's other codes beside the year.

    The column further in front is the name that people use.
    """
    told: list[Candidate] = []
    for key in sorted(keys, key=lambda c: [table.schema.names.index(name) for name in c.constraint.columns]):
        if not any(_are_one(table, key.constraint.columns, other.constraint.columns) for other in told):
            told.append(key)
    return told


def _once_a_period(table: CodedTable, keys: Sequence[Candidate]) -> list[Candidate]:
    """The keys; of those that only periods explain one per thing, by the leading date.

    A bill's period has a first and a last day, and perhaps a number.
    """
    told: list[Candidate] = []
    for key in sorted(keys, key=lambda c: not _is_surprising(table, c)):
        naming = {n for n in key.constraint.columns if not table.roles[n].role.is_temporal}
        if _is_surprising(table, key) or not any(naming & {*other.constraint.columns} for other in told):
            told.append(key)
    return told


def _are_one(table: CodedTable, one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two keys differ only in columns that have another name among the other key's."""
    own, theirs = ([n for n in a if n not in b] for a, b in ((one, other), (other, one)))
    if len(own) != len(theirs):
        return False
    named = [next((b for b in theirs if _names_the_same(table, a, b)), None) for a in own]
    return None not in named and len({*named}) == len(own)


def _names_the_same(table: CodedTable, a: str, b: str) -> bool:
    return all(table.grouped((x,)).agreeing(table.codes[y], table.distinct(y)) >= _SAME for x, y in ((a, b), (b, a)))


def _with_first(primary: Candidate, meant: Sequence[Candidate]) -> list[Candidate]:
    """The primary key, worth more than the others, which follow."""
    others = [c for c in meant if c.constraint != primary.constraint]
    above = max((c.worth for c in others), default=0.0) + _FIRST
    return [replace(primary, worth=max(primary.worth, above)), *others]


def _differs_by_chance(table: CodedTable, name: str) -> bool:
    """Whether codes that only some rows have would also differ by chance, drawn from the same letters.

    A column named as a key counts as one anyway, and so does a code of each row, which exists to identify it.
    """
    if table.present(name) == table.size:
        return False
    parts = names.words(names.bare(name, table.schema.names))
    called = names.identifies(parts) or names.numbers(parts) or names.calls_rows(parts, table.name)
    if called or names.head(parts) in vocabulary.NAMING | {"name"} or not pa.types.is_string(table.rows[name].type):
        return False
    codes = pc.unique(table.rows[name].drop_null()).slice(0, _SAMPLED).to_pylist()
    if len({len(code) for code in codes}) > 1:
        return False
    kinds = math.prod(len(set(letters)) for letters in zip(*codes, strict=True))
    present = table.present(name)
    return present * (present - 1) / 2 < _FEW_ALIKE * kinds


def _is_given_out(table: CodedTable, name: str) -> bool:
    """Whether a column is an assigned number, which tells nothing about the row."""
    integer = table.schema.column(name).type is LogicalType.INTEGER
    return integer and table.roles[name].role is Role.IDENTIFIER


def _is_told_beside(key: Candidate) -> bool:
    few = len(key.constraint.columns) <= _TOLD_BESIDE
    return few or (len(key.constraint.columns) == _TOLD_BESIDE + 1 and key.strength >= _SURELY_MEANT)


def is_row_number(table: CodedTable, key: Candidate) -> bool:
    """Whether a key is a leading column that is named as a row number and counts the rows in their order."""
    name, *others = key.constraint.columns
    counts = not others and _counts_rows(table, name) and pa.types.is_integer(table.rows[name].type)
    return counts and bool((np.diff(table.rows[name].to_numpy()) == 1).all())


def _counts_rows(table: CodedTable, name: str) -> bool:
    return names.counts_rows(name, table.schema.names)


def _may_be_key(table: CodedTable, name: str) -> bool:
    if not table.is_unique(name):
        return False
    if table.present(name) < _LEAST_ROWS:
        return _is_called_key(table, name)
    named = table.roles[name].role.names_rows or _is_each_year(table, name)
    return named and not _is_of_many_days(table, name)


def _is_called_key(table: CodedTable, name: str) -> bool:
    """Whether the leading column of a list of two to four things identifies each, and is named so."""
    parts = names.words(names.bare(name, table.schema.names))
    called = names.identifies(parts) or names.numbers(parts) or names.calls_rows(parts, table.name)
    each = table.size > 1 and table.present(name) == table.size
    return each and called and table.schema.names[0] == name and not _counts_rows(table, name)


def _is_each_year(table: CodedTable, name: str) -> bool:
    """Whether there is a row for each year from the first to the last."""
    years = table.roles[name].role is Role.QUANTITY and table.roles[name].unit == "year"
    if not years or table.present(name) < _EACH_ONCE:
        return False
    low, high = (int(value) for value in pc.min_max(table.rows[name]).as_py().values())
    return high - low + 1 == table.present(name)


def _is_of_many_days(table: CodedTable, name: str) -> bool:
    """Whether dates all differ only because there are many of their kind between the first and the last."""
    if table.roles[name].role is not Role.DATE or not pa.types.is_temporal(table.rows[name].type):
        return False
    days = table.rows[name].cast(pa.timestamp("us"))
    low, high = pc.min_max(days).as_py().values()
    kinds = ((pc.day, 31), (pc.month, 12), (pc.day_of_week, 7))  # firsts of a month are few
    share = math.prod(len(pc.unique(part(days)).drop_null()) / all_ for part, all_ in kinds)
    present, kinds_between = table.present(name), 1 + share * ((high - low) / timedelta(days=1))
    each = present >= _EACH_ONCE and abs(kinds_between - present) <= 1  # a row for each month
    return not each and bool(present * (present - 1) / 2 < _EXPECTED * kinds_between)


def _is_complete(table: CodedTable, columns: Sequence[str]) -> bool:
    return all(table.present(name) == table.size for name in columns)


def _composite(table: CodedTable, budget: Budget, longest: int) -> list[Candidate]:
    """The minimal combinations of several columns; longer ones, and ones with counts, only if needed."""
    parts = [name for name in table.roles if _may_be_part(table, name)]
    naming = [name for name in parts if table.roles[name].role.names_rows]
    counted = [name for name in parts if _may_number(table.roles[name])]
    found = _minimal_keys(table, naming, budget, longest)
    if found and len(found[0].constraint.columns) == _TOLD_BESIDE:
        found += _keys(table, budget.steps(_with_ranks(table, naming, counted)))
    if found or budget.is_cut:
        return found
    if longest < _LONGEST:
        counted = [name for name in counted if _is_part_of_keys(table, name)]
    widened = sorted({*naming, *counted}, key=parts.index)
    return _minimal_keys(table, widened, budget, longest) if counted else []


def _is_part_of_keys(table: CodedTable, name: str) -> bool:
    """Whether whole numbers are years, or number the rows within another column's values."""
    return _is_year(table, name) or nearly_numbers_within(table, name)


def _with_ranks(table: CodedTable, naming: Sequence[str], counted: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each naming column with each column that numbers rows within it."""
    ranks = [name for name in counted if numbers_within(table, name)]
    return (_in_order(table, *both) for both in product(naming, ranks))


def _minimal_keys(table: CodedTable, parts: Sequence[str], budget: Budget, longest: int) -> list[Candidate]:
    """The keys with the fewest columns of these."""
    for length in range(2, longest + 1):
        found = _keys(table, budget.steps(combinations(parts, length)))
        if found and length == _TOLD_BESIDE < longest and not any(_has_no_days(table, c) for c in found):
            # A team and the day of its first game may be unique; people know it by team, park and year.
            timeless = [name for name in parts if not table.roles[name].role.is_temporal]
            longer = _keys(table, budget.steps(combinations(timeless, length + 1)))
            return [c for c in longer if c.strength >= _SURELY_MEANT or _refers(table, c.constraint.columns)] or found
        if found or budget.is_cut:
            return found
    return []


def _has_no_days(table: CodedTable, key: Candidate) -> bool:
    return not any(table.roles[name].role.is_temporal for name in key.constraint.columns)


def _keys(table: CodedTable, combined: Iterable[tuple[str, ...]]) -> list[Candidate]:
    sample = table.sampled(_SAMPLED)
    return [key for columns in combined if (key := _key(table, sample, columns))]


def _in_order(table: CodedTable, *columns: str) -> tuple[str, ...]:
    return tuple(sorted(columns, key=table.schema.names.index))


def _is_year(table: CodedTable, name: str) -> bool:
    """Whether whole numbers are called years, or lie in the range of recent years."""
    low, high = (int(value) for value in pc.min_max(table.rows[name]).as_py().values())
    return table.roles[name].unit == "year" or _YEARS[0] <= low <= high <= _YEARS[1]


def _key(table: CodedTable, sample: CodedTable, columns: tuple[str, ...]) -> Candidate | None:
    if not _has_room(table, columns) or not sample.is_key(columns):
        return None
    if not table.is_key(columns, table.sharing(columns[0], _SAMPLED)) or not table.is_key(columns):
        return None
    candidate = _candidate(table, columns)
    return candidate if _is_surprising(table, candidate) or _comes_by_periods(table, columns) else None


def _comes_by_periods(table: CodedTable, columns: tuple[str, ...]) -> bool:
    """Whether one of two columns identifies a thing, and the other is a date that it has once in each period."""
    days = [name for name in columns if table.roles[name].role is Role.DATE]
    named = [name for name in columns if table.roles[name].role in _REFERRING]
    pair = len(columns) == _TOLD_BESIDE and days and named
    return bool(pair) and closer_by_chance(table, named[0], days[0], _SAMPLED) >= _EXPECTED


def _is_surprising(table: CodedTable, key: Candidate) -> bool:
    columns = key.constraint.columns
    return len(columns) == 1 or key.strength >= _least(table, columns) or _has_each_once(table, columns)


def _least(table: CodedTable, columns: tuple[str, ...]) -> float:
    """How many pairs of rows would have to agree by chance, so that a key is evident if none does."""
    quantities = [name for name in columns if table.roles[name].role not in _REFERRING]
    numbered = [name for name in quantities if nearly_numbers_within(table, name)]
    if any(numbers_beside(table, name, columns) for name in numbered):
        return _SURPRISING  # numbers that restart within each value are made for this
    if not all(numbers_within(table, name) for name in numbered):
        return _SURELY_MEANT
    return _SURPRISING if _refers(table, columns) or _is_listed_beside(table, columns) else _EXPECTED


def _refers(table: CodedTable, columns: Sequence[str]) -> bool:
    return all(table.roles[name].role in _REFERRING for name in columns)


def _is_listed_beside(table: CodedTable, columns: Sequence[str]) -> bool:
    """Whether two of three columns are references, and the third is a category or a number: a pupil's marks by term."""
    others = [name for name in columns if table.roles[name].role not in _REFERRING]
    if len(columns) != _TOLD_BESIDE + 1 or len(others) != 1:
        return False
    return table.roles[others[0]].role is Role.CATEGORY or numbers_within(table, others[0])


def _may_number(role: ColumnRole) -> bool:
    return role.role is Role.QUANTITY and role.scale == 0 and role.unit in {None, "year"}


def _may_be_part(table: CodedTable, name: str) -> bool:
    whole = table.present(name) == table.size and 1 < table.distinct(name) < table.size
    return whole and (table.roles[name].role is not Role.TEXT or table.size >= _REPEATED * table.distinct(name))


def _has_room(table: CodedTable, columns: Sequence[str]) -> bool:
    """Whether there are at least as many combinations of values as rows."""
    return math.prod(table.distinct(name) for name in columns) >= table.size


def _has_each_once(table: CodedTable, columns: Sequence[str]) -> bool:
    """Whether there is a row for each combination of values, as in a table of countries by class.

    Or a row for each two different values, as for migration from one country to another.
    """
    each = [table.distinct(name) for name in columns]
    return table.size >= _EACH_ONCE and (
        math.prod(each) == table.size
        or (len(each) == _TOLD_BESIDE and each[0] == each[1] and table.size == each[0] * (each[0] - 1))
    )


def _candidate(table: CodedTable, columns: tuple[str, ...]) -> Candidate:
    pairs = table.size * (table.size - 1)
    key = UniqueColumnCombination(ColumnList(table.name, columns))
    expected = _expected(table, columns) if len(columns) > 1 else table.size
    worth = sum(_worth(table, name) for name in columns) / len(columns) - 0.5 * (len(columns) - 1)
    return Candidate(
        Measured(key, 0, pairs, round(2 * expected)), Family.KEY, expected / math.log(10), worth, 2 * expected
    )


def _expected(table: CodedTable, columns: tuple[str, ...]) -> float:
    """How many pairs of rows would agree by chance.

    References are correlated: a player stays at one school for years. So the pairs that agree on all columns but one
    are
    also counted, with the chance that they agree on that one.
    """
    pairs = table.size * (table.size - 1) / 2
    apart = pairs * math.prod(table.alike(name) for name in columns)
    if len(columns) <= _TOLD_BESIDE or not (_refers(table, columns) or _is_listed_beside(table, columns)):
        return apart
    others = ((name, table.grouped([o for o in columns if o != name]).sizes) for name in columns)
    return max(apart, *(float((sizes * (sizes - 1)).sum()) / 2 * table.alike(name) for name, sizes in others))


def _worth(table: CodedTable, name: str) -> float:
    """The evidence for a column as (a part of) a key: its role, its name, and how far in front it stands."""
    parts = names.words(names.bare(name, table.schema.names))
    worth = _ROLE_WORTH.get(table.roles[name].role, _ROLE_WORTH[Role.DATE] if _is_each_year(table, name) else -1.0)
    if names.identifies(parts) or names.numbers(parts):
        worth += 1.5
    elif names.head(parts) in vocabulary.NAMING:
        worth += 1.0
    worth += _CALLED * (parts == ["name"] or names.calls_rows(parts, table.name))
    if names.head(parts) == "name" and parts != ["name"]:
        worth += 1.5 if vocabulary.PERSONAL.isdisjoint(parts) else -1.5
    place = table.schema.names.index(name)
    return worth + (1.0 if place == 0 else 0.5 * (1 - place / len(table.schema.names)))
