"""Great Expectations' own expectations, where one says exactly the same as a constraint.

They are taken only where their null semantics and comparison are exactly ours, so never for float columns, nor for
names that Spark's column expressions would read as paths. Whoever reads such a suite knows them; they need no SQL.
"""

import re

from profiling_core.emit.dialects import Dialect
from profiling_core.emit.kinds.form import BuiltIn
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.setting import Setting
from profiling_core.model.constraint import Constraint
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType

_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def built_in(constraint: Constraint, setting: Setting) -> BuiltIn | None:
    """The type and arguments of the expectation that says the same, or None where there is none."""
    if setting.dialect is Dialect.SNOWFLAKE:
        return None  # its driver takes a plain lower-case name for an upper-case one
    schema, known = setting.schemas[constraint.tables[0]], constraint.familiar
    if not known.columns or not all(_is_plain(schema, column) for column in known.columns):
        return None
    return form_of(known).built_in(known, setting)


def _is_plain(schema: TableSchema, column: str) -> bool:
    return bool(_SIMPLE_NAME.match(column)) and schema.column(column).type is not LogicalType.FLOAT
