"""What is told of one source among many, its unit where two groups meet; and of texts and numbers."""

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
    "device": LogicalType.STRING,
    "kind": LogicalType.STRING,
    "read_at": LogicalType.TIMESTAMP,
    "value": LogicalType.FLOAT,
    "note": LogicalType.STRING,
}
SCHEMA = TableSchema("readings", tuple(Column(name, kind, ordered=True) for name, kind in TYPES.items()))
ARROW = pa.schema(
    [
        ("device", pa.string()),
        ("kind", pa.string()),
        ("read_at", pa.timestamp("us")),
        ("value", pa.float64()),
        ("note", pa.string()),
    ]
)
FIRST, DAYS, SIZES = datetime(2024, 5, 1, tzinfo=UTC).replace(tzinfo=None), 20, {"NA": 140.0, "GLU": 90.0, "CRP": 5.0}
Row = dict[str, object]
Rows = list[Row]


def rows_of(day: int) -> Rows:
    """Each of six devices reads at four hours, a few minutes late, five times of each kind, now and then six times."""
    rng, found = random.Random(day), []
    for device in range(6):
        for hour in (0, 6, 12, 18):
            for kind, size in SIZES.items():
                for _ in range(5 + (rng.random() < 0.01)):
                    at = FIRST + timedelta(days=day, hours=hour, minutes=rng.randrange(12))
                    value = round(size * rng.uniform(0.8, 1.25), 2)
                    row = {"device": f"D{device}", "kind": kind, "read_at": at, "value": value}
                    found.append(row | {"note": f"n{rng.randrange(10**6)}"})
    return found


def came(history: LoadHistory, day: int, rows: Rows) -> tuple[list[Anomaly], LoadHistory]:
    name = f"{FIRST + timedelta(days=day):%Y-%m-%d}"
    odd, after = judged(name, profile(pa.Table.from_pylist(rows, ARROW), SCHEMA), history, SCHEMA)
    return [one for one in odd if not one.explains], after


@pytest.fixture(scope="module")
def history() -> LoadHistory:
    known = LoadHistory()
    for day in range(DAYS):
        odd, known = came(known, day, rows_of(day))
        assert not odd, (day, odd)
    return LoadHistory.from_json(known.to_json())


def other_unit(row: Row) -> Row:
    return row | {"value": round(row["value"] / 18, 2)}


def test_one_source_in_another_unit_is_told_where_two_groups_meet(history: LoadHistory):
    def concerned(row: Row) -> bool:
        return (row["device"], row["kind"]) == ("D3", "GLU")

    rows = [other_unit(row) if concerned(row) else row for row in rows_of(DAYS)]
    (found,) = (one for one in came(history, DAYS, rows)[0] if one.kind == "source")
    assert found.headline.startswith("value of device, kind D3 · GLU is mostly about")
    assert found.suspect_rows(pa.Table.from_pylist(rows, ARROW)).tolist() == [concerned(row) for row in rows]


def test_texts_that_begin_with_a_sign_are_told_where_none_did(history: LoadHistory):
    rows = [row | {"note": f"'{row['note']}'"} for row in rows_of(DAYS)]
    (found,) = (one for one in came(history, DAYS, rows)[0] if one.kind == "marks")
    assert found.headline == f"all {len(rows)} values of note begin with a sign or a blank, usually almost none"


def test_a_tenth_of_the_numbers_in_another_unit_is_told_with_the_first_loads(history: LoadHistory):
    rows = [row | {"value": row["value"] * 10_000} if n % 7 == 0 else row for n, row in enumerate(rows_of(DAYS))]
    (found,) = (one for one in came(history, DAYS, rows)[0] if one.columns == ("value",))
    wrong = len(range(0, len(rows), 7))
    assert found.headline == f"{wrong} values of value are about 10,000 times their usual size"


def test_a_sorted_file_that_ends_early_has_no_other_clock(history: LoadHistory):
    rows = sorted(rows_of(DAYS), key=lambda row: row["read_at"])
    told = came(history, DAYS, rows[: len(rows) // 2])[0]
    assert told
    assert not [one for one in told if "shifted" in one.headline]
