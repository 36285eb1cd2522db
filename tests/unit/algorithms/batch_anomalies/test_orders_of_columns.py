"""An order of two columns that nearly always holds is no rule; a load that breaks it far more often is told."""

from datetime import time
from functools import cache

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMA = TableSchema(
    "trips",
    (
        Column("trip", LogicalType.INTEGER, True),
        Column("depot", LogicalType.STRING, False),
        Column("called", LogicalType.TIME, True),
        Column("left", LogicalType.TIME, True),
    ),
    ("trip",),
)
DEPOTS = ("Gera", "Jena", "Weida", "Zeitz")
ROWS = 200


def trips(day: int, early: str = "") -> pa.Table:
    """A day's trips, some minutes after their calls, now and then after midnight; a depot's clock may be slow."""
    rng = np.random.default_rng(day)
    depots = [DEPOTS[i] for i in rng.integers(0, len(DEPOTS), ROWS)]
    called = rng.integers(0, 1440, ROWS)
    left = called + rng.integers(1, 12, ROWS) - 60 * np.array([depot == early for depot in depots])

    def clock(minutes: int) -> str:
        return time(minutes // 60 % 24, minutes % 60).isoformat()

    times = {"called": map(clock, called.tolist()), "left": map(clock, left.tolist())}
    own = {name: pa.array(list(some)) for name, some in times.items()}
    return pa.table({"trip": range(day * 1000, day * 1000 + ROWS), "depot": depots, **own})


@cache
def history_of(day: int) -> LoadHistory:
    history = LoadHistory() if day == 0 else history_of(day - 1)
    return LoadHistory.from_json(judged(f"{day:03}", profile(trips(day), SCHEMA), history, SCHEMA)[1].to_json())


def told(rows: pa.Table) -> list[Anomaly]:
    return [one for one in judged("030", profile(rows, SCHEMA), history_of(29), SCHEMA)[0] if not one.explains]


def test_an_order_that_nearly_always_holds_is_told_where_a_source_breaks_it():
    rows = trips(30, "Jena")
    (one,) = [one for one in told(rows) if one.kind == "order"]
    assert (one.columns, one.values) == (("called", "left"), ())
    assert "rows (" in one.headline
    assert "have called after left" in one.headline
    assert "with depot Jena" in one.headline
    wrong = {depot for depot, bad in zip(rows["depot"].to_pylist(), one.suspect_rows(rows), strict=True) if bad}
    assert "Jena" in wrong


def test_midnight_is_no_news():
    assert [one.headline for one in told(trips(30)) if one.kind == "order"] == []
    loads = [load for load in history_of(29).loads if any(shown.kind == "order" for shown in load.shown)]
    assert loads == []
