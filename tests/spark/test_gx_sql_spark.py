"""Constraints as SQL on Spark: the rows that the semantics define, whatever columns and values are called."""

import itertools

import pyarrow as pa
import pytest
from oracle import predicates as naive

from profiling_core.emit.sql import violating_rows, violation_count
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

pytestmark = pytest.mark.spark

TEXT, NUMBER, REAL = "a`b\"'{batch}\n${env:HOME}<b>é", "n.1", "f\\x"
SCHEMA = TableSchema(
    "hostile-table.1",
    (
        Column(TEXT, LogicalType.STRING, ordered=False),
        Column(NUMBER, LogicalType.INTEGER, ordered=True),
        Column(REAL, LogicalType.FLOAT, ordered=True),
        Column("d", LogicalType.DECIMAL, ordered=True, precision=20, scale=2),
    ),
    key=(TEXT,),
)
OTHER = TableSchema("other {batch}", (Column("v", LogicalType.STRING, ordered=False),))
SCHEMAS = {SCHEMA.table: SCHEMA, OTHER.table: OTHER}
BIG = 2**53
ROWS = [
    dict(zip((TEXT, NUMBER, REAL, "d"), values, strict=True))
    for values in (
        ("<script>", 1, 1.0, 1),
        ("<script>", 1, -0.0, 2),
        ("'; drop table x; --", BIG + 1, float(BIG), 3),
        ("'; drop table x; --", BIG, 0.0, 3),
        (None, 2, float("nan"), None),
        (None, 2, 1.5, 4),
        ("{batch}", None, 2.0**63, 5),
        ("\\u0041", 2**63 - 1, None, 5),
    )
]


def predicate(left, op, right, row="s"):
    return Predicate(Operand("t", left), Operator(op), Operand(row, right))


def of(*columns):
    return ColumnList(SCHEMA.table, columns)


CONSTRAINTS = {
    "fd": FunctionalDependency(of(TEXT), of(NUMBER)),
    "fd of floats": FunctionalDependency(of(REAL), of("d")),
    "constant": FunctionalDependency(of(), of(TEXT)),
    "ucc": UniqueColumnCombination(of(TEXT, NUMBER)),
    "ucc of floats": UniqueColumnCombination(of(REAL)),
    "order": DenialConstraint(SCHEMA.table, (predicate(NUMBER, "<", NUMBER), predicate("d", "≥", "d"))),
    "order in groups": DenialConstraint(
        SCHEMA.table, (predicate(TEXT, "=", TEXT), predicate(NUMBER, "≤", NUMBER), predicate("d", ">", "d"))
    ),
    "across types": DenialConstraint(SCHEMA.table, (predicate(NUMBER, "=", REAL),)),
    "across types, less": DenialConstraint(SCHEMA.table, (predicate(NUMBER, "<", REAL), predicate("d", "≠", "d"))),
    "one row": DenialConstraint(SCHEMA.table, (predicate(NUMBER, "≥", REAL, "t"),)),
    "decimal and integer": DenialConstraint(SCHEMA.table, (predicate(NUMBER, "≤", "d", "t"),)),
}


@pytest.fixture(scope="module")
def views(spark):
    kept = spark.conf.get("spark.sql.variable.substitute")
    spark.conf.set("spark.sql.variable.substitute", "false")
    types = [(TEXT, pa.string()), (NUMBER, pa.int64()), (REAL, pa.float64()), ("d", pa.decimal128(20, 2))]
    table = pa.Table.from_pylist(ROWS, schema=pa.schema(types)).append_column("_row_id", pa.array(range(len(ROWS))))
    spark.createDataFrame(table).createOrReplaceTempView(f"`{SCHEMA.table}`")
    other = pa.table({"v": ["<script>", "{batch}", None], "_row_id": [0, 1, 2]})
    spark.createDataFrame(other).createOrReplaceTempView(f"`{OTHER.table}`")
    yield spark
    for name in SCHEMAS:
        spark.catalog.dropTempView(name)
    spark.conf.set("spark.sql.variable.substitute", kept)


def ids(spark, query):
    return sorted(row["_row_id"] for row in spark.sql(query.sql("spark")).collect())


def involved(dc, nulls):
    def violates(t, s):
        return all(naive.holds(p, ROWS[t], ROWS[s], nulls) for p in dc.predicates)

    if dc.is_single_row:
        return [i for i in range(len(ROWS)) if violates(i, i)]
    pairs = [(t, s) for t, s in itertools.permutations(range(len(ROWS)), 2) if violates(t, s)]
    return sorted({row for pair in pairs for row in pair})


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_rows_and_counts_are_those_of_the_semantics(views, name, nulls):
    constraint = CONSTRAINTS[name]
    dc = as_denial_constraint(constraint)
    assert ids(views, violating_rows(constraint, SCHEMAS, nulls)) == involved(dc, nulls)
    counted = views.sql(violation_count(constraint, SCHEMAS, nulls).sql("spark")).collect()[0][0]
    assert counted == naive.violations(dc, ROWS, nulls)[0]


def test_an_inclusion_leaves_nulls_alone(views):
    ind = InclusionDependency(of(TEXT), ColumnList(OTHER.table, ("v",)))
    assert ids(views, violating_rows(ind, SCHEMAS, NullSemantics.SQL)) == [2, 3, 7]
    assert views.sql(violation_count(ind, SCHEMAS, NullSemantics.SQL).sql("spark")).collect()[0][0] == 2


@pytest.mark.parametrize("name", ["fd", "ucc", "order", "order in groups"])
def test_no_plan_compares_every_pair(views, name):
    query = violating_rows(CONSTRAINTS[name], SCHEMAS, NullSemantics.SQL)
    plan = views.sql(query.sql("spark"))._jdf.queryExecution().executedPlan().toString()
    assert "NestedLoop" not in plan
    assert "Cartesian" not in plan
