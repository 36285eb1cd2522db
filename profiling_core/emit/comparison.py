"""Predicates as SQL that means exactly what docs/semantics.md says: typed, null-aware, never through a lossy cast.

Spark would compare a bigint with a double by casting the bigint, so that 2^53 and 2^53 + 1 became equal, and sorts NaN
above every number, where for us it is null. Both are corrected here; a comparison that SQL cannot make exactly is
refused.
"""

from dataclasses import dataclass

from sqlglot import exp

from profiling_core.model.errors import HoldfastError
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType, NullSemantics

_NODES: dict[Operator, type[exp.Binary]] = {
    Operator.EQ: exp.EQ,
    Operator.NE: exp.NEQ,
    Operator.LT: exp.LT,
    Operator.LE: exp.LTE,
    Operator.GT: exp.GT,
    Operator.GE: exp.GTE,
}
_MOST_DECIMAL_DIGITS = 38
_BIGINT_DIGITS = 20  # Spark takes a bigint as decimal(20, 0)
_BEYOND_BIGINT = "9223372036854775808"


class InexpressibleError(HoldfastError):
    """The constraint has no SQL that means exactly the same; the maintained state still knows its figures."""


@dataclass(frozen=True, slots=True)
class Value:
    """A column's value in one of the rows that a query speaks of."""

    expression: exp.Expr
    column: Column


def name(text: str) -> exp.Identifier:
    """A name, always quoted, whatever characters it has."""
    return exp.to_identifier(text, quoted=True)


def value_of(column: Column, row: str) -> Value:
    """The column's value in the row with that alias (of a source in which NaN reads as null already)."""
    return Value(exp.column(name(column.name), table=exp.to_identifier(row)), column)


def day_of(value: Value) -> Value:
    """The day of a moment."""
    return Value(exp.cast(value.expression, "DATE"), Column(value.column.name, LogicalType.DATE, ordered=True))


def not_null(value: Value) -> exp.Expr:
    """Whether the value is there."""
    return _there(value.expression)


def _there(expression: exp.Expr) -> exp.Expr:
    return exp.Is(this=expression.copy(), expression=exp.Not(this=exp.null()))


def _missing(expression: exp.Expr) -> exp.Expr:
    return exp.Is(this=expression.copy(), expression=exp.null())


def compare(left: Value, op: Operator, right: Value, nulls: NullSemantics) -> exp.Expr:
    """``left op right`` as a condition that is true exactly when the predicate is satisfied.

    Raises:
        InexpressibleError: the two columns' types have no exact comparison in SQL.
    """
    if nulls is NullSemantics.SQL:
        return _plain(left, op, right)
    if op is Operator.EQ and not _mixes_float(left, right):
        _check_comparable(left.column, right.column)
        return exp.NullSafeEQ(this=left.expression.copy(), expression=right.expression.copy())
    if op is Operator.NE:
        # an integer beside a fraction compares as unknown, which has to count as different
        same = exp.Coalesce(this=compare(left, Operator.EQ, right, nulls), expressions=[exp.false()])
        return exp.not_(same)
    if op in (Operator.LT, Operator.GT):
        return _plain(left, op, right)
    both_null = exp.and_(_missing(left.expression), _missing(right.expression))
    return exp.paren(exp.or_(_plain(left, op, right), both_null))


def _plain(left: Value, op: Operator, right: Value) -> exp.Expr:
    """The comparison under which a null on either side satisfies nothing."""
    _check_comparable(left.column, right.column)
    if not _mixes_float(left, right):
        return _NODES[op](this=left.expression.copy(), expression=right.expression.copy())
    if left.column.type is LogicalType.INTEGER:
        return _integer_with_float(left.expression, op, right.expression)
    return _integer_with_float(right.expression, op.flipped, left.expression)


def _mixes_float(left: Value, right: Value) -> bool:
    return {left.column.type, right.column.type} == {LogicalType.INTEGER, LogicalType.FLOAT}


def _check_comparable(left: Column, right: Column) -> None:
    both = f"{left.name} ({left.type}) with {right.name} ({right.type})"
    if left.type.type_class is not right.type.type_class:
        raise InexpressibleError(f"SQL cannot compare {both}: values of different type classes never compare")
    types = {left.type, right.type}
    if types == {LogicalType.DECIMAL, LogicalType.FLOAT}:
        raise InexpressibleError(f"SQL cannot compare {both} exactly: it would round the decimal")
    if LogicalType.DECIMAL in types and _digits(left, right) > _MOST_DECIMAL_DIGITS:
        raise InexpressibleError(f"SQL cannot compare {both} exactly: together they need more than 38 digits")


def _digits(left: Column, right: Column) -> int:
    """Digits of the decimal type that holds both columns' values."""
    whole = scale = 0
    for column in (left, right):
        if column.type is LogicalType.INTEGER:
            whole = max(whole, _BIGINT_DIGITS)
        else:
            whole = max(whole, (column.precision or _MOST_DECIMAL_DIGITS) - (column.scale or 0))
            scale = max(scale, column.scale or 0)
    same = left.type is right.type and (left.precision, left.scale) == (right.precision, right.scale)
    return 0 if same else whole + scale


def _integer_with_float(integer: exp.Expr, op: Operator, real: exp.Expr) -> exp.Expr:
    """Compares as integers: ``x < y`` is ``x < ⌈y⌉``, ``x ≤ y`` is ``x ≤ ⌊y⌋``; a fraction equals no integer."""
    if op is Operator.EQ:
        return exp.EQ(this=integer.copy(), expression=_as_integer(real))
    if op is Operator.NE:
        differs = exp.NullSafeNEQ(this=integer.copy(), expression=_as_integer(real))
        return exp.paren(exp.and_(_there(integer), _there(real), differs))
    rounded = exp.Ceil if op in (Operator.LT, Operator.GE) else exp.Floor
    nearest = exp.cast(rounded(this=real.copy()), "BIGINT")
    return exp.Case(
        ifs=[
            exp.If(this=exp.or_(_missing(integer), _missing(real)), true=exp.false()),
            exp.If(this=_is_above(real), true=exp.convert(op in (Operator.LT, Operator.LE))),
            exp.If(this=_is_below(real), true=exp.convert(op in (Operator.GT, Operator.GE))),
        ],
        default=_NODES[op](this=integer.copy(), expression=nearest),
    )


def _as_integer(real: exp.Expr) -> exp.Expr:
    """The bigint that equals the double, or null where none does."""
    whole = exp.cast(real.copy(), "BIGINT")
    exact = exp.EQ(this=exp.cast(whole.copy(), "DOUBLE"), expression=real.copy())
    # 2^63 itself would saturate to 2^63 - 1 in Spark's cast, and anything further raises
    outside = exp.or_(_is_above(real), _is_below(real))
    return exp.Case(ifs=[exp.If(this=outside, true=exp.null()), exp.If(this=exact, true=whole)])


def _is_above(real: exp.Expr) -> exp.Expr:
    return exp.GTE(this=real.copy(), expression=_double(_BEYOND_BIGINT))


def _is_below(real: exp.Expr) -> exp.Expr:
    return exp.LT(this=real.copy(), expression=_double(f"-{_BEYOND_BIGINT}"))


def _double(digits: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(digits), "DOUBLE")
