"""Errors that no judge was made for: written down before any of them was run, from what goes wrong in operations.

Each takes the rows of a delta and gives what came in their place, and which rows are wrong; none is
where rows are missing. ``CAUSES`` has the words that show that a headline names the cause; it has one of them.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from benchmarks.signal_errors import NUMBERS, Spoiled
from benchmarks.signal_feeds import Feed, Row
from profiling_core.model.types import LogicalType

_DATES = (LogicalType.DATE, LogicalType.TIMESTAMP)
_TEXTS = (LogicalType.STRING,)
_LEAST_ROWS, _MOST_VALUES = 6, 40
Maker = Callable[[list[Row], Feed, Sequence[Row], random.Random], Spoiled | None]


def spoil_unseen(kind: str, rows: Sequence[Row], feed: Feed, earlier: Sequence[Row], seed: int) -> Spoiled | None:
    """A delta with an error of a kind; None: there is no room for it in the table or in this delta."""
    rng = random.Random(f"{kind} {seed} {feed.name}")
    return UNSEEN_KINDS[kind](list(rows), feed, earlier, rng) if len(rows) >= _LEAST_ROWS else None


def _of(rows: Sequence[Row], after: Sequence[Row], least: int = 1) -> Spoiled | None:
    wrong = frozenset(i for i, (row, was) in enumerate(zip(after, rows, strict=True)) if row != was)
    return Spoiled(after, wrong) if len(wrong) >= least else None


def _each(rows: Sequence[Row], name: str, change: Callable[[str], str | None], least: int = 1) -> Spoiled | None:
    after = [row | {name: change(text)} if (text := row[name]) is not None else row for row in rows]
    return _of(rows, after, least)


def _column(rows: Sequence[Row], feed: Feed, rng: random.Random, *kinds: LogicalType, least: int = 3) -> str:
    """A column of these types whose values differ, and differ between rows rather than between loads."""
    names = [c.name for c in feed.schema.columns if c.type in kinds]
    various = [n for n in names if len({row[n] for row in rows if row[n] is not None}) >= least]
    return rng.choice(various) if various else ""


def _measure(rows: Sequence[Row], feed: Feed, rng: random.Random) -> str:
    """A number that is no name of things: it has repeated or broken values, or is not called an id."""
    names = [c.name for c in feed.schema.columns if c.type in NUMBERS]
    names = [n for n in names if not n.lower().endswith(("id", "key", "code", "_id", "codice_regione"))]
    various = [n for n in names if len({row[n] for row in rows if row[n] not in (None, "0", "0.0")}) >= 3]
    return rng.choice(various) if various else ""


def _group(rows: Sequence[Row], feed: Feed, rng: random.Random, least: int = 1) -> tuple[str, str] | None:
    """A column of few texts, and one of its more frequent values, but not of all rows."""
    found = []
    for c in feed.schema.columns:
        counts = Counter(row[c.name] for row in rows if row[c.name] is not None)
        if c.type is LogicalType.STRING and 2 <= len(counts) <= _MOST_VALUES:
            found += [(c.name, v) for v, n in counts.most_common(3) if v and least <= n <= 0.8 * len(rows)]
    return rng.choice(found) if found else None


def _number(value: float, like: str) -> str:
    """A number written with as many decimals as another one."""
    return f"{value:.{len(like.partition('.')[2])}f}"


def _labels_exchanged(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Two groups have each other's name."""
    name = _column(rows, feed, rng, *_TEXTS, least=2)
    if not name or len({row[name] for row in rows}) > _MOST_VALUES:
        return None
    one, other = (v for v, _ in Counter(row[name] for row in rows if row[name]).most_common(2))
    return _each(rows, name, lambda text: {one: other, other: one}.get(text, text))


def _group_merged(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The rows of one group come under the name of another."""
    chosen = _group(rows, feed, rng, 2)
    if chosen is None:
        return None
    name, value = chosen
    others = sorted({str(row[name]) for row in rows if row[name] not in (None, value)})
    other = rng.choice(others)
    return _each(rows, name, lambda text: other if text == value else text)


def _group_column_empty(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One group's values of another column are missing."""
    chosen, number = _group(rows, feed, rng), _measure(rows, feed, rng)
    if chosen is None or not number:
        return None
    name, value = chosen
    return _of(rows, [row | {number: None} if row[name] == value else row for row in rows])


def _group_stale(rows: list[Row], feed: Feed, earlier: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One group's numbers are those that it had in an earlier load."""
    chosen = _group(rows, feed, rng)
    if chosen is None:
        return None
    name, value = chosen
    old = [row for row in earlier if row[name] == value]
    numbers = [c.name for c in feed.schema.columns if c.type in NUMBERS]
    after, place = [], 0
    for row in rows:
        mine = row[name] == value and place < len(old)
        after.append(row | {n: old[place][n] for n in numbers} if mine else row)
        place += mine
    return _of(rows, after)


def _group_negative(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One group's numbers have the sign turned."""
    chosen, number = _group(rows, feed, rng), _measure(rows, feed, rng)
    if chosen is None or not number:
        return None
    name, value = chosen
    turned = [
        row | {number: row[number].removeprefix("-") if row[number].startswith("-") else f"-{row[number]}"}
        if row[name] == value and row[number] and float(row[number])
        else row
        for row in rows
    ]
    return _of(rows, turned)


def _group_thrice(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A join repeats the rows of one group three times."""
    chosen = _group(rows, feed, rng, 2)
    if chosen is None:
        return None
    name, value = chosen
    more = [row for row in rows if row[name] == value] * 2
    return Spoiled([*rows, *more], frozenset(range(len(rows), len(rows) + len(more))))


def _busiest_halved(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Half of the rows of one of the larger groups are missing."""
    chosen = _group(rows, feed, rng, 8)
    if chosen is None:
        return None
    name, value = chosen
    seen = Counter[str | None]()
    after = []
    for row in rows:
        seen[row[name]] += 1
        if row[name] != value or seen[row[name]] % 2:
            after.append(row)
    return Spoiled(after, frozenset()) if len(after) < len(rows) else None


def _nulls_dropped(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """An inner join has dropped all rows without a value in a column."""
    names = [n for n in feed.schema.names if 0.2 <= sum(row[n] is None for row in rows) / len(rows) <= 0.8]
    if not names:
        return None
    name = rng.choice(names)
    return Spoiled([row for row in rows if row[name] is not None], frozenset())


def _nulls_zero(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Missing numbers are written as 0."""
    names = [c.name for c in feed.schema.columns if c.type in NUMBERS and sum(row[c.name] is None for row in rows) > 2]
    if not names:
        return None
    name = rng.choice(names)
    return _of(rows, [row | {name: "0"} if row[name] is None else row for row in rows])


def _total_row(rows: list[Row], feed: Feed, _: Sequence[Row], __: random.Random) -> Spoiled | None:
    """The file ends in a row of totals."""
    total: Row = {}
    for c in feed.schema.columns:
        values = [row[c.name] for row in rows if row[c.name] is not None]
        if c.type in NUMBERS and values:
            total[c.name] = _number(sum(float(v) for v in values if v), max((str(v) for v in values), key=len))
        else:
            total[c.name] = "Total" if c.type is LogicalType.STRING else rows[-1][c.name]
    return Spoiled([*rows, total], frozenset({len(rows)}))


def _capped(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Numbers above the middle are cut to one value."""
    name = _measure(rows, feed, rng)
    if not name:
        return None
    known = sorted((str(row[name]) for row in rows if row[name]), key=float)
    most = known[len(known) // 2]
    return _each(rows, name, lambda text: text if float(text) <= float(most) else most)


def _shifted_down(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The values of a column stand a row too low."""
    name = _column(rows, feed, rng, *NUMBERS, *_TEXTS, least=4)
    if not name:
        return None
    values = [row[name] for row in rows]
    return _of(rows, [row | {name: v} for row, v in zip(rows, [values[-1], *values[:-1]], strict=True)])


def _offset(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A constant is added to all numbers: Kelvin for Celsius."""
    name = _measure(rows, feed, rng)
    if not name:
        return None
    numbers = sorted(abs(float(row[name])) for row in rows if row[name])
    by = round(2 * numbers[-1] or 1)
    return _each(rows, name, lambda text: _number(float(text) + by, text))


def _thousands_lost(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Numbers have lost their last digit."""
    name = _measure(rows, feed, rng)
    return (
        _each(rows, name, lambda text: text[:-1] if len(text.lstrip("-").partition(".")[0]) > 1 else "0")
        if name
        else None
    )


def _mixed_units(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Every fifth number is in a unit a hundred times smaller."""
    name = _measure(rows, feed, rng)
    if not name:
        return None
    after = [
        row | {name: _number(float(row[name]) * 100, row[name])} if i % 5 == 0 and row[name] else row
        for i, row in enumerate(rows)
    ]
    return _of(rows, after)


def _copied(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A column has the values of another one."""
    name = _column(rows, feed, rng, *NUMBERS, *_TEXTS)
    if not name:
        return None
    kind = feed.schema.column(name).type
    others = [c.name for c in feed.schema.columns if c.type is kind and c.name != name]
    other = rng.choice(others) if others else ""
    return _of(rows, [row | {name: row[other]} for row in rows], len(rows) // 2) if other else None


def _noise(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A column's numbers are random ones between its least and its greatest."""
    name = _measure(rows, feed, rng)
    if not name:
        return None
    numbers = [float(row[name]) for row in rows if row[name]]
    return _each(rows, name, lambda text: _number(rng.uniform(min(numbers), max(numbers)), text))


def _quoted(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Texts come with their quotation marks."""
    name = _column(rows, feed, rng, *_TEXTS, least=2)
    return _each(rows, name, lambda text: f"'{text}'") if name else None


def _epoch(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One in ten dates is that of the beginning of time."""
    name = _column(rows, feed, rng, *_DATES, least=1)
    if not name:
        return None
    many = max(1, len(rows) // 10)
    chosen = set(rng.sample(range(len(rows)), many))
    return _of(
        rows, [row | {name: _moved(row[name], epoch=True)} if i in chosen else row for i, row in enumerate(rows)]
    )


def _last_year(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One in ten dates is a year too early."""
    name = _column(rows, feed, rng, *_DATES, least=1)
    if not name:
        return None
    chosen = set(rng.sample(range(len(rows)), max(1, len(rows) // 10)))
    return _of(rows, [row | {name: _moved(row[name], days=-365)} if i in chosen else row for i, row in enumerate(rows)])


def _moved(text: str | None, days: int = 0, *, epoch: bool = False) -> str | None:
    if text is None:
        return None
    then = datetime(1970, 1, 1) if epoch else datetime.fromisoformat(text).replace(tzinfo=None) + timedelta(days=days)  # noqa: DTZ001
    return then.isoformat(sep=" ") if len(text) > 10 else then.date().isoformat()


def _top_half(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A query's limit has kept the rows with the greatest numbers only."""
    name = _measure(rows, feed, rng)
    if not name:
        return None
    known = sorted((row for row in rows if row[name]), key=lambda row: -float(row[name] or 0))
    return Spoiled(known[: len(rows) // 2], frozenset())


def _corrected_twice(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One row in ten comes again with another number."""
    name = _measure(rows, feed, rng)
    if not name:
        return None
    chosen = [row for row in rng.sample(rows, max(1, len(rows) // 10)) if row[name]]
    more = [row | {name: _number(float(row[name] or 0) * 1.1 + 1, row[name] or "")} for row in chosen]
    return Spoiled([*rows, *more], frozenset(range(len(rows), len(rows) + len(more)))) if more else None


def _group_exchanged(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One group has two numbers in each other's column."""
    chosen, one, other = _group(rows, feed, rng), _measure(rows, feed, rng), _measure(rows, feed, rng)
    if chosen is None or not one or one == other or feed.schema.column(one).type is not feed.schema.column(other).type:
        return None
    name, value = chosen
    return _of(rows, [row | {one: row[other], other: row[one]} if row[name] == value else row for row in rows])


def _group_small_letters(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One group's name comes in the other case."""
    chosen = _group(rows, feed, rng)
    if chosen is None:
        return None
    name, value = chosen
    return _each(rows, name, lambda text: text.swapcase() if text == value else text)


def _renumbered(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A code's values are the numbers of their places, as after a wrong join with a lookup."""
    name = _column(rows, feed, rng, *_TEXTS, least=2)
    if not name or len({row[name] for row in rows}) > _MOST_VALUES:
        return None
    places = {value: str(i) for i, value in enumerate(sorted({str(row[name]) for row in rows}), start=1)}
    return _each(rows, name, lambda text: places[text])


UNSEEN_KINDS: Mapping[str, Maker] = {
    "labels of two groups exchanged": _labels_exchanged,
    "a group under another's name": _group_merged,
    "a group's numbers missing": _group_column_empty,
    "a group's numbers stale": _group_stale,
    "a group's sign turned": _group_negative,
    "a group's rows three times": _group_thrice,
    "half of a group missing": _busiest_halved,
    "a group's columns exchanged": _group_exchanged,
    "a group in the other case": _group_small_letters,
    "rows without a value dropped": _nulls_dropped,
    "zero for missing": _nulls_zero,
    "a row of totals": _total_row,
    "numbers capped": _capped,
    "a column a row too low": _shifted_down,
    "a constant added": _offset,
    "the last digit lost": _thousands_lost,
    "mixed units": _mixed_units,
    "a column copied": _copied,
    "noise for numbers": _noise,
    "quotation marks kept": _quoted,
    "dates of 1970": _epoch,
    "dates a year early": _last_year,
    "only the greatest rows": _top_half,
    "rows again with another number": _corrected_twice,
    "codes renumbered": _renumbered,
}
CAUSES: Mapping[str, str] = {
    "labels of two groups exchanged": (
        "exchanged|changed places|other rows|each other|far from usual|no longer (goes|continues)"
    ),
    "a group under another's name": "no rows came|no row came|missing|replaces|usually|instead",
    "a group's numbers missing": "have no|has no|missing|empty|not filled|null",
    "a group's numbers stale": "before|earlier|same as|again|come with",
    "a group's sign turned": "negative|sign|below|usual",
    "a group's rows three times": "twice|times|again|more than one|rows came",
    "half of a group missing": "usually|fewer|missing|rows came",
    "a group's columns exchanged": "exchanged|size|usual|far from|times",
    "a group in the other case": "capital|written|new|case",
    "rows without a value dropped": "usually|none of|no rows|rows came|fewer",
    "zero for missing": "missing|zero|usually|are 0|default|none of",
    "a row of totals": "Total|new|size|total|far",
    "numbers capped": "the same|cut|greatest|repeated|times|capped",
    "a column a row too low": "no longer|other rows|exchanged|far from|permuted",
    "a constant added": "usual size|added|larger|greater|far from|more than",
    "the last digit lost": "usual size|digit|1/10|a tenth|10 times|far from",
    "mixed units": "usual size|100 times|far|unit|beyond",
    "a column copied": "exchanged|no longer|same as|equal|copy|of the size|new values|texts",
    "noise for numbers": "no longer|digits|far from|usual size|other rows",
    "quotation marks kept": "sign|written|quot|longer|new|form",
    "dates of 1970": "1970|date|earlier|before|days",
    "dates a year early": "earlier|before|days|date|year",
    "only the greatest rows": "rows came|fewer|usual size|half",
    "rows again with another number": "twice|again|rows came|more than|unique|one|key",
    "codes renumbered": "new|written|no rows came|gone|other values",
}
