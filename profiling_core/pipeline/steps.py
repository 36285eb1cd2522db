"""The steps that a delta walks: plan → ingest → maintain → commit → diff → emit → validate → alert.

Each takes ids and returns plain JSON data, never rows, and is idempotent by its run: a retry, a cleared task or a
second run ends in the same state. Airflow's tasks, the command line and the tests call these same functions.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from profiling_core.model.errors import InputError, StateError
from profiling_core.model.version import HELD, RunPlan, Version
from profiling_core.pipeline import (
    arriving,
    catching_up,
    damage,
    extraction,
    keeping,
    lifecycle_step,
    notifications,
    planning,
    structure,
)
from profiling_core.pipeline.staging import begin_to_prove, next_version, stage_inclusions, stage_table
from profiling_core.pipeline.workspace import Workspace

_LOG = logging.getLogger(__name__)
_UNQUOTED = "its rows are not as the table asks; only the log of the run quotes them, since columns are redacted"

if TYPE_CHECKING:
    from profiling_core.ingest.sources.protocol import Found

Json = dict[str, Any]


def plan(
    dataset: str,
    *,
    label: str | None = None,
    tables: Sequence[str] | None = None,
    rebuild: bool = False,
    release: str | None = None,
    dry_run: bool = False,
    known: bool = False,
) -> Json:
    """Finds the deltas that a run has to apply, and records them; with them the rows of databases' tables.

    Args:
        dataset: the dataset's name.
        label: apply all pending deltas up to this id; None: all there are.
        tables: the tables to take deltas of; None: all.
        rebuild: derive all state from the stored rows again, with the configuration as it is now.
        release: apply nothing but this table's rows that were set aside.
        dry_run: nothing is to be committed.
        known: the label must be a delta that has arrived or is applied: ids compare as text, so that one which is
            written otherwise would read further than was meant.

    Returns:
        The plan; as ``waiting`` and ``refused`` the deltas that are there and that it leaves out, with reasons;
        ``refused_before`` is how many refused ones were told by earlier runs; and as
        ``mended`` what a rebuild finds damaged, and what takes its place, in words.

    Raises:
        InputError: the label is not a delta id or not known, a table is unknown, or there is nothing to release.
        ConfigurationError: a table has another key in the configuration than in its state.
    """
    work = Workspace.open(dataset)
    request = planning.Request(label, tables, rebuild, release, dry_run)
    planning.check(work, request)
    base, found, before = planning.Base.of(work), dict[str, "Found"](), frozenset[tuple[str, str]]()
    planning.check_keys(work, request, base)
    if known and label:
        arriving.check_known(work, label, base.applied)
    mended = catching_up.settle(work, base.version, rebuild=rebuild) if base.version else damage.NOTHING
    if release:
        made = planning.released(work, release, base)
    else:
        made, found = planning.arrived(work, request, base, mended)
        before = catching_up.tell(work, made, found, dry_run=dry_run)
    work.store.record(made.run_id, "plan.json", made.to_json())
    left = arriving.told(found, before) | {"refused_before": len(before)}
    return made.to_json() | left | {"mended": list(mended.said), "not_read": arriving.not_read(found)}


def prove_ahead(dataset: str, run_id: str) -> None:
    """Begins to prove the indexes that a run's steps map, while the one process that makes them all reads the delta."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    begin_to_prove(work.store, work.base(made), made.pending)


def ingest(dataset: str, run_id: str, table: str) -> Json:
    """Reads a table's pending source files into a normalised delta, as far as the table's policy lets it in.

    What cannot be applied waits, with all that comes after it, and is told as ``refused``; the other tables go on.
    """
    from profiling_core.ingest.normalize import ingest_table
    from profiling_core.ingest.table_ingest import Before
    from profiling_core.pipeline import screening
    from profiling_core.pipeline.whole import whole_table

    work = Workspace.open(dataset)
    made = work.plan(run_id)
    if work.committed(run_id):
        done: Json = work.store.recorded(run_id, f"{table}.delta.json")
        return done
    base = work.base(made)
    if made.rebuild and base:
        delta = whole_table(work, base, table, run_id)
    elif made.released and base:
        delta = screening.released(work, made, base, table)
    else:
        applied = arriving.applied(work, base).get(table, {})
        before = Before(base, applied, extraction.extracted(work, run_id, table))
        try:
            delta = ingest_table(work.spark("ingest"), work.settings, work.store, work.config, made, table, before)
            delta = screening.screen(work, made, base, notifications.without_usual(work, delta))
        except InputError as error:
            return _refused(work, made, table, error)
    work.store.record(run_id, f"{table}.delta.json", delta.to_json())
    return delta.to_json()


def _refused(work: Workspace, made: RunPlan, table: str, error: InputError) -> Json:
    """Records that a table's deltas are refused, tells it, and keeps the finding for the run's version.

    The error may quote a row: where columns of the table are redacted, the log alone has it as it is.
    """
    finding = notifications.refusal(work, made, table, error)
    if work.config.redacted(table):
        _LOG.error("%s", error)
        error = InputError(error.gist or _UNQUOTED, where=error.where, remedy=error.remedy, gist=error.gist)
    is_told = not made.dry and notifications.tell_refusal(work, made.run_id, finding)
    held = work.store.publish_json(made.run_id, table, HELD, finding.to_json())
    told = {"what": error.what, "where": error.where, "remedy": error.remedy, "gist": error.gist}
    record = {"table": table, "delta": made.pending[table][0], "refused": told, "told": is_told, "held": asdict(held)}
    work.store.record(made.run_id, f"{table}.delta.json", record)
    return record


def refused(ingested: Iterable[Json]) -> list[Json]:
    """The deltas that a run has read and refused: each with its table, the reason, and what to do.

    It takes what :func:`ingest` gave for each table: a dry run may have dropped its records already.
    """
    return [_waiting(record) for record in ingested if "refused" in record]


def nothing_left(dataset: str, run_id: str) -> bool:
    """Whether a run makes no version since all its deltas are refused."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    return work.committed(run_id) is None and bool(made.pending) and not work.taken(run_id).pending


def _waiting(record: Mapping[str, Any]) -> Json:
    told = record["refused"]
    where = f" ({told['where']})" if told["where"] else ""
    reason = f"is not applied, and what comes after it waits: {told['what']}{where}"
    found = {"table": record["table"], "delta": record["delta"], "told": record.get("told", False)}
    return found | {"reason": reason, "remedy": told["remedy"]}


def _require_any(made: RunPlan, refused: Mapping[str, Mapping[str, Any]]) -> None:
    """Raises the error of the first table if all of a run's deltas are refused: it makes no version."""
    if made.pending and len(refused) == len(made.pending):
        raise InputError(**next(iter(refused.values()))["refused"])


def maintain_table(dataset: str, run_id: str, table: str) -> Json:
    """Brings a table's evidence, cover and ranked constraints up to date with its delta."""
    work = Workspace.open(dataset)
    if work.committed(run_id):
        return {"table": table, "already": "committed"}
    made = work.taken(run_id)
    return stage_table(work, made, table) if table in made.pending else {"table": table, "already": "refused"}


def maintain_inclusions(dataset: str, run_id: str) -> Json:
    """Brings the dataset's inclusion dependencies up to date with all tables' deltas."""
    work = Workspace.open(dataset)
    if work.committed(run_id) or work.config.inclusions == "off":
        return {"already": "committed" if work.committed(run_id) else "off"}
    return stage_inclusions(work, work.taken(run_id))


def commit(dataset: str, run_id: str) -> Json:
    """Makes the staged state the dataset's next version, in one transaction; then collects what old runs left."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    version = work.committed(run_id)
    if version is None and not made.pending:
        return {"version": made.committed_version, "rows": {}}
    if version is None:
        refusals = work.refused(made)
        _require_any(made, refusals)
        base = work.base(made)
        staged = next_version(work, made, base, refusals)
        work.store.require({*staged.files} - {*(base.files if base else ())})
        version = work.catalog.commit(staged, rebuild=made.rebuild, made_with=keeping.made_with(work))
        extraction.forget(work, run_id)
        keeping.tidy(work)
    return {"version": version.number, "rows": {name: table.rows for name, table in version.tables.items()}}


def diff(dataset: str, run_id: str) -> Json:
    """Compares the version that the run committed with the one before: lifecycles, ranks, changes with witnesses."""
    work = Workspace.open(dataset)
    version = _version(work, run_id)
    changed = {"structure": structure.told(work, version)}
    found = lifecycle_step.summary(lifecycle_step.settle(work, version))
    alerts = work.catalog.alerts(work.dataset, version.number)
    known = work.catalog.incidents(work.dataset)  # as it leaves them
    told = {alert.body["incident"] for alert in alerts}
    over = [one for one in notifications.ended(known, version.number) if one["number"] not in told]
    incidents = {"incidents": notifications.going_on(known), "ended": over}
    return found | changed | {"alerts": len(alerts)} | incidents


def preview(dataset: str, run_id: str) -> Json:
    """What the staged state would change, for a dry run; commits nothing."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    if not made.pending:
        return {"version": None, "changes": [], "findings": [], "arrived": {}}
    refusals = work.refused(made)
    _require_any(made, refusals)
    version = next_version(work, made, work.base(made), refusals)
    _, change_set = lifecycle_step.step(work, version)
    body = change_set.to_json()
    told = {"structure": structure.told(work, version), "changes": body["changes"], "findings": body["findings"]}
    return (
        lifecycle_step.summary(change_set)
        | told
        | {"alerts": len(notifications.told(work, version, change_set).alerts)}
    )


def discard(dataset: str, run_id: str, *, rejects: bool = False) -> Json:
    """Removes what a dry run staged; with ``rejects`` also the quarantined rows, unless a refusal names them."""
    work = Workspace.open(dataset)
    if work.committed(run_id) is None:
        named = rejects and work.refused(work.plan(run_id))
        work.store.discard(run_id, rejects=rejects and not named)
    return {"discarded": run_id}


def emit(dataset: str, run_id: str) -> Json:
    """Writes the suites of the active constraints, and the change suite of the run."""
    from profiling_core.pipeline import publication

    work = Workspace.open(dataset)
    return publication.emit(work, _version(work, run_id))


def validate(dataset: str, run_id: str) -> Json:
    """Runs the change suite over the data, and keeps the results."""
    from profiling_core.pipeline import publication

    work = Workspace.open(dataset)
    return publication.validate(work, _version(work, run_id))


def is_published(dataset: str, run_id: str) -> bool:
    """Whether the version that the run committed has its suites, and they have been run."""
    work = Workspace.open(dataset)
    return work.catalog.is_published(dataset, _version(work, run_id).number)


def alert(dataset: str, run_id: str) -> Json:
    """Sends what there is to tell, of this version and of earlier ones, to each channel that has not had it.

    Raises:
        UndeliveredError: a channel has failed for so long that its messages are given up.
    """
    work = Workspace.open(dataset)
    lifecycle_step.settle(work, _version(work, run_id))
    told = notifications.deliver(work, wait=True)
    notifications.give_up_late(work)
    return told


def _version(work: Workspace, run_id: str) -> Version:
    version = work.committed(run_id)
    if version is None:
        raise StateError(
            f"run {run_id!r} of dataset {work.dataset!r} has committed nothing",
            remedy="run its commit step first (in Airflow: clear the whole run)",
        )
    return version
