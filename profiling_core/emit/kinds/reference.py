"""Rules along references in SQL: by joins."""

from collections.abc import Iterator

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, day_of, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.expressions import apart
from profiling_core.emit.groups import rows_of
from profiling_core.emit.kinds import beside
from profiling_core.emit.kinds.column import literal
from profiling_core.emit.kinds.form import Form, Schemas
from profiling_core.emit.source import source
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import ON_THE_WAY, Aggregate, Summary
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
    if isinstance(rule.relation, Summary):
        return _with_summary(query, rule, rule.relation, schemas).where(_wrong(rule, rule.relation, schemas))
    parents = exp.select(exp.convert(1)).from_(source(schemas[rule.far.table], rule.other.columns, "s"))
    for table, same in _on_the_way(rule, schemas, "t"):
        parents = parents.join(table).where(*same)
    wrong = beside.wrong(rule.relation, *_sides(rule, schemas))
    return query.where(exp.Exists(this=parents.where(*_joined(rule, schemas), *wrong)))


def violations(rule: ReferenceRule, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - as above
    """How many rows violate it: each as often as it has such parents."""
    query = exp.select(counted("violations")).from_(source(schemas[rule.own.table], rule.columns, "t"))
    if isinstance(rule.relation, Summary):
        return _with_summary(query, rule, rule.relation, schemas).where(_wrong(rule, rule.relation, schemas))
    return _with_parents(query, rule, schemas).where(*beside.wrong(rule.relation, *_sides(rule, schemas)))


def population(rule: ReferenceRule, schemas: Schemas) -> exp.Select:
    """How many rows it judges."""
    own = schemas[rule.own.table]
    query = exp.select(counted("population")).from_(source(own, rule.columns, "t"))
    if not isinstance(rule.relation, Summary):
        return _with_parents(query, rule, schemas).where(*beside.judged(rule.relation, *_sides(rule, schemas)))
    there = not_null(value_of(own.column(rule.relation.column), "t"))
    found = exp.Is(this=_summary(rule.relation), expression=exp.Not(this=exp.null()))
    return _with_summary(query, rule, rule.relation, schemas).where(there, found)


def _sides(rule: ReferenceRule, schemas: Schemas) -> tuple[TableSchema, TableSchema]:
    """The schemas of the rows of either side; a child also has the columns of the row on the way."""
    own, far = (schemas[side.table] for side in (rule.own, rule.far))
    if not rule.via:
        return own, far
    wide = beside.with_columns(schemas[rule.child.table], ON_THE_WAY, schemas[rule.via[1].table])
    return (own, wide) if isinstance(rule.relation, Summary) else (wide, far)


def _on_the_way(rule: ReferenceRule, schemas: Schemas, child: str) -> Iterator[tuple[exp.Expr, list[exp.Expr]]]:
    """The table of the row on the way, if there is one, and the conditions that join it with the ``child``."""
    if rule.via:
        first, then = rule.via
        own, taken = schemas[first.table], schemas[then.table]
        same = [
            compare(value_of(own.column(a), child), Operator.EQ, value_of(taken.column(b), "v"), _SQL)
            for a, b in zip(first.columns, then.columns, strict=True)
        ]
        yield source(taken, rule.sides[-1].columns, "v"), same


def _joined(rule: ReferenceRule, schemas: Schemas) -> list[exp.Expr]:
    own, far = _sides(rule, schemas)
    same = (
        compare(value_of(own.column(a), "t"), Operator.EQ, value_of(far.column(b), "s"), _SQL)
        for a, b in zip(rule.own.columns, rule.far.columns, strict=True)
    )
    return [beside.placed(one) if rule.via else one for one in same]


def _with_parents(query: exp.Select, rule: ReferenceRule, schemas: Schemas) -> exp.Select:
    for table, same in _on_the_way(rule, schemas, "t"):
        query = query.join(table, on=exp.and_(*same))
    parents = source(schemas[rule.far.table], rule.other.columns, "s")
    return query.join(parents, on=exp.and_(*_joined(rule, schemas)))


def _with_summary(query: exp.Select, rule: ReferenceRule, relation: Summary, schemas: Schemas) -> exp.Select:
    """The parents beside what their children come to, as ``d.f``."""
    own, far = _sides(rule, schemas)
    keys = [value_of(far.column(column), "s") for column in rule.far.columns]
    made = exp.select(*(exp.alias_(key.expression, f"k{i}") for i, key in enumerate(keys)))
    made = made.select(exp.alias_(_aggregate(relation, far), "f"))
    made = made.from_(source(schemas[rule.far.table], rule.other.columns, "s"))
    for table, same in _on_the_way(rule, schemas, "s"):
        made = made.join(table, on=exp.and_(*same))
    made = made.where(*(not_null(key) for key in keys)).group_by(*(key.expression.copy() for key in keys))
    same = [
        compare(value_of(own.column(a), "t"), Operator.EQ, Value(exp.column(f"k{i}", table="d"), key.column), _SQL)
        for i, (a, key) in enumerate(zip(rule.own.columns, keys, strict=True))
    ]
    by_parent = beside.placed(made) if rule.via else made
    found = exp.Subquery(this=by_parent, alias=exp.TableAlias(this=exp.to_identifier("d")))
    return query.join(found, on=exp.and_(*same), join_type="left")


def _aggregate(relation: Summary, far: TableSchema) -> exp.Expr:
    if relation.aggregate == Aggregate.COUNT:
        one: exp.Expr = exp.convert(1) if relation.among else exp.Star()
        counts = value_of(far.column(relation.other), "s").expression if relation.other else one
        return exp.Count(this=_counted(relation, counts, far))
    value = value_of(far.column(relation.other), "s")
    expression = _counted(relation, value.expression, far)
    if value.column.type is LogicalType.INTEGER and relation.aggregate == Aggregate.SUM:
        expression = exp.cast(expression, "DECIMAL(38, 0)")
    return _AGGREGATES[Aggregate(relation.aggregate)](this=expression)


def _counted(relation: Summary, value: exp.Expr, far: TableSchema) -> exp.Expr:
    """A child's value; null where the child does not count."""
    if not relation.among:
        return value
    column = far.column(relation.among)
    values = [literal(text, column) for text in relation.values]
    counts = exp.In(this=value_of(column, "s").expression, expressions=values)
    return exp.Case(ifs=[exp.If(this=counts, true=value)])


def _summary(relation: Summary) -> exp.Expr:
    found: exp.Expr = exp.column("f", table="d")
    return exp.Coalesce(this=found, expressions=[exp.convert(0)]) if relation.aggregate == Aggregate.COUNT else found


def _wrong(rule: ReferenceRule, relation: Summary, schemas: Schemas) -> exp.Expr:
    row, far = _sides(rule, schemas)
    own = row.column(relation.column)
    target = value_of(own, "t")
    if relation.aggregate in (Aggregate.FIRST, Aggregate.LAST):
        end = Value(_summary(relation), far.column(relation.other))
        by_day = own.type is LogicalType.DATE and end.column.type is LogicalType.TIMESTAMP
        return compare(target, Operator.NE, day_of(end) if by_day else end, _SQL)
    summary = Value(_summary(relation), _made(relation, far))
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
