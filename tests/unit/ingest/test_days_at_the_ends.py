"""Days at the ends of the calendar are days like others: 0001-01-01, 1500-01-01 and 9999-12-31."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.rules_of_columns import arrived, broken_by, day, schema, taught

from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.ingest.files import read_table
from profiling_core.ingest.sources import parquet_rows
from profiling_core.ingest.sources.arrow_rows import plain_schema
from profiling_core.ingest.typed_rows import cast_cells
from profiling_core.model.errors import InputError
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType

FIRST = date(2024, 1, 1)
ENDS = [date(1, 1, 1), date(1500, 1, 1), date(9999, 12, 31)]
MOMENT = Column("at", LogicalType.TIMESTAMP, ordered=True)


def moment(on: date) -> datetime:
    return datetime(on.year, on.month, on.day, tzinfo=UTC)


def table(odd: date) -> pa.Table:
    days = [odd, *(FIRST + timedelta(days=7 * number) for number in range(39))]
    later = [odd, *(on + timedelta(days=number % 5) for number, on in enumerate(days[1:]))]
    moments = [moment(on) for on in later]
    rows = {"visit": list(range(40)), "ordered": days, "shipped": later, "booked": moments, "pay_date": days[::-1]}
    return pa.table(rows | {"booked": pa.array(moments, pa.timestamp("us", "UTC"))})


@pytest.mark.parametrize("odd", ENDS)
def test_a_table_with_such_a_day_is_discovered(tmp_path: Path, odd: date):
    path = tmp_path / "visits.csv"
    rows = table(odd)
    lines = [",".join(str(value).removesuffix("+00:00") for value in row.values()) for row in rows.to_pylist()]
    path.write_text("\n".join([",".join(rows.column_names), *lines]) + "\n")
    typed, read = read_table(path)
    assert read.to_pylist() == rows.to_pylist()
    (found,) = find_rules([Rows(typed, read)], Budget.of(30))
    assert "ordered ≤ shipped" in {candidate.constraint.text for candidate in found.rules.shown}


@pytest.mark.parametrize("odd", ENDS)
def test_a_load_with_such_a_day_is_judged(odd: date):
    columns = schema(at=LogicalType.TIMESTAMP, on=LogicalType.DATE)

    def rows(number: int, extra: tuple[date, ...] = ()) -> dict:
        days = [FIRST + timedelta(days=number), FIRST + timedelta(days=number - 1), *extra]
        return {"at": pa.array(map(moment, days), pa.timestamp("us", "UTC")), "on": pa.array(days, pa.date32())}

    book = taught(columns, rows)
    broken = broken_by(book, columns, rows(40, (odd,)))
    kind = "{} rises from delta to delta" if odd < FIRST else "usual extremes of {}"
    assert {name: broken.get(kind.format(name)) for name in ("at", "on")} == {"at": 1, "on": 1}
    book, _ = advance(book, arrived(day(40), pa.table(rows(40, (odd,)))), columns, ())
    advance(book, arrived(day(41), pa.table(rows(41))), columns, ())
    found = profile(pa.table(rows(40, (odd,))), columns)
    assert found.rows == 3


def test_a_parquet_file_with_96_bits_for_each_moment(tmp_path: Path):
    path = tmp_path / "old.parquet"
    moments = [*map(moment, ENDS), datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)]
    pq.write_table(pa.table({"at": pa.array(moments, pa.timestamp("us"))}), path, use_deprecated_int96_timestamps=True)
    _, read = read_table(path)
    assert read["at"].to_pylist() == moments
    (chunk,) = parquet_rows.read(path)
    values, bad = cast_cells(chunk.cells["at"], MOMENT)
    assert (values.to_pylist(), bad.any()) == (moments, False)
    assert plain_schema(parquet_rows.schema(path)).field("at").type == pa.timestamp("us")


def test_a_day_that_no_calendar_has_is_refused(tmp_path: Path):
    path = tmp_path / "far.parquet"
    days = pa.array([0, 4_000_000, -800_000], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"on": days}), path)
    with pytest.raises(InputError, match="column 'on' has days before year 1 or after year 9999"):
        read_table(path)
    values, bad = cast_cells(days, Column("on", LogicalType.DATE, ordered=True))
    assert (values.to_pylist(), bad.tolist()) == ([date(1970, 1, 1), None, None], [False, True, True])


def test_rows_with_such_a_day_are_rejected(here: Path, holdfast):
    (here / "landing" / "t").mkdir(parents=True)
    days = pa.array([-800_000, *range(39)], pa.int32()).cast(pa.date32())
    moments = pa.array([*range(39), -9 * 10**16], pa.timestamp("us"))
    pq.write_table(
        pa.table({"id": range(40), "on": days, "at": moments}), here / "landing" / "t" / "2024-01-01.parquet"
    )
    assert holdfast("init", "--yes", "landing/t", "--name", "one").code == 0
    assert "2 rejected, 38 rows now" in holdfast("apply", "one").out
