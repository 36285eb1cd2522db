"""A region that most loads have alone is judged by the last one that had it; times that none had raise no warning."""

import datetime as dt
import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.ingest.infer import schema_of
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {"region": LogicalType.STRING, "cases": LogicalType.INTEGER}
SCHEMA = TableSchema("cases", tuple(Column(n, t, ordered=True) for n, t in TYPES.items()), key=("region",))
REGIONS = [f"Region {letter}" for letter in "ABCDEFGHIJKLMNOPQRST"]


def load(day: int, *, lacks: bool, factor: int) -> pa.Table:
    """A row for each region; the third may lack, or have a multiple of its number."""
    rng = random.Random(day)
    rows = [
        (name, (1000 * place + 20 * day + rng.randrange(10)) * (factor if name == REGIONS[2] else 1))
        for place, name in enumerate(REGIONS, 1)
        if not (lacks and name == REGIONS[2])
    ]
    return pa.table({"region": [name for name, _ in rows], "cases": [cases for _, cases in rows]})


def test_region_that_the_last_load_lacked_is_compared_with_the_load_before():
    history, told = LoadHistory(), []
    for day in range(40):
        rows = load(day, lacks=day % 5 == 3, factor=100 if day == 39 else 1)
        odd, history = judged(f"{day:02}", profile(rows, SCHEMA), history, SCHEMA)
        told += [(day, anomaly.headline) for anomaly in odd]
    assert told == [(39, "cases of region Region C is 378,600, usually about 3,770")]


@pytest.mark.filterwarnings("error")
def test_times_that_no_earlier_load_had_are_judged_without_a_warning():
    history = LoadHistory()
    for day in range(20):
        closed = [None] * 30 if day < 19 else [dt.datetime(2024, 5, 1, 8, tzinfo=dt.UTC)] * 30
        rows = pa.table({"shop": [f"s{i}" for i in range(30)], "closed": pa.array(closed, pa.timestamp("us", "UTC"))})
        schema = schema_of("shops", rows.schema, "here")
        odd, history = judged(f"d{day:02d}", profile(rows, schema), history, schema)
    assert all("closed" in anomaly.columns for anomaly in odd)
