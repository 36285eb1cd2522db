"""Counts in SQL: each query gives one row with one bigint column.

The same figures that the maintained state holds, counted independently (docs/semantics.md).
"""

from sqlglot import exp

from profiling_core.emit.comparison import name
from profiling_core.model.schema import TableSchema


def counted(what: str) -> exp.Expr:
    """The number of rows, under a name."""
    return exp.alias_(_rows(), what)


def number_of_rows(schema: TableSchema) -> exp.Select:
    """All rows of a table, as the population of a constraint on rows."""
    return exp.select(counted("population")).from_(exp.Table(this=name(schema.table)))


def number_of_pairs(schema: TableSchema) -> exp.Select:
    """All ordered pairs of different rows, as the population of a constraint on pairs."""
    others = exp.paren(exp.Sub(this=_rows(), expression=exp.convert(1)))
    pairs = exp.Mul(this=_rows(), expression=others)
    return exp.select(pairs.as_("population")).from_(exp.Table(this=name(schema.table)))


def _rows() -> exp.Count:
    return exp.Count(this=exp.Star())
