"""The Arrow types in which values of each logical type are stored."""

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType

MAX_DIGITS = 38
_ARROW: Mapping[LogicalType, pa.DataType] = MappingProxyType(
    {
        LogicalType.BOOLEAN: pa.bool_(),
        LogicalType.INTEGER: pa.int64(),
        LogicalType.FLOAT: pa.float64(),
        LogicalType.DATE: pa.date32(),
        LogicalType.TIMESTAMP: pa.timestamp("us", tz="UTC"),
        LogicalType.TIME: pa.string(),  # 08:15:00, 08:15:00.5: texts in the order of the times
        LogicalType.STRING: pa.string(),
        LogicalType.BINARY: pa.binary(),
    }
)


def arrow_type(column: Column) -> pa.DataType:
    """The Arrow type in which a column's values are stored."""
    if column.type is LogicalType.DECIMAL:
        return pa.decimal128(column.precision or MAX_DIGITS, column.scale or 0)
    return _ARROW[column.type]
