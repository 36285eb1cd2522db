"""Constraints as SQL on Spark: the rows that the semantics define, whatever columns and values are called."""

import pyarrow as pa
import pytest
from helpers.constraints import table_schema
from helpers.relation import involved
from oracle import predicates as naive

from profiling_core.emit.built_in import built_in
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.kinds.denial import scans_pairs
from profiling_core.emit.setting import Setting
from profiling_core.emit.sql import only_beyond, violating_rows, violation_count
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
    as_denial_constraint,
)
from profiling_core.model.kinds.column import ColumnRule, Rule
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
OTHER = table_schema("other {batch}", "v string, n integer")
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

JOIN = DenialConstraint(
    SCHEMA.table, (predicate("d", "<", "d"), predicate(TEXT, "=", TEXT), predicate(NUMBER, "≠", NUMBER))
)
INCLUSION = InclusionDependency(of(TEXT, NUMBER), ColumnList(OTHER.table, ("v", "n")))


@pytest.fixture(scope="module")
def views(spark):
    kept = spark.conf.get("spark.sql.variable.substitute")
    spark.conf.set("spark.sql.variable.substitute", "false")
    types = [(TEXT, pa.string()), (NUMBER, pa.int64()), (REAL, pa.float64()), ("d", pa.decimal128(20, 2))]
    table = pa.Table.from_pylist(ROWS, schema=pa.schema(types)).append_column("_row_id", pa.array(range(len(ROWS))))
    spark.createDataFrame(table).createOrReplaceTempView(f"`{SCHEMA.table}`")
    other = pa.table({"v": ["<script>", "{batch}", None], "n": [1, 1, 2], "_row_id": [0, 1, 2]})
    spark.createDataFrame(other).createOrReplaceTempView(f"`{OTHER.table}`")
    yield spark
    for name in SCHEMAS:
        spark.catalog.dropTempView(name)
    spark.conf.set("spark.sql.variable.substitute", kept)


def ids(spark, query):
    return sorted(row["_row_id"] for row in spark.sql(query.sql("spark")).collect())


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_rows_and_counts_are_those_of_the_semantics(views, name, nulls):
    constraint = CONSTRAINTS[name]
    dc = as_denial_constraint(constraint)
    assert ids(views, violating_rows(constraint, SCHEMAS, nulls)) == involved(dc, ROWS, nulls)
    counted = views.sql(violation_count(constraint, SCHEMAS, nulls).sql("spark")).collect()[0][0]
    assert counted == naive.violations(dc, ROWS, nulls)[0]


def test_an_inclusion_leaves_nulls_alone(views):
    ind = InclusionDependency(of(TEXT), ColumnList(OTHER.table, ("v",)))
    assert ids(views, violating_rows(ind, SCHEMAS, NullSemantics.SQL)) == [2, 3, 7]
    assert views.sql(violation_count(ind, SCHEMAS, NullSemantics.SQL).sql("spark")).collect()[0][0] == 2


# One comparison of "order" is not strict and so holds between nulls where they are equal: sorting does not decide that.
SORTED = ["fd", "ucc", "order in groups", "join", "inclusion", "tolerated"]


@pytest.mark.parametrize(
    ("name", "nulls"), [("order", NullSemantics.SQL), *((name, nulls) for name in SORTED for nulls in NullSemantics)]
)
def test_no_plan_compares_every_pair(views, name, nulls):
    kinds = {**CONSTRAINTS, "join": JOIN, "inclusion": INCLUSION, "tolerated": CONSTRAINTS["fd"]}
    query = violating_rows(kinds[name], SCHEMAS, nulls)
    if name == "tolerated":
        query = only_beyond(query, 0.1, kinds[name], SCHEMAS, nulls)
    assert not compares_all_pairs(views, query)


def test_a_plan_that_compares_every_pair_is_told(views):
    without_equality = DenialConstraint(SCHEMA.table, (predicate(NUMBER, "<", "d"), predicate("d", "≠", "d")))
    assert compares_all_pairs(views, violating_rows(without_equality, SCHEMAS, NullSemantics.SQL))
    assert scans_pairs(without_equality, SCHEMAS, NullSemantics.SQL)
    assert not scans_pairs(JOIN, SCHEMAS, NullSemantics.SQL)


def compares_all_pairs(spark, query):
    plan = spark.sql(query.sql("spark"))._jdf.queryExecution().executedPlan().toString()
    return "NestedLoop" in plan or "Cartesian" in plan


def test_a_final_line_break_belongs_to_the_text(spark):
    schema = TableSchema("codes", (Column("code", LogicalType.STRING, ordered=False),))
    rule = ColumnRule("codes", "code", Rule.PATTERN, values=("A9", "9.9"))
    rows = [("AB12",), ("AB12\n",), ("AB12\r\n",), ("1.5",), ("1x5",), (None,)]
    codes = spark.createDataFrame(rows, "code string")
    codes.createOrReplaceTempView("codes")
    query = sql_text(violation_count(rule, {"codes": schema}, NullSemantics.SQL), {"codes": schema}, Dialect.SPARK)
    assert spark.sql(query).collect()[0][0] == 3
    name, kwargs = built_in(rule, Setting("shop", {"codes": schema}, NullSemantics.SQL))
    assert name == "expect_column_values_to_match_regex"
    assert codes.where(codes.code.rlike(kwargs["regex"])).count() == 2
    spark.catalog.dropTempView("codes")
