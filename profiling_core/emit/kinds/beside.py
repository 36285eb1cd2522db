"""How a row stands to another one, in SQL: the row is ``t``; its parent, or the row before it, is ``s``."""

from dataclasses import replace

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, day_of, not_null, value_of
from profiling_core.emit.expressions import apart, as_double
from profiling_core.emit.kinds import conditional
from profiling_core.emit.other_values import column_of, other_value
from profiling_core.model.kinds.relation import OF_PARENT, Beside, BesideRow, ComputedBeside, ConditionalBeside
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics


def judged(relation: BesideRow, own: TableSchema, far: TableSchema) -> list[exp.Expr]:
    """The conditions under which a pair of rows is judged."""
    if isinstance(relation, Beside):
        sides = value_of(own.column(relation.column), "t"), value_of(far.column(relation.other), "s")
        return [not_null(value) for value in sides]
    if isinstance(relation, ConditionalBeside):
        return [_of_both(one) for one in conditional.judged(relation.rule, _row(relation, own, far))]
    values = _values(relation, own, far)
    there = [not_null(value) for value in values.values()]
    if relation.value.divisor:
        divisor = values[relation.value.divisor].expression
        there.append(exp.NEQ(this=divisor.copy(), expression=exp.convert(0)))
    if not relation.value.is_numeric:
        there.append(exp.Is(this=exp.paren(_made(relation)), expression=exp.Not(this=exp.null())))
    return there


def wrong(relation: BesideRow, own: TableSchema, far: TableSchema) -> list[exp.Expr]:
    """The conditions under which row ``t`` is not what it should be beside row ``s``."""
    if isinstance(relation, Beside):
        return [_compared(relation, Operator(relation.op).inverse, own, far)]
    if isinstance(relation, ConditionalBeside):
        return [_of_both(conditional.broken(relation.rule, _row(relation, own, far)))]
    values = _values(relation, own, far)
    if relation.value.is_numeric:
        differs = apart(values[relation.column], relation.value, values, relation.precision)
    else:
        differs = exp.NEQ(this=values[relation.column].expression, expression=exp.paren(_made(relation)))
    return [*judged(relation, own, far), differs]


def _made(relation: ComputedBeside) -> exp.Expr:
    """A computed value that is no number: a day, or a text."""
    return _of_both(other_value(relation.value))


def _of_both(row: exp.Expr) -> exp.Expr:
    """An expression of one row ``t`` as one of both rows: columns with the mark of the parent are those of ``s``."""

    def of_parent(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name.startswith(OF_PARENT):
            return column_of(node.name.removeprefix(OF_PARENT), "s")
        return node

    return row.transform(of_parent)


def _row(relation: ConditionalBeside, own: TableSchema, far: TableSchema) -> TableSchema:
    """The schema of a row that has the columns of both rows."""
    theirs = (replace(far.column(name), name=OF_PARENT + name) for name in relation.others)
    return replace(own, columns=(*(own.column(name) for name in relation.columns), *theirs), key=())


def _values(relation: ComputedBeside, own: TableSchema, far: TableSchema) -> dict[str, Value]:
    """The values that an expression computes with, those of the other row by the names that it has for them."""
    theirs = {OF_PARENT + name: value_of(far.column(name), "s") for name in relation.others}
    return {name: value_of(own.column(name), "t") for name in relation.columns} | theirs


def _compared(relation: Beside, op: Operator, own: TableSchema, far: TableSchema) -> exp.Expr:
    left, right = value_of(own.column(relation.column), "t"), value_of(far.column(relation.other), "s")
    left, right = (day_of(value) if day else value for value, day in zip((left, right), relation.by_day, strict=True))
    if LogicalType.FLOAT in (left.column.type, right.column.type):
        left, right = _as_float(left), _as_float(right)
    return compare(left, op, right, NullSemantics.SQL)


def _as_float(value: Value) -> Value:
    return Value(as_double(value.expression), Column(value.column.name, LogicalType.FLOAT, ordered=True))
