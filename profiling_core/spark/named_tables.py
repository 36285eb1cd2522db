"""Tables that Spark knows by name, in any catalog: their columns, and their rows as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.model.errors import ConfigurationError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField


def named_table(spark: "SparkSession", name: str) -> "DataFrame":
    """The rows of a table, nested values as JSON, since they are neither hashed nor compared otherwise.

    Raises:
        ConfigurationError: Spark has no such table, or may not read it.
    """
    from pyspark.errors import AnalysisException

    try:
        rows = spark.table(name)
        return rows.select(*map(_plain, rows.schema.fields))
    except AnalysisException as error:
        raise ConfigurationError(
            f"Spark cannot read the table: {str(error).splitlines()[0]}",
            where=f"table {name}",
            remedy="correct source.table: <catalog>.<schema>.<table>; catalogs are set up in HOLDFAST_SPARK_CONF, or "
            "are those of the server in HOLDFAST_SPARK_REMOTE",
        ) from error


def content(rows: "DataFrame") -> dict[str, Any]:
    """The number of rows, and a digest of them all that their order does not change."""
    from pyspark.sql import functions as f

    digest = f.sum(f.xxhash64(*(f.col(_quoted(name)) for name in rows.columns)).cast("decimal(38, 0)"))
    (found,) = rows.agg(f.count("*").alias("rows"), digest.cast("string").alias("digest")).collect()
    return {"rows_there": found["rows"], "digest": found["digest"] or "", "columns": list(rows.columns)}


def write_rows(rows: "DataFrame", folder: Path) -> list[Path]:
    """Writes rows to Parquet files; gives these, at least one."""
    rows.write.parquet(str(folder))
    return sorted(folder.glob("part-*.parquet"))


def _plain(field: "StructField") -> "Column":
    from pyspark.sql import functions as f
    from pyspark.sql.types import ArrayType, MapType, StructType

    column = f.col(_quoted(field.name))
    nested = isinstance(field.dataType, ArrayType | MapType | StructType)
    return f.to_json(column).alias(field.name) if nested else column


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
