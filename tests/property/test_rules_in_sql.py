"""Equations, conditional rules and rules along references in SQL find the rows, and count what the oracles count."""

import random

import duckdb
import pyarrow as pa
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import conditionals as conditional_oracle
from oracle import equations as equation_oracle
from oracle import references as reference_oracle
from test_conditionals_equal_oracle import TYPES as CONDITIONAL_TYPES
from test_conditionals_equal_oracle import some_row as conditional_row
from test_conditionals_equal_oracle import some_rule as some_conditional
from test_equations_equal_oracle import TYPES as EQUATION_TYPES
from test_equations_equal_oracle import fulfilled, some_equation
from test_equations_equal_oracle import some_row as equation_row
from test_references_equal_oracle import TYPES as REFERENCE_TYPES
from test_references_equal_oracle import some_row as reference_row
from test_references_equal_oracle import some_rule as some_reference

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.setting import Setting
from profiling_core.emit.sql import population, violating_rows, violation_count
from profiling_core.ingest.infer import schema_of
from profiling_core.model.types import NullSemantics

DUCKDB = duckdb.connect()


def answers(constraint, tables: dict[str, pa.Table]) -> tuple[int, int, int] | None:
    """Rows found, violations and population, by DuckDB; None where SQL cannot say it exactly."""
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    setting = Setting("d", schemas, NullSemantics.SQL, dialect=Dialect.DUCKDB)
    if form_of(constraint).refusal(constraint, setting):
        return None
    for name, table in tables.items():
        DUCKDB.register(name, table)
    try:
        queries = [make(constraint, schemas, NullSemantics.SQL) for make in (violating_rows, violation_count)]
    except InexpressibleError:
        return None
    rows, violations, judged = (
        DUCKDB.execute(sql_text(query, schemas, Dialect.DUCKDB)).fetchall()
        for query in (*queries, population(constraint, schemas))
    )
    return len(rows), violations[0][0], judged[0][0]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_equations(seed: int):
    rng = random.Random(seed)
    equation = some_equation(rng)
    rows = [fulfilled(rng, equation, equation_row(rng)) for _ in range(rng.randint(1, 6))]
    found = answers(equation, {"t": pa.Table.from_pylist(rows, schema=EQUATION_TYPES)})
    if found is not None:
        judged, violating = equation_oracle.figures(equation, rows)
        assert found == (violating, violating, judged)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_conditional_rules(seed: int):
    rng = random.Random(seed)
    rule = some_conditional(rng)
    rows = [conditional_row(rng) for _ in range(rng.randint(1, 8))]
    found = answers(rule, {"t": pa.Table.from_pylist(rows, schema=CONDITIONAL_TYPES)})
    if found is not None:
        judged, violating, _ = conditional_oracle.figures(rule, rows)
        assert found[1:] == (violating, judged)
        assert found[0] == violating or rule.then.of_pairs


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_rules_along_references(seed: int):
    rng = random.Random(seed)
    rule = some_reference(rng)
    sides = [[reference_row(rng) for _ in range(rng.randint(0, 5))] for _ in range(2)]
    tables = {n: pa.Table.from_pylist(rows, schema=REFERENCE_TYPES) for n, rows in zip("cq", sides, strict=True)}
    found = answers(rule, tables)
    if found is not None:
        judged, violating = reference_oracle.figures(rule, *sides)
        assert found[1:] == (violating, judged)
        assert found[0] <= violating
        assert bool(found[0]) == bool(violating)
