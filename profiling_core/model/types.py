"""Logical types of column values, and which of them compare with each other.

Stands first because every other noun speaks of columns. The rules are those of docs/semantics.md, "Values".
"""

from enum import StrEnum


class TypeClass(StrEnum):
    """Columns compare only with columns of the same class."""

    NUMERIC = "numeric"
    TEMPORAL = "temporal"
    CLOCK = "clock"
    STRING = "string"
    BOOLEAN = "boolean"
    BINARY = "binary"


class LogicalType(StrEnum):
    """The type of a column's values, independent of file format and engine."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"
    STRING = "string"
    BINARY = "binary"

    @property
    def type_class(self) -> TypeClass:
        """The class of types whose values compare with this one's."""
        return _CLASS_OF[self]

    @property
    def is_ordered(self) -> bool:
        """Whether values take all six operators unless configured otherwise; the rest take ``=`` and ``≠``."""
        return self.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL, TypeClass.CLOCK)

    @property
    def is_stored_as_text(self) -> bool:
        """Whether values are stored as texts, whose order by bytes is that of the values."""
        return self in (LogicalType.STRING, LogicalType.TIME)


_CLASS_OF = {
    LogicalType.BOOLEAN: TypeClass.BOOLEAN,
    LogicalType.INTEGER: TypeClass.NUMERIC,
    LogicalType.DECIMAL: TypeClass.NUMERIC,
    LogicalType.FLOAT: TypeClass.NUMERIC,
    LogicalType.DATE: TypeClass.TEMPORAL,
    LogicalType.TIMESTAMP: TypeClass.TEMPORAL,
    LogicalType.TIME: TypeClass.CLOCK,
    LogicalType.STRING: TypeClass.STRING,
    LogicalType.BINARY: TypeClass.BINARY,
}


class DayOrder(StrEnum):
    """What comes first in a day with slashes: 31/05/2024 or 05/31/2024."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


class NullSemantics(StrEnum):
    """How predicates treat nulls: as SQL's CHECK and UNIQUE do, or with null = null holding."""

    SQL = "sql"
    EQUAL = "equal"
