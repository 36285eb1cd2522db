"""Rules of rows, along references and along sequences in SQL find the rows, and count what the oracles count."""

import random
from collections.abc import Mapping

import duckdb
import psycopg
import pyarrow as pa
import pytest
from databases.catalogs import server
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import conditionals as conditional_oracle
from oracle import equations as equation_oracle
from oracle import predicates as predicate_oracle
from oracle import references as reference_oracle
from oracle import sequences as sequence_oracle
from test_conditionals_equal_oracle import TYPES as CONDITIONAL_TYPES
from test_conditionals_equal_oracle import some_row as conditional_row
from test_conditionals_equal_oracle import some_rule as some_conditional
from test_equations_equal_oracle import TYPES as EQUATION_TYPES
from test_equations_equal_oracle import fulfilled, some_equation
from test_equations_equal_oracle import some_row as equation_row
from test_references_equal_oracle import TYPES as REFERENCE_TYPES
from test_references_equal_oracle import some_row as reference_row
from test_references_equal_oracle import some_rule as some_reference
from test_references_equal_oracle import some_rule_on_the_way
from test_sequences_equal_oracle import some_rule as some_sequence

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.setting import Setting
from profiling_core.emit.sql import population, violating_rows, violation_count
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.types import NullSemantics
from profiling_core.validate.duckdb_sql import add_java_functions, in_duckdb


class DuckDB:
    """Arrow tables as they are."""

    dialect = Dialect.DUCKDB

    def __init__(self, _request: pytest.FixtureRequest) -> None:
        self._connection = duckdb.connect()

    def fill(self, tables: Mapping[str, pa.Table]) -> None:
        for name, table in tables.items():
            self._connection.register(name, table)

    def answer(self, query: str) -> list[tuple]:
        return self._connection.execute(query).fetchall()


class ValidatedByDuckDB(DuckDB):
    """Arrow tables as they are, asked in Spark's SQL, as suites ask small tables."""

    dialect = Dialect.SPARK

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        add_java_functions(self._connection)

    def answer(self, query: str) -> list[tuple]:
        return super().answer(in_duckdb(query))


class PostgreSQL:
    """Tables that are made anew each time."""

    dialect = Dialect.POSTGRES

    def __init__(self, request: pytest.FixtureRequest) -> None:
        config = request.config
        self._connection = psycopg.connect(server(config).new_database(), autocommit=True, options="-c TimeZone=UTC")
        config.add_cleanup(self._connection.close)

    def fill(self, tables: Mapping[str, pa.Table]) -> None:
        for name, table in tables.items():
            columns = ", ".join(f"{field.name} {_postgres_type(field.type)}" for field in table.schema)
            self._connection.execute(f"DROP TABLE IF EXISTS {name}")
            self._connection.execute(f"CREATE TEMP TABLE {name} ({columns})")
            with self._connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))

    def answer(self, query: str) -> list[tuple]:
        return self._connection.execute(query).fetchall()


class SparkSQL:
    """Views of Arrow tables."""

    dialect = Dialect.SPARK

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._session = request.getfixturevalue("spark")

    def fill(self, tables: Mapping[str, pa.Table]) -> None:
        for name, table in tables.items():
            self._session.createDataFrame(table).createOrReplaceTempView(name)

    def answer(self, query: str) -> list[tuple]:
        return self._session.sql(query).collect()


def _postgres_type(type_: pa.DataType) -> str:
    if pa.types.is_decimal(type_):
        return f"NUMERIC({type_.precision}, {type_.scale})"
    kinds = {"int64": "BIGINT", "double": "DOUBLE PRECISION", "bool": "BOOLEAN", "date32[day]": "DATE"}
    return kinds.get(str(type_), "TEXT" if pa.types.is_string(type_) else "TIMESTAMPTZ")


DATABASES = [
    DuckDB,
    ValidatedByDuckDB,
    pytest.param(PostgreSQL, marks=pytest.mark.postgres),
    pytest.param(SparkSQL, marks=[pytest.mark.spark, pytest.mark.long]),
]


@pytest.fixture(scope="module", params=DATABASES)
def database(request):
    return request.param(request)


def answers(database, constraint, tables: dict[str, pa.Table]) -> tuple[int, int, int] | None:
    """Rows found, violations and population, by a database; None where SQL cannot say it exactly."""
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    setting = Setting("d", schemas, NullSemantics.SQL, dialect=database.dialect)
    if form_of(constraint).refusal(constraint, setting):
        return None
    database.fill(tables)
    try:
        queries = [make(constraint, schemas, NullSemantics.SQL) for make in (violating_rows, violation_count)]
    except InexpressibleError:
        return None
    texts = [sql_text(query, schemas, database.dialect) for query in (*queries, population(constraint, schemas))]
    try:
        rows, violations, judged = map(database.answer, texts)
    except psycopg.errors.NumericValueOutOfRange:
        return None  # PostgreSQL answers nothing where a double is beyond 1.8e308, as that of 1e300 · 10⁹ would be
    return len(rows), violations[0][0], judged[0][0]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_equations(database, seed: int):
    rng = random.Random(seed)
    equation = some_equation(rng)
    rows = [fulfilled(rng, equation, equation_row(rng)) for _ in range(rng.randint(1, 6))]
    found = answers(database, equation, {"t": pa.Table.from_pylist(rows, schema=EQUATION_TYPES)})
    if found is not None:
        judged, violating = equation_oracle.figures(equation, rows)
        assert found == (violating, violating, judged)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_conditional_rules(database, seed: int):
    rng = random.Random(seed)
    rule = some_conditional(rng)
    rows = [conditional_row(rng) for _ in range(rng.randint(1, 8))]
    found = answers(database, rule, {"t": pa.Table.from_pylist(rows, schema=CONDITIONAL_TYPES)})
    if found is not None:
        judged, violating, _ = conditional_oracle.figures(rule, rows)
        assert found == (violating, violating, judged)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(60), deadline=None)
def test_orders_by_the_day(database, seed: int):
    rng = random.Random(seed)
    sides = [Operand("t", "m", by_day=True), Operand("t", "p")]
    rng.shuffle(sides)
    op = rng.choice([Operator.LT, Operator.LE, Operator.GT, Operator.GE])
    rule = DenialConstraint("t", (Predicate(sides[0], op, sides[1]),))
    rows = [reference_row(rng) for _ in range(rng.randint(2, 8))]
    found = answers(database, rule, {"t": pa.Table.from_pylist(rows, schema=REFERENCE_TYPES)})
    violating, judged = predicate_oracle.violations(rule, rows, NullSemantics.SQL)
    assert found == (violating, violating, judged)


def check_pairs(found, judged, violating) -> None:
    """A row may violate a rule with several others, so rows are at most as many as violations."""
    assert found[1:] == (violating, judged)
    assert found[0] <= violating
    assert bool(found[0]) == bool(violating)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_rules_along_references(database, seed: int):
    rng = random.Random(seed)
    rule = some_reference(rng)
    sides = [[reference_row(rng) for _ in range(rng.randint(0, 5))] for _ in range(2)]
    tables = {n: pa.Table.from_pylist(rows, schema=REFERENCE_TYPES) for n, rows in zip("cq", sides, strict=True)}
    found = answers(database, rule, tables)
    if found is not None:
        check_pairs(found, *reference_oracle.figures(rule, *sides))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_rules_along_two_references(database, seed: int):
    rng = random.Random(seed)
    rule = some_rule_on_the_way(rng)
    rows = [[reference_row(rng) for _ in range(rng.randint(0, 5))] for _ in range(3)]
    tables = {n: pa.Table.from_pylist(one, schema=REFERENCE_TYPES) for n, one in zip("cqw", rows, strict=True)}
    found = answers(database, rule, tables)
    if found is not None:
        check_pairs(found, *reference_oracle.figures(rule, *rows))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_rules_along_sequences(database, seed: int):
    rng = random.Random(seed)
    rule = some_sequence(rng)
    rows = [reference_row(rng) for _ in range(rng.randint(0, 8))]
    found = answers(database, rule, {"c": pa.Table.from_pylist(rows, schema=REFERENCE_TYPES)})
    if found is not None:
        check_pairs(found, *sequence_oracle.figures(rule, rows))
