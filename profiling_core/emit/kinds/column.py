"""Rules of single columns as conditions on a table's rows, and as expectations that Great Expectations has.

A suite sees a whole table: what is asked of one delta beside those before it cannot be said there.
"""

import re

from sqlglot import exp

from profiling_core.algorithms.columns.judging import regular_expression
from profiling_core.emit.comparison import InexpressibleError, compare, not_null, value_of
from profiling_core.emit.dialects import END_IN_JAVA, Dialect
from profiling_core.emit.kinds.form import BuiltIn, Form, Promise, Promised, Schemas
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import shown, source
from profiling_core.model.constraint import ColumnList
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_MOST_BIGINT = 2**63 - 1
_EXACT_IN_DOUBLES = 2**53
"""Great Expectations reads a bound as a double: below this one, an integer is beyond it exactly if its double is."""
_HARMLESS = re.compile(r"[\w .,/+-]*\Z")


def rows(rule: ColumnRule, schemas: Schemas, _: NullSemantics) -> exp.Select:
    """The rows that violate a rule of rows.

    Raises:
        InexpressibleError: the rule speaks of deltas.
    """
    schema = schemas[rule.table]
    columns = (*rule.columns, *schema.key)
    return exp.select(*shown(schema, rule.columns, "t")).from_(source(schema, columns, "t")).where(broken(rule, schema))


def violations(rule: ColumnRule, schemas: Schemas, _: NullSemantics) -> exp.Select:
    """How many rows violate a rule of rows; raises as :func:`rows` does."""
    schema = schemas[rule.table]
    return _counted("violations", rule, schema).where(broken(rule, schema))


def population(rule: ColumnRule, schemas: Schemas) -> exp.Select:
    """How many rows can violate a rule: those with a value, of all, or those without."""
    schema = schemas[rule.table]
    judged = _counted("population", rule, schema)
    there = not_null(value_of(schema.column(rule.column), "t"))
    if rule.rule is Rule.NULL_WITH:
        return judged.where(exp.not_(there))
    return judged if rule.rule is Rule.NOT_NULL else judged.where(there)


def _counted(what: str, rule: ColumnRule, schema: TableSchema) -> exp.Select:
    number = exp.cast(exp.Count(this=exp.Star()), "BIGINT")
    return exp.select(exp.alias_(number, what)).from_(source(schema, rule.columns, "t"))


def broken(rule: ColumnRule, schema: TableSchema) -> exp.Expr:
    """The condition that is true exactly for rows that violate a rule of rows.

    Raises:
        InexpressibleError: the rule speaks of deltas.
    """
    if rule.rule.of_deltas:
        raise InexpressibleError(
            "it compares a delta with those before it, and a suite sees the whole table",
            remedy="its figures are in the state and in alerts",
        )
    column = schema.column(rule.column)
    value = value_of(column, "t").expression
    if rule.rule is Rule.NOT_NULL:
        return exp.Is(this=value, expression=exp.null())
    if rule.rule is Rule.NULL_WITH:
        there = (not_null(value_of(schema.column(name), "t")) for name in rule.others)
        return exp.and_(exp.Is(this=value, expression=exp.null()), exp.or_(*there))
    if rule.rule is Rule.AT_MOST:
        (other,) = rule.others
        return compare(value_of(column, "t"), Operator.GT, value_of(schema.column(other), "t"), NullSemantics.SQL)
    if rule.rule is Rule.VALUES:
        return exp.not_(exp.In(this=value, expressions=[literal(text, column) for text in rule.values]))
    if rule.rule is Rule.PATTERN:
        pattern = exp.Literal.string(regular_expression(rule.values))
        return exp.not_(exp.RegexpLike(this=value, expression=pattern))
    return _outside(value, rule, column)


def _outside(value: exp.Expr, rule: ColumnRule, column: Column) -> exp.Expr:
    if rule.rule is Rule.LENGTH:
        value, column = exp.Length(this=value), Column(column.name, LogicalType.INTEGER, ordered=True)
    sides: list[exp.Expr] = []
    if rule.low is not None:
        sides.append(exp.LT(this=value.copy(), expression=literal(rule.low, column)))
    if rule.high is not None:
        sides.append(exp.GT(this=value.copy(), expression=literal(rule.high, column)))
    return exp.or_(*sides)


def literal(text: str, column: Column) -> exp.Expr:
    """A bound or a value as SQL of the column's type, never through a double."""
    if column.type is LogicalType.STRING:
        return exp.Literal.string(text)
    if column.type is LogicalType.INTEGER and abs(int(text)) <= _MOST_BIGINT:
        return exp.cast(exp.Literal.string(text), "BIGINT")
    kind = {LogicalType.BOOLEAN: "BOOLEAN", LogicalType.FLOAT: "DOUBLE"}.get(column.type, "DECIMAL(38, 0)")
    if column.type is LogicalType.DECIMAL:
        kind = f"DECIMAL(38, {column.scale or 0})"
    return exp.cast(exp.Literal.string(text), kind)


def built_in(rule: ColumnRule, setting: Setting) -> BuiltIn | None:
    """Great Expectations' own expectation for a rule on a column of strings or integers, and its arguments."""
    if not _is_read_as_written(rule, setting.dialect):
        return None
    kind = setting.schemas[rule.table].column(rule.column).type
    column = {"column": rule.column}
    if rule.rule is Rule.NOT_NULL:
        return "expect_column_values_to_not_be_null", column
    if kind not in (LogicalType.STRING, LogicalType.INTEGER):
        return None
    typed = int if kind is LogicalType.INTEGER else str
    known: dict[Rule, BuiltIn] = {
        Rule.VALUES: ("be_in_set", {"value_set": [typed(value) for value in rule.values]}),
        Rule.RANGE: ("be_between", _limits(rule)),
        Rule.PATTERN: ("match_regex", {"regex": regular_expression(rule.values, END_IN_JAVA)}),
    }
    if any(abs(bound) >= _EXACT_IN_DOUBLES for bound in _limits(rule).values()):
        return None
    if rule.rule is Rule.LENGTH:
        return "expect_column_value_lengths_to_be_between", column | _limits(rule)
    name, kwargs = known.get(rule.rule, ("", {}))
    return (f"expect_column_values_to_{name}", column | kwargs) if name else None


def _limits(rule: ColumnRule) -> dict[str, int]:
    bounds = {"min_value": rule.low, "max_value": rule.high}
    return {name: int(bound) for name, bound in bounds.items() if bound is not None}


def _is_read_as_written(rule: ColumnRule, dialect: Dialect) -> bool:
    """Whether GX takes the rule's texts as they are: on databases it reads the backslashes of arguments once more."""
    if rule.rule is Rule.PATTERN:
        return dialect is Dialect.SPARK
    return all(_HARMLESS.match(value) for value in rule.values)


def promise(rule: ColumnRule) -> Promised | None:
    """That the column has no nulls."""
    return Promised(Promise.REQUIRED, ColumnList(rule.table, rule.columns)) if rule.rule is Rule.NOT_NULL else None


FORM = Form(
    rows, violations, population, assertion="valid_values", dimension="conformity", built_in=built_in, promise=promise
)
