"""Triggers one day's run and follows it to its end: ``python - day`` inside the stack, where Airflow's API is."""

import os
import sys
import time
from pathlib import Path

from profiling_core.cli.airflow_client import FINISHED, AirflowClient

DAG, PATIENCE = "holdfast.nycflights13", 1200.0
LOGS, LAST = Path(os.environ["AIRFLOW_HOME"]) / "logs", 6000


def main(day: str) -> None:
    """Prints the run's state when it has ended, and of tasks that failed what they said at last."""
    client = AirflowClient("http://api-server:8080", "admin", os.environ["ADMIN_PASSWORD"])
    client.await_dag(DAG, patience=180)
    client.unpause(DAG)
    run_id = client.trigger(DAG, {"delta": day})
    deadline = time.monotonic() + PATIENCE
    while (state := client.run(DAG, run_id)["state"]) not in FINISHED and time.monotonic() < deadline:
        client.rest(2)
    failed = [task["task_id"] for task in client.tasks(DAG, run_id) if task["state"] == "failed"]
    said = [path.read_text("utf-8")[-LAST:] for task in failed for path in LOGS.rglob(f"*{run_id}*/*{task}/**/*.log")]
    sys.stdout.write("\n".join([" ".join([state, *failed]), *said]) + "\n")


main(sys.argv[1])
