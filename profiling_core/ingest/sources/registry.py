"""The sources by format. A source's module and its libraries are imported when a table names it."""

import importlib

from profiling_core.ingest.sources.protocol import TableSource
from profiling_core.model.dataset import TableConfig
from profiling_core.model.source import SourceFormat
from profiling_core.state.settings import Settings

_LANDING = "profiling_core.ingest.sources.landing:Landing"
SOURCES = {
    SourceFormat.CSV: _LANDING,
    SourceFormat.JSONL: _LANDING,
    SourceFormat.PARQUET: _LANDING,
    SourceFormat.DEBEZIUM: "profiling_core.ingest.sources.debezium:Debezium",
    SourceFormat.PARQUET_TABLE: "profiling_core.ingest.sources.parquet_table:ParquetTable",
    SourceFormat.DELTA: "profiling_core.ingest.sources.delta_lake:DeltaLake",
    SourceFormat.ICEBERG: "profiling_core.ingest.sources.iceberg:Iceberg",
    SourceFormat.POSTGRESQL: "profiling_core.ingest.sources.postgresql:PostgreSql",
    SourceFormat.DUCKDB: "profiling_core.ingest.sources.duckdb_file:DuckDb",
    SourceFormat.SPARK_TABLE: "profiling_core.ingest.sources.spark_table:SparkTable",
}


def open_source(settings: Settings, table: TableConfig) -> TableSource:
    """The source that a table's configuration names."""
    module, name = SOURCES[table.source.format].split(":")
    source: TableSource = getattr(importlib.import_module(module), name)(settings, table)
    return source
