"""What is told of one group's rows: empty cells, numbers of an earlier load, a clock, and hours that never came."""

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
BEDS = TableSchema(
    "beds",
    (
        Column("ward", LogicalType.STRING, ordered=True),
        Column("taken", LogicalType.INTEGER, ordered=True),
        Column("total", LogicalType.INTEGER, ordered=True),
    ),
)
ARROW_OF_BEDS = pa.schema([("ward", pa.string()), ("taken", pa.int64()), ("total", pa.int64())])
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


def beds_of(day: int) -> Rows:
    rng = random.Random(day)
    return [
        {"ward": f"W{ward:02}", "taken": 1000 * ward + rng.randrange(600), "total": 2000 * ward}
        for ward in range(1, 31)
    ]


def came(history: LoadHistory, day: int, rows: Rows, schema: TableSchema) -> tuple[list[Anomaly], LoadHistory]:
    name = f"{FIRST + timedelta(days=day):%Y-%m-%d}"
    table = pa.Table.from_pylist(rows, ARROW if schema is SCHEMA else ARROW_OF_BEDS)
    odd, after = judged(name, profile(table, schema), history, schema)
    return [one for one in odd if not one.explains or one.kind == "exchange"], LoadHistory.from_json(after.to_json())


@pytest.fixture(scope="module")
def sold() -> LoadHistory:
    known = LoadHistory()
    for day in range(DAYS):
        odd, known = came(known, day, sales_of(day), SCHEMA)
        assert not odd, (day, odd)
    return known


@pytest.fixture(scope="module")
def taken() -> LoadHistory:
    known = LoadHistory()
    for day in range(DAYS):
        odd, known = came(known, day, beds_of(day), BEDS)
        assert not odd, (day, odd)
    return known


def test_a_field_that_one_shop_did_not_fill_is_told_with_its_rows(sold: LoadHistory):
    rows = [row | {"card": None} if row["shop"] == "S3" else row for row in sales_of(DAYS)]
    (found,) = came(sold, DAYS, rows, SCHEMA)[0]
    assert found.headline == "100% of the rows of shop S3 have no card, usually about 49%"
    assert found.suspect_rows is not None
    assert found.suspect_rows(pa.Table.from_pylist(rows, ARROW)).tolist() == [row["shop"] == "S3" for row in rows]


def test_a_clock_that_is_an_hour_off_shows_beside_the_other_moment_of_the_row(sold: LoadHistory):
    hour = timedelta(hours=1)
    noon = FIRST + timedelta(days=DAYS, hours=12)
    rows = [row for row in sales_of(DAYS) if row["shop"] != "S5" or row["sold_at"] > noon]
    rows = [row | {"sold_at": row["sold_at"] - hour} if row["shop"] == "S5" else row for row in rows]
    heard = [one.headline for one in came(sold, DAYS, rows, SCHEMA)[0]]
    assert "sold_at is about 1 hour earlier than usual beside other rows for shop S5" in heard


def test_times_at_hours_that_never_came_are_told_and_counted_by_time(sold: LoadHistory):
    later = timedelta(hours=3)
    late = [
        row | {n: row[n] + later for n in ("sold_at", "booked_at")} if row["shop"] == "S1" else row
        for row in sales_of(DAYS)
    ]
    heard = [one for one in came(sold, DAYS, late, SCHEMA)[0] if one.columns == ("sold_at",)]
    several = sum(row["sold_at"].hour >= 20 for row in late)
    assert several > 1
    assert f"{several} values of sold_at are at 20:00, 21:00 and 22:00, when none came before" in [
        one.headline for one in heard
    ]
    alone = {"shop": "S1", "card": None, "sold_at": FIRST + timedelta(days=DAYS, hours=20, minutes=1)}
    receipt = [alone | {"booked_at": alone["sold_at"]}] * several
    assert not [one for one in came(sold, DAYS, [*sales_of(DAYS), *receipt], SCHEMA)[0] if one.kind == "moments"]


def test_wards_that_send_the_numbers_of_the_day_before_are_told(taken: LoadHistory):
    old = {row["ward"]: row["taken"] for row in beds_of(DAYS - 1)}
    stale = {f"W{ward:02}" for ward in range(1, 9)}
    rows = [row | {"taken": old[row["ward"]]} if row["ward"] in stale else row for row in beds_of(DAYS)]
    (found,) = (one for one in came(taken, DAYS, rows, BEDS)[0] if one.kind == "source")
    assert found.headline.startswith("all numbers of ward 8 of 30 values: W01, W02, W03 and 5 more are the same")
    assert set(found.values) == stale


def test_numbers_that_come_round_every_few_days_are_not_stale():
    known = LoadHistory()
    for day in range(DAYS):
        rows = [row | {"taken": row["total"] + day % 5} for row in beds_of(day)]
        odd, known = came(known, day, rows, BEDS)
        assert not [one for one in odd if one.kind == "source"], day


def test_two_numbers_that_have_changed_places_in_some_rows_explain_what_is_odd_in_them(taken: LoadHistory):
    swapped = {f"W{ward:02}" for ward in range(10, 15)}
    rows = [
        row | {"taken": row["total"], "total": row["taken"]} if row["ward"] in swapped else row for row in beds_of(DAYS)
    ]
    odd = came(taken, DAYS, rows, BEDS)[0]
    (found,) = (one for one in odd if one.kind == "exchange")
    assert found.explains
    assert found.headline == "taken and total have changed places in 5 of 30 rows"
    assert found.suspect_rows is not None
    named = found.suspect_rows(pa.Table.from_pylist(rows, ARROW_OF_BEDS)).tolist()
    assert named == [row["ward"] in swapped for row in rows]
    assert any(set(one.columns) & set(found.columns) for one in odd if one is not found)
