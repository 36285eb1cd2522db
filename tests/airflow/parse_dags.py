"""Run as a program: parses the DAG files as Airflow does and prints what came of it, as JSON in the last line.

Apart from pytest's process, because what is imported at parse time is the question.
"""

import json
import sys
import time
from pathlib import Path

HEAVY = ("pyspark", "pandas", "great_expectations", "numba", "pyarrow", "fastapi", "jinja2.ext", "apprise")


def main() -> None:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.sdk import DAG, Asset, CronDataIntervalTimetable, Param, task  # noqa: F401 - Airflow's own imports are not ours
    from airflow.serialization.serialized_objects import DagSerialization

    dags = Path(sys.argv[1])
    sys.path.insert(0, str(dags))
    before = {name for name in HEAVY if name in sys.modules}
    clock, processor = time.perf_counter(), time.process_time()
    bag = DagBag(dags, bundle_path=dags)
    seconds = {"wall": time.perf_counter() - clock, "processor": time.process_time() - processor}
    result = {
        "seconds": seconds,
        "imported": sorted({name for name in HEAVY if name in sys.modules} - before),
        "errors": bag.import_errors,
        "dags": sorted(bag.dags),
        "first": _described(bag.dags[min(bag.dags)], DagSerialization) if bag.dags else None,
    }
    sys.stdout.write(f"{json.dumps(result)}\n")


def _described(dag, serialization) -> dict:
    tasks = {
        task.task_id: {
            "downstream": sorted(task.downstream_task_ids),
            "mapped": task.is_mapped,
            "trigger_rule": task.trigger_rule.value,
            "weighs_as": str(task.weight_rule),
            "retries": task.retries,
            "backoff": task.retry_exponential_backoff,
            "timeout": task.execution_timeout.total_seconds(),
            "links": [link.name for link in task.operator_extra_links],
            "outlets": [asset.uri for asset in task.outlets],
        }
        for task in dag.tasks
    }
    return {
        "id": dag.dag_id,
        "tasks": tasks,
        "max_active_runs": dag.max_active_runs,
        "catchup": dag.catchup,
        "schedule": type(dag.timetable).__name__,
        "params": {name: dag.params.get_param(name).schema for name in dag.params},
        "serialized": bool(serialization.to_dict(dag)),
    }


if __name__ == "__main__":
    main()
