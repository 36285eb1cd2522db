"""Runs the project's Airflow: its parts apart, on the loopback interface only, until the caller is done.

``airflow standalone`` would open log servers on all interfaces and survive an interrupt, so each part is started
by itself: API server, scheduler, DAG processor and, where wanted, triggerer. Airflow is never imported here.
"""

import contextlib
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import IO

from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.cli.airflow_environment import (
    HOST,
    AirflowHome,
    airflow_home,
    environment,
    free_port,
    passwords,
    spark_server,
)
from profiling_core.cli.airflow_keeper import Keeper
from profiling_core.cli.airflow_processes import (
    SPARK,
    AirflowPart,
    end,
    ending_on_request,
    record,
    recorded,
    spawn,
    undisturbed,
)
from profiling_core.model.errors import StateError
from profiling_core.spark.connection import REMOTE_VARIABLE
from profiling_core.spark.session import MASTER_VARIABLE
from profiling_core.state.settings import Settings

PARTS = {
    "api-server": ("airflow", "api-server", "--host", HOST),
    "scheduler": ("airflow", "scheduler", "--skip-serve-logs"),
    "dag-processor": ("airflow", "dag-processor"),
    "triggerer": ("airflow", "triggerer", "--skip-serve-logs"),
}


@dataclass(frozen=True, slots=True)
class RunningAirflow:
    """An Airflow that is up: where it listens, who may log in, where its logs are, and what keeps its parts alive."""

    url: str
    user: str
    password: str
    logs: Path
    tend: Callable[[], None]

    def client(self) -> AirflowClient:
        """A client for the REST API, logged in, which tends to the parts while it waits."""
        return AirflowClient(self.url, self.user, self.password, tend=self.tend)


@contextlib.contextmanager
def running(
    settings: Settings,
    *,
    port: int = 0,
    triggerer: bool = True,
    spark: bool = False,
    patience: float = 120,
    tell: Callable[[str], None] = lambda _said: None,
) -> Iterator[RunningAirflow]:
    """Starts Airflow, hands it over once it is healthy, and ends it with everything it started.

    Whoever waits for it calls ``tend`` now and then, as its client does: a part that has ended is started again.

    Args:
        settings: the project's paths.
        port: the port to listen on; 0 takes 8080, or another one when that is taken.
        triggerer: whether to start the triggerer, which only deferred tasks and deadlines need.
        spark: whether to start a Spark server for the tasks, where the environment names neither server nor master;
            else each task starts a Java machine of its own.
        patience: seconds to wait for all parts to be healthy.
        tell: takes what a person should read when a part has ended.

    Raises:
        StateError: Airflow is up already, its database cannot be made, or a part does not come up.
    """
    home = airflow_home(settings)
    _clear_leftovers(home)
    port = port or free_port()
    url = f"http://{HOST}:{port}"
    own_spark = spark and not {REMOTE_VARIABLE, MASTER_VARIABLE} & os.environ.keys()
    spark_port = free_port(0) if own_spark else 0
    variables = environment(settings, port=port) | (spark_server(settings, spark_port) if own_spark else {})
    migrate(home, variables)
    parts = {name: part for name, part in PARTS.items() if triggerer or name != "triggerer"}
    if own_spark:
        parts[SPARK] = ("profiling_core.spark.server", str(spark_port))
    starts = {name: partial(_start, name, part, variables, home) for name, part in parts.items()}
    keeper = Keeper(starts, home.logs, tell, lambda parts: record(home.running, os.getpid(), url, parts, spark_port))
    with ending_on_request():
        try:
            keeper.start()
            _await_health(port, keeper, home, patience)
            yield RunningAirflow(url, "admin", passwords(settings)["admin"], home.logs, keeper.tend)
        finally:
            with undisturbed():
                end(keeper.parts)
                home.running.unlink(missing_ok=True)


def _start(name: str, arguments: tuple[str, ...], variables: dict[str, str], home: AirflowHome) -> AirflowPart:
    # Tasks are forks of forks of the scheduler: what it imports first, no task has to.
    extra = {"HOLDFAST_PRELOAD": "1"} if name == "scheduler" else {}
    return spawn(name, arguments, variables | extra, home.logs / f"{name}.log")


def migrate(home: AirflowHome, variables: dict[str, str]) -> None:
    """Brings Airflow's database to the installed version; at once when it already is.

    Raises:
        StateError: Airflow is not installed, or its migration failed.
    """
    try:
        version = metadata.version("apache-airflow")
    except metadata.PackageNotFoundError as error:
        raise StateError("Airflow is not installed.", remedy="pip install 'holdfast[airflow]'") from error
    database = home.path / "airflow.db"
    if database.is_file() and home.migrated.is_file() and home.migrated.read_text("utf-8") == version:
        return
    log = home.logs / "migrate.log"
    with log.open("ab") as output:
        done = run_airflow(["db", "migrate"], variables, stdout=output)
    if done:
        raise StateError("Airflow's database could not be created.", where=str(log), remedy="read the log's last lines")
    home.migrated.write_text(version, "utf-8")


def run_airflow(arguments: list[str], variables: dict[str, str], *, stdout: IO[bytes] | None = None) -> int:
    """Runs one ``airflow`` command to its end and returns its exit code."""
    return subprocess.run(  # noqa: S603 - no shell; the arguments are ours, or those of the person who runs the command
        [sys.executable, "-m", "airflow", *arguments],
        env=variables,
        stdout=stdout,
        stderr=subprocess.STDOUT if stdout else None,
        cwd=variables["HOLDFAST_ROOT"],
        check=False,
    ).returncode


def _clear_leftovers(home: AirflowHome) -> None:
    """Ends what a killed run left behind; refuses while another one is alive."""
    owner, url, parts = recorded(home.running)
    if not parts:
        return
    if _is_alive(owner):
        raise StateError(
            f"This project's Airflow is already running, at {url}.",
            where=f"process {owner}, which started it",
            remedy="use it, or end that process (Ctrl-C in its terminal) and try again",
        )
    end(parts)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _await_health(port: int, keeper: Keeper, home: AirflowHome, patience: float) -> None:
    deadline = time.monotonic() + patience
    wanted = {"metadatabase", "scheduler", "dag_processor"} | ({"triggerer"} & {part.name for part in keeper.parts})
    while missing := wanted - _healthy(port):
        if time.monotonic() > deadline:
            raise StateError(
                f"Airflow is not healthy after {patience:.0f} s: {', '.join(sorted(missing))}.",
                where=str(home.logs),
                remedy="read the end of its log there; a second start is safe",
            )
        keeper.tend()
        time.sleep(0.3)


def _healthy(port: int) -> set[str]:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/api/v2/monitor/health")
        answer = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, json.JSONDecodeError):
        return set()
    finally:
        connection.close()
    return {name for name, part in answer.items() if part and part.get("status") == "healthy"}
