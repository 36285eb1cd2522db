"""Discovery over whole files equals the oracle, from values to figures, for every kind of constraint."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import denial
from oracle.dependencies import functional_dependencies, unique_column_combinations
from oracle.inclusions import inclusion_dependencies
from oracle.predicates import evidence, predicate_space, violations
from oracle.strategies import Sample, tables

from profiling_core.model.constraint import DenialConstraint, Kind
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.pipeline.discover import Discovery, DiscoveryRequest, discover

ARROW = {
    LogicalType.INTEGER: pa.int64(),
    LogicalType.FLOAT: pa.float64(),
    LogicalType.DECIMAL: pa.decimal128(10, 2),
    LogicalType.DATE: pa.date32(),
    LogicalType.TIMESTAMP: pa.timestamp("us", tz="UTC"),
    LogicalType.STRING: pa.string(),
    LogicalType.BOOLEAN: pa.bool_(),
}
NULLS = st.sampled_from(NullSemantics)
ERRORS = st.sampled_from([0.0, 0.1, 0.3])
FILES = settings(deadline=None, max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_read(column: Column) -> Column:
    """The column as a Parquet file gives it: whether it is ordered follows from its type."""
    return Column(column.name, column.type, column.type.is_ordered)


def telling(schema: TableSchema, rows: list[dict[str, object]], nulls: NullSemantics) -> TableSchema:
    """The columns that constraints on rows speak of: under SQL's nulls those that have a value."""

    def has_value(column: Column) -> bool:
        return any(row[column.name] is not None and row[column.name] == row[column.name] for row in rows)

    told = (c for c in schema.columns if nulls is NullSemantics.EQUAL or has_value(c))
    return TableSchema(schema.table, tuple(told))


def discovered(folder: Path, samples: list[Sample], request: DiscoveryRequest) -> tuple[list[TableSchema], Discovery]:
    schemas = []
    for sample in samples:
        schemas.append(TableSchema(sample.schema.table, tuple(map(as_read, sample.schema.columns))))
        columns = {c.name: pa.array([r[c.name] for r in sample.rows], ARROW[c.type]) for c in sample.schema.columns}
        pq.write_table(pa.table(columns), folder / f"{sample.schema.table}.parquet")
    return schemas, discover([folder / f"{s.table}.parquet" for s in schemas], request)


@FILES
@given(
    table=tables(columns=3),
    nulls=NULLS,
    error=ERRORS,
    cross=st.booleans(),
    reduced=st.booleans(),
    engine=st.sampled_from(["auto", "pairs", "hydra"]),
)
def test_denial_constraints(
    tmp_path: Path, table: Sample, nulls: NullSemantics, error: float, cross: bool, reduced: bool, engine: str
):
    request = DiscoveryRequest(
        nulls=nulls,
        cross=cross,
        reduced=reduced,
        max_predicates=2,
        max_error=error,
        engine=engine if error == 0 else "auto",
        ranked=False,
    )
    (schema,), found = discovered(tmp_path, [table], request)
    if not table.rows:
        assert found.constraints == ()
        return
    space = predicate_space(telling(schema, table.rows, nulls), table.rows, nulls, cross=cross)
    expected = denial.approximate_cover(evidence(table.rows, space), space, 2, error)
    expected = denial.reduced_cover(expected, space) if reduced else expected
    constraints = [DenialConstraint("r", tuple(space.predicates[i] for i in dc)) for dc in expected]
    assert [m.constraint for m in found.constraints] == constraints
    assert [(m.violations, m.population) for m in found.constraints] == [
        violations(c, table.rows, nulls) for c in constraints
    ]


@FILES
@given(table=tables(columns=4), nulls=NULLS, error=ERRORS, bound=st.sampled_from([None, 1, 2, 3]))
def test_functional_dependencies(tmp_path: Path, table: Sample, nulls: NullSemantics, error: float, bound: int | None):
    """The bound counts the left side plus one."""
    request = DiscoveryRequest(kind=Kind.FD, nulls=nulls, max_predicates=bound, max_error=error, ranked=False)
    (schema,), found = discovered(tmp_path, [table], request)
    longest = None if bound is None else bound - 1
    told = telling(schema, table.rows, nulls)
    expected = functional_dependencies(table.rows, told, nulls, max_lhs=longest, max_error=error) if table.rows else {}
    got = {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]): m.violations for m in found.constraints}
    assert got == expected
    assert len(found.constraints) == len(expected)


@FILES
@given(table=tables(columns=4), nulls=NULLS, error=ERRORS, bound=st.sampled_from([None, 1, 2, 3]))
def test_unique_column_combinations(
    tmp_path: Path, table: Sample, nulls: NullSemantics, error: float, bound: int | None
):
    request = DiscoveryRequest(kind=Kind.UCC, nulls=nulls, max_predicates=bound, max_error=error, ranked=False)
    (schema,), found = discovered(tmp_path, [table], request)
    told = telling(schema, table.rows, nulls)
    expected = (
        unique_column_combinations(table.rows, told, nulls, max_columns=bound, max_error=error) if table.rows else {}
    )
    assert {m.constraint.lhs.columns: m.violations for m in found.constraints} == expected
    assert len(found.constraints) == len(expected)


@FILES
@given(left=tables(columns=3, name="r"), right=tables(columns=3, name="q"), error=st.sampled_from([0.0, 0.3, 0.5, 0.7]))
def test_inclusion_dependencies(tmp_path: Path, left: Sample, right: Sample, error: float):
    schemas, found = discovered(tmp_path, [left, right], DiscoveryRequest(kind=Kind.IND, max_error=error))
    rows = {"r": left.rows, "q": right.rows}
    expected = {
        (e.table, e.column, e.other_table, e.other_column): (e.missing, e.distinct, pytest.approx(e.row_coverage))
        for e in inclusion_dependencies(rows, {s.table: s for s in schemas}, 0.0)
        if e.missing / e.distinct <= error
    }
    got = {
        (m.constraint.lhs.table, m.constraint.lhs.columns[0], m.constraint.rhs.table, m.constraint.rhs.columns[0]): (
            m.violations,
            m.population,
            m.row_coverage,
        )
        for m in found.constraints
    }
    assert got == expected
