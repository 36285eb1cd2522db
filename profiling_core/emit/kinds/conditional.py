"""Conditional rules in SQL: conditions on single rows."""

from sqlglot import exp

from profiling_core.emit.comparison import compare, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.groups import rows_of
from profiling_core.emit.kinds.column import literal
from profiling_core.emit.kinds.form import Form, Schemas
from profiling_core.emit.source import source
from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_SQL = NullSemantics.SQL


def rows(rule: Conditional, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - nulls never violate
    """The rows that violate the rule."""
    schema = schemas[rule.table]
    return rows_of(schema, rule.columns).where(broken(rule, schema))


def violations(rule: Conditional, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - as above
    """How many rows violate it."""
    schema = schemas[rule.table]
    return exp.select(counted("violations")).from_(source(schema, rule.columns, "t")).where(broken(rule, schema))


def population(rule: Conditional, schemas: Schemas) -> exp.Select:
    """How many rows it judges."""
    schema = schemas[rule.table]
    query = exp.select(counted("population")).from_(source(schema, rule.columns, "t"))
    return query.where(*judged(rule, schema))


def judged(rule: Conditional, schema: TableSchema) -> list[exp.Expr]:
    """The conditions under which row ``t`` is judged."""
    known = [not_null(value_of(schema.column(rule.column), "t")) if rule.both_ways else _inside(rule, schema, "t")]
    if rule.both_ways and rule.asks_for_any:
        known = []
    if not isinstance(rule.then, Present):
        known += [not_null(value_of(schema.column(column), "t")) for column in rule.then.columns]
    return known


def _inside(rule: Conditional, schema: TableSchema, row: str) -> exp.Expr:
    column = schema.column(rule.column)
    if rule.asks_for_any:
        return not_null(value_of(column, row))
    return exp.In(this=value_of(column, row).expression, expressions=[literal(text, column) for text in rule.values])


def broken(rule: Conditional, schema: TableSchema) -> exp.Expr:
    """The condition under which row ``t`` violates the rule."""
    inside = _inside(rule, schema, "t")
    wrong = exp.and_(inside, _disobeys(rule.then, schema))
    if not rule.both_ways:
        return wrong
    return exp.or_(wrong, exp.and_(exp.not_(inside.copy()), _obeys(rule.then, schema)))


def _obeys(then: Consequent, schema: TableSchema) -> exp.Expr:
    column = schema.column(then.columns[0])
    value = value_of(column, "t")
    if isinstance(then, Present):
        return not_null(value) if then.there else exp.not_(not_null(value))
    if isinstance(then, OneOf):
        return exp.In(this=value.expression, expressions=[literal(text, column) for text in then.values])
    if isinstance(then, Ordered):
        return _compared(then, schema, Operator(then.op))
    if isinstance(then, Bounded):
        return exp.paren(exp.and_(*_bounds(then, value.expression, column)))
    raise TypeError(f"no row obeys it by itself: {then.text}")


def _disobeys(then: Consequent, schema: TableSchema) -> exp.Expr:
    if isinstance(then, Ordered):
        return _compared(then, schema, Operator(then.op).inverse)
    return exp.not_(exp.paren(_obeys(then, schema)))


def _compared(then: Ordered, schema: TableSchema, op: Operator) -> exp.Expr:
    return compare(value_of(schema.column(then.left), "t"), op, value_of(schema.column(then.right), "t"), _SQL)


def _bounds(then: Bounded, value: exp.Expr, column: Column) -> list[exp.Expr]:
    sides = ((then.low, exp.GT, exp.GTE), (then.high, exp.LT, exp.LTE))
    return [
        (strict if then.strict else inclusive)(this=value.copy(), expression=_bound(text, column))
        for text, strict, inclusive in sides
        if text is not None
    ]


def _bound(text: str, column: Column) -> exp.Expr:
    """A bound as it is written: as a double beside floats, else as a decimal."""
    if column.type is LogicalType.FLOAT:
        return exp.cast(exp.Literal.string(text), "DOUBLE")
    digits = len(text.partition(".")[2])
    return exp.cast(exp.Literal.string(text), f"DECIMAL({max(1, len(text.strip('-').replace('.', '')))}, {digits})")


FORM = Form(rows, violations, population, assertion="conditional")
