"""Rows of a table in files, as a version stores them."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import TableSchema
from profiling_core.spark.rows import RowFiles, Rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def stored_rows(
    spark: "SparkSession | None", folder: Path, schema: TableSchema, rows: Sequence[Sequence[Any]], group: int = 7
) -> Rows:
    """Rows (each an id and the columns' values) in a file of small row groups."""
    path = folder / f"{uuid.uuid4().hex}.parquet"
    found = Rows(spark, schema, (RowFiles.of([str(path)]),))
    names = [ROW_ID, *schema.names]
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], found.arrow(names))
    pq.write_table(table, path, row_group_size=group)
    return found
