"""Functional dependencies in SQL: by grouping on the left side."""

from sqlglot import exp

from profiling_core.emit.comparison import not_null, value_of
from profiling_core.emit.counting import number_of_pairs
from profiling_core.emit.groups import differ, groups, in_group, rows_of, sizes, total
from profiling_core.emit.kinds.form import Form, Schemas
from profiling_core.model.constraint import FunctionalDependency
from profiling_core.model.types import NullSemantics


def rows(fd: FunctionalDependency, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Rows whose group on the left side has more than one value on the right."""
    schema = schemas[fd.lhs.table]
    lhs = [schema.column(c) for c in fd.lhs.columns]
    (rhs,) = (schema.column(c) for c in fd.rhs.columns)
    disagreeing = groups(schema, lhs, differ(value_of(rhs, "g"), nulls), nulls, [rhs])
    query = rows_of(schema, fd.columns).where(in_group(disagreeing, lhs, nulls))
    return query.where(not_null(value_of(rhs, "t"))) if nulls is NullSemantics.SQL else query


def violations(fd: FunctionalDependency, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Pairs that agree on the left and not on the right, from the sizes of the groups within groups."""
    per_value, keys = sizes(schemas[fd.lhs.table], fd.columns, nulls)
    size = exp.column("c")
    square = exp.Mul(this=size.copy(), expression=size.copy())
    per_group = exp.select(exp.alias_(exp.Sum(this=size.copy()), "n"), exp.alias_(exp.Sum(this=square), "same")).from_(
        per_value.subquery("v")
    )
    if fd.lhs.columns:
        per_group = per_group.group_by(*keys[:-1])
    n = exp.column("n")
    differing = exp.Sub(this=exp.Mul(this=n, expression=n.copy()), expression=exp.column("same"))
    return exp.select(total(differing)).from_(per_group.subquery("d"))


def population(fd: FunctionalDependency, schemas: Schemas) -> exp.Select:
    """All ordered pairs of different rows."""
    return number_of_pairs(schemas[fd.lhs.table])


FORM = Form(rows, violations, population, assertion="functional_dependency")
