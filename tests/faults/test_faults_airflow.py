"""Task processes of a real Airflow that are killed in the middle: their runs go on, and end as without a fault."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml
from helpers.shop import DAYS, land
from helpers.webhook import Receiver
from stack.files import REPOSITORY

from faults.figures import Figures
from faults.whole import seen_of, told_at
from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.cli.airflow_environment import airflow_home, free_port
from profiling_core.cli.airflow_processes import recorded
from profiling_core.cli.airflow_progress import TaskEvent, follow
from profiling_core.cli.airflow_runner import running
from profiling_core.state.settings import Settings

pytestmark = [pytest.mark.faults, pytest.mark.airflow, pytest.mark.spark]
KILLED, UNDISTURBED = "killed", "undisturbed"
# As the task SDK names the process that runs a task: by the task instance's id. Its executor's are named otherwise; one
# that is killed while it waits keeps the lock of the executor's queue.
PROCESS = re.compile(r"airflow worker -- [0-9a-f-]{36}")
TASKS = ("plan", "ingest", "maintain_table", "maintain_inclusions", "commit", "diff", "emit", "validate", "alert")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, hook: Receiver) -> Settings:
    """Two datasets over the same files, which tell the receiver under their own names."""
    place = tmp_path_factory.mktemp("tasks")
    for day in DAYS[:2]:
        land(place, day)
    for name in (KILLED, UNDISTURBED):
        configure(place, name, hook.url(name))
    return Settings(REPOSITORY, place / "home", f"sqlite:///{place}/home/catalog.db", place / "datasets")


def configure(place: Path, name: str, url: str) -> None:
    tables: dict[str, Any] = {
        table: {"source": {"path": f"{place}/landing/{table}"}, "key": [table[:-1]], "max_predicates": 3}
        for table in ("customers", "orders")
    }
    said = {"dataset": name, "tables": tables, "schedule": None, "retries": 3, "retry_delay_seconds": 1}
    alerts = {"routes": [{"name": "hook", "url": url}], "allow_private": ["127.0.0.0/8"]}
    path = place / "datasets" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(said | {"alerts": alerts}), "utf-8")


def task_processes(settings: Settings) -> list[psutil.Process]:
    """Those that run a task now."""
    (scheduler,) = (part for part in recorded(airflow_home(settings).running)[2] if part.name == "scheduler")
    found = []
    for process in psutil.Process(scheduler.pid).children(recursive=True):
        try:
            if PROCESS.match(" ".join(process.cmdline())):
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def kill(settings: Settings) -> int:
    """Kills what runs a task; returns how many that were."""
    killed = 0
    for process in task_processes(settings):
        try:
            process.kill()
            killed += 1
        except psutil.NoSuchProcess:
            continue
    return killed


def run(client: AirflowClient, settings: Settings, dataset: str, day: str, tasks: frozenset[str]) -> int:
    """A run of the dataset's DAG, each of these tasks killed once; returns how many processes were."""
    dag_id, killed, left = f"holdfast.{dataset}", 0, set(tasks)
    run_id = client.trigger(dag_id, {"delta": day})
    for event in follow(client, dag_id, [run_id], pause=0.05):
        if isinstance(event, TaskEvent) and event.state == "running" and event.task in left:
            met = kill(settings)
            killed += met
            left -= {event.task} if met else set()
    (found,) = (r for r in client.runs(dag_id) if r["dag_run_id"] == run_id)
    assert found["state"] == "success", (day, killed)
    return killed


def test_tasks_that_are_killed_are_run_again_and_nothing_is_lost(
    settings: Settings, hook: Receiver, figures: Figures
) -> None:
    with (
        figures.timed("the process of an Airflow task killed", "runs of a DAG, each task once") as found,
        running(settings, port=free_port(0), triggerer=False, spark=True) as airflow,
    ):
        client = airflow.client()
        for name in (KILLED, UNDISTURBED):
            client.await_dag(f"holdfast.{name}")
            client.unpause(f"holdfast.{name}")
            for day in DAYS[:2]:
                tasks = frozenset(TASKS) if name == KILLED else frozenset()
                found["done"] += run(client, settings, name, day, tasks)
        found["possible"] = found["done"]
    assert found["done"] > len(TASKS)
    wanted, got = (seen_of(settings, name) for name in (UNDISTURBED, KILLED))
    assert [replace(c, dataset="", run_id="") for c in got.pop("changes")] == [
        replace(c, dataset="", run_id="") for c in wanted.pop("changes")
    ]
    assert [(number, rows) for number, _, rows in got.pop("versions")] == [
        (number, rows) for number, _, rows in wanted.pop("versions")
    ]
    assert got == wanted
    messages, undisturbed = (sorted(told_at(hook, f"/{name}").values()) for name in (KILLED, UNDISTURBED))
    assert undisturbed
    assert [text.replace(KILLED, UNDISTURBED) for text in messages] == undisturbed
