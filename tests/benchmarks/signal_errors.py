"""The errors that are injected: each takes the rows of a delta, spoils a share of them, and says which those are.

Every batch has errors of one kind, in rows chosen at random, by a seed. Spoiled rows differ from what they were.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.signal_feeds import Feed, Row
from profiling_core.model.types import LogicalType

NUMBERS = (LogicalType.INTEGER, LogicalType.FLOAT)
FACTORS = (1000.0, 100.0, 60.0, 2.54, 0.4536)


@dataclass(frozen=True)
class Spoiled:
    """A delta with errors: all its rows, which are wrong, and what its text has become (None: nothing)."""

    rows: Sequence[Row]
    wrong: frozenset[int]
    remade: Callable[[str], bytes] | None = None


def spoil(
    kind: str, rows: Sequence[Row], share: float, feed: Feed, earlier: Sequence[Row], seed: int
) -> Spoiled | None:
    """A delta with errors of a kind in that share of its rows, at least one; None: the table has no room for them."""
    rng = random.Random(f"{kind} {share} {seed} {feed.name}")
    count = min(len(rows), max(1, round(share * len(rows))))
    return KINDS[kind](list(rows), count, feed, earlier, rng)


Maker = Callable[[list[Row], int, Feed, Sequence[Row], random.Random], Spoiled | None]


def _changed(rows: list[Row], chosen: Sequence[int], change: Callable[[Row], Row]) -> Spoiled | None:
    wrong = set()
    for i in chosen:
        after = change(rows[i])
        if after != rows[i]:
            rows[i] = after
            wrong.add(i)
    return Spoiled(rows, frozenset(wrong)) if wrong else None


def _some(rows: Sequence[Row], count: int, rng: random.Random) -> list[int]:
    return sorted(rng.sample(range(len(rows)), count))


def _columns(feed: Feed, *kinds: LogicalType) -> list[str]:
    return [c.name for c in feed.schema.columns if c.type in kinds]


def _typos(rows: list[Row], count: int, feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """In one text cell per row a character is left out, doubled, or replaced by another one."""
    columns = _columns(feed, LogicalType.STRING)

    def mistype(row: Row) -> Row:
        names = [name for name in columns if row[name]]
        if not names:
            return row
        name = rng.choice(names)
        text = str(row[name])
        at = rng.randrange(len(text))
        put = rng.choice(
            ["", text[at] * 2, rng.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")]
        )
        return row | {name: text[:at] + put + text[at + 1 :]}

    return _changed(rows, _some(rows, count, rng), mistype) if columns else None


def _swapped(rows: list[Row], count: int, feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Two columns of one type, the same two in all rows, have changed places."""
    pairs = [
        (a.name, b.name)
        for a in feed.schema.columns
        for b in feed.schema.columns
        if a.name < b.name and a.type is b.type and any(row[a.name] != row[b.name] for row in rows)
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return _changed(rows, _some(rows, count, rng), lambda row: row | {one: row[other], other: row[one]})


def _units(rows: list[Row], count: int, feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One number, the same column in all rows, is in another unit: times 1000, 100, 60, 2.54 or 0.4536."""
    columns = [name for name in _columns(feed, *NUMBERS) if any(row[name] not in (None, "0") for row in rows)]
    if not columns:
        return None
    name, factor = rng.choice(columns), rng.choice(FACTORS)
    whole = feed.schema.column(name).type is LogicalType.INTEGER

    def scale(row: Row) -> Row:
        text = row[name]
        if text is None:
            return row
        return row | {name: str(round(int(text) * factor)) if whole else repr(float(text) * factor)}

    return _changed(rows, _some(rows, count, rng), scale)


def _added(rows: list[Row], more: Sequence[Row]) -> Spoiled | None:
    return Spoiled([*rows, *more], frozenset(range(len(rows), len(rows) + len(more)))) if more else None


def _stale(rows: list[Row], count: int, _: Feed, earlier: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Rows of an earlier delta come again."""
    return _added(rows, rng.sample(list(earlier), min(count, len(earlier))))


def _duplicates(rows: list[Row], count: int, _: Feed, __: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Rows of the delta come twice."""
    return _added(rows, [rows[i] for i in _some(rows, count, rng)])


def _orphans(rows: list[Row], count: int, feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A code, in one column, that no table knows: as long as the right ones, of capital letters."""
    columns = [*feed.references] or _columns(feed, LogicalType.STRING)
    if not columns:
        return None
    name = rng.choice(columns)

    def orphan(row: Row) -> Row:
        length = max(2, len(row[name] or ""))
        return row | {name: "".join(rng.choice("QXZ") for _ in range(length))}

    return _changed(rows, _some(rows, count, rng), orphan)


def _nulls(rows: list[Row], count: int, feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A run of rows without a value in one column."""
    name = rng.choice([c.name for c in feed.schema.columns])
    start = rng.randrange(len(rows) - count + 1)
    return _changed(rows, range(start, start + count), lambda row: row | {name: None})


def _reordered(rows: list[Row], count: int, feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """All fields of the rows have moved on by one."""
    names = feed.schema.names

    def move(row: Row) -> Row:
        return dict(zip((*names[1:], names[0]), row.values(), strict=True))

    return _changed(rows, _some(rows, count, rng), move)


KINDS: Mapping[str, Maker] = {
    "typos": _typos,
    "swapped columns": _swapped,
    "shifted units": _units,
    "stale rows": _stale,
    "duplicate rows": _duplicates,
    "orphans": _orphans,
    "nulls in a burst": _nulls,
    "reordered fields": _reordered,
}
