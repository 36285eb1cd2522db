"""The maintain steps' results on disk, and the version that they add up to."""

import logging
from collections.abc import Collection, Mapping
from typing import Any

from profiling_core.model.constraint import DATASET, InclusionDependency, Measured, ReferenceRule, measured_of
from profiling_core.model.decision import Decided, rejected
from profiling_core.model.version import HELD, INDEX, FileRef, RunPlan, Version
from profiling_core.pipeline import lifecycle_step
from profiling_core.pipeline.incident_handling import broken_cells, taught
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.store import Store

_LOG = logging.getLogger(__name__)


def stage_table(work: Workspace, plan: RunPlan, table: str) -> dict[str, Any]:
    """Maintains a table and records the result in the run's staging directory."""
    base = work.base(plan)
    begin_to_prove(work.store, base, [table])
    from profiling_core.maintain.run import People, TableRun
    from profiling_core.maintain.table import maintain_table
    from profiling_core.maintain.table_files import TableFiles

    decided = lifecycle_step.decisions(work)
    people = People(
        accepted=frozenset(name for name, decision in decided.items() if decision.accepted_error),
        pinned=frozenset(name for name, decision in decided.items() if decision.pinned),
        rejected=rejected(decided),
        lessons=tuple(lesson for lesson in taught(work) if lesson.table == table),
        broken=broken_cells(work, table),
    )
    files = TableFiles(work.store, plan.run_id, table, base)
    delta = work.delta(plan.run_id, table)
    run = TableRun(work.spark("maintain"), files, work.config, delta, plan.rebuild, people)
    followed = [m for m in _followed(work, base, decided) if m.constraint.kept_with == table]
    staged, choice = maintain_table(run, followed)
    work.store.record(plan.run_id, f"{table}.staged.json", staged.to_json())
    chosen = "" if choice.continues else f"{choice.name.value} engine: {choice.reason}"
    if chosen:
        _LOG.info("%s is kept by the %s", table, chosen)
    return {"table": table, "rows": staged.state.rows, "engine": choice.name.value, "chosen": chosen}


def begin_to_prove(store: Store, base: Version | None, tables: Collection[str]) -> None:
    """Begins to prove the indexes of some tables; their next delta maps all of them, whatever else it reads."""
    if base:
        for table in tables:
            store.prove_ahead(base.files_of(INDEX, table))


def stage_inclusions(work: Workspace, plan: RunPlan) -> dict[str, Any]:
    """Maintains the dataset's inclusion dependencies and records the result in the run's staging directory."""
    from profiling_core.maintain.inclusions import InclusionStep, maintain_inclusions

    base = work.base(plan)
    deltas = {table: work.delta(plan.run_id, table) for table in plan.pending}
    decided = lifecycle_step.decisions(work)
    followed = _followed(work, base, decided)
    step = InclusionStep(
        work.spark("inclusions"),
        work.store,
        None if plan.rebuild else base,
        deltas,
        work.config,
        plan,
        [m.constraint for m in measured_of(InclusionDependency, followed)],
        rules=measured_of(ReferenceRule, followed),
        rejected=rejected(decided),
        asked=[m.constraint.sides[0] for m in followed if m.constraint.excused_by_lists],
    )
    staged = maintain_inclusions(step)
    work.store.record(plan.run_id, "inclusions.staged.json", staged.to_json())
    return {"inclusions": len(staged.results)}


def _followed(work: Workspace, base: Version | None, decided: Mapping[str, Decided]) -> list[Measured]:
    """The figures of what is followed, and of what a person has pinned and is not: that is measured from now on."""
    if base is None:
        return []
    tracked = [t.measured for t in lifecycle_step.followed(work, base.number)]
    known = {m.constraint.fingerprint for m in tracked}
    pinned = [d.constraint for name, d in decided.items() if d.pinned and name not in known]
    return [*tracked, *(Measured(constraint, 0, 0) for constraint in pinned if constraint)]


def _files_of(version: Version | None, tables: Collection[str]) -> list[FileRef]:
    return [file for file in version.files if file.table in tables] if version else []


def next_version(
    work: Workspace, made: RunPlan, base: Version | None, refused: Mapping[str, Mapping[str, Any]]
) -> Version:
    """The version that the run's staged state adds up to: its tables, and those that it did not touch.

    Of tables whose deltas are ``refused`` it has the finding that says so, by what their steps have recorded.
    """
    from profiling_core.maintain.results import StagedTable

    plan = made.without(refused)
    staged = {table: StagedTable.from_json(_read(work, plan, f"{table}.staged.json")) for table in plan.pending}
    files = [file for table in staged.values() for file in table.files]
    known = base.tables if base else {}
    untouched = {name: known[name] for name in known if name in work.config.tables and name not in staged}
    if work.config.inclusions == "on":
        files += [FileRef(**file) for file in _read(work, plan, "inclusions.staged.json")["files"]]
    else:
        files += _files_of(base, {DATASET})
    files += [file for file in _files_of(base, untouched) if file.role != HELD]
    files += [FileRef(**record["held"]) for record in refused.values()]
    return Version(
        dataset=work.dataset,
        number=plan.base_version + 1,
        run_id=plan.run_id,
        label=plan.label,
        tables=untouched | {table: result.state for table, result in staged.items()},
        arrivals={table: result.arrival for table, result in staged.items()},
        files=tuple(files),
    )


def _read(work: Workspace, plan: RunPlan, name: str) -> Mapping[str, Any]:
    data: dict[str, Any] = work.store.recorded(plan.run_id, name)
    return data
