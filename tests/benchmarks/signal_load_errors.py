"""Errors of whole loads: each takes the rows of a delta and gives what came in their place, and which rows are wrong.

Errors by which rows are missing have no wrong rows: to say that they are missing is all that can be asked.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from benchmarks.spoiling import DATES, TEXTS, Delta, Errors, Maker, NoRoom, Spoiled
from profiling_core.model.types import LogicalType

_FEW = 12
OF_LOADS = Errors(least=6)


def _category(d: Delta) -> str:
    """A column of few values, by chance."""
    names = d.names(LogicalType.STRING, LogicalType.BOOLEAN, least=2)
    return d.one([name for name in names if len(d.different(name)) <= _FEW])


def _ranked(d: Delta, name: str) -> list[str]:
    """A column's values, the most frequent ones first."""
    return [text for text, _ in Counter(str(row[name]) for row in d.rows if row[name] is not None).most_common()]


@OF_LOADS.error("half a file")
def half(d: Delta) -> Spoiled:
    """The file ends in the middle."""
    return Spoiled(d.rows[: len(d.rows) // 2], frozenset())


@OF_LOADS.error("one region only")
def one_region(d: Delta) -> Spoiled:
    """Only the rows of one value of a column of few values."""
    name = _category(d)
    value = d.rng.choice(sorted(d.different(name)))
    return d.only(lambda row: row[name] == value)


@OF_LOADS.error("a region missing")
def without_one(d: Delta) -> Spoiled:
    """The most frequent value of a column of few values is missing."""
    name = _category(d)
    value = _ranked(d, name)[0]
    return d.only(lambda row: row[name] != value)


def _multiplied(*factors: float) -> Maker:
    def scaled(d: Delta) -> Spoiled:
        name, factor = d.one(d.measures()), d.rng.choice(factors)
        if d.kind(name) is LogicalType.INTEGER:
            return d.cells(name, lambda text: str(round(int(text) * factor)))
        return d.cells(name, lambda text: repr(round(float(text) * factor, 6)))

    return scaled


OF_LOADS.error("a column times 100")(_multiplied(100.0))
OF_LOADS.error("another unit")(_multiplied(1000.0, 60.0, 25.4, 1.609))


def _moved(hours: Sequence[int], *kinds: LogicalType) -> Maker:
    """A column of times is another number of hours away."""

    def shifted(d: Delta) -> Spoiled:
        name, by = d.one(d.names(*kinds)), timedelta(hours=d.rng.choice(hours))
        with_time = len(str(d.rows[0][name])) > 10

        def shift(text: str) -> str:
            after = datetime.fromisoformat(text) + by
            return after.isoformat() if with_time else after.date().isoformat()

        return d.cells(name, shift)

    return shifted


OF_LOADS.error("shifted by hours")(_moved((-5, -3, 2, 6), LogicalType.TIMESTAMP))
OF_LOADS.error("shifted by days")(_moved((-24 * 30, 24 * 31, -24 * 365), *DATES))


def _various(d: Delta, least: int) -> list[str]:
    """The columns of this number of different values, a null being one."""
    return [name for name in d.feed.schema.names if len({row[name] for row in d.rows}) >= least]


@OF_LOADS.error("a stuck column")
def stuck(d: Delta) -> Spoiled:
    """A column has the value of one of its rows in all."""
    name = d.one(_various(d, 3))
    value = d.rng.choice([row[name] for row in d.rows if row[name] is not None])
    return d.each(lambda row: row | {name: value})


@OF_LOADS.error("a file twice")
def twice(d: Delta) -> Spoiled:
    """The file stands in itself twice."""
    return d.with_more(d.rows)


@OF_LOADS.error("an old file")
def old_file(d: Delta) -> Spoiled:
    """The rows of an earlier delta with today's dates."""
    if not d.earlier:
        raise NoRoom
    constant = [n for n in d.feed.schema.names if all(len({r[n] for r in rows}) == 1 for rows in (d.rows, d.earlier))]
    today = {name: d.rows[0][name] for name in constant}
    return Spoiled([row | today for row in d.earlier], frozenset(range(len(d.earlier))))


@OF_LOADS.error("an empty column")
def empty(d: Delta) -> Spoiled:
    """A column that most rows fill has no values."""
    names = d.feed.schema.names
    name = d.one([name for name in names if sum(row[name] is not None for row in d.rows) > len(d.rows) / 2])
    return d.each(lambda row: row | {name: None})


@OF_LOADS.error("wrong encoding")
def mojibake(d: Delta) -> Spoiled:
    """A letter of some texts was one with an accent, and has become two."""
    name = d.one([name for name in d.names(*TEXTS) if any("e" in text for text in d.different(name))])
    return d.cells(name, lambda text: text.replace("e", "Ã©", 1))


@OF_LOADS.error("texts cut")
def cut(d: Delta) -> Spoiled:
    """Texts end after a number of characters."""
    name = d.one([n for n in d.names(*TEXTS) if len({len(row[n] or "") for row in d.rows}) > 3])
    lengths = sorted(len(row[name] or "") for row in d.rows)
    at = max(2, lengths[len(lengths) // 2])
    return d.cells(name, lambda text: text[:at] or None)


@OF_LOADS.error("precision lost")
def rounded(d: Delta) -> Spoiled:
    """Numbers have lost the digits after the point."""

    def broken(name: str) -> int:
        return sum("." in (row[name] or "") and float(row[name] or 0) % 1 != 0 for row in d.rows)

    name = d.one([name for name in d.names(LogicalType.FLOAT) if broken(name) > 2])
    return d.cells(name, lambda text: str(float(round(float(text)))))


@OF_LOADS.error("columns exchanged")
def exchanged(d: Delta) -> Spoiled:
    """Two columns of one type have changed places."""
    columns = d.feed.schema.columns
    pairs = [(a.name, b.name) for a in columns for b in columns if a.name < b.name and a.type is b.type]
    one, other = d.one([(a, b) for a, b in pairs if sum(row[a] != row[b] for row in d.rows) > len(d.rows) / 2])
    return d.each(lambda row: row | {one: row[other], other: row[one]})


@OF_LOADS.error("a column permuted")
def permuted(d: Delta) -> Spoiled:
    """The values of a column stand in other rows."""
    name = d.one(_various(d, 4))
    values = [row[name] for row in d.rows]
    d.rng.shuffle(values)
    return d.became([row | {name: value} for row, value in zip(d.rows, values, strict=True)])


@OF_LOADS.error("another mix")
def mixed(d: Delta) -> Spoiled:
    """Two of three rows have the rarest of a column's few values."""
    name = _category(d)
    rarest = _ranked(d, name)[-1]
    return d.each(lambda row: row | {name: rarest}, [i for i in range(len(d.rows)) if i % 3])
