"""The steps after the diff: suites and their validation. All of it can be made again from the catalog."""

import logging
from dataclasses import replace
from typing import Any

from profiling_core.model.change import ChangeSet
from profiling_core.model.extras import install
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.version import Version
from profiling_core.pipeline import lifecycle_step
from profiling_core.pipeline.artifacts import artifacts
from profiling_core.pipeline.workspace import Workspace

_EMITTED = "emitted.json"
_log = logging.getLogger(__name__)


def make_up(work: Workspace, version: Version) -> None:
    """Does for the newest version what its own run has not done: diff, suites, validation.

    What fails here again keeps no delta from being applied: it is logged, and `holdfast status` goes on to tell of it.
    """
    lifecycle_step.settle(work, version)
    if work.catalog.is_published(work.dataset, version.number):
        return
    try:
        emit(work, version)
        validate(work, version)
    except Exception:  # noqa: BLE001 - it has failed once already, in a run of its own, and was told there
        _log.exception("version %d of %s could not be published, again", version.number, work.dataset)


def emit(work: Workspace, version: Version) -> dict[str, Any]:
    """Writes the suites of a version, and its change suites."""
    from profiling_core.emit.suites import SuiteRequest, emit_suites

    change_set, tracked = _known(work, version)
    schemas = {name: table.schema for name, table in version.tables.items()}
    begun = work.catalog.beginnings(work.dataset, version.number)
    asked = SuiteRequest(
        work.dataset,
        version.number,
        tracked,
        change_set,
        schemas,
        work.config,
        beginnings=begun,
        severities=lifecycle_step.severities(work),
    )
    with artifacts(work) as directory:
        emitted = emit_suites(directory, asked)
    work.store.record(version.run_id, _EMITTED, emitted.to_json())
    return {
        "suites": {suite.table: suite.expectations for suite in emitted.tables},
        "changed": {suite.table: suite.expectations for suite in emitted.changes},
    }


def validate(work: Workspace, version: Version) -> dict[str, Any]:
    """Runs a version's change suites over its rows, and answers the rest from the maintained counts.

    Without Great Expectations, or PySpark where tables are large, the counts answer all of it, and the result says so.
    """
    from profiling_core.emit.suites import EmittedSuites
    from profiling_core.spark.snapshot import snapshot_rows
    from profiling_core.validate.checkpoint import tables_to_read, validate_changes
    from profiling_core.validate.docs import DOCS_HOME
    from profiling_core.validate.reading import lacking, tables_of

    change_set, tracked = _known(work, version)
    emitted = EmittedSuites.from_json(work.store.recorded(version.run_id, _EMITTED))
    written = [suite.path for suite in (*emitted.tables, *emitted.changes)]
    with artifacts(work, *written, f"{work.dataset}/{DOCS_HOME}") as directory:
        needed = sorted(tables_to_read(emitted, directory))
        rows = {table: snapshot_rows(work.spark("validate"), work.store, version, table) for table in needed}
        missing = lacking(rows)
        run = replace(emitted, changes=()) if missing else emitted
        with tables_of({} if missing else rows) as tables:
            summary = validate_changes(tables, run, change_set, tracked, directory)
    for table in summary.to_json()["tables"]:
        work.catalog.save_validation(work.dataset, version.number, table["table"], table)
    work.catalog.mark_published(work.dataset, version.number)
    return {
        "checks": len(summary.checks),
        "broken_checks": [check.constraint for check in summary.broken_checks],
        "contradictions": [check.constraint for check in summary.contradictions],
        "data_docs": summary.data_docs,
        "said": f"from the counts alone; to run the suites: {install(*missing)}" if missing else "",
    }


def _known(work: Workspace, version: Version) -> tuple[ChangeSet, list[Tracked]]:
    change_set = lifecycle_step.settle(work, version)
    return change_set, work.catalog.tracked(work.dataset, version.number)
