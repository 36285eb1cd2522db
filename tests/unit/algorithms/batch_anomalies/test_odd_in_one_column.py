"""What a load shows in one column says nothing of the others, and what three loads showed is no news any more."""

import json
import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {"station": LogicalType.STRING, "discount": LogicalType.INTEGER, "price": LogicalType.FLOAT}
SCHEMA = TableSchema("readings", tuple(Column(name, kind, ordered=True) for name, kind in TYPES.items()))
ARROW = pa.schema([("station", pa.string()), ("discount", pa.int64()), ("price", pa.float64())])
STATIONS = {"Altona": 60, "Bergedorf": 40, "Harburg": 25, "Wandsbek": 15}
Rows = list[dict[str, object]]


def rows_of(day: int, stations: dict[str, int] = STATIONS) -> Rows:
    """Some rows of each station, without a discount."""
    rng = random.Random(day)
    names = [name for name, many in stations.items() for _ in range(many)]
    return [{"station": name, "discount": 0, "price": round(rng.lognormvariate(3, 1), 2)} for name in names]


def told(history: LoadHistory, day: int, rows: Rows) -> tuple[list[Anomaly], LoadHistory]:
    label = f"2024-{1 + day // 28:02}-{1 + day % 28:02}"
    odd, after = judged(label, profile(pa.Table.from_pylist(rows, ARROW), SCHEMA), history, SCHEMA)
    news = [one for one in odd if not one.again and not one.explains]
    return news, LoadHistory.from_json(json.loads(json.dumps(after.to_json())))


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    known = LoadHistory()
    for day in range(30):
        news, known = told(known, day, rows_of(day))
        assert not news
    return known


def test_seven_odd_loads_that_have_nothing_in_common_are_not_usual(history: LoadHistory):
    known = history
    for day in range(30, 37):
        rows = [row | ({"price": 1000 * row["price"]} if day % 2 else {"station": "?"}) for row in rows_of(day)]
        news, known = told(known, day, rows[:14] if day == 33 else rows)
        assert news or day == 36  # three loads have shown the same by then
    news, _ = told(known, 37, rows_of(37)[::2])
    assert "row count" in {one.kind for one in news}
    assert not told(known, 37, rows_of(37))[0]


def test_what_three_loads_have_shown_is_no_news_and_neither_is_what_follows_from_it(history: LoadHistory):
    known, kinds = history, []
    for day in range(30, 42):
        news, known = told(known, day, rows_of(day, STATIONS | {"Eppendorf": 30}))
        kinds.append({one.kind for one in news if one.columns == ("station",)} or {one.kind for one in news})
    assert all(kinds[:3])
    assert not any(kinds[3:])


def test_a_value_may_come_as_often_in_its_week_as_others_of_its_column_did_in_theirs():
    known = LoadHistory()
    for day in range(42):
        rows, week = rows_of(day), day // 7 % 4
        offered = [10] * (12 if week == 1 else 2) + [15] * (12 if week == 2 else 2) + [25] * (12 if week == 3 else 2)
        for row, discount in zip(rows, offered, strict=False):
            row["discount"] = discount
        news, known = told(known, day, rows)
        assert day < 21 or not [one for one in news if one.columns == ("discount",)]


def test_a_sensor_that_three_loads_have_shown_to_stand_still_is_no_news_weeks_later(history: LoadHistory):
    known, days = history, []
    for day in range(30, 57):
        stands = [row | {"price": -200.0} for row in rows_of(day)] if day in (31, 40, 50, 55) else rows_of(day)
        news, known = told(known, day, stands)
        days += [day for one in news if one.columns == ("price",)]
    assert sorted(set(days)) == [31, 40, 50]
    assert {one.kind for one in told(known, 57, rows_of(57)[::2])[0]} >= {"row count"}
