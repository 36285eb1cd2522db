"""A table's whole content as one delta on nothing: what rebuilding and verifying begin with."""

from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.version import Version
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot


def whole_table(work: Workspace, version: Version, table: str, run_id: str) -> NormalizedDelta:
    """Writes the table's live rows of a version below the run's staging directory, as rows that are all inserted."""
    spark = work.spark("rebuild")
    rows = read_snapshot(spark, work.store, version, table)
    inserted, deleted = (_staged(work, run_id, f"{table}.whole.{side}") for side in ("inserted", "deleted"))
    rows.write.mode("overwrite").parquet(str(work.store.path(inserted)))
    rows.limit(0).write.mode("overwrite").parquet(str(work.store.path(deleted)))
    state = version.tables[table]
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
        schema=state.schema.to_json(),
    )


def _staged(work: Workspace, run_id: str, name: str) -> str:
    """The path of a staged directory, relative to the state directory as FileRefs have it."""
    return work.store.relative(work.store.staging(run_id) / name)
