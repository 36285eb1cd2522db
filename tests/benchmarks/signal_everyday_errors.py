"""Errors of files, joins and lookups, written before any of them was run: what goes wrong between a source and a table.

Each takes the rows of a delta and gives what came in their place, which rows are wrong, and, where the file itself is
damaged, what has become of its text. Where rows are missing, or a damaged file has to be refused, none is wrong.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from benchmarks.signal_errors import NUMBERS, Spoiled
from benchmarks.signal_feeds import Feed, Row
from profiling_core.model.types import LogicalType

_LEAST_ROWS, _FEW, _SHARE = 6, 12, 0.2
_DATES = (LogicalType.DATE, LogicalType.TIMESTAMP)
Maker = Callable[[list[Row], Feed, Sequence[Row], random.Random], Spoiled | None]


def spoil_everyday(kind: str, rows: Sequence[Row], feed: Feed, earlier: Sequence[Row], seed: int) -> Spoiled | None:
    """A delta with an error of a kind; None: there is no room for it in the table or in this delta."""
    rng = random.Random(f"{kind} {seed} {feed.name}")
    return EVERYDAY_KINDS[kind](list(rows), feed, earlier, rng) if len(rows) >= _LEAST_ROWS else None


def _all(rows: list[Row], change: Callable[[Row], Row]) -> Spoiled | None:
    return _of(rows, [change(row) for row in rows])


def _of(rows: Sequence[Row], after: Sequence[Row]) -> Spoiled | None:
    wrong = frozenset(i for i, (row, was) in enumerate(zip(after, rows, strict=True)) if row != was)
    return Spoiled(after, wrong) if wrong else None


def _names(rows: Sequence[Row], feed: Feed, *kinds: LogicalType, least: int = 2) -> list[str]:
    known = [c.name for c in feed.schema.columns if c.type in kinds]
    return [n for n in known if len({row[n] for row in rows if row[n] is not None}) >= least]


def _category(rows: Sequence[Row], feed: Feed, rng: random.Random) -> tuple[str, str] | None:
    """A column of few values, and one of its values that a tenth of the rows have."""
    few = [n for n in _names(rows, feed, LogicalType.STRING) if len({row[n] for row in rows}) <= _FEW]
    found = [
        (name, value)
        for name in few
        for value, count in Counter(str(row[name]) for row in rows if row[name]).items()
        if count >= max(3, len(rows) / 10)
    ]
    return rng.choice(found) if found else None


def _chosen(rows: Sequence[Row], names: Sequence[str], rng: random.Random) -> str:
    return rng.choice(names) if names else ""


def _two_days(rows: list[Row], _: Feed, earlier: Sequence[Row], __: random.Random) -> Spoiled | None:
    """An earlier day's rows stand in the file, too."""
    return Spoiled([*earlier, *rows], frozenset(range(len(earlier)))) if earlier else None


def _point_dropped(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """12.50 has become 1250."""
    names = [n for n in _names(rows, feed, LogicalType.FLOAT) if sum("." in (row[n] or "") for row in rows) > 2]
    name = _chosen(rows, names, rng)
    return _all(rows, lambda row: row | {name: (row[name] or "").replace(".", "") or None}) if name else None


def _zone_of_some(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The times of one category are two hours early."""
    found, name = _category(rows, feed, rng), _chosen(rows, _names(rows, feed, LogicalType.TIMESTAMP), rng)
    if not found or not name:
        return None
    by, value = found

    def shift(row: Row) -> Row:
        if row[by] != value or row[name] is None:
            return row
        return row | {name: (datetime.fromisoformat(str(row[name])) - timedelta(hours=2)).isoformat()}

    return _all(rows, shift)


def _one_more(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A whole number is one too great in all rows: counted from one instead of zero."""
    name = _chosen(rows, _names(rows, feed, LogicalType.INTEGER, least=3), rng)
    return _all(rows, lambda row: row | {name: str(int(row[name]) + 1) if row[name] else None}) if name else None


def _unit_of_some(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The numbers of one category are in another unit."""
    found, name = _category(rows, feed, rng), _chosen(rows, _names(rows, feed, *NUMBERS, least=4), rng)
    if not found or not name:
        return None
    (by, value), factor = found, rng.choice((10, 100, 1000, 60, 2.54))
    whole = feed.schema.column(name).type is LogicalType.INTEGER

    def scale(row: Row) -> Row:
        if row[by] != value or row[name] is None:
            return row
        size = float(str(row[name])) * factor
        return row | {name: str(round(size)) if whole else repr(round(size, 6))}

    return _all(rows, scale)


def _renamed(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One value of a lookup is called otherwise from now on."""
    found = _category(rows, feed, rng)
    if not found:
        return None
    name, value = found
    other = rng.choice((value.upper() if value != value.upper() else value.lower(), f"{value} (new)", f"{value[:3]}_2"))
    return _all(rows, lambda row: row | {name: other} if row[name] == value else row)


def _cut_in_a_row(rows: list[Row], _: Feed, __: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The transfer broke in the middle of a row."""
    at = rng.uniform(0.4, 0.7)
    return Spoiled(rows, frozenset(), lambda text: text[: int(at * len(text))].rstrip("\r\n").encode())


def _header_again(rows: list[Row], _: Feed, __: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Two files were put together, each with its header."""
    place = rng.randrange(2, len(rows) - 1)

    def again(text: str) -> bytes:
        lines = text.splitlines(keepends=True)
        return "".join([*lines[:place], lines[0], *lines[place:]]).encode()

    return Spoiled(rows, frozenset(), again)


def _latin(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The file is written in Latin-1, and some texts have letters beyond ASCII."""
    name = _chosen(rows, _names(rows, feed, LogicalType.STRING), rng)
    if not name:
        return None
    after = [row | {name: (row[name] or "").replace("e", "é", 1) or None} for row in rows]
    return replace(made, remade=lambda text: text.encode("latin-1")) if (made := _of(rows, after)) else None


def _sorted(rows: list[Row], feed: Feed, _: Sequence[Row], __: random.Random) -> Spoiled | None:
    """Each column was sorted by itself."""
    columns = {n: sorted((row[n] for row in rows), key=lambda v: (v is None, str(v))) for n in feed.schema.names}
    return _of(rows, [{n: columns[n][i] for n in feed.schema.names} for i in range(len(rows))])


def _by_a_row(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The values of one column stand a row further down."""
    name = _chosen(rows, [n for n in feed.schema.names if len({row[n] for row in rows}) > 3], rng)
    return _of(rows, [row | {name: rows[i - 1][name]} for i, row in enumerate(rows)]) if name else None


def _defaults(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A fifth of the rows have 0, 1970-01-01 or N/A in a column."""
    name = rng.choice(feed.schema.names)
    kind = feed.schema.column(name).type
    default = "0" if kind in NUMBERS else "1970-01-01" if kind in _DATES else "N/A"
    if kind is LogicalType.TIMESTAMP:
        default += "T00:00:00"
    return _some(rows, _SHARE, rng, lambda row: row | {name: default})


def _some(rows: list[Row], share: float, rng: random.Random, change: Callable[[Row], Row]) -> Spoiled | None:
    chosen = set(rng.sample(range(len(rows)), max(1, round(share * len(rows)))))
    return _of(rows, [change(row) if i in chosen else row for i, row in enumerate(rows)])


def _test_rows(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Three rows of somebody who tried something out."""

    def tried(row: Row) -> Row:
        texts = dict.fromkeys(_names(rows, feed, LogicalType.STRING), "test")
        return row | texts | dict.fromkeys(_names(rows, feed, *NUMBERS), "1")

    more = [tried(row) for row in rng.sample(rows, 3)]
    return Spoiled([*rows, *more], frozenset(range(len(rows), len(rows) + 3)))


def _sign_lost(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    names = [n for n in _names(rows, feed, *NUMBERS) if sum((row[n] or "").startswith("-") for row in rows) > 2]
    name = _chosen(rows, names, rng)
    return _all(rows, lambda row: row | {name: (row[name] or "").lstrip("-") or None}) if name else None


def _to_tens(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Whole numbers are rounded to tens."""
    name = _chosen(rows, _names(rows, feed, LogicalType.INTEGER, least=12), rng)
    return _all(rows, lambda row: row | {name: str(round(int(row[name]), -1)) if row[name] else None}) if name else None


def _fanned_out(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A join has doubled a third of the rows, each with another number of its own."""
    keys = [
        n for n in _names(rows, feed, LogicalType.INTEGER, LogicalType.STRING) if len({r[n] for r in rows}) == len(rows)
    ]
    if not keys:
        return None
    key, more = keys[0], []
    for place, row in enumerate(rng.sample(rows, len(rows) // 3), start=1):
        text = str(row[key])
        more.append(row | {key: str(10**7 + int(text)) if text.isdigit() else f"{text}{place}"})
    return Spoiled([*rows, *more], frozenset(range(len(rows), len(rows) + len(more))))


def _stale(rows: list[Row], feed: Feed, earlier: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """An earlier day's rows under today's date, some of them changed since."""
    same = [n for n in feed.schema.names if len({row[n] for row in rows}) == 1]
    after = [row | {n: rows[0][n] for n in same} for row in earlier]
    for i in rng.sample(range(len(after)), len(after) // 10):
        name = rng.choice(feed.schema.names)
        after[i] = after[i] | {name: rng.choice(rows)[name]}
    return Spoiled(after, frozenset(range(len(after)))) if after else None


def _future(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Some dates are ten years on."""
    name = _chosen(rows, _names(rows, feed, *_DATES, least=1), rng)

    def later(row: Row) -> Row:
        text = row[name]
        return row | {name: f"{int(text[:4]) + 10}{text[4:].replace('-02-29', '-02-28')}"} if text else row

    return _some(rows, 0.05, rng, later) if name else None


def _blanks(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """Texts of one category have a blank at their end."""
    found = _category(rows, feed, rng)
    return (
        _all(rows, lambda row: row | {found[0]: f"{row[found[0]]} "} if row[found[0]] == found[1] else row)
        if found
        else None
    )


def _capitals(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    name = _chosen(rows, _names(rows, feed, LogicalType.STRING), rng)
    return _all(rows, lambda row: row | {name: (row[name] or "").upper() or None}) if name else None


def _end_unfilled(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """From the last third on a column has no values."""
    names = [n for n in feed.schema.names if all(row[n] is not None for row in rows)]
    name, place = _chosen(rows, names, rng), 2 * len(rows) // 3
    return _of(rows, [*rows[:place], *(row | {name: None} for row in rows[place:])]) if name else None


def _one_row_often(rows: list[Row], _: Feed, __: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """A sender tried again and again."""
    count = max(3, len(rows) // 5)
    return Spoiled([*rows, *[rng.choice(rows)] * count], frozenset(range(len(rows), len(rows) + count)))


def _copied(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """One column has the values of another one."""
    pairs = [
        (a.name, b.name)
        for a in feed.schema.columns
        for b in feed.schema.columns
        if a is not b and a.type is b.type and sum(row[a.name] != row[b.name] for row in rows) > len(rows) / 2
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return _all(rows, lambda row: row | {one: row[other]})


def _stuck_for_some(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The numbers of one category no longer change."""
    found, name = _category(rows, feed, rng), _chosen(rows, _names(rows, feed, *NUMBERS, least=4), rng)
    if not found or not name:
        return None
    by, value = found
    kept = next(row[name] for row in rows if row[by] == value)
    return _all(rows, lambda row: row | {name: kept} if row[by] == value else row)


def _midnight(rows: list[Row], feed: Feed, _: Sequence[Row], rng: random.Random) -> Spoiled | None:
    """The time of the day was lost."""
    name = _chosen(rows, _names(rows, feed, LogicalType.TIMESTAMP), rng)
    return _all(rows, lambda row: row | {name: f"{row[name][:10]}T00:00:00"} if row[name] else row) if name else None


EVERYDAY_KINDS: Mapping[str, Maker] = {
    "two days in one file": _two_days,
    "a decimal point dropped": _point_dropped,
    "a zone for one category": _zone_of_some,
    "off by one": _one_more,
    "a unit for one category": _unit_of_some,
    "a lookup renamed": _renamed,
    "cut in a row": _cut_in_a_row,
    "a header within": _header_again,
    "written in Latin-1": _latin,
    "columns sorted alone": _sorted,
    "a column a row down": _by_a_row,
    "defaults in a fifth": _defaults,
    "rows of a test": _test_rows,
    "signs lost": _sign_lost,
    "rounded to tens": _to_tens,
    "a join that doubles": _fanned_out,
    "a stale snapshot": _stale,
    "dates in the future": _future,
    "blanks behind": _blanks,
    "capitals": _capitals,
    "the end not filled": _end_unfilled,
    "one row often": _one_row_often,
    "a column copied": _copied,
    "one category stuck": _stuck_for_some,
    "time of day lost": _midnight,
}
