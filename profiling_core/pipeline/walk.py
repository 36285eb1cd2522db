"""The whole way of a delta in one process: what an Airflow run does, for the command line and the tests."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from profiling_core.pipeline import steps


class Progress(Protocol):
    """Hears what is about to happen, and how it went."""

    def planned(self, plan: Mapping[str, Any]) -> None:
        """The plan is made, and nothing is read yet."""

    def during(self, step: str, table: str) -> AbstractContextManager[dict[str, Any]]:
        """Lasts as long as a step (of a table, or of none: empty), and gets what the step gives."""


class Silent:
    """Tells nobody."""

    def planned(self, plan: Mapping[str, Any]) -> None:
        """Says nothing."""

    def during(self, step: str, table: str) -> AbstractContextManager[dict[str, Any]]:  # noqa: ARG002 -- the protocol's
        """Says nothing."""
        return nullcontext({})


def walk(
    dataset: str,
    *,
    label: str | None = None,
    tables: Sequence[str] | None = None,
    rebuild: bool = False,
    dry_run: bool = False,
    release: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Applies the pending deltas up to ``label``; with ``dry_run`` only says what they would change.

    Args:
        dataset: the dataset's name.
        label: the newest delta id to apply; None: all pending ones.
        tables: the tables to take deltas of; None: all.
        rebuild: derive all state from the stored rows again.
        dry_run: commit nothing.
        release: apply nothing but this table's rows that were set aside.
        progress: told what is planned, and of each step.

    Returns:
        The change set in numbers, with ``run_id``, ``applied``: the delta ids per table, and ``waiting`` and
        ``refused``: the deltas that are there and were left out, with reasons; ``refused_before``: how many more are
        there that earlier runs told; ``mended``: what was damaged, in words.
    """
    told = progress or Silent()
    plan = steps.plan(dataset, label=label, tables=tables, rebuild=rebuild, release=release, dry_run=dry_run)
    told.planned(plan)
    run_id = plan["run_id"]
    outcome = {"run_id": run_id, "applied": plan["pending"]} | {
        n: plan[n] for n in ("waiting", "refused", "refused_before", "mended", "not_read")
    }
    if not plan["pending"] and plan["committed_version"] is None:
        return outcome | {"version": None}
    if plan["pending"]:
        steps.prove_ahead(dataset, run_id)
    ended_well = False
    try:
        ingested = [_step(told, "ingest", table, steps.ingest, dataset, run_id, table) for table in plan["pending"]]
        outcome |= _without_refused(outcome, steps.refused(ingested))
        for table in outcome["applied"]:
            _step(told, "maintain", table, steps.maintain_table, dataset, run_id, table)
        if outcome["applied"]:
            _step(told, "maintain inclusions", "", steps.maintain_inclusions, dataset, run_id)
        if dry_run:
            outcome |= _step(told, "preview", "", steps.preview, dataset, run_id)
            ended_well = True
            return outcome
    finally:
        if dry_run:
            steps.discard(dataset, run_id, rejects=ended_well)
    return outcome | _committed(told, dataset, plan)


def _without_refused(outcome: Mapping[str, Any], refused: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is applied, and what is refused, once the deltas have been read."""
    tables = {held["table"] for held in refused}
    applied = {table: ids for table, ids in outcome["applied"].items() if table not in tables}
    return {"applied": applied, "refused": [*outcome["refused"], *refused]}


def _committed(told: Progress, dataset: str, plan: Mapping[str, Any]) -> dict[str, Any]:
    """The commit and what follows it; only how it stands, where nothing is pending and its suites have been run."""
    run_id = plan["run_id"]
    done = not plan["pending"] and steps.is_published(dataset, run_id)
    told = Silent() if done else told
    _step(told, "commit", "", steps.commit, dataset, run_id)
    changed = _step(told, "diff", "", steps.diff, dataset, run_id)
    for step in (steps.alert,) if done else (steps.emit, steps.validate, steps.alert):
        _step(told, step.__name__, "", step, dataset, run_id)
    return changed


def _step(told: Progress, name: str, table: str, step: Callable[..., dict[str, Any]], *ids: str) -> dict[str, Any]:
    with told.during(name, table) as heard:
        result = step(*ids)
        heard.update(result)
    return result
