"""Rows that are set aside and come back, over random deltas, against dictionaries by key."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap64

from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.aside import Portions, returning, split
from profiling_core.spark.rows import RowFiles, Rows

SCHEMA = TableSchema(
    "r", (Column("k", LogicalType.STRING, ordered=True), Column("n", LogicalType.INTEGER, ordered=True)), ("k",)
)
TYPES = pa.schema([(ROW_ID, pa.int64()), ("k", pa.string()), ("n", pa.int64())])


def table(rows):
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def written(folder, name, rows):
    """The rows in two files of small row groups."""
    paths = [str(folder / f"{name}-{part}.parquet") for part in range(2)]
    for part, path in enumerate(paths):
        pq.write_table(table(rows[part::2]), path, row_group_size=3)
    return paths


def ids(rows):
    return sorted(rows[ROW_ID].to_pylist())


@pytest.mark.parametrize("seed", range(30))
def test_what_is_set_aside_neither_comes_nor_lets_its_key_go(tmp_path, seed):
    rng = random.Random(seed)
    keys = rng.sample("abcdefghij", 8)
    going = [(number, key, 0) for number, key in enumerate(rng.sample(keys, 4))]
    coming = [(100 + number, key, 1) for number, key in enumerate(keys)]
    chosen = {row[0] for row in coming if rng.random() < 0.5}
    inserted, deleted = (Portions.of(written(tmp_path, *part)) for part in (("in", coming), ("out", going)))
    parts = split(inserted, deleted, BitMap64(chosen), ("k",))
    kept = {row[1] for row in coming if row[0] in chosen}
    assert ids(parts.aside) == sorted(chosen)
    assert ids(parts.inserted.whole()) == sorted(row[0] for row in coming if row[0] not in chosen)
    assert ids(parts.deleted.whole()) == sorted(row[0] for row in going if row[1] not in kept)
    parts.inserted.write(tmp_path)
    assert pq.read_table(tmp_path / "part-0.parquet").equals(parts.inserted.whole())


@pytest.mark.parametrize("seed", range(30))
def test_the_newest_row_of_a_key_comes_unless_the_table_has_a_newer_one(tmp_path, seed):
    rng = random.Random(seed)
    numbers = rng.sample(range(100), 14)
    aside = [(number, rng.choice("abcd"), 1) for number in numbers[:9]]
    current = [(number, key, 0) for number, key in zip(numbers[9:], rng.sample("abcdef", 5), strict=True)]
    rows = Rows(None, SCHEMA, (RowFiles.of(written(tmp_path, "now", current)),))
    found = returning(table(aside), rows, ("k",))
    newest = {key: max(row[0] for row in aside if row[1] == key) for _, key, _ in aside}
    there = {key: number for number, key, _ in current}
    comes = {number for key, number in newest.items() if there.get(key, -1) < number}
    assert ids(found.inserted.whole()) == sorted(comes)
    assert ids(found.deleted.whole()) == sorted(there[key] for key in newest if there.get(key, 101) < newest[key])
    assert ids(found.aside) == sorted({row[0] for row in aside} - comes)


def test_without_a_key_all_rows_come_back():
    rows = Rows(None, SCHEMA, ())
    found = returning(table([(1, "a", 1), (2, "a", 1)]), rows, ())
    assert ids(found.inserted.whole()) == [1, 2]
    assert not len(found.aside)
    assert not len(found.deleted.whole())
