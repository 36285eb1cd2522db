"""Days some months on, or a column's number of days on, and full years: found once, and only if they are there."""

import random
from datetime import UTC, date, datetime, time, timedelta

import duckdb
import pyarrow as pa
from helpers.found import equations_told, months_on
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


def test_months_on_by_a_constant_and_by_a_column():
    starts, rng = days(700), random.Random(1)
    terms = [rng.choice([1, 3, 12, 24]) for _ in starts]
    found = equations_told(
        {
            "starts": starts,
            "probation": [months_on(day, 6) for day in starts],
            "term": terms,
            "ends": [months_on(day, term) - timedelta(days=1) for day, term in zip(starts, terms, strict=True)],
            "other": days(701)[1:],
        }
    )
    assert found == {
        "probation = starts + 6 months",
        "ends = starts + term months − 1 day",
    }


def test_days_on_from_a_moments_day():
    rng = random.Random(2)
    picked = [datetime.combine(day, time(rng.randrange(24), 30), UTC) for day in days(400)]
    transit = [rng.choice([1, 3, 6]) for _ in picked]
    due = [moment.date() + timedelta(days=n) for moment, n in zip(picked, transit, strict=True)]
    columns = {"picked": pa.array(picked, pa.timestamp("us", tz="UTC")), "transit": transit, "due": due}
    assert equations_told(columns) == {"transit = calendar days(due − picked)"}


def test_ages_at_a_date_of_the_row():
    born, came = days(900, date(1940, 1, 1), 24_000), days(901, date(2021, 1, 1), 700)[1:]
    columns = {
        "born": born,
        "came": came,
        "age": [years(one, day) for one, day in zip(born, came, strict=True)],
    }
    assert equations_told(columns) == {"age = full years(came − born)"}


def test_nights_between_moments():
    rng = random.Random(3)
    came = [datetime.combine(day, time(rng.randrange(24), rng.randrange(60)), UTC) for day in days(400)]
    left = [at + timedelta(minutes=rng.randrange(30, 9_000)) for at in came]
    moments = {name: pa.array(some, pa.timestamp("us", tz="UTC")) for name, some in (("came", came), ("left", left))}
    nights = [(end.date() - begin.date()).days for begin, end in zip(came, left, strict=True)]
    assert "nights = calendar days(left − came)" in equations_told({**moments, "nights": nights})


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
