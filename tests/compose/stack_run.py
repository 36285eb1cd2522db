"""Triggers one day's run and follows it to its end: ``python - day`` inside the stack, where Airflow's API is."""

import os
import sys
import time

from profiling_core.cli.airflow_client import FINISHED, AirflowClient

DAG, PATIENCE = "holdfast.nycflights13", 1200.0


def main(day: str) -> None:
    """Prints the run's state when it has ended."""
    client = AirflowClient("http://api-server:8080", "admin", os.environ["ADMIN_PASSWORD"])
    client.await_dag(DAG, patience=180)
    client.unpause(DAG)
    run_id = client.trigger(DAG, {"delta": day})
    deadline = time.monotonic() + PATIENCE
    while (state := client.run(DAG, run_id)["state"]) not in FINISHED and time.monotonic() < deadline:
        client.rest(2)
    failed = [task["task_id"] for task in client.tasks(DAG, run_id) if task["state"] == "failed"]
    sys.stdout.write(" ".join([state, *failed]) + "\n")


main(sys.argv[1])
