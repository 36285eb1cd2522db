"""The SQL of a constraint finds exactly the rows, and counts exactly the violations, that the semantics define.

Run in DuckDB, in-process and fast, so that hypothesis can try many tables; test_gx_sql_spark.py does the same on Spark.
"""

from dataclasses import replace

import duckdb
import hypothesis.strategies as st
import pyarrow as pa
import pytest
from helpers.examples import examples
from helpers.relation import (
    DCS,
    FDS,
    NULLS,
    ORDER_DEPENDENCIES,
    OTHERS,
    ROWS,
    SCHEMA,
    SCHEMAS,
    UCCS,
    involved,
)
from hypothesis import given, settings
from oracle import predicates as naive

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import gx_query
from profiling_core.emit.expectations import expectation
from profiling_core.emit.running_extremes import order_dependency
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import without_values
from profiling_core.emit.sql import only_beyond, population, violating_rows, violation_count
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
    as_denial_constraint,
)
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

CONNECTION = duckdb.connect()  # a new one for each of a thousand examples would take most of the time


def database(rows, others=()):
    arrow = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("f", pa.float64()), ("s", pa.string())])
    connection = CONNECTION.cursor()
    table = pa.Table.from_pylist(rows, schema=arrow).append_column("_row_id", pa.array(range(len(rows)), pa.int64()))
    right = pa.Table.from_pylist(list(others), schema=pa.schema([("x", pa.float64()), ("y", pa.string())]))
    right = right.append_column("_row_id", pa.array(range(len(others)), pa.int64()))
    connection.register("r_arrow", table)
    connection.register("o_arrow", right)
    connection.execute("create or replace table r as select * from r_arrow")
    connection.execute("create or replace table o as select * from o_arrow")
    return connection


def found(connection, query):
    return sorted(row[-1] for row in connection.execute(query.sql("duckdb")).fetchall())


def number(connection, query):
    return connection.execute(query.sql("duckdb")).fetchall()[0][0]


def check(constraint, rows, nulls):
    connection = database(rows)
    dc = as_denial_constraint(constraint)
    assert found(connection, violating_rows(constraint, SCHEMAS, nulls)) == involved(dc, rows, nulls)
    if dc.is_single_row and len(rows) == 1:
        return  # a table of one row has no pairs, so nothing violates anything there; SQL still tells of the row
    violations, among = naive.violations(dc, rows, nulls)
    assert number(connection, violation_count(constraint, SCHEMAS, nulls)) == violations
    assert number(connection, population(constraint, SCHEMAS)) == among


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(250))
@given(DCS, ROWS, NULLS)
def test_denial_constraints(dc, rows, nulls):
    check(dc, rows, nulls)


@settings(deadline=None, max_examples=examples(200))
@given(ORDER_DEPENDENCIES, ROWS, NULLS)
def test_order_dependencies(dc, rows, nulls):
    check(dc, rows, nulls)


@settings(deadline=None, max_examples=examples(150))
@given(FDS, ROWS, NULLS)
def test_functional_dependencies(fd, rows, nulls):
    if fd.rhs.columns[0] not in fd.lhs.columns:
        check(fd, rows, nulls)


@settings(deadline=None, max_examples=examples(100))
@given(UCCS.filter(lambda u: u.columns), ROWS, NULLS)
def test_unique_column_combinations(ucc, rows, nulls):
    check(ucc, rows, nulls)


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_empty_combination_is_unique_in_at_most_one_row(count, nulls):
    connection = database([{"a": 1, "b": 1, "f": None, "s": "x"}] * count)
    empty = UniqueColumnCombination(ColumnList("r", ()))
    assert len(found(connection, violating_rows(empty, SCHEMAS, nulls))) == (2 if count == 2 else 0)
    assert number(connection, violation_count(empty, SCHEMAS, nulls)) == (2 if count == 2 else 0)


@settings(deadline=None, max_examples=examples(120))
@given(st.sampled_from([("a", "x"), ("f", "x"), ("s", "y")]), ROWS, OTHERS, NULLS)
def test_inclusion_dependencies(columns, rows, others, nulls):
    left, right = columns
    ind = InclusionDependency(ColumnList("r", (left,)), ColumnList("o", (right,)))
    connection = database(rows, others)
    there = naive.values(others, right)
    missing = [i for i, row in enumerate(rows) if naive.plain(row[left]) is not None and row[left] not in there]
    assert found(connection, violating_rows(ind, SCHEMAS, nulls)) == missing
    assert number(connection, violation_count(ind, SCHEMAS, nulls)) == len(naive.values(rows, left) - there)
    assert number(connection, population(ind, SCHEMAS)) == len(naive.values(rows, left))


@pytest.mark.parametrize(("tolerance", "rows_found"), [(0.1, 4), (0.34, 0)])
def test_a_tolerated_error_hides_the_rows_until_it_is_exceeded(tolerance, rows_found):
    rows = [{"a": i // 2, "b": i, "f": 0.0, "s": "x"} for i in range(4)]
    fd = FunctionalDependency(ColumnList("r", ("a",)), ColumnList("r", ("b",)))
    query = violating_rows(fd, SCHEMAS, NullSemantics.SQL)
    query = only_beyond(query, tolerance, fd, SCHEMAS, NullSemantics.SQL)  # 4 of 12 pairs
    assert len(found(database(rows), query)) == rows_found
    assert found(database([]), query) == []


def test_an_order_dependency_is_decided_by_sorting_and_not_by_comparing_pairs():
    text = "t.s = s.s", "t.a < s.a", "t.b > s.b"
    dc = DenialConstraint("r", tuple(predicate(p) for p in text))
    assert order_dependency(dc, SCHEMA, NullSemantics.SQL)
    sql = violating_rows(dc, SCHEMAS, NullSemantics.SQL).sql("spark")
    assert sql.count("OVER") == 2
    assert not any(word in sql for word in ("<>", "JOIN", "EXISTS"))


def test_columns_may_be_called_what_the_query_calls_its_own():
    names = ("earlier", "Later", "earlier_")
    schema = TableSchema("named", tuple(Column(n, LogicalType.INTEGER, ordered=True) for n in names))
    operators = (Operator.LT, Operator.GT)
    falling = tuple(Predicate(Operand("t", c), o, Operand("s", c)) for c, o in zip(names, operators, strict=False))
    connection = CONNECTION.cursor()
    rows = pa.table({"earlier": [1, 2, 3], "Later": [1, 3, 2], "earlier_": [9, 9, 9], "_row_id": [0, 1, 2]})
    connection.register("named", rows)
    query = violating_rows(DenialConstraint("named", falling), {"named": schema}, NullSemantics.SQL)
    assert sorted(connection.execute(query.sql("duckdb")).fetchall()) == [(2, 3, 1), (3, 2, 2)]


def test_equalities_come_first_in_a_join():
    dc = DenialConstraint("r", tuple(predicate(p) for p in ("t.a < s.b", "t.f < s.f", "t.b > s.b", "t.s = s.s")))
    condition = violating_rows(dc, SCHEMAS, NullSemantics.SQL).sql("spark").split("EXISTS")[1]
    assert condition.index("t.`s` = s_1.`s`") < condition.index("t.`a` < s_1.`b`")  # s is a column here


def test_what_sql_cannot_compare_exactly_is_refused():
    decimal = Column("d", LogicalType.DECIMAL, ordered=True, precision=38, scale=20)
    schema = TableSchema("r", (*SCHEMA.columns, decimal))
    for other, why in (("f", "round"), ("a", "38 digits"), ("s", "classes")):
        dc = DenialConstraint("r", (Predicate(Operand("t", "d"), Operator.EQ, Operand("s", other)),))
        with pytest.raises(InexpressibleError, match=why):
            violating_rows(dc, {"r": schema}, NullSemantics.SQL)


def test_braces_are_doubled_for_gx_and_the_batch_is_not_quoted():
    hostile = "we{ird}`\"'\n{batch}"
    schema = TableSchema("r", (Column(hostile, LogicalType.STRING, ordered=False),))
    ucc = UniqueColumnCombination(ColumnList("r", (hostile,)))
    query = gx_query(violating_rows(ucc, {"r": schema}, NullSemantics.SQL), ucc, {"r": schema})
    filled = query.format(batch="tmp_view")
    assert "`we{ird}``\"'\n{batch}`" in filled
    assert filled.count("tmp_view") == query.count("{batch} AS") == 2


def predicate(text):
    left, op, right = text.split()
    return Predicate(
        Operand(*left.split(".")), Operator({"<": "<", ">": ">", "=": "="}[op]), Operand(*right.split("."))
    )


def test_rows_with_redacted_columns_are_found_and_show_no_value():
    rows = [{"a": 1, "b": 2, "f": None, "s": "secret"}, {"a": 1, "b": 2, "f": None, "s": None}]
    connection = database(rows)
    key = UniqueColumnCombination(ColumnList("r", ("a", "b")))
    query = violating_rows(key, SCHEMAS, NullSemantics.SQL)
    assert without_values(query, {"f"}) is query
    shown = connection.execute(without_values(query, {"b", "s"}).sql("duckdb")).fetchall()
    assert sorted(shown, key=lambda row: row[-1]) == [(1, "•••", "•••", 0), (1, "•••", None, 1)]
    text = without_values(query, {"a", "b"}).sql("spark")
    setting = Setting("d", SCHEMAS, NullSemantics.SQL, redacted=frozenset({"b"}))
    assert expectation(key, setting, {})["type"] == "unexpected_rows_expectation"
    assert expectation(key, replace(setting, redacted=frozenset({"s"})), {})["type"] != "unexpected_rows_expectation"
    assert "•••" in text
