"""Who validates tables: this process where they have few rows, else Spark. The one place that chooses."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from profiling_core.model.delta import ROW_ID
from profiling_core.model.extras import Extra
from profiling_core.spark.rows import FEW_ROWS, Rows
from profiling_core.validate.in_duckdb import LocalTables, tells_apart
from profiling_core.validate.in_spark import SparkTables
from profiling_core.validate.tables import Tables


def lacking(rows: Mapping[str, Rows]) -> list[Extra]:
    """The extras that are not installed, but needed to run suites over these tables."""
    needed = (Extra.GX,) if _are_few(rows) else (Extra.GX, Extra.SPARK)
    return [extra for extra in needed if not extra.is_installed]


@contextmanager
def tables_of(rows: Mapping[str, Rows]) -> Iterator[Tables]:
    """The tables, for suites to be run over."""
    if not _are_few(rows):
        yield SparkTables({name: table.frame for name, table in rows.items()})
        return
    with closing(LocalTables({name: t.read([ROW_ID, *t.schema.names]) for name, t in rows.items()})) as tables:
        yield tables


def _are_few(rows: Mapping[str, Rows]) -> bool:
    """Whether this process reads the rows sooner than Spark would begin, and DuckDB tells their columns apart."""
    return sum(table.most for table in rows.values()) <= FEW_ROWS and all(
        tells_apart(table.schema.names) for table in rows.values()
    )
