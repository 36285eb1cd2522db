"""Discovered inclusions against the brute-force oracle, over all types, their borders, and both ways of comparing.

Sections of the papers: Attribute clustering 4.1, 4.2.
"""

import datetime as dt
from decimal import Decimal

import hypothesis.strategies as st
import pyarrow as pa
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle.inclusions import Inclusion, LongInclusion, all_inclusion_dependencies, inclusion_dependencies, maximal

from profiling_core.algorithms.inclusions import combinations
from profiling_core.algorithms.inclusions.attribute_clustering import discover
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

ARROW = {
    LogicalType.BOOLEAN: pa.bool_(),
    LogicalType.INTEGER: pa.int64(),
    LogicalType.FLOAT: pa.float64(),
    LogicalType.DATE: pa.date32(),
    LogicalType.TIMESTAMP: pa.timestamp("us", tz="UTC"),
    LogicalType.STRING: pa.string(),
    LogicalType.TIME: pa.string(),
    LogicalType.BINARY: pa.binary(),
}
INTEGERS = [0, 1, 2, -1, 10, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, 0.5, 0.1, 2.0**53, 2.0**63, -(2.0**63), 1e300, float("inf"), float("nan")]
DECIMALS = ["0", "1", "1.0", "0.5", "0.1", "10", "-0.25", "9007199254740993", "99999999999.25"]
BIG_DECIMALS = [*DECIMALS, "9223372036854775808", "-9223372036854775808", "12345678901234567890.5", "0.10"]
NOON = dt.datetime(2013, 3, 1, 12, tzinfo=dt.UTC)
VALUES = {
    LogicalType.BOOLEAN: [True, False],
    LogicalType.INTEGER: INTEGERS,
    LogicalType.FLOAT: FLOATS,
    LogicalType.DATE: [dt.date(2013, 3, 1), dt.date(1970, 1, 1), dt.date(1500, 1, 1), dt.date(9999, 12, 31)],
    LogicalType.TIMESTAMP: [
        NOON,
        NOON.replace(hour=0),
        NOON.replace(microsecond=1),
        dt.datetime(1500, 1, 1, tzinfo=dt.UTC),
    ],
    LogicalType.STRING: ["", "a", "A", "a ", "ä", "a\u0308", "12345678", "123456789", "1", "x" * 5000, "x" * 5001],
    LogicalType.TIME: ["00:00:00", "08:15:00", "08:15:00.000001", "23:59:59"],
    LogicalType.BINARY: [b"", b"a", b"A", b"\xff"],
}
# Precision and scale, with the values that fit them.
PRECISIONS = {(13, 2): DECIMALS, (18, 3): DECIMALS, (38, 6): BIG_DECIMALS, (25, 1): BIG_DECIMALS}


@st.composite
def columns(draw, name):
    type_ = draw(st.sampled_from(LogicalType))
    if type_ is not LogicalType.DECIMAL:
        column = Column(name, type_, type_.is_ordered, profiled=draw(st.integers(0, 5)) > 0)
        return column, ARROW[type_], st.sampled_from([None, *VALUES[type_]])
    precision, scale = draw(st.sampled_from(sorted(PRECISIONS)))
    step = Decimal(1).scaleb(-scale)
    fitting = [Decimal(v) for v in PRECISIONS[precision, scale]]
    fitting = [v for v in fitting if v % step == 0 and abs(v) < 10 ** (precision - scale)]
    column = Column(name, type_, ordered=True, precision=precision, scale=scale)
    return column, pa.decimal128(precision, scale), st.sampled_from([None, *fitting])


@st.composite
def datasets(draw):
    tables, rows, schemas = {}, {}, {}
    for table in ("r", "s")[: draw(st.integers(1, 2))]:
        chosen = [draw(columns(name)) for name in "abcd"[: draw(st.integers(1, 4))]]
        schemas[table] = TableSchema(table, tuple(column for column, _, _ in chosen))
        size = draw(st.integers(0, 6))
        data = {column.name: draw(st.lists(v, min_size=size, max_size=size)) for column, _, v in chosen}
        arrays = [pa.array(data[column.name], type_) for column, type_, _ in chosen]
        tables[table] = pa.Table.from_arrays(arrays, [column.name for column, _, _ in chosen])
        rows[table] = tables[table].to_pylist()
    return tables, rows, schemas


def plain(measured):
    return [
        Inclusion(
            m.constraint.lhs.table,
            m.constraint.lhs.columns[0],
            m.constraint.rhs.table,
            m.constraint.rhs.columns[0],
            m.violations,
            m.population,
            m.row_coverage,
        )
        for m in measured
    ]


@settings(max_examples=examples(1500), deadline=None, suppress_health_check=list(HealthCheck))
@given(dataset=datasets(), coverage=st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]))
def test_discovery_equals_the_oracle(dataset, coverage):
    tables, rows, schemas = dataset
    found = discover(tables, schemas, values="typed", min_coverage=coverage).inclusions
    assert plain(found) == inclusion_dependencies(rows, schemas, coverage)
    assert all(m.support == m.population - m.violations for m in found)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(dataset=datasets(), coverage=st.sampled_from([0.0, 0.5, 1.0]))
def test_text_compares_across_types(dataset, coverage):
    tables, _, schemas = dataset
    texts = {}
    for name, table in tables.items():
        arrays = [pa.array([None if v is None else str(v) for v in c.to_pylist()], pa.string()) for c in table.columns]
        texts[name] = pa.Table.from_arrays(arrays, table.column_names)
    rows = {name: table.to_pylist() for name, table in texts.items()}
    found = discover(texts, schemas, values="text", min_coverage=coverage).inclusions
    assert plain(found) == inclusion_dependencies(rows, schemas, coverage, text=True)


# Few values per type class, so that inclusions of several columns come about.
NARROW = {
    LogicalType.INTEGER: [0, 1, 2],
    LogicalType.FLOAT: [0.0, 1.0, float("nan")],
    LogicalType.STRING: ["", "a", "aa"],
    LogicalType.DATE: [dt.date(2013, 3, 1), dt.date(2013, 3, 2)],
    LogicalType.TIMESTAMP: [NOON.replace(hour=0), NOON],
}


@st.composite
def narrow_datasets(draw):
    tables, rows, schemas = {}, {}, {}
    for table in ("r", "s")[: draw(st.integers(1, 2))]:
        types = draw(st.lists(st.sampled_from(list(NARROW)), min_size=2, max_size=4))
        columns = [Column(name, type_, type_.is_ordered) for name, type_ in zip("dcba", types, strict=False)]
        schemas[table] = TableSchema(table, tuple(columns))
        size = draw(st.integers(0, 5))
        nulls = draw(st.sampled_from([[], [None]]))
        cells = [draw(st.lists(st.sampled_from([*nulls, *NARROW[t]]), min_size=size, max_size=size)) for t in types]
        arrays = [pa.array(values, ARROW[t]) for values, t in zip(cells, types, strict=True)]
        tables[table] = pa.Table.from_arrays(arrays, [column.name for column in columns])
        rows[table] = tables[table].to_pylist()
    return tables, rows, schemas


def long(measured):
    sides = [(m.constraint.lhs, m.constraint.rhs, m) for m in measured]
    return [
        LongInclusion(a.table, a.columns, b.table, b.columns, m.violations, m.population, m.row_coverage)
        for a, b, m in sides
    ]


@settings(max_examples=examples(500), deadline=None, suppress_health_check=list(HealthCheck))
@given(dataset=narrow_datasets(), coverage=st.sampled_from([0.5, 0.75, 1.0]), arity=st.sampled_from([0, 2, 3]))
def test_long_inclusions_equal_the_oracle(dataset, coverage, arity):
    tables, rows, schemas = dataset
    found = discover(tables, schemas, values="typed", min_coverage=coverage, max_arity=arity).inclusions
    expected = all_inclusion_dependencies(rows, schemas, coverage, arity)
    assert sorted(long(found)) == expected
    assert [len(m.constraint.columns) for m in found] == sorted(len(m.constraint.columns) for m in found)
    assert sorted(long(combinations.maximal(found))) == maximal(expected)
