"""The page of one DAG run, in any state: committed, a dry run, refused, failed, nothing to do, or under way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from profiling_core.airflow.ui import reading, runs
from profiling_core.airflow.ui.runs import DagRunState
from profiling_core.model.change import ChangeSet
from profiling_core.model.incident import Incident
from profiling_core.model.stored import Hidden, Stored


@dataclass(frozen=True, slots=True)
class RunPage(Stored):
    """The outcome of a run. ``outcome`` is one word; ``version`` is the committed version (0: none).

    ``refused`` and ``waiting`` are the deltas that it left out, with reason and remedy; ``would`` are the changes that
    a dry
    run found, ``previewed`` its figures; ``incidents`` are those of deltas that it refused.
    """

    __derived__ = ("failed",)

    dataset: str
    run_id: str
    outcome: str
    state: Hidden[DagRunState | None]
    label: str = ""
    version: int = 0
    refused: tuple[Mapping[str, str], ...] = ()
    waiting: tuple[Mapping[str, str], ...] = ()
    would: ChangeSet | None = None
    previewed: Hidden[Mapping[str, Any]] = field(default_factory=dict)
    incidents: Hidden[tuple[Incident, ...]] = ()

    @property
    def failed(self) -> list[str]:
        """The names of its failed tasks."""
        return [task.task for task in self.state.failed] if self.state else []


def run_page(dataset: str, run_id: str) -> RunPage:
    """The outcome of a run of a dataset's DAG."""
    state = runs.run(dataset, run_id)
    planned = runs.handed_on(dataset, run_id, "plan", "run")
    version = int(runs.handed_on(dataset, run_id, "commit").get("version") or 0)
    previewed = runs.handed_on(dataset, run_id, "commit", "preview")
    known = runs.handed_on(dataset, run_id, "refusals", "refused") or planned
    refused = tuple(known.get("refused", ()))
    label = str(planned.get("label") or "")
    return RunPage(
        dataset,
        run_id,
        _outcome(state, version, previewed, refused),
        state,
        label,
        version,
        refused,
        tuple(planned.get("waiting", ())),
        _would(dataset, run_id, previewed),
        previewed,
        _refusals(dataset, label) if refused or (state and state.state == runs.FAILED) else (),
    )


def _outcome(
    state: DagRunState | None, version: int, previewed: Mapping[str, Any], refused: tuple[Mapping[str, str], ...]
) -> str:
    if version:
        return "committed"
    if state is None:
        return "unknown"
    if state.is_under_way:  # what a dry run refused is known once all its tasks have ended
        return "under way"
    if previewed:
        return "dry run"
    if state.state == runs.FAILED:
        return "refused" if refused and {task.task for task in state.failed} <= {"refusals"} else "failed"
    return "nothing to do"


def _would(dataset: str, run_id: str, previewed: Mapping[str, Any]) -> ChangeSet | None:
    """The changes that a dry run found; None if it found nothing to apply."""
    if not previewed.get("arrived"):
        return None
    kept = {name: previewed.get(name, ()) for name in ("arrived", "changes", "findings")}
    return ChangeSet.from_json({"dataset": dataset, "version": 0, "run_id": run_id, **kept})


def _refusals(dataset: str, label: str) -> tuple[Incident, ...]:
    """The incidents of the deltas that were refused in a run up to a label."""
    found = reading.summary(dataset)
    every = found.incidents if found else ()
    return tuple(i for i in every if i.diagnosis.kind == "refusal" and label in (i.opened, i.latest))
