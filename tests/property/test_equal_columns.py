"""Columns of a load are equal where pairs of them, compared value by value, are equal in nine of ten rows."""

from datetime import date
from decimal import Decimal
from itertools import permutations

import pyarrow as pa
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.batch_anomalies.copies import equal_columns
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

KINDS = [
    (LogicalType.STRING, pa.string(), ["a", "b"]),
    (LogicalType.FLOAT, pa.float64(), [0.0, -0.0, 1.5, float("nan")]),
    (LogicalType.DECIMAL, pa.decimal128(10, 2), [Decimal("1.10"), Decimal("0.00")]),
    (LogicalType.DECIMAL, pa.decimal128(20, 4), [Decimal("1.1000"), Decimal("0.0001")]),
    (LogicalType.DATE, pa.date32(), [date(2024, 1, 1), date(2024, 1, 2)]),
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, TableSchema]:
    """Rows of columns of few values; some columns differ in few rows."""
    size = draw(st.integers(0, 24))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))
    columns = {}
    for place, (_, kind, values) in enumerate(kinds):
        usual = draw(st.sampled_from(values))
        others = draw(st.dictionaries(st.integers(0, 23), st.none() | st.sampled_from(values), max_size=4))
        columns[f"c{place}"] = pa.array([others.get(row, usual) for row in range(size)], kind)
    schema = TableSchema(
        "loads",
        tuple(
            Column(name, logical, ordered=False, precision=kind.precision, scale=kind.scale)
            if pa.types.is_decimal(kind)
            else Column(name, logical, ordered=False)
            for name, (logical, kind, _) in zip(columns, kinds, strict=True)
        ),
    )
    return pa.table(columns), schema


@settings(deadline=None, max_examples=examples(100))
@given(tables())
def test_equal_columns_are_those_whose_values_are_equal_in_nine_of_ten_rows(drawn):
    rows, schema = drawn
    found = []
    for one, other in permutations(schema.columns, 2):
        pairs = zip(present(rows[one.name]).to_pylist(), rows[other.name].to_pylist(), strict=True)
        there = [(a, b) for a, b in pairs if a is not None]
        if one.type is other.type and there and sum(a == b for a, b in there) >= 0.9 * len(there):
            found.append((one.name, other.name))
    assert [*equal_columns(profile(rows, schema), schema)] == found
