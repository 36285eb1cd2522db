"""Codes compare as values do, exactly, across types and Arrow representations."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.values.encoding import domains, encode, encode_together, shared_codes
from profiling_core.model.predicate import Operand, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics

DAY = dt.date(2013, 3, 1)
NOON = dt.datetime(2013, 3, 1, 12, tzinfo=dt.UTC)
EAST = dt.timezone(dt.timedelta(hours=5))
BIG = 2**53
ROUNDED = Decimal("0.1000000000000000055511151231257827021181583404541015625")  # the double 0.1, exactly


def codes_of(*arrays, ordered=True):
    found = shared_codes([pa.chunked_array([array]) for array in arrays], ordered=ordered)
    return [codes.tolist() for codes in found]


@pytest.mark.parametrize(
    "arrays",
    [
        [pa.array([BIG, BIG + 1, -1]), pa.array([float(BIG), 0.5, float(BIG + 2)])],
        [pa.array([BIG + 1, 1]), pa.array([Decimal("9007199254740993.00"), Decimal("1.00")])],
        [pa.array([0.1, 0.5]), pa.array([Decimal("0.1"), Decimal("0.5")])],
        [pa.array([0.1]), pa.array([ROUNDED], pa.decimal256(60, 55))],
        [pa.array([1, 2]), pa.array([Decimal("1.5"), Decimal("2.0")]), pa.array([1.5, 2.5])],
        [pa.array([-(2**63), 2**63 - 1]), pa.array([2**63 - 1, 2**63, 2**64 - 1], pa.uint64())],
        [pa.array([2**63 - 1]), pa.array([2.0**63, -(2.0**63), float("inf"), float("-inf")])],
        [pa.array([Decimal(10**37), Decimal(-(10**37))], pa.decimal128(38, 0)), pa.array([1, -1])],
        [pa.array([Decimal("0.001")], pa.decimal128(38, 20)), pa.array([2**62])],
        [pa.array([1, 2], pa.int8()), pa.array([2, 3], pa.uint32()), pa.array([1.0, 2.0], pa.float32())],
    ],
)
def test_numbers_compare_by_value(arrays):
    numbers = [value for array in arrays for value in array.to_pylist()]
    codes = [code for part in codes_of(*arrays) for code in part]
    for a, x in zip(numbers, codes, strict=True):
        for b, y in zip(numbers, codes, strict=True):
            assert (a < b, a == b) == (x < y, x == y), (a, b)


def test_dates_are_midnights_and_timestamps_instants():
    arrays = [
        pa.array([DAY, DAY + dt.timedelta(1)]),
        pa.array([NOON.replace(hour=0), NOON], pa.timestamp("us", tz="UTC")),
        pa.array([NOON.astimezone(EAST)], pa.timestamp("ns", tz="+05:00")),
        pa.array([NOON.replace(tzinfo=None)], pa.timestamp("s")),
        pa.array([DAY], pa.date64()),
    ]
    assert codes_of(*arrays) == [[0, 2], [0, 1], [1], [1], [0]]


def test_days_beyond_the_range_of_microseconds_compare():
    far = pa.array([2**31 - 1, -(2**31), 0], pa.int32()).cast(pa.date32())
    assert codes_of(far, pa.array([NOON])) == [[3, 0, 1], [2]]


def test_nan_is_null_and_zeros_are_one():
    assert codes_of(pa.array([float("nan"), -0.0, 0.0, None, 1.0])) == [[-1, 0, 0, -1, 1]]
    assert codes_of(pa.array([float("nan"), -0.0]), pa.array([0, None])) == [[-1, 0], [0, -1]]
    assert codes_of(pa.array([float("nan"), 0.5]), pa.array([Decimal("0.50"), None])) == [[-1, 0], [0, -1]]


def test_strings_compare_by_their_bytes():
    texts = ["a", "B", "ä", "a\u0308", "", " a", "\U0001f600", "\uffee", "a\x00"]
    (codes,) = codes_of(pa.array(texts))
    assert [texts[i] for i in np.argsort(codes)] == sorted(texts, key=str.encode)


def test_arrow_representations_of_one_value_are_one():
    texts = [pa.array(["x", None]), pa.array(["x"], pa.large_string()), pa.array(["y", "x"]).dictionary_encode()]
    assert codes_of(*texts) == [[0, -1], [0], [1, 0]]
    numbers = pa.array([3, 1, 3]).dictionary_encode()
    assert codes_of(numbers, pa.nulls(2)) == [[1, 0, 1], [-1, -1]]
    assert codes_of(pa.nulls(3)) == [[-1, -1, -1]]
    assert codes_of(pa.array([True, None, False]), ordered=False)[0][1] == -1


def test_slices_of_decimals_are_read_where_they_lie():
    numbers = pa.array([Decimal(9), None, Decimal(-1), Decimal(2)], pa.decimal128(5, 1))
    assert codes_of(numbers[1:], numbers[:1]) == [[-1, 0, 1], [2]]


@pytest.mark.parametrize("array", [pa.array([[1]]), pa.array([dt.time(1)]), pa.array([{"a": 1}])])
def test_values_that_never_compare_are_refused(array):
    with pytest.raises(TypeError, match="cannot be compared"):
        codes_of(array)


def test_columns_of_two_classes_are_refused():
    with pytest.raises(TypeError, match="do not compare with each other"):
        codes_of(pa.array([1]), pa.array(["1"]))


def group(left, right, *, ordered=True):
    return PredicateGroup(Operand("t", left), Operand("s", right), ordered)


def test_compared_columns_share_a_domain_over_all_tables():
    groups = (group("a", "a"), group("b", "b"), group("c", "c", ordered=False), group("a", "b"), group("b", "a"))
    space = PredicateSpace("r", NullSemantics.SQL, groups)
    assert domains(space) == [(("a", "b"), True), (("c",), False)]
    first = pa.table({"c": ["x", "y"], "b": [1.0, 7.0], "a": [3, 1], "unused": [[1], [2]]})
    second = pa.table({"a": [2], "b": [None], "c": ["y"], "unused": [[1]]})
    one, two = encode_together([first, second], space)
    assert one.columns == two.columns == ("a", "b", "c")
    assert one.codes[:2].tolist() == [[2, 0], [0, 3]]
    assert two.codes[:2].tolist() == [[1], [-1]]
    assert one.codes[2, 1] == two.codes[2, 0] != one.codes[2, 0]
    assert one.codes.dtype == np.int32


def test_tables_without_rows_are_encoded():
    space = PredicateSpace("r", NullSemantics.SQL, (group("a", "a"),))
    assert encode(pa.table({"a": pa.array([], pa.decimal128(5, 1))}), space).codes.shape == (1, 0)
    empty, full = encode_together([pa.table({"a": pa.array([], pa.string())}), pa.table({"a": ["x"]})], space)
    assert (empty.rows, full.codes.tolist()) == (0, [[0]])
