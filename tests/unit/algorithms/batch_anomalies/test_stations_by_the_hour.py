"""Each hour of a station is taken beside its own usual number, and a station beside the others on the same day."""

from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.sources import names_of
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "counts",
    (
        Column("station", LogicalType.STRING, False),
        Column("at", LogicalType.TIMESTAMP, True),
        Column("cars", LogicalType.INTEGER, True),
        Column("speed", LogicalType.FLOAT, True),
    ),
    ("station", "at"),
)
BEGIN, DAYS, STATIONS = datetime(2025, 1, 6, tzinfo=UTC), 35, 9
HOURS = np.arange(24)


def counts(day: int, cars=lambda station, cars: cars) -> pa.Table:
    """Few cars at night, fewer at weekends, and each day more or fewer everywhere; the last station is closed."""
    rng, midnight = np.random.default_rng(day), BEGIN + timedelta(day)
    of_the_day = rng.lognormal(0, 0.15) * (0.6 if midnight.weekday() >= 5 else 1.0)
    usual = 15 + 200 * np.exp(-(((HOURS - 14) / 5.0) ** 2))
    rows = []
    for station in range(STATIONS):
        size = 0 if station == STATIONS - 1 else (1 + station) * of_the_day
        came = cars(station, rng.poisson(usual * size))
        speeds = np.round(80 - 5 * station + rng.normal(0, 2, 24), 1)
        at = [midnight + timedelta(hours=int(hour)) for hour in HOURS]
        rows += [(f"S{station}", *row) for row in zip(at, came.tolist(), speeds.tolist(), strict=True)]
    types = pa.string(), pa.timestamp("us", "UTC"), pa.int64(), pa.float64()
    columns = (pa.array(some, kind) for some, kind in zip(zip(*rows, strict=True), types, strict=True))
    return pa.table(dict(zip(SCHEMA.names, columns, strict=True)))


@cache
def history_of(day: int) -> LoadHistory:
    history = LoadHistory() if day == 0 else history_of(day - 1)
    return judged(str((BEGIN + timedelta(day)).date()), profile(counts(day), SCHEMA), history, SCHEMA)[1]


def told(rows: pa.Table, day: int = DAYS) -> list[Anomaly]:
    return judged(str((BEGIN + timedelta(day)).date()), profile(rows, SCHEMA), history_of(day - 1), SCHEMA)[0]


def test_hours_that_are_all_of_one_station_are_told_as_its_own():
    def change(station, cars):
        return np.where((station == 2) & (HOURS >= 14), cars * 1_000, cars)

    (first, *_) = (one for one in told(counts(DAYS, change)) if one.columns == ("cars",))
    assert "10 values of station, at" in first.headline or "9 values of station, at" in first.headline
    assert "(with station S2)" in first.headline
    assert first.values == ("S2",)


@pytest.mark.parametrize("change", [lambda cars: cars // 2, np.cumsum], ids=["one direction", "running totals"])
def test_a_station_that_counts_otherwise_is_told_by_its_name(change):
    rows = counts(DAYS, lambda station, cars: change(cars) if station == 3 else cars)
    (one,) = (one for one in told(rows) if one.kind == "source")
    assert one.headline.startswith("cars of station S3 is mostly about ")
    assert one.suspect_rows(rows).tolist() == [station == "S3" for station in rows["station"].to_pylist()]


def test_quiet_hours_and_quiet_days_of_all_stations_are_no_news():
    assert [one for day in range(14, DAYS + 1) for one in told(counts(day), day) if one.kind == "source"] == []


def test_a_time_of_the_day_names_a_row_and_a_late_one_keeps_its_day():
    at = [BEGIN, BEGIN + timedelta(hours=1), BEGIN - timedelta(hours=1), None]
    rows = pa.table({"station": ["S1", "S1", "S1", "S2"], "at": pa.array(at, pa.timestamp("us", "UTC"))})
    assert names_of(rows, ("station", "at")) == [
        "S1 · 00:00",
        "S1 · 01:00",
        "S1 · 2025-01-05 23:00:00.000000Z",
        "S2 · ",
    ]
    assert names_of(rows.slice(3), ("station", "at")) == ["S2 · "]


def test_rows_that_are_alike_but_for_their_key_are_all_in_the_sample():
    wide = TableSchema("wide", (*SCHEMA.columns, *(Column(f"c{i}", LogicalType.INTEGER, True) for i in range(4))))
    rows = counts(0)
    for i in range(4):
        rows = rows.append_column(f"c{i}", pa.array([0] * len(rows)))
    keyed = TableSchema("wide", wide.columns, SCHEMA.key)
    rows = rows.set_column(2, "cars", pa.array([0] * len(rows))).set_column(3, "speed", pa.array([1.0] * len(rows)))
    found = profile(rows, keyed)
    assert len(found.sample) == len(rows)
    assert found.repeats == 1 - 1 / len(rows)
