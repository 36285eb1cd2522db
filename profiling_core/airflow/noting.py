"""A listener that notes on each run of a dataset what it came to, so that Airflow's grid tells seven runs apart.

Airflow calls it in the scheduler, in the transaction that ends the run: it only reads what the run's tasks handed on,
and never fails the run.
"""

import logging
from typing import Any

from airflow.listeners import hookimpl

_log = logging.getLogger(__name__)
_PREFIX = "holdfast."


@hookimpl
def on_dag_run_success(dag_run: Any, msg: str) -> None:  # noqa: ARG001 - the hook's parameters
    """Notes what a run that ended well came to."""
    _note(dag_run, failed=False)


@hookimpl
def on_dag_run_failed(dag_run: Any, msg: str) -> None:  # noqa: ARG001 - the hook's parameters
    """Notes what a run that failed came to, and where it failed."""
    _note(dag_run, failed=True)


def _note(dag_run: Any, *, failed: bool) -> None:
    from sqlalchemy.orm import object_session

    try:
        session = object_session(dag_run)
        if session is None or not str(dag_run.dag_id).startswith(_PREFIX):
            return
        # The scheduler's own session: another one of this thread would be the same, and close it.
        with session.no_autoflush:
            if not dag_run.note:  # what a person has noted stays
                dag_run.note = _text(session, dag_run, failed=failed)
    except Exception:  # noqa: BLE001 - no note is worth a run
        _log.warning("A run of Holdfast's gets no note", exc_info=True)


def _text(session: Any, dag_run: Any, *, failed: bool) -> str:
    from profiling_core.airflow import sentences

    planned, changed = _handed_on(session, dag_run, "plan", "run"), _handed_on(session, dag_run, "diff")
    preview = _handed_on(session, dag_run, "commit", "preview")
    label = str(planned.get("label") or "")
    said = [sentences.note(label, changed or preview)] if changed or preview else [label] if label else []
    if preview and not changed:
        said.append("dry run")
    if failed:
        tasks = _failed(session, dag_run)
        said.append(
            "refused deltas" if tasks == ["refusals"] else " ".join(["failed in", ", ".join(tasks) or "no task"])
        )
    elif not (changed or preview):
        said.append("nothing to do")
    return " · ".join(said)


def _failed(session: Any, dag_run: Any) -> list[str]:
    from airflow.models.taskinstance import TaskInstance
    from sqlalchemy import select

    of_run = (TaskInstance.dag_id == dag_run.dag_id, TaskInstance.run_id == dag_run.run_id)
    failed = select(TaskInstance.task_id).where(*of_run, TaskInstance.state == "failed").distinct()
    return sorted(session.scalars(failed))


def _handed_on(session: Any, dag_run: Any, task: str, key: str = "return_value") -> dict[str, Any]:
    from airflow.models.xcom import XComModel
    from sqlalchemy import select

    of_run = (XComModel.dag_id == dag_run.dag_id, XComModel.run_id == dag_run.run_id)
    query = select(XComModel).where(*of_run, XComModel.task_id == task, XComModel.key == key).limit(1)
    row = session.scalars(query).first()
    found = XComModel.deserialize_value(row) if row is not None else None
    return found if isinstance(found, dict) else {}
