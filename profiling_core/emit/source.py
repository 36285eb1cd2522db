"""Where a query reads from: the batch under validation, other tables by name, and which columns it shows."""

from collections.abc import Collection, Sequence

from sqlglot import exp

from profiling_core.diff.redaction import HIDDEN
from profiling_core.emit.comparison import name
from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType


def source(schema: TableSchema, columns: Sequence[str], alias: str) -> exp.Table | exp.Subquery:
    """The table under an alias; where one of the columns is a float, with NaN read as null.

    Without floats it is the table itself; else a selection of the columns and the row identity.
    """
    table = exp.Table(this=name(schema.table))
    names = dict.fromkeys(columns)
    if all(schema.column(c).type is not LogicalType.FLOAT for c in names):
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
        return table
    chosen = [_without_nan(c) if schema.column(c).type is LogicalType.FLOAT else exp.column(name(c)) for c in names]
    return exp.select(*chosen, exp.column(name(ROW_ID))).from_(table).subquery(alias)


def _without_nan(column: str) -> exp.Expr:
    nan = exp.cast(exp.Literal.string("NaN"), "DOUBLE")  # which equals itself in all dialects
    return exp.alias_(exp.Nullif(this=exp.column(name(column)), expression=nan), name(column))


def row_id(row: str) -> exp.Column:
    """The hidden row identity in the row with that alias."""
    return exp.column(name(ROW_ID), table=exp.to_identifier(row))


def shown(schema: TableSchema, columns: Sequence[str], row: str) -> list[exp.Expr]:
    """The columns that a violating row shows: the constraint's, the key's, and the row identity.

    Decimals and binary values go out as text: results are JSON, which has neither.
    """
    names = dict.fromkeys((*columns, *schema.key))
    return [*(_shown_column(schema, column, row) for column in names), row_id(row)]


def without_values(query: exp.Select, columns: Collection[str]) -> exp.Select:
    """The query's rows with a mark in place of these columns' values; nulls stay nulls."""
    names = [expression.alias_or_name for expression in query.expressions]
    if not set(names) & set(columns):
        return query
    return exp.select(*(_hidden(n) if n in columns else exp.column(name(n)) for n in names)).from_(query.subquery("v"))


def _hidden(column: str) -> exp.Expr:
    value = exp.column(name(column))
    there = exp.Is(this=value, expression=exp.Not(this=exp.null()))
    return exp.alias_(exp.Case(ifs=[exp.If(this=there, true=exp.Literal.string(HIDDEN))]), name(column))


def _shown_column(schema: TableSchema, column: str, row: str) -> exp.Expr:
    plain = exp.column(name(column), table=exp.to_identifier(row))
    logical = schema.column(column).type
    if logical is LogicalType.DECIMAL:
        return exp.alias_(exp.cast(plain, "STRING"), name(column))
    if logical is LogicalType.BINARY:
        return exp.alias_(exp.Hex(this=plain), name(column))
    return plain
