"""The types of columns whose source has types: at the bootstrap, and as they widen."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from profiling_core.algorithms.values.arrow_types import MAX_DIGITS
from profiling_core.ingest.infer import arrow_column
from profiling_core.ingest.plain_types import is_fine
from profiling_core.ingest.sources.arrow_rows import is_open
from profiling_core.ingest.sources.protocol import Batch, Reader
from profiling_core.ingest.typed_rows import cast_cells
from profiling_core.model.errors import InputError
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType, TypeClass
from profiling_core.spark.rewriting import is_retyped
from profiling_core.spark.sources import SourcePart, map_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def typed_columns(names: Iterable[str], batch: Batch) -> list[Column]:
    """The columns that hold all parts' values.

    Raises:
        InputError: a column has types of several classes.
    """
    columns: dict[str, Column] = {}
    for part in batch.parts:
        found = batch.reader.schema(part)
        for name in names:
            column = arrow_column(found.field(name), part.where)
            columns[name] = _wider(columns[name], column, part.where) if name in columns else column
    return list(columns.values())


def open_names(batch: Batch) -> set[str]:
    """The columns whose declared type does not bound their values: numbers of any length."""
    if not batch.reader.typed:
        return set()
    return {field.name for part in batch.parts for field in batch.reader.schema(part) if is_open(field)}


def widened(spark: "SparkSession", columns: Sequence[Column], batch: Batch) -> dict[str, Column]:
    """By name, the columns with a new type at the source and values that the known type does not hold.

    Raises:
        InputError: a column's type is of another class than before.
    """
    if not columns:
        return {}
    wider: dict[str, Column] = {}
    for part in batch.parts:
        found = batch.reader.schema(part)
        for column in columns:
            field, known = found.field(column.name), wider.get(column.name, column)
            fresh = arrow_column(field, part.where)
            if LogicalType.STRING not in (fresh.type, known.type):  # texts are read value by value
                check_type(column, field, part.where)
                wider[column.name] = _wider(known, fresh, part.where)
    other = [column for column in columns if is_retyped(column, wider.get(column.name, column))]
    unfit = _unfit_in_any(spark, other, batch)
    return {column.name: _retyped(column, wider[column.name]) for column in other if column.name in unfit}


def fine_moments(spark: "SparkSession", columns: Sequence[Column], batch: Batch) -> set[str]:
    """The columns with moments finer than a microsecond, which no logical type holds."""
    fine = {field.name for part in batch.parts for field in batch.reader.schema(part) if is_fine(field.type)}
    return _unfit_in_any(spark, [c for c in columns if c.name in fine and c.type is LogicalType.TIMESTAMP], batch)


def _unfit_in_any(spark: "SparkSession", columns: Sequence[Column], batch: Batch) -> set[str]:
    """The columns that do not hold all their values in some part."""

    def look(part: SourcePart) -> list[str]:
        return _unfit(batch.reader, part, columns)

    return {name for names in map_files(spark, batch.parts, look).values() for name in names} if columns else set()


def _retyped(column: Column, wider: Column) -> Column:
    return replace(column, type=wider.type, precision=wider.precision, scale=wider.scale)


def _unfit(reader: Reader, part: SourcePart, columns: Sequence[Column]) -> list[str]:
    """The columns that do not hold all their values in a part."""
    fitting = {column.name: column for column in columns}
    for chunk in reader.chunks(part, [column.name for column in columns]):
        for name, column in list(fitting.items()):
            if cast_cells(chunk.cells[name], column)[1].any():
                del fitting[name]
    return [column.name for column in columns if column.name not in fitting]


def _wider(one: Column, other: Column, path: str) -> Column:
    """The column that holds both files' values."""
    if not is_retyped(one, other):
        return one
    if one.type.type_class is other.type.type_class is TypeClass.NUMERIC:
        if LogicalType.FLOAT in (one.type, other.type):
            return Column(one.name, LogicalType.FLOAT, ordered=True)
        scale = max(one.scale or 0, other.scale or 0)
        whole = max((c.precision or 19) - (c.scale or 0) for c in (one, other))
        return Column(
            one.name, LogicalType.DECIMAL, ordered=True, precision=min(whole + scale, MAX_DIGITS), scale=scale
        )
    if one.type.type_class is other.type.type_class is TypeClass.TEMPORAL:
        return Column(one.name, LogicalType.TIMESTAMP, ordered=True)
    raise InputError(
        f"column {one.name!r} is {one.type} in the files before, but {other.type} here",
        where=path,
        remedy="write the column with one type in all files",
    )


def check_type(column: Column, field: pa.Field, path: str) -> None:
    """Raises ``InputError`` where a field's values do not compare with a column's."""
    found = arrow_column(field, path).type
    both_texts = (found.is_stored_as_text or is_fine(field.type)) and column.type.is_stored_as_text
    if found is LogicalType.STRING or both_texts or found.type_class is column.type.type_class:
        return
    raise InputError(
        f"column {column.name!r} has the type {field.type} in the file, but is {column.type} in the table",
        where=path,
        remedy="give it the table's type at its source, or bootstrap the dataset anew under another name",
    )
