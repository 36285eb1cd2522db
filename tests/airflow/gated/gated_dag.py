"""A DAG of somebody else's, with a gate before its work; the gate's options come as JSON in GATE_OPTIONS."""

import json
import os
from datetime import UTC, datetime

from airflow.sdk import DAG, task

from profiling_core.airflow import HoldfastGate

with DAG("downstream", schedule=None, start_date=datetime(2024, 1, 1, tzinfo=UTC)):

    @task
    def work() -> None:
        """What others do with the data."""

    options = json.loads(os.environ["GATE_OPTIONS"])
    HoldfastGate(task_id="gate", poke_interval=0.1, timeout=0.5, mode="poke", **options) >> work()
