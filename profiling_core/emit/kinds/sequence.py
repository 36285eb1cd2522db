"""Rules along a sequence in SQL: each value of the order is joined with the one before it in its group."""

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.groups import rows_of
from profiling_core.emit.kinds import beside
from profiling_core.emit.kinds.form import Form, Schemas
from profiling_core.emit.source import source
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics


def rows(rule: SequenceRule, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - nulls never violate
    """The rows that stand wrong to the row before them."""
    schema = schemas[rule.table]
    before = _with_previous(exp.select(exp.convert(1)), rule, schema, outer=True)
    query = rows_of(schema, rule.columns)
    return query.where(exp.Exists(this=before.where(*beside.wrong(rule.step, schema, schema))))


def violations(rule: SequenceRule, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - as above
    """How many pairs of a row and the row before it violate the rule."""
    schema = schemas[rule.table]
    query = exp.select(counted("violations")).from_(source(schema, rule.columns, "t"))
    return _with_previous(query, rule, schema, outer=False).where(*beside.wrong(rule.step, schema, schema))


def population(rule: SequenceRule, schemas: Schemas) -> exp.Select:
    """How many pairs of a row and the row before it are judged."""
    schema = schemas[rule.table]
    query = exp.select(counted("population")).from_(source(schema, rule.columns, "t"))
    return _with_previous(query, rule, schema, outer=False).where(*beside.judged(rule.step, schema, schema))


def _with_previous(query: exp.Select, rule: SequenceRule, schema: TableSchema, *, outer: bool) -> exp.Select:
    """A query with the rows before row t as s; where t is a row of an ``outer`` query, they are all that it reads."""
    names = (*rule.group, rule.by)
    order = _order(rule, schema).subquery("d")
    here = [_same(schema, column, "t", f"k{i}") for i, column in enumerate(names)]
    before = [_same(schema, column, "s", f"k{i}") for i, column in enumerate(rule.group)]
    before.append(_same(schema, rule.by, "s", "b"))
    query = query.from_(order).where(*here) if outer else query.join(order, on=exp.and_(*here))
    return query.join(source(schema, rule.columns, "s"), on=exp.and_(*before))


def _same(schema: TableSchema, column: str, row: str, key: str) -> exp.Expr:
    value = value_of(schema.column(column), row)
    return compare(value, Operator.EQ, Value(exp.column(key, table="d"), value.column), NullSemantics.SQL)


def _order(rule: SequenceRule, schema: TableSchema) -> exp.Select:
    """Each value of the order within a group, the last of k0, k1 and so on, with the one before it as b."""
    names = (*rule.group, rule.by)
    values = [value_of(schema.column(column), "o") for column in names]
    places = exp.select(*(exp.alias_(value.expression, f"k{i}") for i, value in enumerate(values))).distinct()
    places = places.from_(source(schema, names, "o")).where(*(not_null(value) for value in values))
    *group, by = (exp.column(f"k{i}", table="p") for i in range(len(names)))
    order = exp.Order(expressions=[exp.Ordered(this=by.copy())])
    before = exp.Window(this=exp.Lag(this=by.copy()), partition_by=[one.copy() for one in group], order=order)
    return exp.select(*group, by, exp.alias_(before, "b")).from_(places.subquery("p"))


FORM = Form(rows, violations, population, assertion="sequence")
