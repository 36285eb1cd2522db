"""Copies the pending rows of databases at the start of a run, all tables of a database at one moment.

The copies stay with the run until it has committed, so that a repeated step reads the same rows.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from profiling_core.ingest.sources.moment import Moment
from profiling_core.model.errors import HoldfastError
from profiling_core.model.version import RunPlan
from profiling_core.pipeline import arriving
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.ingest.sources.protocol import Applied, Batch

_FOLDER = "extracts"


def extract(work: Workspace, plan: RunPlan, applied: Mapping[str, "Applied"], moment: Moment) -> None:
    """Reads the pending deltas of databases' tables into files of the run.

    Args:
        work: the dataset.
        plan: the run's plan.
        applied: by table the deltas that are applied.
        moment: the moment at which databases are read.

    Raises:
        UnreachableError: a database does not answer.
    """
    from profiling_core.ingest.sources.extracted import Extracted
    from profiling_core.ingest.sources.registry import open_source

    for table, delta_ids in plan.pending.items():
        source = open_source(work.settings, work.config.tables[table])
        if delta_ids and isinstance(source, Extracted):
            from profiling_core.ingest.sources import extracts

            source.read_at(moment)
            into = extracts.Extract(work.store.staging(plan.run_id) / _FOLDER / table, source.where)
            try:
                batch = source.extract(delta_ids, applied.get(table, {}), into)
            except HoldfastError as error:
                raise error.with_remedy(arriving.alone(work, table, list(plan.pending))) from error
            work.store.keep_staged(plan.run_id, f"{_FOLDER}/{table}")
            work.store.record(plan.run_id, _document(table), batch.to_json())


def extracted(work: Workspace, run_id: str, table: str) -> "Batch | None":
    """The rows that :func:`extract` copied from a table; None if it copied none, or the copy was removed as old."""
    from profiling_core.ingest.sources import extracts

    folder = work.store.staged(run_id, f"{_FOLDER}/{table}")
    return extracts.kept(work.store.recorded(run_id, _document(table)), folder) if folder else None


def forget(work: Workspace, run_id: str) -> None:
    """Removes the copies after a run has applied them."""
    work.store.forget_staged(run_id, _FOLDER)


def _document(table: str) -> str:
    return f"{table}.extract.json"
