"""How many rows each hour of the day has: a shift by hours is found from the shape of a day, weekday by weekday."""

from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "trips", (Column("id", LogicalType.INTEGER, True), Column("at", LogicalType.TIMESTAMP, True)), ("id",)
)
BEGIN, DAYS = datetime(2025, 1, 6, tzinfo=UTC), 42


def trips(day: int, later: int = 0, without: tuple[int, ...] = ()) -> pa.Table:
    """A day's trips: commuters in the morning and in the evening, at weekends at noon."""
    rng, midnight = np.random.default_rng(day), BEGIN + timedelta(day)
    peaks = (13.0,) if midnight.weekday() >= 5 else (8.0, 17.0)
    hours = np.clip(rng.choice(peaks, 500) + rng.normal(0, 2, 500), 0, 23.9)
    hours = hours[~np.isin(hours.astype(int), without)]
    at = [midnight + timedelta(hours=float(hour) + later) for hour in hours]
    return pa.table({"id": range(day * 1000, day * 1000 + len(at)), "at": pa.array(at, pa.timestamp("us", "UTC"))})


@cache
def history_of(day: int) -> LoadHistory:
    history = LoadHistory() if day == 0 else history_of(day - 1)
    return judged(str((BEGIN + timedelta(day)).date()), profile(trips(day), SCHEMA), history, SCHEMA)[1]


def told(rows: pa.Table, day: int = DAYS) -> list[Anomaly]:
    return judged(str((BEGIN + timedelta(day)).date()), profile(rows, SCHEMA), history_of(day - 1), SCHEMA)[0]


@pytest.mark.parametrize("hours", [-2, 2])
def test_times_that_are_hours_off_are_told_with_the_shift(hours):
    first = told(trips(DAYS, hours))[0]
    assert f"about 2 hours {'later' if hours > 0 else 'earlier'} than usual" in first.headline
    assert (first.columns, first.cause, first.size) == (("at",), "another time zone?", hours)


def test_rows_of_hours_that_have_more_are_shown():
    at = [BEGIN + timedelta(DAYS, hours=3, seconds=number) for number in range(80)]
    late = pa.table({"id": range(80), "at": pa.array(at, pa.timestamp("us", "UTC"))})
    rows = pa.concat_tables([trips(DAYS), late])
    (one,) = [one for one in told(rows) if one.kind == "moments"]
    assert "of the hour 03:00, usually about " in one.headline
    assert one.suspect_rows(rows)[-80:].all()
    assert one.suspect_rows(rows).sum() < 100


def test_hours_that_lack_are_named():
    said = [one.headline for one in told(trips(DAYS, without=(7, 8))) if one.kind == "moments"]
    assert any(" values of at is of the hours 07:00 and 08:00, usually about " in headline for headline in said)


def test_hours_that_explain_why_fewer_rows_came_are_told_first():
    first = told(trips(DAYS, without=(6, 7, 8, 9)))
    assert [one.kind for one in first[:2]] == ["moments", "row count"]
    assert 80 < first[0].missing < 240


@pytest.mark.parametrize("day", [DAYS, DAYS + 6])
def test_weekdays_and_sundays_are_as_usual_each(day):
    assert not [one for one in told(trips(day), day) if one.kind == "moments"]


@pytest.mark.parametrize(("day", "told_of"), [(82, True), (83, False)])
def test_an_hour_that_lacks_is_told_unless_clocks_change_that_day(day, told_of):
    def hourly(number: int, lacking: int = -1) -> pa.Table:
        at = [BEGIN + timedelta(number, hours=hour) for hour in range(24) for _ in range(14) if hour != lacking]
        return pa.table(
            {"id": range(number * 1000, number * 1000 + len(at)), "at": pa.array(at, pa.timestamp("us", "UTC"))}
        )

    history = LoadHistory()
    for before in range(day - 30, day):
        _, history = judged(str((BEGIN + timedelta(before)).date()), profile(hourly(before), SCHEMA), history, SCHEMA)
    odd, _ = judged(str((BEGIN + timedelta(day)).date()), profile(hourly(day, 2), SCHEMA), history, SCHEMA)
    assert any(one.kind == "moments" and "02:00" in one.headline for one in odd) == told_of


def opening_hours(day: int, zone: str, late: int = 0) -> pa.Table:
    """A row each quarter of an hour from nine to five by the clocks of a place; ``late`` hours later."""
    midnight = BEGIN + timedelta(day)
    ahead = ZoneInfo(zone).utcoffset(midnight.replace(hour=12, tzinfo=None))
    at = [midnight + timedelta(hours=9 + late, minutes=15 * number) - ahead for number in range(32)]
    return pa.table({"id": range(day * 1000, day * 1000 + 32), "at": pa.array(at, pa.timestamp("us", "UTC"))})


@pytest.mark.parametrize(
    ("zone", "wrong", "told_on"),
    [
        ("Europe/Berlin", None, set()),  # clocks went forward on day 83
        ("UTC", None, set()),
        ("UTC", 87, {87}),
    ],
)
def test_hours_are_those_of_the_clocks_by_which_they_are_usual(zone, wrong, told_on):
    history, found = LoadHistory(), set()
    for day in range(60, 110):
        rows = opening_hours(day, zone, late=1 if day == wrong else 0)
        odd, history = judged(str((BEGIN + timedelta(day)).date()), profile(rows, SCHEMA), history, SCHEMA)
        found |= {day for one in odd if one.kind == "moments" and not one.again}
    assert found == told_on
