"""Texts of digits are numbers where nothing of them is lost: codes stay texts, and long numbers are decimals."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.ingest.exact_numbers import codes, digits_lost
from profiling_core.ingest.files import read_table
from profiling_core.ingest.sources.formats import CsvReader
from profiling_core.ingest.text_values import cast_text, inferred, possible_types
from profiling_core.ingest.typed_rows import TypedReader
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.sources import SourcePart


@pytest.mark.parametrize(
    ("texts", "kind", "scale"),
    [
        (["1.000000000000000001", "1.000000000000000002"], "decimal", 18),
        (["1234567890123456.00", "1234567890123456.01"], "decimal", 2),
        (["1.5", "0.30000000000000004", "12345678901234567"], "decimal", 17),
        (["1.5", "0.30000000000000004"], "float", None),
        (["1.50000000000000000000", "2.5"], "float", None),
        (["1.000000000000000055511151231257827e-01", "0.10000000000000001"], "float", None),
        (["123456789012345678901", "7"], "decimal", 0),
        (["12345678901234567890123456789.5", "0.12345678901234567890"], "string", None),
        (["0." + "1" * 40], "string", None),
        (["00.5", "1.5"], "string", None),
    ],
)
def test_a_column_is_decimals_where_doubles_would_lose_digits(texts: list[str], kind: str, scale: int | None):
    whole = pa.array(texts)
    found = inferred(possible_types(whole))
    assert (found.type, found.scale) == (kind, scale)
    parts = possible_types(whole[:1]) & possible_types(whole[1:])
    assert inferred(parts) == found
    values, bad = cast_text(whole, found)
    assert not bad.any()
    if kind == "decimal":
        assert [Decimal(value) for value in values.to_pylist()] == list(map(Decimal, texts))


PLAIN = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=18)


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(PLAIN | st.floats(-1e15, 1e15).map(lambda x: Decimal(repr(x))), min_size=1, max_size=6))
def test_what_is_inferred_keeps_each_number(numbers: list[Decimal]):
    texts = pa.array([f"{number:f}" for number in numbers])
    found = inferred(possible_types(texts))
    values, bad = cast_text(texts, found)
    assert not bad.any()
    kept = [Decimal(repr(v) if isinstance(v, float) else v) for v in values.to_pylist()]
    assert kept == numbers


@settings(deadline=None, max_examples=examples(200))
@given(
    st.lists(st.none() | st.from_regex(r"[+-]?[0-9]{0,3}(\\.[0-9]{0,2})?", fullmatch=True), max_size=6),
    st.integers(0, 3),
)
def test_codes_begin_with_a_zero_before_a_digit(texts: list[str | None], skipped: int):
    begins = [(text or "").lstrip("+-")[:2] for text in texts]
    expected = [len(begin) == 2 and begin[0] == "0" and begin[1].isdigit() for begin in begins]
    assert codes(pa.array(texts, pa.string())[skipped:]).tolist() == expected[skipped:]


def test_digits_that_doubles_lose():
    texts = ["0.30000000000000004", "1.000000000000000001", "1e-300", "1.0000000000000000000", None, "0.5"]
    values = pa.array(texts).cast(pa.float64())
    assert digits_lost(pa.array(texts), values).tolist() == [False, True, False, False, False, False]


def rejected(tmp_path, column: Column, cells: list[str], given: frozenset[str] = frozenset()) -> list[str]:
    """The details of the cells that a later day's reading rejects."""
    path = tmp_path / "2024-01-02.csv"
    path.write_text("\n".join(["x", *cells]) + "\n")
    schema = TableSchema("t", (column,))
    reader = TypedReader(CsvReader(CsvDialect(), ("",)), operations=False, schema=schema, given=given)
    batches = list(reader(SourcePart(0, 0, str(path), 0, str(path))))
    return [text for batch in batches[:-1] for text in batch.column("detail").to_pylist() if text]


NUMBER = Column("x", LogicalType.INTEGER, ordered=True)
MEASURE = Column("x", LogicalType.FLOAT, ordered=True)
EXACT = Column("x", LogicalType.DECIMAL, ordered=True, precision=38, scale=2)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        (NUMBER, "0100"),
        (NUMBER, "-007"),
        (MEASURE, "00.5"),
        (MEASURE, "1234567890123456.01"),
        (MEASURE, "inf"),
        (EXACT, "01.50"),
    ],
)
def test_a_later_day_is_read_as_the_first_one_was(tmp_path, column: Column, cell: str):
    (detail,) = rejected(tmp_path, column, ["1", cell, "0", "0"])
    assert f"{cell!r} cannot be stored as " in detail
    assert "type: string" in detail
    assert rejected(tmp_path, column, ["1", cell, "0"], given=frozenset({"x"})) == []


def test_more_digits_than_a_decimal_has_are_rejected(tmp_path):
    (detail,) = rejected(tmp_path, EXACT, ["1.25", "1.255"])
    assert "is decimal(38, 2), not '1.255'" in detail


def test_amounts_of_many_digits_are_read_exactly(tmp_path):
    path = tmp_path / "amounts.csv"
    texts = [f"1.0000000000000000{number:02}" for number in range(40)]
    path.write_text("\n".join(["amount", *texts]) + "\n")
    schema, rows = read_table(path)
    assert rows["amount"].type == arrow_type(schema.column("amount")) == pa.decimal128(38, 18)
    assert len(set(rows["amount"].to_pylist())) == 40
    assert np.array_equal(rows["amount"].to_pylist(), list(map(Decimal, texts)))
