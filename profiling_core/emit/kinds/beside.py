"""How a row stands to another one, in SQL: the row is ``t``; its parent, or the row before it, is ``s``.

The row on the way to the parent, if there is one, is ``v``. All conditions are written as if the columns of these rows
were columns of one row, and get their rows in the end.
"""

from dataclasses import replace
from functools import reduce

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, day_of, not_null, value_of
from profiling_core.emit.expressions import apart, as_double
from profiling_core.emit.kinds import conditional
from profiling_core.emit.other_values import column_of, other_value
from profiling_core.model.kinds.relation import (
    OF_PARENT,
    ON_THE_WAY,
    Beside,
    BesideRow,
    ComputedBeside,
    ConditionalBeside,
)
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_ROWS = {OF_PARENT: "s", ON_THE_WAY: "v"}


def with_columns(row: TableSchema, mark: str, other: TableSchema) -> TableSchema:
    """The schema of a row that also has the columns of another row, with a mark before their names."""
    theirs = (replace(column, name=mark + column.name) for column in other.columns)
    return replace(row, columns=(*row.columns, *theirs), key=())


def placed(condition: exp.Expr) -> exp.Expr:
    """A condition on a row that has other rows' columns: those with a mark are columns of the other rows."""
    return reduce(_of_row, _ROWS, condition)


def _of_row(condition: exp.Expr, mark: str) -> exp.Expr:
    def of_row(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name.startswith(mark):
            return column_of(node.name.removeprefix(mark), _ROWS[mark])
        return node

    return condition.transform(of_row)


def judged(relation: BesideRow, own: TableSchema, far: TableSchema) -> list[exp.Expr]:
    """The conditions under which a pair of rows is judged."""
    return [placed(condition) for condition in _judged(relation, with_columns(own, OF_PARENT, far))]


def wrong(relation: BesideRow, own: TableSchema, far: TableSchema) -> list[exp.Expr]:
    """The conditions under which row ``t`` is not what it should be beside row ``s``."""
    return [placed(condition) for condition in _wrong(relation, with_columns(own, OF_PARENT, far))]


def _judged(relation: BesideRow, row: TableSchema) -> list[exp.Expr]:
    if isinstance(relation, ConditionalBeside):
        return conditional.judged(relation.rule, row)
    values = _values(relation, row)
    there = [not_null(value) for value in values.values()]
    if isinstance(relation, Beside):
        return there
    if relation.value.divisor:
        divisor = values[relation.value.divisor].expression
        there.append(exp.NEQ(this=divisor.copy(), expression=exp.convert(0)))
    if not relation.value.is_numeric:
        there.append(exp.Is(this=exp.paren(other_value(relation.value)), expression=exp.Not(this=exp.null())))
    return there


def _wrong(relation: BesideRow, row: TableSchema) -> list[exp.Expr]:
    if isinstance(relation, Beside):
        return [_compared(relation, Operator(relation.op).inverse, row)]
    if isinstance(relation, ConditionalBeside):
        return [conditional.broken(relation.rule, row)]
    values = _values(relation, row)
    if relation.value.is_numeric:
        differs = apart(values[relation.column], relation.value, values, relation.precision)
    else:
        differs = exp.NEQ(this=values[relation.column].expression, expression=exp.paren(other_value(relation.value)))
    return [*_judged(relation, row), differs]


def _values(relation: Beside | ComputedBeside, row: TableSchema) -> dict[str, Value]:
    """The values that a relation speaks of, by the names that it has for them."""
    names = (*relation.columns, *(OF_PARENT + name for name in relation.others))
    return {name: value_of(row.column(name), "t") for name in names}


def _compared(relation: Beside, op: Operator, row: TableSchema) -> exp.Expr:
    sides = zip(_values(relation, row).values(), relation.by_day, strict=True)
    left, right = (day_of(value) if day else value for value, day in sides)
    if LogicalType.FLOAT in (left.column.type, right.column.type):
        left, right = _as_float(left), _as_float(right)
    return compare(left, op, right, NullSemantics.SQL)


def _as_float(value: Value) -> Value:
    return Value(as_double(value.expression), Column(value.column.name, LogicalType.FLOAT, ordered=True))
