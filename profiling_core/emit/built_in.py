"""Great Expectations' own expectations, where one says exactly the same as a constraint.

They are taken only where their null semantics and comparison are exactly ours, so never for float columns, nor for
names that Spark's column expressions would read as paths. Whoever reads such a suite knows them; they need no SQL.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from profiling_core.emit.columns import built_in_rule
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.setting import Setting
from profiling_core.emit.sql import familiar
from profiling_core.model.constraint import Constraint, DenialConstraint, Kind, UniqueColumnCombination
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

BuiltIn = tuple[str, dict[str, Any]]
_HARMLESS = re.compile(r"[\w .,/+-]*\Z")
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def built_in(constraint: Constraint, setting: Setting) -> BuiltIn | None:
    """The type and arguments of the expectation that says the same, or None where there is none."""
    schema = setting.schemas[constraint.tables[0]]
    known = familiar(constraint)
    say = _SAYING.get(known.kind)
    if setting.dialect is Dialect.SNOWFLAKE:
        return None  # its driver takes a plain lower-case name for an upper-case one
    if say is None or not known.columns or not all(_is_plain(schema, column) for column in known.columns):
        return None
    if isinstance(known, ColumnRule) and not _is_read_as_written(known, setting.dialect):
        return None
    return say(known, setting)


def _is_read_as_written(rule: ColumnRule, dialect: Dialect) -> bool:
    """Whether GX takes the rule's texts as they are: on databases it reads the backslashes of arguments once more."""
    if rule.rule is Rule.PATTERN:
        return dialect is Dialect.SPARK
    return all(_HARMLESS.match(value) for value in rule.values)


def _is_plain(schema: TableSchema, column: str) -> bool:
    return bool(_SIMPLE_NAME.match(column)) and schema.column(column).type is not LogicalType.FLOAT


def _unique(ucc: UniqueColumnCombination, setting: Setting) -> BuiltIn | None:
    nulls = setting.nulls
    if len(ucc.columns) == 1:
        # this one always leaves nulls out
        single = {"column": ucc.columns[0]}
        return ("expect_column_values_to_be_unique", single) if nulls is NullSemantics.SQL else None
    if nulls is NullSemantics.SQL:
        ignored = "any_value_is_missing"
    elif setting.dialect is Dialect.SPARK:
        ignored = "never"
    else:
        return None  # there GX joins on the columns, and so leaves nulls out all the same
    return "expect_compound_columns_to_be_unique", {"column_list": list(ucc.columns), "ignore_row_if": ignored}


def _ordered_pair(dc: DenialConstraint, setting: Setting) -> BuiltIn | None:
    """``¬(t.A < t.B)`` asks for A ≥ B, ``¬(t.A ≤ t.B)`` for A > B."""
    if not dc.is_single_row or len(dc.predicates) != 1:
        return None
    (predicate,) = dc.predicates
    schema = setting.schemas[dc.table]
    left, right = schema.column(predicate.left.column), schema.column(predicate.right.column)
    if (left.type, left.precision, left.scale) != (right.type, right.precision, right.scale):
        return None
    if left.type is LogicalType.STRING and setting.dialect is Dialect.POSTGRES:
        return None  # compares by the column's collation
    strict = predicate.op in (Operator.LE, Operator.GE)
    if predicate.op not in (Operator.LT, Operator.LE, Operator.GT, Operator.GE):
        return None
    if strict and setting.nulls is NullSemantics.EQUAL:
        return None  # ≤ holds between two nulls, and so two nulls violate it
    greater, less = (left, right) if predicate.op in (Operator.LT, Operator.LE) else (right, left)
    return "expect_column_pair_values_a_to_be_greater_than_b", {
        "column_A": greater.name,
        "column_B": less.name,
        "or_equal": not strict,
        "ignore_row_if": "either_value_is_missing",
    }


_SAYING: Mapping[Kind, Callable[[Any, Setting], BuiltIn | None]] = {
    Kind.UCC: _unique,
    Kind.DC: _ordered_pair,
    Kind.COLUMN: built_in_rule,
}
