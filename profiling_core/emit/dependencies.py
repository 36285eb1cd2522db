"""The rows that violate an FD, a UCC or an IND: by grouping and semi-joins, never by comparing pairs."""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, not_null, value_of
from profiling_core.emit.source import shown, source
from profiling_core.model.constraint import FunctionalDependency, InclusionDependency, UniqueColumnCombination
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

# PostgreSQL has no extremes of the first two, and Spark sorts all rows to find those of strings.
_COUNTED = (LogicalType.BOOLEAN, LogicalType.BINARY, LogicalType.STRING)


def rows_breaking_fd(fd: FunctionalDependency, schemas: Mapping[str, TableSchema], nulls: NullSemantics) -> exp.Select:
    """Rows whose group on the left side has more than one value on the right."""
    schema = schemas[fd.lhs.table]
    lhs = [schema.column(c) for c in fd.lhs.columns]
    (rhs,) = (schema.column(c) for c in fd.rhs.columns)
    groups = _groups(schema, lhs, _differ(value_of(rhs, "g"), nulls), nulls, [rhs])
    query = _select(schema, fd.columns).where(_in_group(groups, lhs, nulls))
    return query.where(not_null(value_of(rhs, "t"))) if nulls is NullSemantics.SQL else query


def rows_breaking_ucc(
    ucc: UniqueColumnCombination, schemas: Mapping[str, TableSchema], nulls: NullSemantics
) -> exp.Select:
    """Rows that share the whole combination with another row."""
    schema = schemas[ucc.lhs.table]
    columns = [schema.column(c) for c in ucc.columns]
    several = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.convert(1))
    groups = _groups(schema, columns, several, nulls, [])
    return _select(schema, ucc.columns).where(_in_group(groups, columns, nulls))


def rows_breaking_ind(
    ind: InclusionDependency,
    schemas: Mapping[str, TableSchema],
    nulls: NullSemantics,  # noqa: ARG001 - as of the other kinds; an inclusion leaves nulls out under both
) -> exp.Select:
    """Rows without a null in the included columns whose values do not occur on the other side."""
    schema, other = schemas[ind.lhs.table], schemas[ind.rhs.table]
    left = [value_of(schema.column(c), "t") for c in ind.lhs.columns]
    right = [value_of(other.column(c), "s") for c in ind.rhs.columns]
    same = [compare(a, Operator.EQ, b, NullSemantics.SQL) for a, b in zip(left, right, strict=True)]
    matches = exp.select(exp.convert(1)).from_(source(other, ind.rhs.columns, "s")).where(*same)
    query = _select(schema, ind.lhs.columns).where(*(not_null(v) for v in left))
    return query.where(exp.not_(exp.Exists(this=matches)))


def _select(schema: TableSchema, columns: Sequence[str]) -> exp.Select:
    return exp.select(*shown(schema, columns, "t")).from_(source(schema, (*columns, *schema.key), "t"))


def _groups(
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


def _in_group(groups: exp.Select, columns: Sequence[Column], nulls: NullSemantics) -> exp.Expr:
    """Whether row t is in one of the groups."""
    same = []
    for i, column in enumerate(columns):
        key = Value(exp.column(f"k{i}", table="k"), column)
        same.append(compare(value_of(column, "t"), Operator.EQ, key, nulls))
    found = exp.select(exp.convert(1)).from_(groups.subquery("k"))
    return exp.Exists(this=found.where(*same) if same else found)


def _differ(value: Value, nulls: NullSemantics) -> exp.Expr:
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
