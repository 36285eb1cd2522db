"""Rows read from their files: a row is found by its key, a deleted one is not, wherever in a file it stands."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.stored import stored_rows
from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import Rows
from profiling_core.spark.sampling import LEAST_ROWS, next_sample, sampled_rows, share_of

KINDS = {"a.b": LogicalType.STRING, "n": LogicalType.INTEGER, "when": LogicalType.DATE}
SCHEMA = TableSchema("r", tuple(Column(name, kind, ordered=False) for name, kind in KINDS.items()))


def made(seed, count):
    rng = random.Random(seed)  # test data
    return [(i, rng.choice(["x", "y", None]), rng.choice([1, 2, 3, None]), rng.choice([0, 1])) for i in range(count)]


@pytest.mark.parametrize("columns", [["n"], ["a.b", "n"], ["when", "a.b", "n"]])
def test_rows_that_agree_are_those_that_a_loop_finds(tmp_path, columns):
    rows, gone = made(1, 100), {3, 50, 51, 99}
    stored = stored_rows(None, tmp_path, SCHEMA, rows).without(BitMap64(gone))
    places = [1 + SCHEMA.names.index(name) for name in columns]
    sought = {tuple(row[p] for p in places) for row in made(2, 3)}
    wanted = pa.Table.from_pylist([dict(zip(columns, key, strict=True)) for key in sought], stored.arrow(columns))
    found = [row for portion in stored.agreeing(wanted, [ROW_ID]) for row in portion[ROW_ID].to_pylist()]
    expected = [row[0] for row in rows if tuple(row[p] for p in places) in sought and row[0] not in gone]
    assert found == expected
    assert 0 < len(found) < len(rows)


@pytest.mark.parametrize("seed", range(20))
def test_row_groups_whose_bounds_exclude_what_is_looked_for_hide_nothing(tmp_path, seed):
    rng = random.Random(seed)  # test data
    rows = [(i, rng.choice("xyz"), rng.choice([i, i // 3 - 20, None]), rng.choice([i // 7, None])) for i in range(60)]
    stored = stored_rows(None, tmp_path, SCHEMA, rows, group=8)
    for columns in ([ROW_ID], ["n"], ["when"], ["n", "when"]):
        places = [0 if name == ROW_ID else 1 + SCHEMA.names.index(name) for name in columns]
        sought = {tuple(row[p] for p in places) for row in rng.sample(rows, 3)} | {(10_000,) * len(columns)}
        wanted = pa.Table.from_pylist([dict(zip(columns, key, strict=True)) for key in sought], stored.arrow(columns))
        found = [row for portion in stored.agreeing(wanted, [ROW_ID]) for row in portion[ROW_ID].to_pylist()]
        assert found == [row[0] for row in rows if tuple(row[p] for p in places) in sought]


def test_a_row_group_beside_what_is_looked_for_is_not_read(tmp_path, monkeypatch):
    stored = stored_rows(None, tmp_path, SCHEMA, made(1, 100), group=10)
    read, opened = [], pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_group",
        lambda *a, **named: read.append((a[1], *named["columns"])) or opened(*a, **named),
    )
    assert stored.with_ids(BitMap64([37]), ["n"]).num_rows == 1
    assert read == [(3, ROW_ID), (3, "n")]


def test_without_a_column_to_agree_in_all_rows_are_read(tmp_path):
    stored = stored_rows(None, tmp_path, SCHEMA, made(1, 30)).without(BitMap64([4]))
    nothing = stored.arrow([]).empty_table()
    found = [row for portion in stored.agreeing(nothing, [ROW_ID]) for row in portion[ROW_ID].to_pylist()]
    assert found == stored.read([ROW_ID])[ROW_ID].to_pylist() == [i for i in range(30) if i != 4]


def test_a_kept_sample_is_the_one_that_all_rows_give(tmp_path):
    class Space:
        groups = ()

    rows = made(3, 9_000)
    stored = stored_rows(None, tmp_path, SCHEMA, rows[:8_000], group=1_000)
    before = sampled_rows(RowDelta(None, stored, Rows(None, SCHEMA, ()), 8_000, 0), Space, 8_000)
    going = stored_rows(None, tmp_path, SCHEMA, rows[:500])
    staying = stored.without(BitMap64(range(500)))
    delta = RowDelta(staying, stored_rows(None, tmp_path, SCHEMA, rows[8_000:]), going, 1_000, 500)
    assert before.num_rows < 8_000
    after = next_sample(before, share_of(8_000, LEAST_ROWS), delta, Space, 8_500)
    assert after == sampled_rows(delta, Space, 8_500)
    assert after.num_rows != before.num_rows
    assert next_sample(before, share_of(8_000, LEAST_ROWS), delta, Space, 1_000) is None


def test_values_compare_in_the_wanted_ones_types(tmp_path):
    stored = stored_rows(None, tmp_path, SCHEMA, made(1, 40))
    for columns in (["n"], ["n", "a.b"]):
        wanted = pa.table({"n": pa.array([1.0, 2.5]), "a.b": ["x", "x"]}).select(columns)
        found = [row for portion in stored.agreeing(wanted, [ROW_ID]) for row in portion[ROW_ID].to_pylist()]
        assert found == [row[0] for row in made(1, 40) if row[2] == 1 and (len(columns) == 1 or row[1] == "x")]
        assert found
