"""The SQL of a constraint finds exactly the rows, and counts exactly the violations, that the semantics define.

Run in DuckDB, in-process and fast, so that hypothesis can try many tables; test_gx_sql_spark.py does the same on Spark.
"""

from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest
from helpers.relation import SCHEMA, SCHEMAS

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import gx_query
from profiling_core.emit.expectations import expectation
from profiling_core.emit.running_extremes import order_dependency
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import without_values
from profiling_core.emit.sql import violating_rows, violation_count
from profiling_core.model.constraint import ColumnList, DenialConstraint, UniqueColumnCombination
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


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_empty_combination_is_unique_in_at_most_one_row(count, nulls):
    connection = database([{"a": 1, "b": 1, "f": None, "s": "x"}] * count)
    empty = UniqueColumnCombination(ColumnList("r", ()))
    assert len(found(connection, violating_rows(empty, SCHEMAS, nulls))) == (2 if count == 2 else 0)
    assert number(connection, violation_count(empty, SCHEMAS, nulls)) == (2 if count == 2 else 0)


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
