"""The whole way of a delta in one process: what an Airflow run does, for the command line and the tests."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from profiling_core.pipeline import steps

Progress = Callable[[str, float, str], None]
_AFTER_COMMIT = (steps.diff, steps.emit, steps.validate, steps.alert)


def walk(
    dataset: str,
    *,
    label: str | None = None,
    tables: Sequence[str] | None = None,
    rebuild: bool = False,
    dry_run: bool = False,
    release: str | None = None,
    progress: Progress = lambda _step, _seconds, _said: None,
) -> dict[str, Any]:
    """Applies the pending deltas up to ``label``; with ``dry_run`` only says what they would change.

    Args:
        dataset: the dataset's name.
        label: the newest delta id to apply; None: all pending ones.
        tables: the tables to take deltas of; None: all.
        rebuild: derive all state from the stored rows again.
        dry_run: commit nothing.
        release: apply nothing but this table's rows that were set aside.
        progress: called after each step with its name, its seconds, and how it was done where that is new.

    Returns:
        The change set in numbers, with ``run_id``, ``applied``: the delta ids per table, and ``waiting`` and
        ``refused``: the deltas that are there and were left out, with reasons.
    """
    plan = _timed(progress, "plan", steps.plan, dataset, label=label, tables=tables, rebuild=rebuild, release=release)
    run_id = plan["run_id"]
    outcome = {"run_id": run_id, "applied": plan["pending"]} | {name: plan[name] for name in ("waiting", "refused")}
    if not plan["pending"] and plan["committed_version"] is None:
        return outcome | {"version": None}
    try:
        for table in plan["pending"]:
            _timed(progress, f"ingest {table}", steps.ingest, dataset, run_id, table)
        for table in plan["pending"]:
            _timed(progress, f"maintain {table}", steps.maintain_table, dataset, run_id, table)
        if plan["pending"]:
            _timed(progress, "maintain inclusions", steps.maintain_inclusions, dataset, run_id)
        if dry_run:
            preview: dict[str, Any] = _timed(progress, "preview", steps.preview, dataset, run_id)
            return outcome | preview
    finally:
        if dry_run:
            steps.discard(dataset, run_id)
    _timed(progress, "commit", steps.commit, dataset, run_id)
    for step in _AFTER_COMMIT:
        result = _timed(progress, step.__name__, step, dataset, run_id)
        if step is steps.diff:
            outcome |= result
    return outcome


def _timed(progress: Progress, name: str, step: Callable[..., dict[str, Any]], *args: Any, **kwargs: Any) -> Any:
    started = time.monotonic()
    result = step(*args, **kwargs)
    progress(name, time.monotonic() - started, result.get("chosen", ""))
    return result
