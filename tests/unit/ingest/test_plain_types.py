"""Columns of types that no table keeps are texts, in discovery as in later days, and that is said."""

import uuid
from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.ingest.files import read_table
from profiling_core.ingest.parquet_parts import parquet_parts
from profiling_core.ingest.plain_types import plain, written_as_text
from profiling_core.ingest.sources import parquet_rows
from profiling_core.model.errors import InputError
from profiling_core.pipeline.library.data_frames import discover

ODD = {
    "tags": (pa.array([["a", "b"], None]), '["a", "b"]'),
    "place": (pa.array([{"x": 1, "y": 2}, None]), '{"x": 1, "y": 2}'),
    "big": (pa.array([Decimal("1" + "0" * 40), None], pa.decimal256(50, 2)), "1" + "0" * 40 + ".00"),
    "ref": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.UUID(int=7).bytes, None], pa.binary(16))),
        str(uuid.UUID(int=7)),
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_a_parquet_file_with_such_a_column_is_read_as_later_days_are(tmp_path: Path, name: str):
    values, text = ODD[name]
    assert written_as_text(values.type)
    path = tmp_path / "orders.parquet"
    pq.write_table(pa.table({"id": [1, 2], name: values}), path)
    told: list[str] = []
    schema, rows = read_table(path, told=told.append)
    assert [str(column.type) for column in schema.columns] == ["integer", "string"]
    assert rows[name].to_pylist() == [text, None]
    (said,) = told
    assert said.startswith(f"{name} (")
    assert said.endswith("is read as text")
    (chunk,) = parquet_rows.read(path)
    assert chunk.cells[name].to_pylist() == [text, None]
    assert parquet_parts(path, "typed").read(0, ["id", name]).to_pylist() == rows.to_pylist()


@pytest.mark.parametrize(
    ("zone", "text"), [(None, "1970-01-01 00:00:01.000000007"), ("Asia/Tokyo", "1970-01-01 09:00:01.000000007+0900")]
)
def test_moments_finer_than_microseconds_are_texts_others_of_the_type_are_not(tmp_path: Path, zone: str, text: str):
    path, type_ = tmp_path / "orders.parquet", pa.timestamp("ns", zone)
    written = pa.table({"id": [1, 2], "fine": pa.array([10**9 + 7, None], type_), "at": pa.array([10**9, 5000], type_)})
    pq.write_table(written, path)
    told: list[str] = []
    schema, rows = read_table(path, told=told.append)
    assert [str(column.type) for column in schema.columns] == ["integer", "string", "timestamp"]
    assert rows["fine"].to_pylist() == [text, None]
    assert told == [f"fine ({type_}) is read as text"]
    assert parquet_parts(path, "typed").read(0, rows.column_names).to_pylist() == rows.to_pylist()
    assert str(discover(written)).startswith("table (2 rows)")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("took", [timedelta(seconds=90), -timedelta(days=2, seconds=1), timedelta(days=9000)])
def test_durations_are_their_seconds(tmp_path: Path, unit: str, took: timedelta):
    path = tmp_path / "orders.parquet"
    values = pa.array([timedelta(0), took, None], pa.duration(unit))
    pq.write_table(pa.table({"id": [1, 2, 3], "took": values}), path)
    told: list[str] = []
    schema, rows = read_table(path, told=told.append)
    assert [str(column.type) for column in schema.columns] == ["integer", "decimal"]
    assert rows["took"].to_pylist() == [0, took.total_seconds(), None]
    assert told == [f"took (duration[{unit}]) is read as its seconds"]
    (chunk,) = parquet_rows.read(path)
    assert chunk.cells["took"].to_pylist() == rows["took"].to_pylist()
    assert plain(values[1:]).to_pylist() == [took.total_seconds(), None]
    assert parquet_parts(path, "typed").read(0, ["id", "took"]).to_pylist() == rows.to_pylist()


def test_times_of_a_day_are_a_type_of_their_own(tmp_path: Path):
    path = tmp_path / "orders.parquet"
    pq.write_table(pa.table({"id": [1, 2], "at": pa.array([time(8, 15), None], pa.time64("us"))}), path)
    told: list[str] = []
    schema, rows = read_table(path, told=told.append)
    assert [str(column.type) for column in schema.columns] == ["integer", "time"]
    assert (rows["at"].to_pylist(), told) == (["08:15:00", None], [])
    assert parquet_parts(path, "typed").read(0, ["id", "at"]).to_pylist() == rows.to_pylist()


def test_a_file_without_columns_is_refused_in_words(tmp_path: Path):
    path = tmp_path / "none.parquet"
    pq.write_table(pa.table({}), path)
    with pytest.raises(InputError, match="the file has no columns"):
        read_table(path)
