"""Equations within a row in SQL: conditions on single rows."""

from dataclasses import replace

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, not_null, value_of
from profiling_core.emit.counting import counted
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.expressions import apart, arguments, double, is_numeric
from profiling_core.emit.groups import rows_of
from profiling_core.emit.kinds.form import BuiltIn, Form, Schemas
from profiling_core.emit.other_values import column_of, other_value, whole_number
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import source
from profiling_core.model.expression import (
    Abridged,
    CheckDigits,
    Completed,
    Cut,
    Elapsed,
    Inscribed,
    Linear,
    Logarithm,
    Part,
    Stamped,
)
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, NullSemantics


def rows(equation: Equation, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - nulls never violate
    """The rows whose column is not what the equation makes it.

    Raises:
        InexpressibleError: SQL cannot compute it exactly.
    """
    schema = schemas[equation.table]
    return rows_of(schema, equation.columns).where(*broken(equation, schema))


def violations(equation: Equation, schemas: Schemas, nulls: NullSemantics) -> exp.Select:  # noqa: ARG001 - as above
    """How many rows violate it; raises as :func:`rows` does."""
    schema = schemas[equation.table]
    query = exp.select(counted("violations")).from_(source(schema, equation.columns, "t"))
    return query.where(*broken(equation, schema))


def population(equation: Equation, schemas: Schemas) -> exp.Select:
    """How many rows have all of its columns, and a value to compare with."""
    schema = schemas[equation.table]
    return (
        exp.select(counted("population")).from_(source(schema, equation.columns, "t")).where(*judged(equation, schema))
    )


def judged(equation: Equation, schema: TableSchema) -> list[exp.Expr]:
    """The conditions under which a row is judged."""
    there = [
        not_null(value_of(schema.column(column), "t"))
        for column in equation.columns
        if column not in equation.value.optional
    ]
    value = equation.value
    if value.divisor:
        there.append(exp.NEQ(this=column_of(value.divisor), expression=exp.convert(0)))
    if isinstance(value, Logarithm):
        columns = {name: value_of(schema.column(name), "t") for name in value.columns}
        there += [exp.GT(this=one, expression=double(0.0)) for one in arguments(value, columns)]
    if not value.is_numeric:
        found = _made(equation, schema)
        there.append(exp.Is(this=found, expression=exp.Not(this=exp.null())))
    return there


def _made(equation: Equation, schema: TableSchema) -> exp.Expr:
    """What the equation makes of its column, where it computes no number from numbers."""
    made = other_value(equation.value)
    cut = isinstance(equation.value, Cut | Stamped | CheckDigits)
    whole = cut and schema.column(equation.column).type is LogicalType.INTEGER
    return whole_number(made) if whole else made


def broken(equation: Equation, schema: TableSchema) -> list[exp.Expr]:
    """The conditions under which a row violates the equation; raises as :func:`rows` does."""
    column, value = schema.column(equation.column), equation.value
    columns = {name: _or_zero(value_of(schema.column(name), "t"), name in value.optional) for name in value.columns}
    target = value_of(column, "t")
    numbers = all(is_numeric(used.column) for used in (target, *columns.values()))
    if (value.is_numeric and numbers) or isinstance(value, Elapsed | Completed):
        wrong = apart(target, value, columns, equation.precision)
    elif isinstance(value, Linear):
        (name,) = value.columns
        wrong = compare(target, Operator.NE, columns[name], NullSemantics.SQL)
    else:
        wrong = exp.NEQ(this=target.expression, expression=exp.paren(_made(equation, schema)))
    return [*judged(equation, schema), wrong]


def _or_zero(value: Value, optional: bool) -> Value:  # noqa: FBT001 - whether nulls count as zero
    if not optional:
        return value
    there = exp.If(this=not_null(value), true=value.expression.copy())
    return replace(value, expression=exp.Case(ifs=[there], default=exp.convert(0)))


def built_in(equation: Equation, setting: Setting) -> BuiltIn | None:
    """Great Expectations' own expectation for a copy of another column of the same type."""
    value, schema = equation.value, setting.schemas[equation.table]
    if not (isinstance(value, Linear) and len(value.terms) == 1 and value == Linear((("1", value.columns[0]),))):
        return None
    left, right = schema.column(equation.column), schema.column(value.columns[0])
    if (left.type, left.precision, left.scale) != (right.type, right.precision, right.scale):
        return None
    pair = {"column_A": left.name, "column_B": right.name, "ignore_row_if": "either_value_is_missing"}
    return "expect_column_pair_values_to_be_equal", pair


def refusal(equation: Equation, setting: Setting) -> str:
    """Why a database cannot be asked: its upper and lower case, or its weeks, need not be those of Unicode and ISO."""
    value = equation.value
    cased = isinstance(value, Abridged | Inscribed) and bool(value.case)
    weekly = (isinstance(value, Part) and value.part == "week") or (
        isinstance(value, Stamped) and "%V" in value.pattern
    )
    differs = cased or weekly
    return "databases differ in it" if differs and setting.dialect is not Dialect.SPARK else ""


FORM = Form(rows, violations, population, assertion="equation", built_in=built_in, refusal=refusal)
