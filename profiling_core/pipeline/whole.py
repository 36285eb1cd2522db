"""A table's whole content as one delta on nothing: what rebuilding and verifying begin with."""

from typing import TYPE_CHECKING

from profiling_core.ingest.table_schema import check_configuration, with_options
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import FileRef, Version
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ROLE = "whole"  # what no version names


def whole_table(work: Workspace, version: Version, table: str, run_id: str) -> NormalizedDelta:
    """Writes the table's live rows of a version to files of the run, as rows that are all inserted.

    The schema is the version's, with what the configuration says of its columns now.

    Raises:
        ConfigurationError: the configuration names a column that the table does not have.
    """
    state, schema = version.tables[table], schema_now(work, version, table)
    spark = work.spark("rebuild")
    rows = read_snapshot(spark, work.store, version, table)
    return NormalizedDelta(
        dataset=work.dataset,
        table=table,
        delta_ids=(),
        base_version=0,
        inserted=_written(work, run_id, table, rows),
        deleted=_written(work, run_id, table, rows.limit(0)),
        quarantine=(),
        inserts=state.rows,
        deletes=0,
        updates=0,
        superseded=0,
        rejects=0,
        next_row_id=state.next_row_id,
        schema=schema.to_json(),
    )


def schema_now(work: Workspace, version: Version, table: str) -> TableSchema:
    """A table's schema in a version, with what the configuration says of its columns now.

    Raises:
        ConfigurationError: the configuration names a column that the table does not have.
    """
    schema, options = version.tables[table].schema, work.config.tables[table]
    check_configuration(table, options, schema.names)
    return with_options(schema, options)


def _written(work: Workspace, run_id: str, table: str, rows: "DataFrame") -> tuple[FileRef, ...]:
    folder = work.store.new_dir(run_id, table, _ROLE)
    rows.write.mode("overwrite").parquet(str(folder))
    return work.store.publish(folder, table, _ROLE)
