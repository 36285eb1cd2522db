"""Denial constraints in SQL: violating rows as a filter, by running extremes, or by a join on the equalities.

An order dependency is decided by sorting (``running_extremes.py``), most others of few predicates by groups of rows
(``group_extremes.py``). Everything else joins on the equalities first and compares within what they leave.
"""

from collections.abc import Sequence

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, day_of, value_of
from profiling_core.emit.counting import counted, number_of_pairs, number_of_rows
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.group_extremes import grouping, rows_by_counts, rows_by_extremes, two_that_differ
from profiling_core.emit.kinds.form import BuiltIn, Form, Schemas
from profiling_core.emit.running_extremes import STRICT, order_dependency, rows_by_running_extremes
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import row_id, shown, source
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics


def rows(dc: DenialConstraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Rows that are one of the two of a violating pair, or violate a single-row constraint by themselves."""
    schema = schemas[dc.table]
    order = order_dependency(dc, schema, nulls)
    if order is not None:
        return rows_by_running_extremes(dc, order, schema, nulls)
    group, differing = grouping(dc, schema, nulls), two_that_differ(dc, schema, nulls)
    if group is not None:
        return rows_by_extremes(dc, group, schema)
    if differing is not None:
        return rows_by_counts(dc, differing, schema)
    query = exp.select(*shown(schema, dc.columns, "t")).from_(source(schema, (*dc.columns, *schema.key), "t"))
    if dc.is_single_row:
        return query.where(*conditions(dc.predicates, schema, nulls, "t", "s"))
    first = _partner(dc, schema, nulls, ("t", "s"))
    if is_symmetric(dc):
        return query.where(first)
    return query.where(exp.or_(first, _partner(dc, schema, nulls, ("s", "t"))))


def scans_pairs(dc: DenialConstraint, schemas: Schemas, nulls: NullSemantics) -> bool:
    """Whether the violating rows are found by comparing every pair: neither equalities nor sorting narrow them down."""
    if dc.is_single_row or any(p.op is Operator.EQ for p in dc.predicates):
        return False
    ways = (order_dependency, grouping, two_that_differ)
    return all(way(dc, schemas[dc.table], nulls) is None for way in ways)


def is_symmetric(dc: DenialConstraint) -> bool:
    """Whether exchanging the two rows gives the same constraint."""
    if any(p.is_single_row for p in dc.predicates):
        return False
    mirrored = {Predicate(p.right.swapped, p.op.flipped, p.left.swapped) for p in dc.predicates}
    return mirrored == set(dc.predicates)


def different_rows(dc: DenialConstraint) -> list[exp.Expr]:
    """That t and s are two rows: nothing where a predicate says so already, since no value differs from itself."""
    if any(p.is_same_column and p.op in (*STRICT, Operator.NE) for p in dc.predicates):
        return []
    return [exp.NEQ(this=row_id("t"), expression=row_id("s"))]


def conditions(
    predicates: Sequence[Predicate], schema: TableSchema, nulls: NullSemantics, t: str, s: str
) -> list[exp.Expr]:
    """The predicates over rows with aliases ``t`` and ``s``, equalities first."""
    alias = {"t": t, "s": s}
    ordered = sorted(predicates, key=lambda p: p.op is not Operator.EQ)
    return [
        compare(_value(p.left, schema, alias[p.left.tuple]), p.op, _value(p.right, schema, alias[p.right.tuple]), nulls)
        for p in ordered
    ]


def _value(operand: Operand, schema: TableSchema, row: str) -> Value:
    value = value_of(schema.column(operand.column), row)
    return day_of(value) if operand.by_day else value


def _partner(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics, roles: tuple[str, str]) -> exp.Expr:
    """Whether row t has a partner s, when the constraint's t and s are played by ``roles``."""
    found = exp.select(exp.convert(1)).from_(source(schema, dc.columns, "s"))
    return exp.Exists(this=found.where(*conditions(dc.predicates, schema, nulls, *roles), *different_rows(dc)))


def violations(dc: DenialConstraint, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Pairs of rows, by a join; or rows, of a single-row constraint."""
    schema = schemas[dc.table]
    query = exp.select(counted("violations")).from_(source(schema, dc.columns, "t"))
    holds = conditions(dc.predicates, schema, nulls, "t", "s")
    if dc.is_single_row:
        return query.where(*holds)
    on = exp.and_(*holds, *different_rows(dc))
    return query.join(source(schema, dc.columns, "s"), on=on, join_type="inner")


def population(dc: DenialConstraint, schemas: Schemas) -> exp.Select:
    """All rows of a single-row constraint, all ordered pairs of others."""
    return number_of_rows(schemas[dc.table]) if dc.is_single_row else number_of_pairs(schemas[dc.table])


def counts_pairs(dc: DenialConstraint) -> bool:
    """Whether counting its violations compares pairs of rows."""
    return not dc.is_single_row


def built_in(dc: DenialConstraint, setting: Setting) -> BuiltIn | None:
    """``¬(t.A < t.B)`` asks for A ≥ B, ``¬(t.A ≤ t.B)`` for A > B."""
    if not dc.is_single_row or len(dc.predicates) != 1 or any(p.left.by_day or p.right.by_day for p in dc.predicates):
        return None
    (predicate,) = dc.predicates
    schema = setting.schemas[dc.table]
    left, right = schema.column(predicate.left.column), schema.column(predicate.right.column)
    if (left.type, left.precision, left.scale) != (right.type, right.precision, right.scale):
        return None
    if left.type.is_stored_as_text and setting.dialect is Dialect.POSTGRES:
        return None  # compares by the column's collation
    strict = predicate.op in (Operator.LE, Operator.GE)
    if predicate.op not in (Operator.LT, Operator.LE, Operator.GT, Operator.GE):
        return None
    if strict and setting.nulls is NullSemantics.EQUAL:
        return None  # ≤ holds between two nulls, and so two nulls violate it
    greater, less = (left, right) if predicate.op in (Operator.LT, Operator.LE) else (right, left)
    return "expect_column_pair_values_a_to_be_greater_than_b", {
        "column_A": greater.name,
        "column_B": less.name,
        "or_equal": not strict,
        "ignore_row_if": "either_value_is_missing",
    }


FORM = Form(
    rows,
    violations,
    population,
    assertion="denial_constraint",
    dimension="conformity",
    severity="warning",
    built_in=built_in,
    scans_pairs=scans_pairs,
    counts_pairs=counts_pairs,
)
