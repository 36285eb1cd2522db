"""Run as a program: runs the DAG in ``gated/`` by ``dag.test`` once per argument, and writes its tasks' states as JSON.

The first argument is the file to write; each other one is the JSON of the gate's options.
"""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DAGS = HERE / "gated"


def main() -> None:
    Path(sys.argv[1]).write_text(json.dumps([_run(options) for options in sys.argv[2:]]), "utf-8")


def _run(options: str) -> dict[str, str]:
    from airflow.dag_processing.dagbag import DagBag

    os.environ["GATE_OPTIONS"] = options
    bag = DagBag(DAGS, bundle_path=DAGS)
    assert not bag.import_errors, bag.import_errors
    (dag,) = bag.dags.values()
    return {i.task_id: str(i.state) for i in dag.test().get_task_instances()}


if __name__ == "__main__":
    main()
