"""Tables with natural time, cut into deltas: what the signal of alerts is measured on.

``data/feeds.csv`` names them in the order of the page, with the round that they were written in; ``data/README.md``
says what the rounds are. The real ones come out of packages (``signal_public``); the made-up ones are
``data/feeds.zip``. ``data/clean_days.csv`` says of clean deltas that alerted whether that was right, and why.
"""

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import pyarrow as pa

from benchmarks.rules_data import DATA
from benchmarks.signal_public import Row, public
from profiling_core.cli.nycflights13 import read_table
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

_MADE_UP = "made-up "
_ARROW = {
    LogicalType.INTEGER: pa.int64(),
    LogicalType.FLOAT: pa.float64(),
    LogicalType.STRING: pa.string(),
    LogicalType.DATE: pa.date32(),
    LogicalType.TIMESTAMP: pa.timestamp("us", "UTC"),
}


def _table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


FEEDS = tuple(line["feed"] for line in _table("feeds.csv"))
# Feeds and deltas whose alerts were right; judged by the rows, without a look at errors.
RIGHT = {(line["feed"], line["delta"]) for line in _table("clean_days.csv") if line["right"] == "yes"}


@dataclass(frozen=True)
class Feed:
    """A table: its schema, its deltas in order as rows of text (None: null), and, per column, the values allowed."""

    name: str
    schema: TableSchema
    deltas: Mapping[str, Sequence[Row]]
    references: Mapping[str, frozenset[str]]


def feed(name: str) -> Feed:
    """One of :data:`FEEDS`; packages are fetched once and kept below ``build/benchmarks``."""
    if name.startswith(_MADE_UP):
        rows = list(_made_up(name))
        labels = {id(row): str(row.pop("delta")) for row in rows}
        return cut(name, rows, lambda row: labels[id(row)], {})
    public_rows, label = public(name)
    return cut(name, public_rows, label, {column: _keys_of(column) for column in _REFERENCES.get(name, ())})


def _made_up(name: str) -> Iterable[Row]:
    member = f"{name.removeprefix(_MADE_UP).replace(' ', '-')}.csv"
    with zipfile.ZipFile(DATA / "feeds.zip") as packed, packed.open(member) as file:
        for row in csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline="")):
            yield {column: value or None for column, value in row.items()}


# Columns of nycflights13 that refer to another of its tables.
_REFERENCES = {"flights": ("carrier", "origin"), "weather": ("origin",)}
_REFERRED = {"carrier": ("airlines", "carrier"), "origin": ("airports", "faa")}


def _keys_of(column: str) -> frozenset[str]:
    table, key = _REFERRED[column]
    return frozenset(row[key] for row in read_table(table)[1])


def typed(rows: Sequence[Row], schema: TableSchema) -> tuple[pa.Table, list[int], frozenset[int]]:
    """The rows that are of the schema's types as a table, their places among all rows, and those of the others."""
    values, good, rejected = [], [], set()
    for i, row in enumerate(rows):
        try:
            values.append([_value(row[c.name], c.type) for c in schema.columns])
            good.append(i)
        except ValueError:
            rejected.add(i)
    arrays = [pa.array([row[i] for row in values], _ARROW[column.type]) for i, column in enumerate(schema.columns)]
    return pa.table(dict(zip(schema.names, arrays, strict=True))), good, frozenset(rejected)


def _value(text: str | None, kind: LogicalType) -> object:
    if text is None or kind is LogicalType.STRING:
        return text
    read: dict[LogicalType, Callable[[str], object]] = {
        LogicalType.INTEGER: int,
        LogicalType.FLOAT: float,
        LogicalType.DATE: date.fromisoformat,
        LogicalType.TIMESTAMP: datetime.fromisoformat,
    }
    return read[kind](text)


def cut(name: str, rows: Iterable[Row], label: Callable[[Row], str], references: Mapping[str, frozenset[str]]) -> Feed:
    """Rows as a feed: each comes with the delta that ``label`` says."""
    deltas: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        deltas[label(row)].append(row)
    kept = [row for delta in deltas.values() for row in delta]
    columns = [Column(column, kind, kind is not LogicalType.STRING) for column, kind in _types(kept).items()]
    return Feed(name, TableSchema(name, tuple(columns)), dict(sorted(deltas.items())), references)


def _types(rows: Sequence[Row]) -> dict[str, LogicalType]:
    return {column: _type([row[column] for row in rows]) for column in rows[0]}


def _type(values: Sequence[str | None]) -> LogicalType:
    for kind in (LogicalType.INTEGER, LogicalType.FLOAT, LogicalType.DATE, LogicalType.TIMESTAMP):
        try:
            for value in values:
                _value(value, kind)
        except ValueError:
            continue
        return kind
    return LogicalType.STRING
