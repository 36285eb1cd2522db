"""The steps after the diff: suites, validation, alerts. All of it can be made again from the catalog."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.model.change import ChangeSet
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.version import Version
from profiling_core.pipeline import changes
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.alert.message import Alert

_EMITTED = "emitted.json"


def emit(work: Workspace, version: Version) -> dict[str, Any]:
    """Writes the suites of a version, and its change suites."""
    from profiling_core.emit.suites import emit_suites

    change_set, tracked = _known(work, version)
    schemas = {name: table.schema for name, table in version.tables.items()}
    begun = work.catalog.beginnings(work.dataset, version.number)
    emitted = emit_suites(
        artifacts(work),
        work.dataset,
        version.number,
        tracked,
        change_set,
        schemas,
        config=work.config,
        beginnings=begun,
    )
    work.store.write_json(work.store.staging(version.run_id) / _EMITTED, emitted.to_json())
    return {
        "suites": {suite.table: suite.expectations for suite in emitted.tables},
        "changed": {suite.table: suite.expectations for suite in emitted.changes},
    }


def validate(work: Workspace, version: Version) -> dict[str, Any]:
    """Runs a version's change suites over its rows, and answers the rest from the maintained counts."""
    from profiling_core.emit.suites import EmittedSuites
    from profiling_core.validate.checkpoint import tables_to_read, validate_changes

    change_set, tracked = _known(work, version)
    emitted = EmittedSuites.from_json(work.store.read_json(work.store.staging(version.run_id) / _EMITTED))
    needed = sorted(tables_to_read(emitted, artifacts(work)))
    frames = {table: snapshot(work, version, table, "validate") for table in needed}
    summary = validate_changes(frames, emitted, change_set, tracked, artifacts(work))
    for table in summary.to_json()["tables"]:
        work.catalog.save_validation(work.dataset, version.number, table["table"], table)
    return {
        "checks": len(summary.checks),
        "broken_checks": [check.constraint for check in summary.broken_checks],
        "contradictions": [check.constraint for check in summary.contradictions],
        "data_docs": summary.data_docs,
    }


def snapshot(work: Workspace, version: Version, table: str, step: str) -> Any:
    """A table's rows in a version as a DataFrame."""
    from profiling_core.spark.snapshot import read_snapshot

    return read_snapshot(work.spark(step), work.store, version, table)


def _known(work: Workspace, version: Version) -> tuple[ChangeSet, list[Tracked]]:
    change_set = changes.settle(work, version)
    return change_set, work.catalog.tracked(work.dataset, version.number)


def artifacts(work: Workspace) -> Path:
    """The directory that holds one folder per dataset."""
    return work.settings.home / "artifacts"


def alert(work: Workspace, version: Version) -> dict[str, Any]:
    """Sends the alerts of a version through the channels that have not had them; quiet versions send nothing."""
    from profiling_core.alert.channels import deliver
    from profiling_core.alert.message import alerts_of

    change_set, _ = _known(work, version)
    schemas = {name: table.schema for name, table in version.tables.items()}
    options = work.config.alerts
    sent = {}
    for message in alerts_of(change_set, version.label, schemas, most_rows=options.max_rows):
        work.catalog.save_alert(work.dataset, version.number, message.table, message.text)
        known = {a.table: a.channels for a in work.catalog.alerts(work.dataset, version.number)}
        sent[message.table] = deliver(
            message,
            options.routes,
            artifacts(work),
            already=known[message.table],
            record=partial(_record, work, version, message),
        )
    return {"alerts": sent}


def _record(work: Workspace, version: Version, message: "Alert", channel: str, outcome: str) -> None:
    work.catalog.save_alert(work.dataset, version.number, message.table, message.text, {channel: outcome})
