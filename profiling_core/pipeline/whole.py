"""A table's whole content as one delta on nothing: what rebuilding and verifying begin with."""

from profiling_core.ingest.table_schema import check_configuration, with_options
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.version import Version
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot


def whole_table(work: Workspace, version: Version, table: str, run_id: str) -> NormalizedDelta:
    """Writes the table's live rows of a version below the run's staging directory, as rows that are all inserted.

    The schema is the version's, with what the configuration says of its columns now.

    Raises:
        ConfigurationError: the configuration names a column that the table does not have.
    """
    state, options = version.tables[table], work.config.tables[table]
    check_configuration(table, options, state.schema.names)
    schema = with_options(state.schema, options)
    spark = work.spark("rebuild")
    rows = read_snapshot(spark, work.store, version, table)
    inserted, deleted = (_staged(work, run_id, f"{table}.whole.{side}") for side in ("inserted", "deleted"))
    rows.write.mode("overwrite").parquet(str(work.store.path(inserted)))
    rows.limit(0).write.mode("overwrite").parquet(str(work.store.path(deleted)))
    return NormalizedDelta(
        dataset=work.dataset,
        table=table,
        delta_ids=(),
        base_version=0,
        inserted=inserted,
        deleted=deleted,
        quarantine="",
        inserts=state.rows,
        deletes=0,
        updates=0,
        superseded=0,
        rejects=0,
        next_row_id=state.next_row_id,
        schema=schema.to_json(),
    )


def _staged(work: Workspace, run_id: str, name: str) -> str:
    """The path of a staged directory, relative to the state directory as FileRefs have it."""
    return work.store.relative(work.store.staging(run_id) / name)
