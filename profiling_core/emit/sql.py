"""Constraints as SQL: the rows that violate one. Built as syntax trees, so that no name or value can break out.

Columns and tables are quoted whatever they are called. The row identity ``_row_id`` tells two equal rows apart.
"""

from collections.abc import Mapping

from sqlglot import exp

from profiling_core.emit.denial import rows_breaking_dc
from profiling_core.emit.dependencies import rows_breaking_fd, rows_breaking_ind, rows_breaking_ucc
from profiling_core.model.constraint import (
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

BATCH = "{batch}"
GX_VIEW = "tmp_view"


def violating_rows(constraint: Constraint, schemas: Mapping[str, TableSchema], nulls: NullSemantics) -> exp.Select:
    """The rows of the constraint's (included) table that take part in a violation, each once.

    They show the constraint's columns, the table's key and ``_row_id``. Both tables of an IND are read by their names.

    Raises:
        InexpressibleError: SQL has no exact comparison for the columns' types.
        KeyError: a table or column is not in ``schemas``.
    """
    schema = schemas[constraint.tables[0]]
    if isinstance(constraint, DenialConstraint):
        familiar = constraint.familiar
        if not isinstance(familiar, DenialConstraint):
            return violating_rows(familiar, schemas, nulls)
        return rows_breaking_dc(constraint, schema, nulls)
    if isinstance(constraint, FunctionalDependency):
        return rows_breaking_fd(constraint, schema, nulls)
    if isinstance(constraint, UniqueColumnCombination):
        return rows_breaking_ucc(constraint, schema, nulls)
    return rows_breaking_ind(constraint, schema, schemas[constraint.rhs.table])


def other_tables(constraint: Constraint) -> tuple[str, ...]:
    """The tables beside the batch's own that the SQL reads, as views of their name."""
    if isinstance(constraint, InclusionDependency) and constraint.rhs.table != constraint.lhs.table:
        return (constraint.rhs.table,)
    return ()


def gx_query(query: exp.Select, table: str) -> str:
    """The query as Great Expectations wants it on Spark: ``{batch}`` for the table, other braces doubled."""

    def placed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Table) and node.name == table:
            return exp.Table(this=exp.Var(this=BATCH), alias=node.args.get("alias"))
        if isinstance(node, exp.Identifier):
            return exp.to_identifier(_doubled(node.name), quoted=node.quoted)
        if isinstance(node, exp.Literal) and node.is_string:
            return exp.Literal.string(_doubled(node.name))
        return node

    return query.transform(placed).sql("spark", pretty=True)


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
