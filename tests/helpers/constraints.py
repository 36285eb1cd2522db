"""Constraints by short texts, of a table ``t`` unless another is named. Blanks part the names of columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType


def fd(left: str, right: str, table: str = "t") -> FunctionalDependency:
    """``fd("zip town", "net")``."""
    return FunctionalDependency(ColumnList(table, tuple(left.split())), ColumnList(table, (right,)))


def key(columns: str, table: str = "t") -> UniqueColumnCombination:
    """``key("order line")``."""
    return UniqueColumnCombination(ColumnList(table, tuple(columns.split())))


def ind(child: str, parent: str) -> InclusionDependency:
    """``ind("orders.customer", "customers.id")``."""
    sides = (side.partition(".") for side in (child, parent))
    return InclusionDependency(*(ColumnList(table, tuple(names.split())) for table, _, names in sides))


def predicate(text: str) -> Predicate:
    """``predicate("t.sent > s.came")``: of the rows t and s."""
    left, op, right = text.split()
    return Predicate(Operand(*left.split(".")), Operator(op), Operand(*right.split(".")))


def denied(*texts: str, table: str = "t") -> DenialConstraint:
    """The constraint that no row, or no two rows, meet all of these predicates."""
    return DenialConstraint(table, tuple(map(predicate, texts)))


def table_schema(name: str, columns: str, key: str = "") -> TableSchema:
    """``table_schema("orders", "id integer, note string", key="id")``; types whose values have an order are ordered."""
    pairs = [column.split() for column in columns.split(",")]
    kinds = {column: LogicalType(kind) for column, kind in pairs}
    made = tuple(Column(column, kind, kind.is_ordered) for column, kind in kinds.items())
    return TableSchema(name, made, tuple(key.split()))


def arrow(rows: Sequence[Mapping[str, Any]], schema: TableSchema) -> pa.Table:
    """Rows as a table of the schema's types."""
    return pa.Table.from_pylist(rows, schema=pa.schema({c.name: arrow_type(c) for c in schema.columns}))
