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
    _note(dag_run, "nothing to do")


@hookimpl
def on_dag_run_failed(dag_run: Any, msg: str) -> None:  # noqa: ARG001 - the hook's parameters
    """Notes what a run that failed came to, and where it failed."""
    failed = (
        sorted({ti.task_id for ti in dag_run.get_task_instances() if ti.state == "failed"}) if _is_ours(dag_run) else []
    )
    said = "refused deltas" if failed == ["refusals"] else f"failed in {', '.join(failed)}" if failed else "failed"
    _note(dag_run, said, also=said)


def _is_ours(dag_run: Any) -> bool:
    return str(dag_run.dag_id).startswith(_PREFIX)


def _note(dag_run: Any, otherwise: str, also: str = "") -> None:
    from profiling_core.airflow import sentences

    if not _is_ours(dag_run) or dag_run.note:  # what a person has noted stays
        return
    try:
        planned, changed = _handed_on(dag_run, "plan", "run"), _handed_on(dag_run, "diff")
        label = str(planned.get("label") or dag_run.run_id)
        preview = _handed_on(dag_run, "commit", "preview")
        if changed:
            text = " · ".join([sentences.note(label, changed), *([also] if also else [])])
        elif preview:
            text = f"{sentences.note(label, preview)} · dry run"
        else:
            text = f"{label} · {otherwise}"
        dag_run.note = text
    except Exception:  # noqa: BLE001 - no note is worth a run
        _log.exception("The run %s of %s gets no note", dag_run.run_id, dag_run.dag_id)


def _handed_on(dag_run: Any, task: str, key: str = "return_value") -> dict[str, Any]:
    from airflow.models.xcom import XComModel
    from sqlalchemy.orm import object_session

    session = object_session(dag_run)
    if session is None:
        return {}
    query = XComModel.get_many(run_id=dag_run.run_id, key=key, task_ids=task, dag_ids=dag_run.dag_id, limit=1)
    row = session.scalars(query).first()
    found = XComModel.deserialize_value(row) if row is not None else None
    return found if isinstance(found, dict) else {}
