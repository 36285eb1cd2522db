"""Errors that no judge was made for: written down before any of them was run, from what goes wrong in operations.

Each takes the rows of a delta and gives what came in their place, and which rows are wrong; none is where rows are
missing. Each is listed with the words that show that a headline names the cause; it has one of them.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from benchmarks.signal_feeds import Row
from benchmarks.spoiling import DATES, NUMBERS, TEXTS, Delta, Errors, NoRoom, Spoiled
from profiling_core.model.types import LogicalType

_MOST_VALUES = 40
_NAMING = ("id", "key", "code", "_id", "codice_regione")
UNSEEN = Errors(least=6)


def _column(d: Delta, *kinds: LogicalType, least: int = 3) -> str:
    """A column of these types whose values differ."""
    return d.one(d.names(*kinds, least=least))


def _measure(d: Delta) -> str:
    """A number that is no name of things: it has repeated or broken values, or is not called an id."""
    return d.one([name for name in d.measures() if not name.lower().endswith(_NAMING)])


def _group(d: Delta, least: int = 1) -> tuple[str, str]:
    """A column of few texts, and one of its more frequent values, but not of all rows."""
    found = []
    for name in d.names(*TEXTS):
        counts = Counter(row[name] for row in d.rows if row[name] is not None)
        if 2 <= len(counts) <= _MOST_VALUES:
            found += [(name, v) for v, n in counts.most_common(3) if v and least <= n <= 0.8 * len(d.rows)]
    return d.one(found)


def _lookup(d: Delta) -> str:
    """A column of few texts, a null being one."""
    name = _column(d, *TEXTS, least=2)
    if len({row[name] for row in d.rows}) > _MOST_VALUES:
        raise NoRoom
    return name


def _number(value: float, like: str) -> str:
    """A number written with as many decimals as another one."""
    return f"{value:.{len(like.partition('.')[2])}f}"


@UNSEEN.error(
    "labels of two groups exchanged",
    "exchanged|changed places|other rows|each other|far from usual|no longer (goes|continues)",
)
def labels_exchanged(d: Delta) -> Spoiled:
    """Two groups have each other's name."""
    name = _lookup(d)
    one, other = (v for v, _ in Counter(row[name] for row in d.rows if row[name]).most_common(2))
    return d.cells(name, lambda text: {one: other, other: one}.get(text, text))


@UNSEEN.error("a group under another's name", "no rows came|no row came|missing|replaces|usually|instead")
def group_merged(d: Delta) -> Spoiled:
    """The rows of one group come under the name of another."""
    name, value = _group(d, 2)
    other = d.rng.choice(sorted(d.different(name, but=(value,))))
    return d.cells_where(name, value, name, lambda _: other)


@UNSEEN.error("a group's numbers missing", "have no|has no|missing|empty|not filled|null")
def group_column_empty(d: Delta) -> Spoiled:
    """One group's values of another column are missing."""
    (name, value), number = _group(d), _measure(d)
    return d.cells_where(name, value, number, lambda _: None)


@UNSEEN.error("a group's numbers stale", "before|earlier|same as|again|come with")
def group_stale(d: Delta) -> Spoiled:
    """One group's numbers are those that it had in an earlier load."""
    name, value = _group(d)
    numbers = d.names(*NUMBERS)
    old = iter([{n: row[n] for n in numbers} for row in d.earlier if row[name] == value])
    return d.became([row | next(old, {}) if row[name] == value else row for row in d.rows])


@UNSEEN.error("a group's sign turned", "negative|sign|below|usual")
def group_negative(d: Delta) -> Spoiled:
    """One group's numbers have the sign turned."""
    (name, value), number = _group(d), _measure(d)

    def turned(text: str) -> str:
        if not text or not float(text):
            return text
        return text.removeprefix("-") if text.startswith("-") else f"-{text}"

    return d.cells_where(name, value, number, turned)


@UNSEEN.error("a group's rows three times", "twice|times|again|more than one|rows came")
def group_thrice(d: Delta) -> Spoiled:
    """A join repeats the rows of one group three times."""
    name, value = _group(d, 2)
    return d.with_more([row for row in d.rows if row[name] == value] * 2)


@UNSEEN.error("half of a group missing", "usually|fewer|missing|rows came")
def busiest_halved(d: Delta) -> Spoiled:
    """Half of the rows of one of the larger groups are missing."""
    name, value = _group(d, 8)
    rows = [row for row in d.rows if row[name] == value]
    dropped = {id(row) for row in rows[1::2]}
    return d.only(lambda row: id(row) not in dropped)


@UNSEEN.error("a group's columns exchanged", "exchanged|size|usual|far from|times")
def group_exchanged(d: Delta) -> Spoiled:
    """One group has two numbers in each other's column."""
    (name, value), one, other = _group(d), _measure(d), _measure(d)
    if one == other or d.kind(one) is not d.kind(other):
        raise NoRoom
    return d.each(lambda row: row | {one: row[other], other: row[one]} if row[name] == value else row)


@UNSEEN.error("a group in the other case", "capital|written|new|case")
def group_small_letters(d: Delta) -> Spoiled:
    """One group's name comes in the other case."""
    name, value = _group(d)
    return d.cells_where(name, value, name, str.swapcase)


@UNSEEN.error("rows without a value dropped", "usually|none of|no rows|rows came|fewer")
def nulls_dropped(d: Delta) -> Spoiled:
    """An inner join has dropped all rows without a value in a column."""
    names = d.feed.schema.names
    name = d.one([n for n in names if 0.2 <= sum(row[n] is None for row in d.rows) / len(d.rows) <= 0.8])
    return d.only(lambda row: row[name] is not None)


@UNSEEN.error("zero for missing", "missing|zero|usually|are 0|default|none of")
def nulls_zero(d: Delta) -> Spoiled:
    """Missing numbers are written as 0."""
    name = d.one([n for n in d.names(*NUMBERS) if sum(row[n] is None for row in d.rows) > 2])
    return d.each(lambda row: row | {name: "0"} if row[name] is None else row)


@UNSEEN.error("a row of totals", "Total|new|size|total|far")
def total_row(d: Delta) -> Spoiled:
    """The file ends in a row of totals."""
    total = d.rows[-1] | dict.fromkeys(d.names(*TEXTS), "Total")
    for name in d.names(*NUMBERS, least=1):
        values = [text for row in d.rows if (text := row[name]) is not None]
        total[name] = _number(sum(float(text) for text in values if text), max(values, key=len))
    return d.with_more([total])


@UNSEEN.error("numbers capped", "the same|cut|greatest|repeated|times|capped")
def capped(d: Delta) -> Spoiled:
    """Numbers above the middle are cut to one value."""
    name = _measure(d)
    known = sorted((str(row[name]) for row in d.rows if row[name]), key=float)
    most = known[len(known) // 2]
    return d.cells(name, lambda text: text if float(text) <= float(most) else most)


@UNSEEN.error("a column a row too low", "no longer|other rows|exchanged|far from|permuted|a row too")
def shifted_down(d: Delta) -> Spoiled:
    """The values of a column stand a row too low."""
    name = _column(d, *NUMBERS, *TEXTS, least=4)
    return d.became([row | {name: d.rows[i - 1][name]} for i, row in enumerate(d.rows)])


@UNSEEN.error("a constant added", "usual size|added|larger|greater|far from|more than")
def offset(d: Delta) -> Spoiled:
    """A constant is added to all numbers: Kelvin for Celsius."""
    name = _measure(d)
    by = round(2 * max(abs(float(row[name])) for row in d.rows if row[name]) or 1)
    return d.cells(name, lambda text: _number(float(text) + by, text))


@UNSEEN.error("the last digit lost", "usual size|digit|1/10|a tenth|10 times|far from")
def last_digit_lost(d: Delta) -> Spoiled:
    """Numbers have lost their last digit."""
    return d.cells(_measure(d), lambda text: text[:-1] if len(text.lstrip("-").partition(".")[0]) > 1 else "0")


@UNSEEN.error("mixed units", "usual size|100 times|far|unit|beyond")
def mixed_units(d: Delta) -> Spoiled:
    """Every fifth number is in a unit a hundred times smaller."""
    return d.cells(_measure(d), lambda text: _number(float(text) * 100, text), range(0, len(d.rows), 5))


@UNSEEN.error("a column copied", "exchanged|no longer|same as|equal|copy|of the size|new values|texts")
def copied(d: Delta) -> Spoiled:
    """A column has the values of another one."""
    name = _column(d, *NUMBERS, *TEXTS)
    other = d.one([c.name for c in d.feed.schema.columns if c.type is d.kind(name) and c.name != name])
    return d.became([row | {name: row[other]} for row in d.rows], len(d.rows) // 2)


@UNSEEN.error("noise for numbers", "no longer|digits|far from|usual size|other rows")
def noise(d: Delta) -> Spoiled:
    """A column's numbers are random ones between its least and its greatest."""
    name = _measure(d)
    numbers = [float(row[name]) for row in d.rows if row[name]]
    return d.cells(name, lambda text: _number(d.rng.uniform(min(numbers), max(numbers)), text))


@UNSEEN.error("quotation marks kept", "sign|written|quot|longer|new|form")
def quoted(d: Delta) -> Spoiled:
    """Texts come with their quotation marks."""
    return d.cells(_column(d, *TEXTS, least=2), lambda text: f"'{text}'")


def _a_tenth_of_dates(d: Delta, change: Callable[[datetime], datetime]) -> Spoiled:
    name = _column(d, *DATES, least=1)

    def moved(text: str) -> str:
        then = change(datetime.fromisoformat(text).replace(tzinfo=None))
        return then.isoformat(sep=" ") if len(text) > 10 else then.date().isoformat()

    return d.cells(name, moved, d.some(max(1, len(d.rows) // 10)))


@UNSEEN.error("dates of 1970", "1970|date|earlier|before|days")
def epoch(d: Delta) -> Spoiled:
    """One in ten dates is that of the beginning of time."""
    return _a_tenth_of_dates(d, lambda _: datetime(1970, 1, 1))  # noqa: DTZ001 - written without a zone


@UNSEEN.error("dates a year early", "earlier|before|days|date|year")
def last_year(d: Delta) -> Spoiled:
    """One in ten dates is a year too early."""
    return _a_tenth_of_dates(d, lambda then: then - timedelta(days=365))


@UNSEEN.error("only the greatest rows", "rows came|fewer|usual size|half")
def top_half(d: Delta) -> Spoiled:
    """A query's limit has kept the rows with the greatest numbers only."""
    name = _measure(d)
    known: list[Row] = sorted((row for row in d.rows if row[name]), key=lambda row: -float(row[name] or 0))
    return Spoiled(known[: len(d.rows) // 2], frozenset())


@UNSEEN.error("rows again with another number", "twice|again|rows came|more than|unique|one|key")
def corrected_twice(d: Delta) -> Spoiled:
    """One row in ten comes again with another number."""
    name = _measure(d)
    chosen = [row for row in d.rng.sample(d.rows, max(1, len(d.rows) // 10)) if row[name]]
    return d.with_more([row | {name: _number(float(row[name] or 0) * 1.1 + 1, row[name] or "")} for row in chosen])


@UNSEEN.error("codes renumbered", "new|written|no rows came|gone|other values")
def renumbered(d: Delta) -> Spoiled:
    """A code's values are the numbers of their places, as after a wrong join with a lookup."""
    name = _lookup(d)
    places = {value: str(i) for i, value in enumerate(sorted({str(row[name]) for row in d.rows}), start=1)}
    return d.cells(name, places.__getitem__)
