"""Run as a program: runs the DAG in ``gated/`` by ``dag.test`` with each of the gate's options of a line of input.

It answers each line with one that begins with STATES, and has the tasks' states as JSON.
"""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DAGS = HERE / "gated"


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(f"STATES {json.dumps([_run(options) for options in json.loads(line)])}\n")
        sys.stdout.flush()


def _run(options: dict[str, object]) -> dict[str, str]:
    from airflow.dag_processing.dagbag import DagBag

    os.environ["GATE_OPTIONS"] = json.dumps(options)
    bag = DagBag(DAGS, bundle_path=DAGS)
    assert not bag.import_errors, bag.import_errors
    (dag,) = bag.dags.values()
    return {i.task_id: str(i.state) for i in dag.test().get_task_instances()}


if __name__ == "__main__":
    main()
