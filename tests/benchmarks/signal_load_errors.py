"""Errors of whole loads: each takes the rows of a delta and gives what came in their place, and which rows are wrong.

Errors by which rows are missing have no wrong rows: to say that they are missing is all that can be asked.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from benchmarks.signal_errors import NUMBERS, Spoiled
from benchmarks.signal_feeds import Feed, Row
from profiling_core.model.types import LogicalType

Maker = Callable[[list[Row], Feed, Sequence[Row], random.Random], Spoiled | None]
_TIMES = (LogicalType.TIMESTAMP,)
_DATES = (LogicalType.DATE, LogicalType.TIMESTAMP)
_LEAST_ROWS = 6
_FEW = 12


def spoil_load(kind: str, rows: Sequence[Row], feed: Feed, earlier: Sequence[Row], seed: int) -> Spoiled | None:
    """A delta with an error of a kind; None: there is no room for it in the table or in this delta."""
    rng = random.Random(f"{kind} {seed} {feed.name}")
    return LOAD_KINDS[kind](list(rows), feed, earlier, rng) if len(rows) >= _LEAST_ROWS else None


def _half(rows: list[Row], _: Feed, __: Sequence[Row], ___: random.Random) -> Spoiled | None:
    """The file ends in the middle."""
    return Spoiled(rows[: len(rows) // 2], frozenset())


def _one_region(rows: list[Row], feed: Feed, __: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Only the rows of one value of a column of few values."""
    columns = _categories(rows, feed)
    if not columns:
        return None
    name = rng.choice(columns)
    value = rng.choice(sorted({str(row[name]) for row in rows if row[name] is not None}))
    return Spoiled([row for row in rows if row[name] == value], frozenset())


def _without_one(rows: list[Row], feed: Feed, __: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One of a column's more frequent values is missing."""
    columns = _categories(rows, feed)
    if not columns:
        return None
    name = rng.choice(columns)
    value = Counter(str(row[name]) for row in rows if row[name] is not None).most_common(1)[0][0]
    return Spoiled([row for row in rows if row[name] != value], frozenset())


def _categories(rows: Sequence[Row], feed: Feed) -> list[str]:
    kinds = (LogicalType.STRING, LogicalType.BOOLEAN)
    names = [c.name for c in feed.schema.columns if c.type in kinds]
    return [n for n in names if 1 < len({row[n] for row in rows if row[n] is not None}) <= _FEW]


def _times_factor(*factors: float) -> Maker:
    def scale(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
        name = _number(rows, feed, rng)
        factor = rng.choice(factors)
        whole = name and feed.schema.column(name).type is LogicalType.INTEGER

        def scaled(row: Row) -> Row:
            text = row[name]
            if text is None:
                return row
            return row | {name: str(round(int(text) * factor)) if whole else repr(round(float(text) * factor, 6))}

        return _all(rows, scaled) if name else None

    return scale


def _number(rows: Sequence[Row], feed: Feed, rng: random.Random) -> str:
    names = [c.name for c in feed.schema.columns if c.type in NUMBERS]
    various = [n for n in names if len({row[n] for row in rows if row[n] not in (None, "0", "0.0")}) > 2]
    return rng.choice(various) if various else ""


def _shifted(
    rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random, *, hours: Sequence[int]
) -> Spoiled | None:
    """A column of times is another number of hours away."""
    kinds = _TIMES if max(hours) < 24 else _DATES
    names = [c.name for c in feed.schema.columns if c.type in kinds]
    if not names:
        return None
    name, by = rng.choice(names), timedelta(hours=rng.choice(hours))
    form = len(str(rows[0][name])) > 10

    def shift(row: Row) -> Row:
        if row[name] is None:
            return row
        after = datetime.fromisoformat(str(row[name])) + by
        return row | {name: after.isoformat() if form else after.date().isoformat()}

    return _all(rows, shift)


def _by_hours(rows: list[Row], feed: Feed, earlier: Sequence[Row], rng: random.Random) -> Spoiled | None:
    return _shifted(rows, feed, earlier, rng, hours=(-5, -3, 2, 6))


def _by_days(rows: list[Row], feed: Feed, earlier: Sequence[Row], rng: random.Random) -> Spoiled | None:
    return _shifted(rows, feed, earlier, rng, hours=(-24 * 30, 24 * 31, -24 * 365))


def _stuck(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A column has the value of one of its rows in all."""
    names = [n for n in feed.schema.names if len({row[n] for row in rows}) > 2]
    if not names:
        return None
    name = rng.choice(names)
    value = rng.choice([row[name] for row in rows if row[name] is not None])
    return _all(rows, lambda row: row | {name: value})


def _twice(rows: list[Row], _: Feed, __: Sequence[Row], ___: random.Random) -> Spoiled | None:
    """The file stands in itself twice."""
    return Spoiled([*rows, *rows], frozenset(range(len(rows), 2 * len(rows))))


def _old_file(rows: list[Row], feed: Feed, earlier: Sequence[Row], _: random.Random) -> Spoiled | None:
    """The rows of an earlier delta with today's dates."""
    new = rows[0]
    same = [n for n in feed.schema.names if len({row[n] for row in rows}) == 1 and len({r[n] for r in earlier}) == 1]
    return (
        Spoiled([row | {n: new[n] for n in same} for row in earlier], frozenset(range(len(earlier))))
        if earlier
        else None
    )


def _all_null(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    names = [n for n in feed.schema.names if sum(row[n] is not None for row in rows) > len(rows) / 2]
    name = rng.choice(names)
    return _all(rows, lambda row: row | {name: None})


def _mojibake(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A letter of some texts was one with an accent, and has become two."""
    names = [c.name for c in feed.schema.columns if c.type is LogicalType.STRING]
    names = [n for n in names if any("e" in (row[n] or "") for row in rows)]
    if not names:
        return None
    name = rng.choice(names)
    return _all(rows, lambda row: row | {name: row[name].replace("e", "Ã©", 1)} if row[name] else row)


def _cut(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Texts end after a number of characters."""
    names = [c.name for c in feed.schema.columns if c.type is LogicalType.STRING]
    names = [n for n in names if len({len(row[n] or "") for row in rows}) > 3]
    if not names:
        return None
    name = rng.choice(names)
    lengths = sorted(len(row[name] or "") for row in rows)
    at = max(2, lengths[len(lengths) // 2])
    return _all(rows, lambda row: row | {name: (row[name] or "")[:at] or None})


def _rounded(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Numbers have lost the digits after the point."""
    names = [c.name for c in feed.schema.columns if c.type is LogicalType.FLOAT]
    names = [n for n in names if sum("." in (row[n] or "") and float(row[n] or 0) % 1 != 0 for row in rows) > 2]
    if not names:
        return None
    name = rng.choice(names)
    return _all(rows, lambda row: row | {name: str(float(round(float(row[name] or 0))))} if row[name] else row)


def _exchanged(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Two columns of one type have changed places."""
    columns = feed.schema.columns
    pairs = [(a.name, b.name) for a in columns for b in columns if a.name < b.name and a.type is b.type]
    pairs = [(a, b) for a, b in pairs if sum(row[a] != row[b] for row in rows) > len(rows) / 2]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return _all(rows, lambda row: row | {one: row[other], other: row[one]})


def _permuted(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The values of a column stand in other rows."""
    names = [n for n in feed.schema.names if len({row[n] for row in rows}) > 3]
    if not names:
        return None
    name = rng.choice(names)
    values = [row[name] for row in rows]
    rng.shuffle(values)
    after = iter(values)
    return _all(rows, lambda row: row | {name: next(after)})


def _mixed(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Two of three rows have the rarest of a column's few values."""
    names = _categories(rows, feed)
    if not names:
        return None
    name = rng.choice(names)
    rarest = Counter(str(row[name]) for row in rows if row[name] is not None).most_common()[-1][0]
    numbers = iter(range(len(rows)))
    return _all(rows, lambda row: row | {name: rarest} if next(numbers) % 3 else row)


def _all(rows: list[Row], change: Callable[[Row], Row]) -> Spoiled | None:
    after = [change(row) for row in rows]
    wrong = frozenset(i for i, (row, was) in enumerate(zip(after, rows, strict=True)) if row != was)
    return Spoiled(after, wrong) if wrong else None


LOAD_KINDS: Mapping[str, Maker] = {
    "half a file": _half,
    "one region only": _one_region,
    "a region missing": _without_one,
    "a column times 100": _times_factor(100.0),
    "another unit": _times_factor(1000.0, 60.0, 25.4, 1.609),
    "shifted by hours": _by_hours,
    "shifted by days": _by_days,
    "a stuck column": _stuck,
    "a file twice": _twice,
    "an old file": _old_file,
    "an empty column": _all_null,
    "wrong encoding": _mojibake,
    "texts cut": _cut,
    "precision lost": _rounded,
    "columns exchanged": _exchanged,
    "a column permuted": _permuted,
    "another mix": _mixed,
}
