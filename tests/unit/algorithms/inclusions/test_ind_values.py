"""Canonical values at the borders of types, buckets that stored state relies on, and rows found by their values."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.inclusions.attribute_clustering import discover
from profiling_core.algorithms.inclusions.value_clusters import cluster
from profiling_core.algorithms.inclusions.value_generator import (
    attribute_entries,
    buckets,
    joined,
    rows_holding,
    summed,
    value_ids,
)
from profiling_core.algorithms.values import long_strings
from profiling_core.algorithms.values.canonical_values import BIG, BIG_TIME, DECIMAL, FLOAT, INTEGER, TIME, canonical
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType


def chunked(values, type_):
    return pa.chunked_array([pa.array(values, type_)])


def only(value, type_):
    forms, numbers, data = canonical(pa.array([value], type_))
    return int(forms[0]), int(numbers[0]), None if data is None else data[0].as_py()


ONE = [
    (1, pa.int8()),
    (1, pa.uint64()),
    (1.0, pa.float32()),
    (1.0, pa.float64()),
    (Decimal("1.00"), pa.decimal128(5, 2)),
]


@pytest.mark.parametrize(
    ("value", "type_"), [*ONE, (Decimal(1), pa.decimal256(60, 20)), (Decimal(1), pa.decimal128(38))]
)
def test_one_is_one_in_every_type(value, type_):
    assert only(value, type_) == (INTEGER, 1, None)


@pytest.mark.parametrize(
    ("value", "type_", "form"),
    [
        (2**63 - 1, pa.int64(), INTEGER),
        (2**63, pa.uint64(), FLOAT),
        (2**63 + 1, pa.uint64(), BIG),
        (2.0**63, pa.float64(), FLOAT),
        (-(2.0**63), pa.float64(), INTEGER),
        (Decimal(2**63), pa.decimal128(38, 0), FLOAT),
        (Decimal(2**63 + 1), pa.decimal128(38, 0), BIG),
        (Decimal("0.5"), pa.decimal128(3, 2), FLOAT),
        (Decimal("0.1"), pa.decimal128(3, 2), DECIMAL + 1),
        (0.1, pa.float64(), FLOAT),
        (Decimal("0.1"), pa.decimal256(70, 60), DECIMAL + 1),
        (Decimal("123456789012345678901.5"), pa.decimal128(38, 4), BIG),
        (Decimal("9007199254740992.5"), pa.decimal128(18, 1), DECIMAL + 1),
        (Decimal("4503599627370495.5"), pa.decimal128(18, 1), FLOAT),
        (Decimal("1e-38"), pa.decimal128(38, 38), DECIMAL + 38),
    ],
)
def test_each_number_has_the_form_that_fits_it(value, type_, form):
    assert only(value, type_)[0] == form


def test_big_numbers_meet_across_types_where_they_are_equal():
    power = 2**70
    assert only(float(power), pa.float64()) == only(Decimal(power), pa.decimal128(38, 6))
    assert only(float(power), pa.float64()) != only(Decimal(power + 1), pa.decimal128(38, 6))
    assert only(1e30, pa.float64()) != only(Decimal(10**30), pa.decimal128(38, 0))


def test_dates_are_midnights_even_far_away():
    instant = dt.datetime(2013, 3, 1, tzinfo=dt.UTC)
    assert only(instant, pa.timestamp("us", tz="UTC")) == only(dt.date(2013, 3, 1), pa.date32())
    assert only(instant, pa.timestamp("s")) == only(dt.date(2013, 3, 1), pa.date64())
    far = canonical(pa.array([0, 2**31 - 1, -(2**31)], pa.int32()).view(pa.date32()))
    assert far[0].tolist() == [TIME, BIG_TIME, BIG_TIME]
    assert far[2].to_pylist() == [None, b"185542587100800000000", b"-185542587187200000000"]


def test_dictionaries_compare_by_their_values():
    coded = chunked(["a", "b", "a", None], pa.string()).dictionary_encode()
    assert attribute_entries([coded], 0, "typed")["frequency"].to_pylist() == [2, 1]


def test_values_that_never_compare_are_refused():
    with pytest.raises(TypeError, match="list"):
        attribute_entries([chunked([[1]], pa.list_(pa.int64()))], 0, "typed")


def test_long_binaries_are_told_apart_by_what_no_hash_looks_at():
    left, right = (b"a" * 5000 + middle + b"z" * 5000 for middle in (b"x", b"y"))
    entries = joined([attribute_entries([chunked([left, right, left], pa.binary())], 0, "typed")])
    assert len(set(buckets(entries, 1 << 40).tolist())) == 1
    assert len(set(value_ids(entries).tolist())) == 2
    assert sum(values for values, _ in cluster(summed(entries)).counts.values()) == 2


def test_buckets_never_change_because_stored_state_depends_on_them():
    columns = [
        chunked(["", "a", "12345678", "123456789", "Zoë", "x" * 9000], pa.string()),
        chunked([0, 1, -1, 2**63 - 1], pa.int64()),
        chunked([0.5, 1e300], pa.float64()),
        chunked([b"a"], pa.binary()),
        chunked([Decimal("0.1"), Decimal(2**63 + 1)], pa.decimal128(38, 1)),
    ]
    entries = joined(attribute_entries([column], i, "typed") for i, column in enumerate(columns))
    known = [856, 580, 703, 787, 623, 324, 789, 0, 746, 679, 588, 848, 70, 955, 378]
    assert buckets(entries, 1000).tolist() == known
    assert np.array_equal(buckets(entries, 1000) % 8, buckets(entries, 8))


def test_buckets_are_even():
    texts = [f"Customer#{i:09}" for i in range(20_000)]
    for column in (
        chunked(texts, pa.string()),
        chunked(range(20_000), pa.int64()),
        chunked(range(0, 10**9, 50_000), pa.int64()),
    ):
        sizes = np.bincount(buckets(attribute_entries([column], 0, "typed"), 16), minlength=16)
        assert sizes.min() > 1000
        assert sizes.max() < 1500


def test_rows_are_found_by_value_whatever_their_type():
    wanted = joined([attribute_entries([chunked([0, 1], pa.int64())], 0, "typed")])
    found = rows_holding([chunked([1.0, None, -0.0, 0.5, float("nan"), 1.0], pa.float64())], "typed", wanted)
    assert found.tolist() == [True, False, True, False, False, True]
    texts = joined([attribute_entries([chunked(["1"], pa.string())], 0, "text")])
    assert rows_holding([chunked([1, 2, None], pa.int64())], "text", texts).tolist() == [True, False, False]
    assert rows_holding([chunked([None, None], pa.string())], "typed", texts).tolist() == [False, False]


def test_hundreds_of_columns_with_common_values():
    columns = tuple(Column(f"c{i:03}", LogicalType.INTEGER, ordered=True) for i in range(300))
    data = {c.name: chunked(range(i % 7 + 1), pa.int64()) for i, c in enumerate(columns)}
    tables = {name: pa.table({"v": column}) for name, column in data.items()}
    schemas = {name: TableSchema(name, (Column("v", LogicalType.INTEGER, ordered=True),)) for name in data}
    found = discover(tables, schemas, values="typed").inclusions
    sizes = [i % 7 for i in range(300)]
    assert len(found) == sum(a <= b for i, a in enumerate(sizes) for j, b in enumerate(sizes) if i != j)


LONG = ["x" * 256, "x" * 257, "x" * 5000, "x" * 2500 + "y" + "x" * 2499, "x" * 5001, "ä" * 200]


@pytest.mark.parametrize("colliding", [False, True])
def test_long_strings_are_equal_exactly_where_their_texts_are_even_if_their_hashes_collide(monkeypatch, colliding):
    if colliding:
        monkeypatch.setattr(long_strings, "hash128", lambda _: bytes(16))
    column = Column("a", LogicalType.STRING, ordered=False)
    schemas = {name: TableSchema(name, (column,)) for name in "rs"}
    tables = {"r": pa.table({"a": [*LONG, LONG[2], None]}), "s": pa.table({"a": LONG[1:]})}
    found = discover(tables, schemas, values="typed", min_coverage=0.1).inclusions
    assert [(m.population, m.support, m.row_coverage) for m in found] == [(6, 5, 6 / 7), (5, 5, 1.0)]


def test_entries_hold_no_long_string():
    entries = attribute_entries([chunked([*LONG, "short"], pa.string())], 0, "typed")
    assert entries.num_rows == 7
    assert max(len(value) for value in entries["bytes"].to_pylist()) == 256
    assert rows_holding([chunked([LONG[3], LONG[2]], pa.string())], "typed", entries.slice(3, 1)).tolist() == [
        True,
        False,
    ]
