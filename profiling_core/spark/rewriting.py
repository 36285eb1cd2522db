"""A table's stored rows under other columns: new ones are null, old ones are left out, types are cast."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from profiling_core.model.delta import ROW_ID
from profiling_core.model.errors import InputError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.names import quoted
from profiling_core.spark.rows import spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def rewritten(rows: "DataFrame", before: TableSchema, after: TableSchema, former: Mapping[str, str]) -> "DataFrame":
    """The rows, with their ids, under the columns of ``after``; some of these had ``former`` names.

    Raises:
        InputError: a value would be lost in its column's new type.
    """
    from pyspark.sql import functions as f

    types = {field.name: field.dataType for field in spark_schema(after).fields}
    stored = {column.name: column for column in before.columns}
    kept = {c.name: old for c in after.columns if (old := stored.get(former.get(c.name, c.name)))}
    for column in after.columns:
        if column.name in kept and is_retyped(kept[column.name], column):
            _refuse_loss(rows, kept[column.name], column, types[column.name])
    columns = [
        (f.col(quoted(kept[c.name].name)) if c.name in kept else f.lit(None)).cast(types[c.name]).alias(c.name)
        for c in after.columns
    ]
    return rows.select(ROW_ID, *columns)


def is_retyped(before: Column, after: Column) -> bool:
    """Whether the column's values are stored in another type."""
    return (before.type, before.precision, before.scale) != (after.type, after.precision, after.scale)


def _refuse_loss(rows: "DataFrame", before: Column, after: Column, type_: "DataType") -> None:
    from pyspark.sql import functions as f

    old = f.col(quoted(before.name))
    new = old.try_cast(type_)
    lost = new.isNull()
    if before.type is not LogicalType.STRING:  # of a text nothing but its value is kept
        back = spark_schema(TableSchema("", (before,))).fields[-1].dataType
        lost = lost | ~new.try_cast(back).eqNullSafe(old)
    found = rows.filter(old.isNotNull() & lost).select(old.cast("string")).take(1)
    if found:
        raise InputError(
            f"column {before.name!r} cannot become {after.type}: the value {found[0][0]!r} would be lost",
            remedy=f"leave the column's type at {before.type}, or correct such rows by a delta first",
        )
