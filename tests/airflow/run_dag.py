"""Run as a program: runs a dataset's DAG by ``dag.test`` once per argument, and writes what became of it as JSON.

The first argument is the file to write; each other one is the JSON of a run's parameters. Spark, Great Expectations and
the steps are the real ones.
"""

import json
import sys
from pathlib import Path

DAGS = Path(__file__).resolve().parents[2] / "dags"


def main() -> None:
    Path(sys.argv[1]).write_text(json.dumps([_run(_dag(), json.loads(conf)) for conf in sys.argv[2:]]), "utf-8")


def _dag():
    """The DAG as a task finds it: parsed anew, since ``dag.test`` leaves a run's parameters in the object."""
    from airflow.dag_processing.dagbag import DagBag

    bag = DagBag(DAGS, bundle_path=DAGS)
    assert not bag.import_errors, bag.import_errors
    (dag,) = bag.dags.values()
    return dag


def _run(dag, conf: dict) -> dict:
    from airflow.models.asset import AssetEvent
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    from sqlalchemy import select

    from profiling_core.state.settings import Settings

    run = dag.test(run_conf=conf)
    with create_session() as session:
        instances = run.get_task_instances(session=session)
        tasks: dict[str, dict[str, str]] = {}
        for instance in instances:
            tasks.setdefault(instance.task_id, {})[instance.rendered_map_index or ""] = str(instance.state)
        events = session.scalars(select(AssetEvent).where(AssetEvent.source_run_id == run.run_id))
        preview = session.scalars(XComModel.get_many(run_id=run.run_id, key="preview", task_ids="commit")).first()
        current = Settings.discover().catalog().current(dag.dag_id.removeprefix("holdfast."))
        return {
            "state": str(run.state),
            "tasks": tasks,
            "events": [event.extra for event in events],
            "preview": XComModel.deserialize_value(preview) if preview else None,
            "version": current.number if current else 0,
        }


if __name__ == "__main__":
    main()
