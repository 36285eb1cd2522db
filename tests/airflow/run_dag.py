"""Run as a program: runs a dataset's DAG by ``dag.test`` once per argument, and prints what became of it as JSON.

Each argument is the JSON of a run's parameters. Spark, Great Expectations and the steps are the real ones.
"""

import json
import sys
from pathlib import Path

DAGS = Path(__file__).resolve().parents[2] / "dags"


def main() -> None:
    sys.path.insert(0, str(DAGS))
    from airflow.dag_processing.dagbag import DagBag

    bag = DagBag(DAGS, bundle_path=DAGS)
    assert not bag.import_errors, bag.import_errors
    (dag,) = bag.dags.values()
    runs = [_run(dag, json.loads(conf)) for conf in sys.argv[1:]]
    print(json.dumps(runs))


def _run(dag, conf: dict) -> dict:
    from airflow.models.asset import AssetEvent
    from airflow.utils.session import create_session
    from sqlalchemy import select

    run = dag.test(run_conf=conf)
    with create_session() as session:
        instances = run.get_task_instances(session=session)
        tasks = sorted((ti.task_id, ti.rendered_map_index or "", str(ti.state)) for ti in instances)
        query = select(AssetEvent).where(AssetEvent.source_run_id == run.run_id)
        events = [event.extra for event in session.scalars(query)]
    return {"state": str(run.state), "tasks": tasks, "events": events}


if __name__ == "__main__":
    main()
