"""Rules along references in SQL: by joins."""

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, day_of, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.expressions import apart, as_double
from profiling_core.emit.groups import rows_of
from profiling_core.emit.kinds.form import Form, Schemas
from profiling_core.emit.other_values import column_of, other_value
from profiling_core.emit.source import source
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.reference import OF_PARENT, Aggregate, Beside, ComputedBeside, ReferenceRule, Summary
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_SQL = NullSemantics.SQL
_SUM_DIGITS = 28
_AGGREGATES = {Aggregate.SUM: exp.Sum, Aggregate.FIRST: exp.Min, Aggregate.LAST: exp.Max}


def rows(rule: ReferenceRule, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - nulls never violate
    """The rows of the rule's own table that violate it."""
    own = schemas[rule.own.table]
    query = rows_of(own, rule.columns)
    if not isinstance(rule.relation, Summary):
        parents = exp.select(exp.convert(1)).from_(source(schemas[rule.far.table], rule.other.columns, "s"))
        wrong = _wrong_beside(rule, rule.relation, schemas)
        return query.where(exp.Exists(this=parents.where(*_joined(rule, schemas), *wrong)))
    return _with_summary(query, rule, rule.relation, schemas).where(_wrong(rule, rule.relation, schemas))


def violations(rule: ReferenceRule, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - as above
    """How many rows violate it: each as often as it has such parents."""
    query = exp.select(counted("violations")).from_(source(schemas[rule.own.table], rule.columns, "t"))
    if not isinstance(rule.relation, Summary):
        return _with_parents(query, rule, schemas).where(*_wrong_beside(rule, rule.relation, schemas))
    return _with_summary(query, rule, rule.relation, schemas).where(_wrong(rule, rule.relation, schemas))


def population(rule: ReferenceRule, schemas: Schemas) -> exp.Select:
    """How many rows it judges."""
    own, far = schemas[rule.own.table], schemas[rule.far.table]
    query = exp.select(counted("population")).from_(source(own, rule.columns, "t"))
    if isinstance(rule.relation, ComputedBeside):
        return _with_parents(query, rule, schemas).where(*_judged(rule, rule.relation, schemas))
    there = not_null(value_of(own.column(rule.relation.column), "t"))
    if isinstance(rule.relation, Beside):
        other = not_null(value_of(far.column(rule.relation.other), "s"))
        return _with_parents(query, rule, schemas).where(there, other)
    found = exp.Is(this=_summary(rule.relation), expression=exp.Not(this=exp.null()))
    return _with_summary(query, rule, rule.relation, schemas).where(there, found)


def _joined(rule: ReferenceRule, schemas: Schemas) -> list[exp.Expr]:
    own, far = schemas[rule.own.table], schemas[rule.far.table]
    return [
        compare(value_of(own.column(a), "t"), Operator.EQ, value_of(far.column(b), "s"), _SQL)
        for a, b in zip(rule.own.columns, rule.far.columns, strict=True)
    ]


def _with_parents(query: exp.Select, rule: ReferenceRule, schemas: Schemas) -> exp.Select:
    parents = source(schemas[rule.far.table], rule.other.columns, "s")
    return query.join(parents, on=exp.and_(*_joined(rule, schemas)))


def _wrong_beside(rule: ReferenceRule, relation: Beside | ComputedBeside, schemas: Schemas) -> list[exp.Expr]:
    """That a child is not what it should be beside its parent, ``s``."""
    if isinstance(relation, Beside):
        return [_compared(relation, Operator(relation.op).inverse, schemas, rule)]
    values = _values(rule, relation, schemas)
    if relation.value.is_numeric:
        wrong = apart(values[relation.column], relation.value, values, relation.precision)
    else:
        wrong = exp.NEQ(this=values[relation.column].expression, expression=exp.paren(_day_made(relation)))
    return [*_judged(rule, relation, schemas), wrong]


def _day_made(relation: ComputedBeside) -> exp.Expr:
    """A computed value that is no number: a day."""

    def of_parent(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name.startswith(OF_PARENT):
            return column_of(node.name.removeprefix(OF_PARENT), "s")
        return node

    return other_value(relation.value).transform(of_parent)


def _values(rule: ReferenceRule, relation: ComputedBeside, schemas: Schemas) -> dict[str, Value]:
    """The values that an expression computes with, those of the parent by the names that it has for them."""
    own, far = schemas[rule.own.table], schemas[rule.far.table]
    theirs = {OF_PARENT + name: value_of(far.column(name), "s") for name in relation.others}
    return {name: value_of(own.column(name), "t") for name in relation.columns} | theirs


def _judged(rule: ReferenceRule, relation: ComputedBeside, schemas: Schemas) -> list[exp.Expr]:
    values = _values(rule, relation, schemas)
    there = [not_null(value) for value in values.values()]
    if relation.value.divisor:
        divisor = values[relation.value.divisor].expression
        there.append(exp.NEQ(this=divisor.copy(), expression=exp.convert(0)))
    if not relation.value.is_numeric:
        there.append(exp.Is(this=exp.paren(_day_made(relation)), expression=exp.Not(this=exp.null())))
    return there


def _compared(relation: Beside, op: Operator, schemas: Schemas, rule: ReferenceRule) -> exp.Expr:
    left = value_of(schemas[rule.own.table].column(relation.column), "t")
    right = value_of(schemas[rule.far.table].column(relation.other), "s")
    left, right = (day_of(value) if day else value for value, day in zip((left, right), relation.by_day, strict=True))
    if LogicalType.FLOAT in (left.column.type, right.column.type):
        left, right = _as_float(left), _as_float(right)
    return compare(left, op, right, _SQL)


def _as_float(value: Value) -> Value:
    return Value(as_double(value.expression), Column(value.column.name, LogicalType.FLOAT, ordered=True))


def _with_summary(query: exp.Select, rule: ReferenceRule, relation: Summary, schemas: Schemas) -> exp.Select:
    """The parents beside what their children come to, as ``d.f``."""
    far = schemas[rule.far.table]
    keys = [value_of(far.column(column), "s") for column in rule.far.columns]
    made = exp.select(*(exp.alias_(key.expression, f"k{i}") for i, key in enumerate(keys)))
    made = made.select(exp.alias_(_aggregate(relation, far), "f")).from_(source(far, rule.other.columns, "s"))
    made = made.where(*(not_null(key) for key in keys)).group_by(*(key.expression.copy() for key in keys))
    own = schemas[rule.own.table]
    same = [
        compare(value_of(own.column(a), "t"), Operator.EQ, Value(exp.column(f"k{i}", table="d"), key.column), _SQL)
        for i, (a, key) in enumerate(zip(rule.own.columns, keys, strict=True))
    ]
    return query.join(made.subquery("d"), on=exp.and_(*same), join_type="left")


def _aggregate(relation: Summary, far: TableSchema) -> exp.Expr:
    if relation.aggregate == Aggregate.COUNT:
        counts = value_of(far.column(relation.other), "s").expression if relation.other else exp.Star()
        return exp.Count(this=counts)
    value = value_of(far.column(relation.other), "s")
    expression = value.expression
    if value.column.type is LogicalType.INTEGER and relation.aggregate == Aggregate.SUM:
        expression = exp.cast(expression, "DECIMAL(38, 0)")
    return _AGGREGATES[Aggregate(relation.aggregate)](this=expression)


def _summary(relation: Summary) -> exp.Expr:
    found: exp.Expr = exp.column("f", table="d")
    return exp.Coalesce(this=found, expressions=[exp.convert(0)]) if relation.aggregate == Aggregate.COUNT else found


def _wrong(rule: ReferenceRule, relation: Summary, schemas: Schemas) -> exp.Expr:
    own = schemas[rule.own.table].column(relation.column)
    target = value_of(own, "t")
    if relation.aggregate in (Aggregate.FIRST, Aggregate.LAST):
        child = schemas[rule.far.table].column(relation.other)
        return compare(target, Operator.NE, Value(_summary(relation), child), _SQL)
    summary = Value(_summary(relation), _made(relation, schemas[rule.far.table]))
    return apart(target, Linear((("1", ""),)), {"": summary}, relation.precision)


def _made(relation: Summary, far: TableSchema) -> Column:
    """The figure of a parent's children, as if it were a column."""
    if relation.aggregate == Aggregate.COUNT:
        return Column("", LogicalType.INTEGER, ordered=True)
    column = far.column(relation.other)
    if column.type is LogicalType.FLOAT:
        return Column("", LogicalType.FLOAT, ordered=True)
    return Column("", LogicalType.DECIMAL, ordered=True, precision=_SUM_DIGITS, scale=column.scale or 0)


FORM = Form(rows, violations, population, assertion="reference")
