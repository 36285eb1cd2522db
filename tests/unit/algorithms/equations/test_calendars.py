"""Full years and days further on are found only if they are there, and SQL counts the midnights."""

import random
from datetime import date, timedelta

import duckdb
import pyarrow as pa
from sqlglot import exp

from profiling_core.algorithms.equations.calendars import full_between, further_on
from profiling_core.emit.comparison import Value
from profiling_core.emit.other_values import full_years_or_months
from profiling_core.model.expression import Completed
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType


def years(born: date, day: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def days(count: int, start: date = date(2019, 1, 1), width: int = 1_500) -> list[date]:
    rng = random.Random(count)
    return [start + timedelta(days=rng.randrange(width)) for _ in range(count)]


def test_sql_counts_the_midnights_between_moments():
    columns = {
        name: Value(exp.column(name), Column(name, LogicalType.TIMESTAMP, ordered=True)) for name in ("came", "gone")
    }
    sql = full_years_or_months(Completed("gone", "came", "calendar days"), columns).sql("duckdb")
    row = "(VALUES (TIMESTAMP '2024-03-01 23:50:00', TIMESTAMP '2024-03-03 00:10:00')) AS t(came, gone)"
    with duckdb.connect() as database:  # one of its own: the shared one would be left in the middle of an answer
        assert database.execute(f"SELECT {sql} FROM {row}").fetchall() == [(2,)]


def test_what_is_off_by_a_year_in_some_rows_is_no_age():
    born, came = days(300, date(1940, 1, 1), 24_000), days(301, date(2021, 1, 1), 700)[1:]
    both = enumerate(zip(born, came, strict=True))
    rows = pa.table({"born": born, "came": came, "age": [years(*pair) + (place % 40 == 0) for place, pair in both]})
    assert not list(full_between(rows, rows.column_names))


def test_days_that_are_all_as_far_apart_are_left_to_plain_distances():
    starts = days(60)
    rows = pa.table({"starts": starts, "due": [day + timedelta(days=30) for day in starts]})
    assert not list(further_on(rows, rows.column_names))
