"""Follows runs of a DAG through Airflow's REST API, task by task, and never longer than something moves."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from profiling_core.cli.airflow_client import FINISHED, AirflowClient
from profiling_core.model.errors import StateError

# Not news by themselves.
_WAITING = frozenset({"none", "scheduled", "queued", "removed"})
# Ends by itself: a task has a time limit, a retry its day.
_UNDER_WAY = frozenset({"running", "up_for_retry", "up_for_reschedule", "deferred"})


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """A task instance that came into a new state. ``item`` is the table of a mapped task, else empty.

    ``seconds`` is how long it has run, where it has.
    """

    run_id: str
    run_label: str
    task: str
    item: str
    state: str
    seconds: float | None
    attempt: int


@dataclass(frozen=True, slots=True)
class RunEvent:
    """A run that came into a new state; ``seconds`` is how long it has run, where it has started."""

    run_id: str
    run_label: str
    state: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class WaitEvent:
    """Nothing has changed for ``seconds``; ``under_way`` names what still runs, and is empty where nothing does."""

    seconds: float
    under_way: tuple[str, ...]


Event = TaskEvent | RunEvent | WaitEvent


def follow(
    client: AirflowClient,
    dag_id: str,
    run_ids: Sequence[str],
    *,
    pause: float = 1.0,
    remind: float = 60.0,
    patience: float = 300.0,
) -> Iterator[Event]:
    """Yields each change of state of the runs and their tasks until all runs have ended.

    Args:
        client: the Airflow.
        dag_id: the DAG of the runs.
        run_ids: the runs.
        pause: seconds between two looks.
        remind: seconds without news after which a :class:`WaitEvent` is due.
        patience: seconds without news and without a task under way after which the wait ends.

    Raises:
        StateError: nothing has moved for ``patience`` seconds.
    """
    seen: dict[tuple[str, ...], str] = {}
    open_runs = list(run_ids)
    moved = reminded = time.monotonic()
    while open_runs:
        news, under_way = _look(client, dag_id, open_runs, seen)
        now = time.monotonic()
        if news:
            moved = reminded = now
            yield from news
        elif now - moved > patience and not under_way:
            raise StateError(
                f"nothing has moved for {now - moved:.0f} s in {', '.join(open_runs)} of {dag_id}: no task is running",
                remedy="read the end of Airflow's scheduler.log, end this Airflow, and run the command again",
            )
        elif now - reminded > remind:
            reminded = now
            yield WaitEvent(now - moved, tuple(under_way))
        if open_runs:
            client.rest(pause)


def run_label(run: Mapping[str, Any]) -> str:
    """The day that a run is for: the delta asked for, the start of its interval, or its id."""
    if delta := (run.get("conf") or {}).get("delta"):
        return str(delta)
    start = run.get("data_interval_start") or run.get("logical_date")
    return str(start)[:10] if start else str(run["dag_run_id"])


def _look(
    client: AirflowClient, dag_id: str, open_runs: list[str], seen: dict[tuple[str, ...], str]
) -> tuple[list[Event], list[str]]:
    """The new events, and the names of the tasks under way; runs that have ended leave ``open_runs``."""
    news: list[Event] = []
    under_way: list[str] = []
    for run_id in tuple(open_runs):
        run = client.run(dag_id, run_id)
        if run["state"] == "queued":
            continue
        tasks = client.tasks(dag_id, run_id)
        news += _news(seen, run, tasks)
        under_way += [_name(task) for task in tasks if task["state"] in _UNDER_WAY]
        if run["state"] in FINISHED:
            open_runs.remove(run_id)
    return news, under_way


def _name(task: Mapping[str, Any]) -> str:
    return f"{task['task_id']} {task['rendered_map_index'] or ''}".strip()


def _news(
    seen: dict[tuple[str, ...], str], run: Mapping[str, Any], tasks: Sequence[Mapping[str, Any]]
) -> Iterator[TaskEvent | RunEvent]:
    run_id, label = run["dag_run_id"], run_label(run)
    if seen.get((run_id,)) is None:
        seen[(run_id,)] = "running"
        yield RunEvent(run_id, label, "running", None)
    for task in sorted(tasks, key=lambda t: t["start_date"] or "~"):
        key, state = (run_id, task["task_id"], str(task["map_index"])), task["state"] or "none"
        item = task["rendered_map_index"] or ""
        unnamed = item == str(task["map_index"]) and state not in FINISHED  # Airflow names it a moment after the start
        if seen.get(key) != state and not unnamed and state not in _WAITING:
            seen[key] = state
            yield TaskEvent(run_id, label, task["task_id"], item, state, task["duration"], task["try_number"])
    if run["state"] in FINISHED and seen[(run_id,)] != run["state"]:
        seen[(run_id,)] = run["state"]
        yield RunEvent(run_id, label, run["state"], run.get("duration"))
