"""Conditional rules in SQL: conditions on single rows, or groups of a category's rows."""

from sqlglot import exp

from profiling_core.emit.comparison import compare, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.groups import differ, in_group, rows_of, total
from profiling_core.emit.kinds import equation
from profiling_core.emit.kinds.column import literal
from profiling_core.emit.kinds.form import Form, Schemas
from profiling_core.emit.source import source
from profiling_core.model.consequent import Bounded, Consequent, Determines, OneOf, Ordered, Present
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_SQL = NullSemantics.SQL


def rows(rule: Conditional, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - nulls never violate
    """The rows that violate the rule, or take part in a pair that does."""
    schema = schemas[rule.table]
    query = rows_of(schema, rule.columns)
    if not isinstance(rule.then, Determines):
        return query.where(_broken(rule, schema))
    lhs = [schema.column(column) for column in rule.then.lhs]
    right = value_of(schema.column(rule.then.column), "g")
    disagreeing = _groups(rule, rule.then, schema).having(differ(right, _SQL))
    there = not_null(value_of(schema.column(rule.then.column), "t"))
    return query.where(_inside(rule, schema, "t"), there, in_group(disagreeing, lhs, _SQL))


def _groups(rule: Conditional, then: Determines, schema: TableSchema) -> exp.Select:
    """The category's rows by the left side of a dependency, its values named k0, k1 and so on."""
    keys = [value_of(schema.column(column), "g") for column in then.lhs]
    known = (not_null(value_of(schema.column(column), "g")) for column in then.columns)
    query = exp.select(*(exp.alias_(key.expression, f"k{i}") for i, key in enumerate(keys)))
    query = query.from_(source(schema, rule.columns, "g")).where(_inside(rule, schema, "g"), *known)
    return query.group_by(*(key.expression.copy() for key in keys))


def violations(rule: Conditional, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - as above
    """How many rows, or ordered pairs of a category's rows, violate it."""
    schema = schemas[rule.table]
    if isinstance(rule.then, Determines):
        return _pairs(rule, rule.then, schema, differing=True)
    return exp.select(counted("violations")).from_(source(schema, rule.columns, "t")).where(_broken(rule, schema))


def population(rule: Conditional, schemas: Schemas) -> exp.Select:
    """How many rows, or pairs, it judges."""
    schema = schemas[rule.table]
    if isinstance(rule.then, Determines):
        return _pairs(rule, rule.then, schema, differing=False)
    query = exp.select(counted("population")).from_(source(schema, rule.columns, "t"))
    known = [not_null(value_of(schema.column(rule.column), "t")) if rule.both_ways else _inside(rule, schema, "t")]
    if rule.both_ways and rule.asks_for_any:
        known = []
    if rule.equation is not None:
        known += equation.judged(rule.equation, schema)
    elif not isinstance(rule.then, Present):
        known += [not_null(value_of(schema.column(column), "t")) for column in rule.then.columns]
    return query.where(*known)


def _pairs(rule: Conditional, then: Determines, schema: TableSchema, *, differing: bool) -> exp.Select:
    """Ordered pairs that agree on the left side, or of these those that differ on the right one."""
    per_value = _groups(rule, then, schema).select(exp.alias_(exp.Count(this=exp.Star()), "c"))
    per_value = per_value.group_by(value_of(schema.column(then.column), "g").expression)
    size, n = exp.column("c"), exp.column("n")
    square = exp.Mul(this=size.copy(), expression=size.copy())
    sums = exp.select(exp.alias_(exp.Sum(this=size.copy()), "n"), exp.alias_(exp.Sum(this=square), "same"))
    per_group = sums.from_(per_value.subquery("v")).group_by(*(exp.column(f"k{i}") for i in range(len(then.lhs))))
    less = exp.column("same") if differing else n.copy()
    found = exp.select(total(exp.Sub(this=exp.Mul(this=n, expression=n.copy()), expression=less)))
    found = found.from_(per_group.subquery("d"))
    if not differing:
        found.selects[0].set("alias", exp.to_identifier("population"))
    return found


def _inside(rule: Conditional, schema: TableSchema, row: str) -> exp.Expr:
    column = schema.column(rule.column)
    if rule.asks_for_any:
        return not_null(value_of(column, row))
    return exp.In(this=value_of(column, row).expression, expressions=[literal(text, column) for text in rule.values])


def _broken(rule: Conditional, schema: TableSchema) -> exp.Expr:
    inside = _inside(rule, schema, "t")
    if rule.equation is not None:
        return exp.and_(inside, *equation.broken(rule.equation, schema))
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
