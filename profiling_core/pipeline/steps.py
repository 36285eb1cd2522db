"""The steps that a delta walks: plan → ingest → maintain → commit → diff → emit → validate → alert.

Each takes ids and returns plain JSON data, never rows, and is idempotent by its run: a retry, a cleared task or a
second run ends in the same state. Airflow's tasks, the command line and the tests call these same functions.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from profiling_core.ingest.sources.moment import Moment
from profiling_core.model.delta_ids import in_order
from profiling_core.model.errors import InputError, StateError
from profiling_core.model.version import ASIDE, DRY, RELEASED, RunPlan, Version
from profiling_core.pipeline import arriving, damage, extraction, keeping, lifecycle_step, notifications, structure
from profiling_core.pipeline.staging import begin_to_prove, next_version, stage_inclusions, stage_table
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.ingest.sources.protocol import Found

Json = dict[str, Any]
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")


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
        The plan; as ``waiting`` and ``refused`` the deltas that are there and that it leaves out, with reasons; and as
        ``mended`` what a rebuild finds damaged, and what takes its place, in words.

    Raises:
        InputError: the label is not a delta id or not known, a table is unknown, or there is nothing to release.
    """
    work = Workspace.open(dataset)
    _check(work, label, [release] if release else tables, known=known)
    current = work.catalog.current(dataset)
    mended = _caught_up(work, current, rebuild=rebuild) if current else damage.NOTHING
    found: dict[str, Found] = {}
    if release:
        made = _release(work, release, current)
    else:
        with Moment() as moment:
            found = arriving.settled(work, arriving.applied(work), label, tables, moment)
            pending = {table: there.pending for table, there in found.items() if there.pending}
            newest = [max(ids, key=in_order) for ids in pending.values()]
            chosen = label or max(newest, key=in_order, default=current.label if current else "")
            made = _plan(work, chosen, pending, current, rebuild=rebuild)
            made = replace(made, run_id=made.run_id + DRY) if dry_run and made.pending else made
            made = replace(made, lost=mended.lost, instead=mended.instead)
            extraction.extract(work, made, moment)
        if not dry_run:
            notifications.tell_left_out(work, found)
        if not made.pending:
            notifications.deliver(work, wait=False)  # no later step of this run would
        if not made.pending and made.committed_version is None:
            notifications.give_up_late(work)
    work.store.record(made.run_id, "plan.json", made.to_json())
    return made.to_json() | arriving.told(found) | {"mended": list(mended.said), "not_read": arriving.not_read(found)}


def _caught_up(work: Workspace, current: Version, *, rebuild: bool) -> damage.Mended:
    """Does what an earlier run left undone, which may have ended anywhere after its commit.

    Returns what a rebuild is to do without.
    """
    from profiling_core.pipeline import publication

    work.catalog.check_rows(current)
    mended = damage.look(work, current) if rebuild else damage.NOTHING
    mended = replace(mended, said=(*mended.said, *lifecycle_step.settle_without(work, current, mended.lost)))
    publication.make_up(work, current)
    notifications.deliver(work, wait=False)
    return mended


def _release(work: Workspace, table: str, current: Version | None) -> RunPlan:
    if current is None or not current.files_of(ASIDE, table):
        raise InputError(
            f"no rows of table {table!r} are set aside",
            remedy=f"`holdfast status --dataset {work.dataset}` shows where",
        )
    name = f"{RELEASED}{current.number}"
    run_id = f"{current.label.replace(':', '')}-{name}"
    return RunPlan(work.dataset, run_id, current.label, current.number, {table: (name,)}, released=True)


def _check(work: Workspace, label: str | None, tables: Sequence[str] | None, *, known: bool) -> None:
    if label is not None and not _LABEL.fullmatch(label):
        raise InputError(
            f"{label!r} is not a delta id", remedy="a delta id is the name of a landing file, without its extension"
        )
    unknown = sorted(set(tables or ()) - set(work.config.tables))
    if unknown:
        raise InputError(
            f"dataset {work.dataset!r} has no table {', '.join(map(repr, unknown))}",
            remedy=f"its tables are {', '.join(work.config.tables)}",
        )
    if known and label:
        arriving.check_known(work, label)


def _plan(
    work: Workspace, label: str, pending: dict[str, tuple[str, ...]], current: Version | None, *, rebuild: bool
) -> RunPlan:
    base = current.number if current else 0
    if not pending and not rebuild:
        labelled = work.catalog.version_labelled(work.dataset, label) if label else None
        if labelled is None:
            return RunPlan(work.dataset, f"{label or 'none'}-nothing", label, base)
        return RunPlan(work.dataset, labelled.run_id, label, labelled.number - 1, {}, labelled.number)
    if rebuild and current:
        # The rows stay; new ones come after.
        label, pending = current.label, {table: () for table in current.tables if table in work.config.tables}
    identity = json.dumps([work.dataset, label, sorted(pending.items()), base if rebuild else None])
    run_id = f"{label.replace(':', '')}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
    return RunPlan(work.dataset, run_id, label, base, pending, None, rebuild)


def prove_ahead(dataset: str, run_id: str) -> None:
    """Begins to prove the indexes that a run's steps map, while the one process that makes them all reads the delta."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    begin_to_prove(work.store, work.base(made), made.pending)


def ingest(dataset: str, run_id: str, table: str) -> Json:
    """Reads a table's pending source files into a normalised delta, as far as the table's policy lets it in."""
    from profiling_core.ingest.normalize import ingest_table
    from profiling_core.ingest.table_ingest import Before
    from profiling_core.pipeline import screening
    from profiling_core.pipeline.whole import whole_table

    work = Workspace.open(dataset)
    made = work.plan(run_id)
    if work.committed(run_id):
        return work.delta(run_id, table).to_json()
    base = work.base(made)
    if made.rebuild and base:
        delta = whole_table(work, base, table, run_id)
    elif made.released and base:
        delta = screening.released(work, made, base, table)
    else:
        before = Before(base, arriving.applied(work).get(table, {}), extraction.extracted(work, run_id, table))
        try:
            delta = ingest_table(work.spark("ingest"), work.settings, work.store, work.config, made, table, before)
            delta = screening.screen(work, made, base, notifications.without_usual(work, delta))
        except InputError as error:
            refusal = error.with_remedy(arriving.alone(work, table, list(made.pending)))
            if not made.dry:
                notifications.tell_refusal(work, made, table, refusal)
            raise refusal from error
    work.store.record(run_id, f"{table}.delta.json", delta.to_json())
    return delta.to_json()


def maintain_table(dataset: str, run_id: str, table: str) -> Json:
    """Brings a table's evidence, cover and ranked constraints up to date with its delta."""
    work = Workspace.open(dataset)
    if work.committed(run_id):
        return {"table": table, "already": "committed"}
    return stage_table(work, work.plan(run_id), table)


def maintain_inclusions(dataset: str, run_id: str) -> Json:
    """Brings the dataset's inclusion dependencies up to date with all tables' deltas."""
    work = Workspace.open(dataset)
    if work.committed(run_id) or work.config.inclusions == "off":
        return {"already": "committed" if work.committed(run_id) else "off"}
    return stage_inclusions(work, work.plan(run_id))


def commit(dataset: str, run_id: str) -> Json:
    """Makes the staged state the dataset's next version, in one transaction; then collects what old runs left."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    version = work.committed(run_id)
    if version is None and not made.pending:
        return {"version": made.committed_version, "rows": {}}
    if version is None:
        base = work.base(made)
        staged = next_version(work, made, base)
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
    told = {"alerts": len(work.catalog.alerts(work.dataset, version.number))}
    incidents = {
        "incidents": notifications.going_on(work),
        "ended": notifications.ended(work, version.label),
    }  # as it leaves them
    return found | changed | told | incidents


def preview(dataset: str, run_id: str) -> Json:
    """What the staged state would change, for a dry run; commits nothing."""
    work = Workspace.open(dataset)
    made = work.plan(run_id)
    if not made.pending:
        return {"version": None, "changes": [], "findings": [], "arrived": {}}
    version = next_version(work, made, work.base(made))
    _, change_set = lifecycle_step.step(work, version)
    body = change_set.to_json()
    told = {"structure": structure.told(work, version), "changes": body["changes"], "findings": body["findings"]}
    return (
        lifecycle_step.summary(change_set)
        | told
        | {"alerts": len(notifications.told(work, version, change_set).alerts)}
    )


def discard(dataset: str, run_id: str, *, rejects: bool = False) -> Json:
    """Removes what a dry run staged; with ``rejects`` also the quarantined rows that no error reported."""
    work = Workspace.open(dataset)
    if work.committed(run_id) is None:
        work.store.discard(run_id, rejects=rejects)
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
