"""The errors that are injected: each takes the rows of a delta, spoils a share of them, and says which those are.

Every batch has errors of one kind, in rows chosen at random, by a seed. Spoiled rows differ from what they were.
"""

from benchmarks.signal_feeds import Row
from benchmarks.spoiling import NUMBERS, TEXTS, Delta, Errors, Spoiled
from profiling_core.model.types import LogicalType

IN_ROWS = Errors(share=0.01)
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@IN_ROWS.error("typos")
def typos(d: Delta) -> Spoiled:
    """In one text cell per row a character is left out, doubled, or replaced by another one."""

    def mistype(row: Row) -> Row:
        filled = [name for name in columns if row[name]]
        if not filled:
            return row
        name = d.rng.choice(filled)
        text = str(row[name])
        at = d.rng.randrange(len(text))
        put = d.rng.choice(["", text[at] * 2, d.rng.choice(_LETTERS)])
        return row | {name: text[:at] + put + text[at + 1 :]}

    chosen, columns = d.some(d.count), d.names(*TEXTS)
    return d.each(mistype, chosen)


@IN_ROWS.error("swapped columns")
def swapped(d: Delta) -> Spoiled:
    """Two columns of one type, the same two in all rows, have changed places."""
    columns = d.feed.schema.columns
    pairs = [(a.name, b.name) for a in columns for b in columns if a.name < b.name and a.type is b.type]
    one, other = d.one([(a, b) for a, b in pairs if any(row[a] != row[b] for row in d.rows)])
    return d.each(lambda row: row | {one: row[other], other: row[one]}, d.some(d.count))


@IN_ROWS.error("shifted units")
def units(d: Delta) -> Spoiled:
    """One number, the same column in all rows, is in another unit: times 1000, 100, 60, 2.54 or 0.4536."""
    name = d.one([name for name in d.names(*NUMBERS) if d.different(name, but=("0",))])
    factor, whole = d.rng.choice((1000.0, 100.0, 60.0, 2.54, 0.4536)), d.kind(name) is LogicalType.INTEGER
    scaled = (lambda text: str(round(int(text) * factor))) if whole else (lambda text: repr(float(text) * factor))
    return d.cells(name, scaled, d.some(d.count))


@IN_ROWS.error("stale rows")
def stale(d: Delta) -> Spoiled:
    """Rows of an earlier delta come again."""
    return d.with_more(d.rng.sample(list(d.earlier), min(d.count, len(d.earlier))))


@IN_ROWS.error("duplicate rows")
def duplicates(d: Delta) -> Spoiled:
    """Rows of the delta come twice."""
    return d.with_more([d.rows[i] for i in d.some(d.count)])


@IN_ROWS.error("orphans")
def orphans(d: Delta) -> Spoiled:
    """A code, in one column, that no table knows: as long as the right ones, of capital letters."""
    name = d.one([*d.feed.references] or d.names(*TEXTS))

    def orphan(row: Row) -> Row:
        return row | {name: "".join(d.rng.choice("QXZ") for _ in range(max(2, len(row[name] or ""))))}

    return d.each(orphan, d.some(d.count))


@IN_ROWS.error("nulls in a burst")
def nulls(d: Delta) -> Spoiled:
    """A run of rows without a value in one column."""
    name = d.rng.choice(d.feed.schema.names)
    start = d.rng.randrange(len(d.rows) - d.count + 1)
    return d.each(lambda row: row | {name: None}, range(start, start + d.count))


@IN_ROWS.error("reordered fields")
def reordered(d: Delta) -> Spoiled:
    """All fields of the rows have moved on by one."""
    first, *others = d.feed.schema.names
    return d.each(lambda row: dict(zip((*others, first), row.values(), strict=True)), d.some(d.count))
