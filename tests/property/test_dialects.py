"""The same constraint in each dialect finds the same rows: those of the semantics, in a person's own tables.

Tables there have no ``_row_id``; a key that no constraint speaks of tells which rows were found. DuckDB and PostgreSQL
are run; Snowflake's SQL is only held to the grammar, since there is none to run it on.
"""

import re

import duckdb
import hypothesis.strategies as st
import psycopg
import pytest
import sqlglot
from databases.catalogs import server
from helpers import relation
from helpers.examples import examples
from helpers.relation import DCS, FDS, NULLS, ORDER_DEPENDENCIES, OTHERS, UCCS, involved
from hypothesis import given, settings
from oracle import predicates as naive

from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.kinds.denial import scans_pairs
from profiling_core.emit.sql import only_beyond, population, violating_rows, violation_count
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    as_denial_constraint,
)
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import ORDERED, Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.validate.duckdb_sql import in_duckdb


def predicate(left, op, right):
    return Predicate(Operand("t", left), Operator(op), Operand("s", right))


COLUMNS = (
    *relation.SCHEMA.columns,
    Column("o", LogicalType.STRING, ordered=True),
    Column("z", LogicalType.BOOLEAN, ordered=False),
    Column("w", LogicalType.BINARY, ordered=False),
    Column("id", LogicalType.INTEGER, ordered=True, profiled=False),
)
SCHEMAS = {"r": TableSchema("r", COLUMNS, key=("id",)), "o": relation.OTHER}
# by their bytes "B" < "a" < "b" < "Á", by the rules of most languages not
ORDERED_TEXTS = st.sampled_from([None, "a", "B", "b", "Á"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "a": relation.INTEGERS,
            "b": relation.INTEGERS,
            "f": relation.FLOATS,
            "s": relation.TEXTS,
            "o": ORDERED_TEXTS,
            "z": st.sampled_from([None, False, True]),
            "w": st.sampled_from([None, b"", b"\x00\xff"]),
        }
    ),
    max_size=6,
)
TEXT_ORDERS = st.tuples(st.sampled_from(ORDERED), st.sampled_from(ORDERED)).map(
    lambda ops: DenialConstraint(
        "r", (Predicate(Operand("t", "o"), ops[0], Operand("s", "o")), predicate("a", ops[1], "b"))
    )
)


def _by_groups(equal, by, then, alone):
    by = [p for p in by if p.left.column != then.left.column]
    return DenialConstraint("r", (*equal, *by, then, *alone))


OPERATORS = st.sampled_from(list(Operator)[1:])
BY_GROUPS = st.builds(
    _by_groups,
    st.sampled_from([(), (Predicate(Operand("t", "s"), Operator.EQ, Operand("s", "s")),)]),
    st.sampled_from(ORDERED)
    .filter(lambda o: o not in (Operator.EQ, Operator.NE))
    .map(lambda o: [predicate("a", o, "a")])
    | st.just([]),
    st.tuples(st.sampled_from(["aa", "ab", "af", "bb", "bf", "ff", "fb", "ss", "oo"]), OPERATORS)
    .filter(lambda p: p[0] != "ss" or p[1] is Operator.NE)
    .map(lambda p: predicate(p[0][0], p[1], p[0][1])),
    st.sampled_from([(), (Predicate(Operand("t", "a"), Operator.LE, Operand("t", "b")),)]),
)
TWO_THAT_DIFFER = st.sampled_from(["ab", "fs", "zo", "wa"]).map(
    lambda pair: DenialConstraint(
        "r",
        (
            Predicate(Operand("t", "s"), Operator.EQ, Operand("s", "s")),
            *(predicate(c, Operator.NE, c) for c in pair if c != "s"),
        ),
    )
)
OF_OTHER_TYPES = st.sampled_from(
    [FunctionalDependency(ColumnList("r", (x,)), ColumnList("r", (y,))) for x, y in ("az", "za", "aw", "zw", "wo")]
)
CONSTRAINTS = st.one_of(
    DCS,
    ORDER_DEPENDENCIES,
    FDS.filter(lambda fd: fd.rhs.columns[0] not in fd.lhs.columns),
    UCCS.filter(lambda u: u.columns),
    TEXT_ORDERS,
    OF_OTHER_TYPES,
    BY_GROUPS,
    TWO_THAT_DIFFER,
)


RULES = [
    *(ColumnRule("r", column, Rule.NOT_NULL) for column in "afsozw"),
    ColumnRule("r", "a", Rule.VALUES, values=("0", str(2**53 + 1))),
    ColumnRule("r", "s", Rule.VALUES, values=("x", "{batch}")),
    ColumnRule("r", "a", Rule.RANGE, "1", "2"),
    ColumnRule("r", "f", Rule.RANGE, "0.0", "1.5"),
    ColumnRule("r", "f", Rule.RANGE, None, "1.0"),
    ColumnRule("r", "s", Rule.LENGTH, "2", "7"),
    ColumnRule("r", "a", Rule.NULL_WITH, others=("f", "s")),
    ColumnRule("r", "f", Rule.NULL_WITH, others=("a",)),
    ColumnRule("r", "a", Rule.AT_MOST, others=("b",)),
    ColumnRule("r", "s", Rule.PATTERN, values=("{a}", "-")),
]


class Database:
    """One of the databases, with the two tables; ``fill`` replaces their rows."""

    def __init__(self, dialect, connection, types, mark):
        self.dialect, self._connection, self._mark = dialect, connection, mark
        columns = ", ".join(f"{c.name} {types[c.type]}" for c in COLUMNS)
        self._run(f"CREATE TEMP TABLE r ({columns.replace('o TEXT', types['ordered text'])})")
        self._run(f"CREATE TEMP TABLE o (x {types[LogicalType.FLOAT]}, y TEXT)")

    def _run(self, query, values=()):
        return self._connection.execute(query, values) if values else self._connection.execute(query)

    def fill(self, rows, others=()):
        for table, given_rows in (("r", [row | {"id": i} for i, row in enumerate(rows)]), ("o", others)):
            self._run(f"DELETE FROM {table}")
            for row in given_rows:
                marks = ", ".join([self._mark] * len(row))
                self._run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))

    def answer(self, query):
        """The query's rows, their columns in order."""
        return self._run(sql_text(query, SCHEMAS, self.dialect)).fetchall()

    def found(self, constraint, nulls):
        return sorted(row[-1] for row in self.answer(violating_rows(constraint, SCHEMAS, nulls)))


TYPES = {LogicalType.INTEGER: "BIGINT", LogicalType.STRING: "TEXT", LogicalType.BOOLEAN: "BOOLEAN"}


def _duckdb(_config):
    types = {LogicalType.FLOAT: "DOUBLE", LogicalType.BINARY: "BLOB", "ordered text": "o TEXT"}
    return Database(Dialect.DUCKDB, duckdb.connect(), TYPES | types, "?")


class ValidatedByDuckDB(Database):
    """DuckDB, asked in Spark's SQL, as suites ask small tables."""

    def _run(self, query, values=()):
        return super()._run(in_duckdb(query) if query.startswith(("SELECT", "WITH")) else query, values)


def _validated(_config):
    types = {LogicalType.FLOAT: "DOUBLE", LogicalType.BINARY: "BLOB", "ordered text": "o TEXT"}
    return ValidatedByDuckDB(Dialect.SPARK, duckdb.connect(), TYPES | types, "?")


def _postgres(config):
    types = {
        LogicalType.FLOAT: "DOUBLE PRECISION",
        LogicalType.BINARY: "BYTEA",
        "ordered text": 'o TEXT COLLATE "en-x-icu"',
    }
    connection = psycopg.connect(server(config).new_database(), autocommit=True)
    config.add_cleanup(connection.close)
    return Database(Dialect.POSTGRES, connection, TYPES | types, "%s")


@pytest.fixture(
    scope="module",
    params=[_duckdb, _validated, pytest.param(_postgres, marks=pytest.mark.postgres)],
    ids=["duckdb", "validated", "postgres"],
)
def database(request):
    return request.param(request.config)


@settings(deadline=None, max_examples=examples(250))
@given(CONSTRAINTS, ROWS, NULLS)
def test_the_rows_and_counts_are_those_of_the_semantics(database, constraint, rows, nulls):
    database.fill(rows)
    dc = as_denial_constraint(constraint)
    assert database.found(constraint, nulls) == involved(dc, rows, nulls)
    if dc.is_single_row and len(rows) == 1:
        return  # a table of one row has no pairs, so nothing violates anything there; SQL still tells of the row
    violations, among = naive.violations(dc, rows, nulls)
    assert database.answer(violation_count(constraint, SCHEMAS, nulls)) == [(violations,)]
    assert database.answer(population(constraint, SCHEMAS)) == [(among,)]


BETWEEN = [
    ("t.s = s.s", "t.f < s.f"),
    ("t.s = s.s", "t.a ≤ s.a", "t.f ≠ s.f"),
    ("t.s = s.s", "t.a < s.a", "t.a > s.b"),
    ("t.a < s.a", "t.b ≥ t.a"),
    ("t.s = s.s", "t.a ≠ s.a", "t.b ≠ s.b"),
    ("t.a ≤ s.a", "t.b ≥ s.b"),
    ("t.s = s.s", "t.a ≥ s.a", "t.f ≥ s.f"),
]


@pytest.mark.parametrize("texts", BETWEEN, ids=" ".join)
def test_no_row_asks_for_a_partner_of_its_own(database, texts):
    dc = DenialConstraint("r", tuple(relation_predicate(text) for text in texts))
    sql = sql_text(violating_rows(dc, SCHEMAS, NullSemantics.SQL), SCHEMAS, database.dialect)
    assert "EXISTS" not in sql
    assert not scans_pairs(dc, SCHEMAS, NullSemantics.SQL)


def relation_predicate(text):
    left, op, right = text.split()
    return Predicate(Operand(*left.split(".")), Operator(op), Operand(*right.split(".")))


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from([("a", "x"), ("f", "x"), ("s", "y"), ("fs", "xy"), ("sa", "yx")]), ROWS, OTHERS, NULLS)
def test_inclusions_of_one_and_of_several_columns(database, columns, rows, others, nulls):
    left, right = columns
    ind = InclusionDependency(ColumnList("r", tuple(left)), ColumnList("o", tuple(right)))
    database.fill(rows, others)

    def combinations(of, names):
        found = [tuple(naive.plain(row[name]) for name in names) for row in of]
        return [None if None in values else values for values in found]

    there, own = set(combinations(others, right)) - {None}, combinations(rows, left)
    assert database.found(ind, nulls) == [i for i, value in enumerate(own) if value and value not in there]
    assert database.answer(violation_count(ind, SCHEMAS, nulls)) == [(len(set(own) - there - {None}),)]
    assert database.answer(population(ind, SCHEMAS)) == [(len(set(own) - {None}),)]


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from(RULES), ROWS)
def test_rules_of_single_columns(database, rule, rows):
    database.fill(rows)
    values = [naive.plain(row[rule.column]) for row in rows]
    broken = [i for i, value in enumerate(values) if not obeys(value, rule)]
    if rule.rule is Rule.NULL_WITH:
        there = [any(naive.plain(row[name]) is not None for name in rule.others) for row in rows]
        broken = [i for i, value in enumerate(values) if value is None and there[i]]
    if rule.rule is Rule.AT_MOST:
        beside = [naive.plain(row[rule.others[0]]) for row in rows]
        broken = [
            i for i, (v, other) in enumerate(zip(values, beside, strict=True)) if None not in (v, other) and v > other
        ]
    assert database.found(rule, NullSemantics.SQL) == broken
    assert database.answer(violation_count(rule, SCHEMAS, NullSemantics.SQL)) == [(len(broken),)]
    judged = [value for value in values if (value is None) == (rule.rule is Rule.NULL_WITH)]
    judged = values if rule.rule is Rule.NOT_NULL else judged
    assert database.answer(population(rule, SCHEMAS)) == [(len(judged),)]


def test_a_final_line_break_belongs_to_the_text(database):
    database.fill([{"s": "-"}, {"s": "-\n"}, {"s": "{b}\n"}, {"s": None}])
    assert database.found(RULES[-1], NullSemantics.SQL) == [1, 2]


def obeys(value, rule):
    """Whether a value obeys a rule; a null violates NOT_NULL alone. "a" stands for small letters, "-" for itself."""
    if value is None or rule.rule is Rule.NOT_NULL:
        return value is not None or rule.rule is not Rule.NOT_NULL
    if rule.rule is Rule.VALUES:
        return str(value) in rule.values
    if rule.rule is Rule.PATTERN:
        return re.fullmatch(r"\{[a-z]+\}|-", value) is not None
    measure = len(value) if rule.rule is Rule.LENGTH else value
    return float(rule.low or "-inf") <= measure <= float(rule.high or "inf")


@pytest.mark.parametrize(("tolerance", "rows_found"), [(0.1, 4), (0.34, 0)])
def test_a_tolerated_error_hides_the_rows_until_it_is_exceeded(database, tolerance, rows_found):
    database.fill([{"a": i // 2, "b": i} for i in range(4)])
    fd = FunctionalDependency(ColumnList("r", ("a",)), ColumnList("r", ("b",)))
    query = violating_rows(fd, SCHEMAS, NullSemantics.SQL)
    query = only_beyond(query, tolerance, fd, SCHEMAS, NullSemantics.SQL)  # 4 of 12 pairs
    assert len(database.answer(query)) == rows_found


@settings(deadline=None, max_examples=examples(100))
@given(CONSTRAINTS, NULLS)
def test_every_dialect_is_one_statement_of_its_grammar(constraint, nulls):
    for dialect in Dialect:
        for query in (violating_rows(constraint, SCHEMAS, nulls), violation_count(constraint, SCHEMAS, nulls)):
            text = sql_text(query, SCHEMAS, dialect)
            (parsed,) = sqlglot.parse(text, dialect=dialect.value)
            assert isinstance(parsed, sqlglot.exp.Select)
            assert sqlglot.parse_one(parsed.sql(dialect.value), dialect=dialect.value) == parsed
            assert "ROW_NUMBER" in text or "_row_id" not in text
