"""Errors of files, joins and lookups, written before any of them was run: what goes wrong between a source and a table.

Each takes the rows of a delta and gives what came in their place, which rows are wrong, and, where the file itself is
damaged, what has become of its text.
"""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

from benchmarks.signal_feeds import Row
from benchmarks.spoiling import DATES, NUMBERS, TEXTS, Delta, Errors, NoRoom, Spoiled
from profiling_core.model.types import LogicalType

_FEW = 12
BETWEEN = Errors(least=6)


def _category(d: Delta) -> tuple[str, str]:
    """A column of few values, and one of its values that a tenth of the rows have."""
    found = []
    for name in d.names(*TEXTS, least=2):
        counts = Counter(str(row[name]) for row in d.rows if row[name])
        if len({row[name] for row in d.rows}) <= _FEW:
            found += [(name, value) for value, count in counts.items() if count >= max(3, len(d.rows) / 10)]
    return d.one(found)


@BETWEEN.error("two days in one file")
def two_days(d: Delta) -> Spoiled:
    """An earlier day's rows stand in the file, too."""
    if not d.earlier:
        raise NoRoom
    return Spoiled([*d.earlier, *d.rows], frozenset(range(len(d.earlier))))


@BETWEEN.error("a decimal point dropped")
def point_dropped(d: Delta) -> Spoiled:
    """12.50 has become 1250."""
    names = d.names(LogicalType.FLOAT, least=2)
    name = d.one([n for n in names if sum("." in (row[n] or "") for row in d.rows) > 2])
    return d.cells(name, lambda text: text.replace(".", ""))


@BETWEEN.error("a zone for one category")
def zone_of_some(d: Delta) -> Spoiled:
    """The times of one category are two hours early."""
    (by, value), name = _category(d), d.one(d.names(LogicalType.TIMESTAMP, least=2))
    return d.cells_where(by, value, name, lambda text: (datetime.fromisoformat(text) - timedelta(hours=2)).isoformat())


@BETWEEN.error("off by one")
def one_more(d: Delta) -> Spoiled:
    """A whole number is one too great in all rows: counted from one instead of zero."""
    return d.cells(d.one(d.names(LogicalType.INTEGER, least=3)), lambda text: str(int(text) + 1))


@BETWEEN.error("a unit for one category")
def unit_of_some(d: Delta) -> Spoiled:
    """The numbers of one category are in another unit."""
    (by, value), name = _category(d), d.one(d.names(*NUMBERS, least=4))
    factor, whole = d.rng.choice((10, 100, 1000, 60, 2.54)), d.kind(name) is LogicalType.INTEGER

    def scale(text: str) -> str:
        size = float(text) * factor
        return str(round(size)) if whole else repr(round(size, 6))

    return d.cells_where(by, value, name, scale)


@BETWEEN.error("a lookup renamed")
def renamed(d: Delta) -> Spoiled:
    """One value of a lookup is called otherwise from now on."""
    name, value = _category(d)
    other_case = value.upper() if value != value.upper() else value.lower()
    other = d.rng.choice((other_case, f"{value} (new)", f"{value[:3]}_2"))
    return d.cells_where(name, value, name, lambda _: other)


@BETWEEN.error("cut in a row")
def cut_in_a_row(d: Delta) -> Spoiled:
    """The transfer broke in the middle of a row."""
    at = d.rng.uniform(0.4, 0.7)
    return Spoiled(d.rows, frozenset(), lambda text: text[: int(at * len(text))].rstrip("\r\n").encode())


@BETWEEN.error("a header within")
def header_again(d: Delta) -> Spoiled:
    """Two files were put together, each with its header."""
    place = d.rng.randrange(2, len(d.rows) - 1)

    def again(text: str) -> bytes:
        lines = text.splitlines(keepends=True)
        return "".join([*lines[:place], lines[0], *lines[place:]]).encode()

    return Spoiled(d.rows, frozenset(), again)


@BETWEEN.error("written in Latin-1")
def latin(d: Delta) -> Spoiled:
    """The file is written in Latin-1, and some texts have letters beyond ASCII."""
    made = d.cells(d.one(d.names(*TEXTS, least=2)), lambda text: text.replace("e", "é", 1))
    return replace(made, remade=lambda text: text.encode("latin-1"))


@BETWEEN.error("columns sorted alone")
def columns_sorted(d: Delta) -> Spoiled:
    """Each column was sorted by itself."""
    names = d.feed.schema.names
    columns = [sorted((row[n] for row in d.rows), key=lambda v: (v is None, str(v))) for n in names]
    return d.became([dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)])


@BETWEEN.error("a column a row down")
def by_a_row(d: Delta) -> Spoiled:
    """The values of one column stand a row further down."""
    name = d.one([n for n in d.feed.schema.names if len({row[n] for row in d.rows}) > 3])
    return d.became([row | {name: d.rows[i - 1][name]} for i, row in enumerate(d.rows)])


def _share(d: Delta, share: float) -> list[int]:
    return d.some(max(1, round(share * len(d.rows))))


@BETWEEN.error("defaults in a fifth")
def defaults(d: Delta) -> Spoiled:
    """A fifth of the rows have 0, 1970-01-01 or N/A in a column."""
    name = d.rng.choice(d.feed.schema.names)
    usual = {LogicalType.TIMESTAMP: "1970-01-01T00:00:00", LogicalType.DATE: "1970-01-01"}
    default = usual.get(d.kind(name), "0" if d.kind(name) in NUMBERS else "N/A")
    return d.each(lambda row: row | {name: default}, _share(d, 0.2))


@BETWEEN.error("rows of a test")
def test_rows(d: Delta) -> Spoiled:
    """Three rows of somebody who tried something out."""
    tried = dict.fromkeys(d.names(*TEXTS, least=2), "test") | dict.fromkeys(d.names(*NUMBERS, least=2), "1")
    return d.with_more([row | tried for row in d.rng.sample(d.rows, 3)])


@BETWEEN.error("signs lost")
def sign_lost(d: Delta) -> Spoiled:
    """Negative numbers come without their sign."""
    names = d.names(*NUMBERS, least=2)
    name = d.one([n for n in names if sum((row[n] or "").startswith("-") for row in d.rows) > 2])
    return d.cells(name, lambda text: text.lstrip("-"))


@BETWEEN.error("rounded to tens")
def to_tens(d: Delta) -> Spoiled:
    """Whole numbers are rounded to tens."""
    return d.cells(d.one(d.names(LogicalType.INTEGER, least=12)), lambda text: str(round(int(text), -1)))


@BETWEEN.error("a join that doubles")
def fanned_out(d: Delta) -> Spoiled:
    """A join has doubled a third of the rows, each with another number of its own."""
    names = d.names(LogicalType.INTEGER, *TEXTS, least=2)
    keys = [n for n in names if len({row[n] for row in d.rows}) == len(d.rows)]
    if not keys:
        raise NoRoom
    more = []
    for place, row in enumerate(d.rng.sample(d.rows, len(d.rows) // 3), start=1):
        text = str(row[keys[0]])
        more.append(row | {keys[0]: str(10**7 + int(text)) if text.isdigit() else f"{text}{place}"})
    return d.with_more(more)


@BETWEEN.error("a stale snapshot")
def stale(d: Delta) -> Spoiled:
    """An earlier day's rows under today's date, some of them changed since."""
    names = d.feed.schema.names
    today = {name: d.rows[0][name] for name in names if len({row[name] for row in d.rows}) == 1}
    after: list[Row] = [row | today for row in d.earlier]
    for i in d.rng.sample(range(len(after)), len(after) // 10):
        name = d.rng.choice(names)
        after[i] = after[i] | {name: d.rng.choice(d.rows)[name]}
    return Spoiled(after, frozenset(range(len(after))))


@BETWEEN.error("dates in the future")
def future(d: Delta) -> Spoiled:
    """Some dates are ten years on."""
    name = d.one(d.names(*DATES, least=1))

    def later(text: str) -> str:
        return f"{int(text[:4]) + 10}{text[4:].replace('-02-29', '-02-28')}"

    return d.cells(name, later, _share(d, 0.05))


@BETWEEN.error("blanks behind")
def blanks(d: Delta) -> Spoiled:
    """Texts of one category have a blank at their end."""
    name, value = _category(d)
    return d.cells_where(name, value, name, lambda text: f"{text} ")


@BETWEEN.error("capitals")
def capitals(d: Delta) -> Spoiled:
    """Texts come in capital letters."""
    return d.cells(d.one(d.names(*TEXTS, least=2)), str.upper)


@BETWEEN.error("the end not filled")
def end_unfilled(d: Delta) -> Spoiled:
    """From the last third on a column has no values."""
    name = d.one([n for n in d.feed.schema.names if all(row[n] is not None for row in d.rows)])
    return d.each(lambda row: row | {name: None}, range(2 * len(d.rows) // 3, len(d.rows)))


@BETWEEN.error("one row often")
def one_row_often(d: Delta) -> Spoiled:
    """A sender tried again and again."""
    return d.with_more([d.rng.choice(d.rows)] * max(3, len(d.rows) // 5))


@BETWEEN.error("a column copied")
def copied(d: Delta) -> Spoiled:
    """One column has the values of another one."""
    columns = d.feed.schema.columns
    pairs = [(a.name, b.name) for a in columns for b in columns if a is not b and a.type is b.type]
    one, other = d.one([(a, b) for a, b in pairs if sum(row[a] != row[b] for row in d.rows) > len(d.rows) / 2])
    return d.each(lambda row: row | {one: row[other]})


@BETWEEN.error("one category stuck")
def stuck_for_some(d: Delta) -> Spoiled:
    """The numbers of one category no longer change."""
    (by, value), name = _category(d), d.one(d.names(*NUMBERS, least=4))
    kept = next(row[name] for row in d.rows if row[by] == value)
    return d.each(lambda row: row | {name: kept} if row[by] == value else row)


@BETWEEN.error("time of day lost")
def midnight(d: Delta) -> Spoiled:
    """The time of the day was lost."""
    return d.cells(d.one(d.names(LogicalType.TIMESTAMP, least=2)), lambda text: f"{text[:10]}T00:00:00")
