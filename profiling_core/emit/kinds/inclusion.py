"""Inclusion dependencies in SQL: by semi-joins."""

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.groups import rows_of
from profiling_core.emit.kinds.form import Form, Promise, Promised, Schemas
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import source
from profiling_core.model.constraint import InclusionDependency
from profiling_core.model.predicate import Operator
from profiling_core.model.types import LogicalType, NullSemantics


def rows(
    ind: InclusionDependency,
    schemas: Schemas,
    nulls: NullSemantics,  # noqa: ARG001 - as of the other kinds; an inclusion leaves nulls out under both
) -> exp.Select:
    """Rows without a null in the included columns whose values do not occur on the other side."""
    schema, other = schemas[ind.lhs.table], schemas[ind.rhs.table]
    left = [value_of(schema.column(c), "t") for c in ind.lhs.columns]
    right = [value_of(other.column(c), "s") for c in ind.rhs.columns]
    same = [compare(a, Operator.EQ, b, NullSemantics.SQL) for a, b in zip(left, right, strict=True)]
    matches = exp.select(exp.convert(1)).from_(source(other, ind.rhs.columns, "s")).where(*same)
    query = rows_of(schema, ind.lhs.columns).where(*(not_null(v) for v in left))
    return query.where(exp.not_(exp.Exists(this=matches)))


def violations(ind: InclusionDependency, schemas: Schemas, nulls: NullSemantics) -> exp.Select:
    """Distinct values, or combinations of them, that do not occur on the other side."""
    values = _values(ind, schemas)
    breaking = rows(ind, schemas, nulls)
    distinct = breaking.select(
        *(exp.alias_(v.expression, f"k{i}") for i, v in enumerate(values)), append=False
    ).distinct()
    return exp.select(counted("violations")).from_(distinct.subquery("d"))


def population(ind: InclusionDependency, schemas: Schemas) -> exp.Select:
    """The distinct values, or combinations of them, of the included side."""
    values = _values(ind, schemas)
    distinct = exp.select(*(v.expression for v in values)).distinct()
    distinct = distinct.from_(source(schemas[ind.lhs.table], ind.lhs.columns, "t")).where(
        *(not_null(v) for v in values)
    )
    return exp.select(counted("population")).from_(distinct.subquery("d"))


def refusal(ind: InclusionDependency, setting: Setting) -> str:
    """Why typed columns cannot be compared by the source's text."""
    if not setting.as_text:
        return ""
    columns = [setting.schemas[side.table].column(name) for side in ind.sides for name in side.columns]
    typed = any(column.type is not LogicalType.STRING for column in columns)
    return "it compares the text of the source (values: text), and the column is typed" if typed else ""


def promise(ind: InclusionDependency) -> Promised:
    """That the columns refer to those of the other side."""
    return Promised(Promise.REFERENCE, ind.lhs, ind.rhs)


def _values(ind: InclusionDependency, schemas: Schemas) -> list[Value]:
    return [value_of(schemas[ind.lhs.table].column(c), "t") for c in ind.lhs.columns]


FORM = Form(rows, violations, population, assertion="relationships", promise=promise, refusal=refusal)
