"""Airflow's runs of the datasets' DAGs: their states, their tasks' results, and starting one.

It is the only place of the pages that reads Airflow's database or starts a run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from profiling_core.airflow.ui.access import DAG_PREFIX

_COMMITS_LOOKED_AT = 100
"""The newest commits among which a version's run is searched: three months of daily runs."""
FAILED, RUNNING, QUEUED, SUCCESS = "failed", "running", "queued", "success"


@dataclass(frozen=True, slots=True)
class FailedTask:
    """A failed task of a run; ``place`` is its index among mapped tasks, -1 if it is not mapped."""

    task: str
    place: int


@dataclass(frozen=True, slots=True)
class DagRunState:
    """One run: its state in Airflow's words, when it began and ended (UTC), who triggered it, and its failed tasks."""

    run_id: str
    state: str
    started: datetime | None
    ended: datetime | None
    by: str = ""
    failed: tuple[FailedTask, ...] = ()

    @property
    def is_under_way(self) -> bool:
        """Whether it has not ended."""
        return self.state in (RUNNING, QUEUED)


@dataclass(frozen=True, slots=True)
class DagStanding:
    """A dataset's DAG: whether it is paused, when its next run is due (None: no schedule), and its newest run.

    ``is_read`` says whether Airflow has read its file lately; this takes a while after a start.
    """

    paused: bool
    due: datetime | None
    newest: DagRunState | None
    is_read: bool = True


def dag_of(dataset: str) -> str:
    """The id of a dataset's DAG."""
    return f"{DAG_PREFIX}{dataset}"


def dataset_of(dag_id: str) -> str | None:
    """The dataset of one of Holdfast's DAGs; None for other DAGs."""
    return dag_id.removeprefix(DAG_PREFIX) if dag_id.startswith(DAG_PREFIX) else None


def standings() -> dict[str, DagStanding]:
    """The state of each of Holdfast's DAGs, by dataset."""
    from airflow.models.dag import DagModel
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import func, select

    ours = DagModel.dag_id.startswith(DAG_PREFIX, autoescape=True)
    newest = select(func.max(DagRun.id)).where(DagRun.dag_id.startswith(DAG_PREFIX, autoescape=True))
    with create_session() as session:
        dags = session.execute(
            select(DagModel.dag_id, DagModel.is_paused, DagModel.next_dagrun_create_after, DagModel.is_stale).where(
                ours
            )
        ).all()
        found = session.scalars(select(DagRun).where(DagRun.id.in_(newest.group_by(DagRun.dag_id)))).all()
        failed = _failed_tasks(session, [(run.dag_id, run.run_id) for run in found if run.state == FAILED])
        runs = {run.dag_id: _state(run, failed) for run in found}
    return {
        dag_id.removeprefix(DAG_PREFIX): DagStanding(bool(paused), due, runs.get(dag_id), not stale)
        for dag_id, paused, due, stale in dags
    }


def run(dataset: str, run_id: str) -> DagRunState | None:
    """One run of a dataset's DAG; None if there is none with that id."""
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import select

    with create_session() as session:
        found = session.scalar(select(DagRun).where(DagRun.dag_id == dag_of(dataset), DagRun.run_id == run_id))
        if found is None:
            return None
        return _state(found, _failed_tasks(session, [(found.dag_id, found.run_id)]))


def handed_on(dataset: str, run_id: str, task: str, key: str = "return_value") -> Mapping[str, Any]:
    """The result of a task of a run; empty if there is none, or not yet."""
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    query = XComModel.get_many(run_id=run_id, key=key, task_ids=task, dag_ids=dag_of(dataset), limit=1)
    with create_session() as session:
        row = session.scalars(query).first()
        result = _plain(XComModel.deserialize_value(row)) if row is not None else None
    return result if isinstance(result, dict) else {}


def _plain(value: Any) -> Any:
    """A task's result as plain JSON data: Airflow wraps tuples with the name of their class."""
    if isinstance(value, dict):
        return _plain(value["__data__"]) if "__classname__" in value else {k: _plain(v) for k, v in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def run_of_version(dataset: str, version: int) -> str:
    """The newest run whose ``commit`` made a version; empty if Airflow no longer has one."""
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    from sqlalchemy import select

    table = XComModel
    of_commits = select(table).where(
        table.dag_id == dag_of(dataset), table.task_id == "commit", table.key == "return_value"
    )
    with create_session() as session:
        for row in session.scalars(of_commits.order_by(table.dag_run_id.desc()).limit(_COMMITS_LOOKED_AT)):
            value = table.deserialize_value(row)
            if isinstance(value, dict) and value.get("version") == version:
                return str(row.run_id)
    return ""


def trigger(dataset: str, conf: Mapping[str, Any], who: str) -> str:
    """Starts a run of a dataset's DAG with the configuration of its form; returns the run's id."""
    from airflow.api.common.trigger_dag import trigger_dag
    from airflow.utils.types import DagRunTriggeredByType

    started = trigger_dag(
        dag_id=dag_of(dataset), conf=dict(conf), triggered_by=DagRunTriggeredByType.UI, triggering_user_name=who
    )
    return str(started.run_id)


def _failed_tasks(session: Any, ids: list[tuple[str, str]]) -> dict[tuple[str, str], list[FailedTask]]:
    from airflow.models.taskinstance import TaskInstance
    from sqlalchemy import select, tuple_

    found: dict[tuple[str, str], list[FailedTask]] = {}
    if not ids:
        return found
    table = TaskInstance
    query = select(table.dag_id, table.run_id, table.task_id, table.map_index).where(
        tuple_(table.dag_id, table.run_id).in_(ids), table.state == FAILED
    )
    for dag_id, run_id, task, place in session.execute(query.order_by(table.end_date)):
        found.setdefault((dag_id, run_id), []).append(FailedTask(task, place))
    return found


def _state(run: Any, failed: Mapping[tuple[str, str], list[FailedTask]]) -> DagRunState:
    tasks = tuple(failed.get((run.dag_id, run.run_id), ()))
    by = run.triggering_user_name or ""
    return DagRunState(
        run.run_id, str(getattr(run.state, "value", run.state) or ""), run.start_date, run.end_date, by, tasks
    )
