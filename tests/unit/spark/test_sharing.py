"""Rows that tasks leave by slot: none is lost, none comes twice, and those that are one by their key lie together."""

import math
from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.spark import sharing
from profiling_core.spark.sharing import SLOTS, all_hashes, hashes_of, rows_in, share_out


def table(rows: int, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 40, rows)
    return pa.table(
        {
            "n": pa.array(np.arange(rows)),
            "a": pa.array([None if v == 0 else int(v) for v in numbers], pa.int64()),
            "b": pa.array([f"é{v % 7}" if v % 5 else None for v in numbers], pa.string()),
            "c": pa.array([Decimal(int(v)) / 4 for v in numbers], pa.decimal128(12, 2)),
            "d": pa.array([date(2024, 1, 1 + int(v) % 28) for v in numbers], pa.date32()),
            "e": pa.array([math.nan if v % 3 == 0 else v / 2 for v in numbers], pa.float64()),
            "f": pa.array([bytes([v]) for v in numbers], pa.binary()),
        }
    )


@pytest.mark.parametrize("match", [["a"], ["a", "b"], ["c", "d", "e", "f"]])
@pytest.mark.parametrize("at_once", [1, 20_000, 1 << 30])
def test_every_row_is_in_the_slot_of_what_it_has(tmp_path, monkeypatch, match, at_once):
    monkeypatch.setattr(sharing, "_AT_ONCE", at_once)
    rows = table(3_000)
    files = list(share_out((rows.slice(first, 250) for first in range(0, 3_000, 250)), match, tmp_path))
    assert (len(files) > 1) == (at_once < 1 << 30)
    numbers: list[int] = []
    seen: dict[str, int] = {}
    for slot in range(SLOTS):
        found = rows_in(files, range(slot, slot + 1), rows.schema)
        numbers += found["n"].to_pylist()
        for row in found.select(match).to_pylist():
            assert seen.setdefault(str(row), slot) == slot
    assert sorted(numbers) == list(range(3_000))
    whole = rows_in(files, range(SLOTS), rows.schema).sort_by("n")
    assert str(whole.to_pylist()) == str(rows.to_pylist())  # a NaN is no other one
    assert all_hashes(files).tolist() == np.unique(hashes_of(rows, match)).tolist()


def test_no_rows_leave_no_file(tmp_path):
    assert list(share_out([table(0), table(0)], ["a"], tmp_path)) == []
    assert list(tmp_path.iterdir()) == []
    assert len(rows_in([], range(SLOTS), table(0).schema)) == 0
    assert len(all_hashes([])) == 0


def test_zeros_and_numbers_that_are_none_have_one_hash_each():
    other = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
    rows = pa.table({"e": pa.array([0.0, -0.0, math.nan, -math.nan, other], pa.float64())})
    zero, minus, *nans = hashes_of(rows, ["e"]).tolist()
    assert zero == minus
    assert len({*nans}) == 1
