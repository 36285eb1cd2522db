"""What is told of times at hours that never came."""

import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {
    "shop": LogicalType.STRING,
    "card": LogicalType.STRING,
    "sold_at": LogicalType.TIMESTAMP,
    "booked_at": LogicalType.TIMESTAMP,
}
SCHEMA = TableSchema("sales", tuple(Column(name, kind, ordered=True) for name, kind in TYPES.items()))
ARROW = pa.schema([("shop", pa.string()), ("card", pa.string()), *((n, pa.timestamp("us")) for n in list(TYPES)[2:])])
FIRST, DAYS = datetime(2024, 5, 1, tzinfo=UTC).replace(tzinfo=None), 20
Rows = list[dict[str, object]]


def sales_of(day: int) -> Rows:
    """Eight shops sell from 9 to 20 o'clock; half of the customers show a card, and all is booked within a minute."""
    rng, found = random.Random(day), []
    for shop in range(8):
        for _ in range(30):
            at = FIRST + timedelta(days=day, hours=9, seconds=rng.randrange(11 * 3600))
            booked = at + timedelta(seconds=rng.randrange(60))
            card = f"C{rng.randrange(10**6)}" if rng.random() < 0.5 else None
            found.append({"shop": f"S{shop}", "card": card, "sold_at": at, "booked_at": booked})
    return found


def came(history: LoadHistory, day: int, rows: Rows) -> tuple[list[Anomaly], LoadHistory]:
    name = f"{FIRST + timedelta(days=day):%Y-%m-%d}"
    table = pa.Table.from_pylist(rows, ARROW)
    odd, after = judged(name, profile(table, SCHEMA), history, SCHEMA)
    return [one for one in odd if not one.explains], LoadHistory.from_json(after.to_json())


@pytest.fixture(scope="module")
def sold() -> LoadHistory:
    known = LoadHistory()
    for day in range(DAYS):
        odd, known = came(known, day, sales_of(day))
        assert not odd, (day, odd)
    return known


def test_times_at_hours_that_never_came_are_told_and_counted_by_time(sold: LoadHistory):
    later = timedelta(hours=3)
    late = [
        row | {n: row[n] + later for n in ("sold_at", "booked_at")} if row["shop"] == "S1" else row
        for row in sales_of(DAYS)
    ]
    heard = [one for one in came(sold, DAYS, late)[0] if one.columns == ("sold_at",)]
    several = sum(row["sold_at"].hour >= 20 for row in late)
    assert several > 1
    assert f"{several} values of sold_at are at 20:00, 21:00 and 22:00, when none came before" in [
        one.headline for one in heard
    ]
    alone = {"shop": "S1", "card": None, "sold_at": FIRST + timedelta(days=DAYS, hours=20, minutes=1)}
    receipt = [alone | {"booked_at": alone["sold_at"]}] * several
    assert not [one for one in came(sold, DAYS, [*sales_of(DAYS), *receipt])[0] if one.kind == "moments"]
