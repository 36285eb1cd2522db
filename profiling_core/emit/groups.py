"""Groups of rows that agree, in SQL: FDs and UCCs are checked and counted by them, never by comparing pairs.

A group of n rows in which value a occurs n_a times has n² − Σ n_a² pairs that differ.
"""

from collections.abc import Sequence

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.source import shown, source
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

# PostgreSQL has no extremes of the first two, and Spark sorts all rows to find those of strings.
_COUNTED = (LogicalType.BOOLEAN, LogicalType.BINARY, LogicalType.STRING, LogicalType.TIME)


def rows_of(schema: TableSchema, columns: Sequence[str]) -> exp.Select:
    """The rows of a table as row t, with what a violating row shows."""
    return exp.select(*shown(schema, columns, "t")).from_(source(schema, (*columns, *schema.key), "t"))


def groups(
    schema: TableSchema, columns: Sequence[Column], having: exp.Expr, nulls: NullSemantics, also: Sequence[Column]
) -> exp.Select:
    """The groups on ``columns`` that a condition holds for, their values named k0, k1 and so on."""
    keys = [value_of(column, "g") for column in columns]
    names = [exp.alias_(key.expression, f"k{i}") for i, key in enumerate(keys)]
    query = exp.select(*(names or [exp.convert(1)]))
    query = query.from_(source(schema, [c.name for c in (*columns, *also)], "g")).having(having)
    if keys:
        query = query.group_by(*(key.expression.copy() for key in keys))
    if nulls is NullSemantics.SQL:
        query = query.where(*(not_null(value) for value in (*keys, *(value_of(c, "g") for c in also))))
    return query


def in_group(groups: exp.Select, columns: Sequence[Column], nulls: NullSemantics) -> exp.Expr:
    """Whether row t is in one of the groups."""
    same = []
    for i, column in enumerate(columns):
        key = Value(exp.column(f"k{i}", table="k"), column)
        same.append(compare(value_of(column, "t"), Operator.EQ, key, nulls))
    found = exp.select(exp.convert(1)).from_(groups.subquery("k"))
    return exp.Exists(this=found.where(*same) if same else found)


def differ(value: Value, nulls: NullSemantics) -> exp.Expr:
    """Whether a group holds two different values; a null beside a value counts where nulls are values."""
    differ = _differ_in_value(value)
    if nulls is NullSemantics.SQL:
        return differ
    there = exp.Count(this=value.expression.copy())
    some = exp.GT(this=there, expression=exp.convert(0))
    not_all = exp.LT(this=there.copy(), expression=exp.Count(this=exp.Star()))
    return exp.or_(differ, exp.and_(some, not_all))


def _differ_in_value(value: Value) -> exp.Expr:
    expression = value.expression.copy()
    if value.column.type in _COUNTED:
        distinct = exp.Count(this=exp.Distinct(expressions=[expression]))
        return exp.GT(this=distinct, expression=exp.convert(1))
    return exp.NEQ(this=exp.Min(this=expression), expression=exp.Max(this=expression.copy()))


def total(expression: exp.Expr) -> exp.Expr:
    """The sum of an expression over all groups, as the number of violations."""
    total = exp.Coalesce(this=exp.Sum(this=expression), expressions=[exp.convert(0)])
    return exp.alias_(exp.cast(total, "BIGINT"), "violations")


def sizes(schema: TableSchema, columns: Sequence[str], nulls: NullSemantics) -> tuple[exp.Select, list[exp.Expr]]:
    """Rows per combination of the columns' values as ``c``, the values named k0, k1 and so on."""
    values = [value_of(schema.column(c), "g") for c in columns]
    query = exp.select(*(exp.alias_(v.expression, f"k{i}") for i, v in enumerate(values)), counted("c"))
    query = query.from_(source(schema, columns, "g"))
    if values:
        query = query.group_by(*(v.expression.copy() for v in values))
    if nulls is NullSemantics.SQL:
        query = query.where(*(not_null(v) for v in values))
    return query, [exp.column(f"k{i}") for i in range(len(values))]
