"""Two columns that are exchanged, in all rows or in those of one source, are one anomaly with the right cells."""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.batch_anomalies.rearranged import EXCHANGED, MOVED
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "calls",
    (
        Column("id", LogicalType.INTEGER, True),
        Column("site", LogicalType.STRING, False),
        Column("wait", LogicalType.INTEGER, True),
        Column("talk", LogicalType.INTEGER, True),
    ),
    ("id",),
)
SITES = ("Porto", "Dublin", "Lyon")


def calls(day: int, at: str = "", factor: int = 1) -> pa.Table:
    """A day's calls: at a site, or all with ``*``, wait and talk are exchanged."""
    rng = np.random.default_rng(day)
    site = rng.choice(SITES, 300)
    wait, talk = rng.integers(5, 60, 300), rng.integers(200, 900, 300) * factor
    there = (site == at) | (at == "*")
    own = {"wait": np.where(there, talk, wait), "talk": np.where(there, wait, talk)}
    return pa.table({"id": range(day * 1000, day * 1000 + 300), "site": site, **own})


@cache
def history_of(day: int) -> LoadHistory:
    history = LoadHistory() if day == 0 else history_of(day - 1)
    return judged(f"{day:03}", profile(calls(day), SCHEMA), history, SCHEMA)[1]


def told(rows: pa.Table) -> list[Anomaly]:
    return [one for one in judged("030", profile(rows, SCHEMA), history_of(29), SCHEMA)[0] if not one.explains]


@pytest.mark.parametrize("at", ["*", "Porto"])
def test_exchanged_columns_are_one_anomaly_whose_rows_say_what_they_should_be(at):
    rows = calls(30, at)
    (one,) = told(rows)
    assert (one.kind, set(one.columns)) == (EXCHANGED, {"wait", "talk"})
    assert ("(with site Porto)" in one.headline) == (at == "Porto")
    there = one.suspect_rows(rows)
    assert there.sum() == (300 if at == "*" else sum(site == at for site in rows["site"].to_pylist()))
    wrong = rows.filter(pa.array(there)).to_pylist()[0]
    assert one.mended({name: str(value) for name, value in wrong.items()}) == {
        "wait": str(wrong["talk"]),
        "talk": str(wrong["wait"]),
    }


def test_columns_that_stay_unusual_when_they_are_exchanged_back_are_told_by_themselves():
    assert EXCHANGED not in [one.kind for one in told(calls(30, "*", factor=1000))]


def test_decimals_of_other_digits_may_be_exchanged():
    schema = TableSchema(
        "calls", tuple(Column(name, LogicalType.DECIMAL, ordered=True) for name in ("wait", "talk")), ("wait",)
    )

    def decimals(day: int, at: str = "") -> pa.Table:
        rows = calls(day, at)
        kinds = {"wait": pa.decimal128(21, 2), "talk": pa.decimal128(22, 3)}
        return pa.table({name: rows[name].cast(kind) for name, kind in kinds.items()})

    history = LoadHistory()
    for day in range(30):
        _, history = judged(f"{day:03}", profile(decimals(day), schema), history, schema)
    odd, _ = judged("030", profile(decimals(30, "*"), schema), history, schema)
    assert [(one.kind, set(one.columns)) for one in odd] == [(EXCHANGED, {"wait", "talk"})]


STATIONS = TableSchema(
    "levels",
    (
        Column("station", LogicalType.STRING, False),
        Column("level", LogicalType.FLOAT, True),
        Column("filled", LogicalType.FLOAT, True),
        Column("volume", LogicalType.FLOAT, True),
    ),
    ("station",),
)


def levels(day: int) -> pa.Table:
    """A day's levels of thirty lakes: what fills a lake to a share is a volume that varies from lake to lake."""
    rng, size = np.random.default_rng(day), np.random.default_rng(0).lognormal(5, 1.5, 30)
    level, filled = np.linspace(40, 900, 30) + rng.normal(0, 0.1, 30), 60 + day / 2 + rng.normal(0, 2, 30)
    numbers = {"level": level, "filled": filled, "volume": filled * size / 100}
    return pa.table({"station": [f"Lake {i}" for i in range(30)], **{n: x.round(2) for n, x in numbers.items()}})


@pytest.fixture(scope="module")
def lakes() -> LoadHistory:
    history = LoadHistory()
    for day in range(20):
        _, history = judged(f"{day:03}", profile(levels(day), STATIONS), history, STATIONS)
    return history


@pytest.mark.parametrize("by", [1, -1])
def test_a_column_that_is_a_row_too_low_or_too_high_is_told_as_that(lakes, by):
    rows = levels(20)
    rows = rows.set_column(1, "level", pa.array(np.roll(rows["level"].to_numpy(), by)))
    (one,) = judged("020", profile(rows, STATIONS), lakes, STATIONS)[0]
    assert (one.kind, one.headline) == (MOVED, f"all values of level are a row too {'low' if by > 0 else 'high'}")
    assert int(one.suspect_rows(rows).sum()) == 30


def test_a_load_that_comes_in_batches_is_put_back_in_its_order(lakes):
    rows = levels(20)
    rows = rows.set_column(1, "level", pa.array(np.roll(rows["level"].to_numpy(), 1)))
    parts = [profile(rows.slice(place, 7), STATIONS) for place in range(0, 30, 7)]
    whole = parts[0].merged(parts[1]).merged(parts[2].merged(parts[3])).merged(parts[4])
    assert [one.kind for one in judged("020", whole, lakes, STATIONS)[0]] == [MOVED]


def test_columns_are_exchanged_also_where_one_of_them_alone_is_unusual(lakes):
    rows = levels(20)
    rows = rows.set_column(2, "filled", rows["volume"]).set_column(3, "volume", rows["filled"])
    (one,) = judged("020", profile(rows, STATIONS), lakes, STATIONS)[0]
    assert (one.kind, {*one.columns}) == (EXCHANGED, {"filled", "volume"})
