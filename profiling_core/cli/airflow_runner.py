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
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO

from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.cli.airflow_environment import HOST, AirflowHome, airflow_home, environment, free_port, passwords
from profiling_core.cli.airflow_processes import Part, end, ending_on_request, record, recorded, spawn, undisturbed
from profiling_core.model.errors import StateError
from profiling_core.state.settings import Settings

PARTS = {
    "api-server": ("api-server", "--host", HOST),
    "scheduler": ("scheduler", "--skip-serve-logs"),
    "dag-processor": ("dag-processor",),
    "triggerer": ("triggerer", "--skip-serve-logs"),
}


@dataclass(frozen=True, slots=True)
class RunningAirflow:
    """An Airflow that is up: where it listens, who may log in, and where its logs are."""

    url: str
    user: str
    password: str
    logs: Path

    def client(self) -> AirflowClient:
        """A client for the REST API, logged in."""
        return AirflowClient(self.url, self.user, self.password)


@contextlib.contextmanager
def running(
    settings: Settings, *, port: int = 0, triggerer: bool = True, patience: float = 120
) -> Iterator[RunningAirflow]:
    """Starts Airflow, hands it over once it is healthy, and ends it with everything it started.

    Args:
        settings: the project's paths.
        port: the port to listen on; 0 takes 8080, or another one when that is taken.
        triggerer: whether to start the triggerer, which only deferred tasks and deadlines need.
        patience: seconds to wait for all parts to be healthy.

    Raises:
        StateError: Airflow is up already, its database cannot be made, or a part does not come up.
    """
    home = airflow_home(settings)
    _clear_leftovers(home)
    port = port or free_port()
    variables = environment(settings, port=port)
    migrate(home, variables)
    parts: list[Part] = []
    with ending_on_request():
        try:
            for name, arguments in PARTS.items():
                if triggerer or name != "triggerer":
                    # Tasks are forks of forks of the scheduler: what it imports first, no task has to.
                    extra = {"HOLDFAST_PRELOAD": "1"} if name == "scheduler" else {}
                    parts.append(spawn(name, arguments, variables | extra, home.logs / f"{name}.log"))
                    record(home.running, os.getpid(), f"http://{HOST}:{port}", parts)
            _await_health(port, parts, home, patience)
            yield RunningAirflow(f"http://{HOST}:{port}", "admin", passwords(settings)["admin"], home.logs)
        finally:
            with undisturbed():
                end(parts)
                home.running.unlink(missing_ok=True)


def migrate(home: AirflowHome, variables: dict[str, str]) -> None:
    """Brings Airflow's database to the installed version; at once when it already is.

    Raises:
        StateError: Airflow is not installed, or its migration failed.
    """
    try:
        version = metadata.version("apache-airflow")
    except metadata.PackageNotFoundError as error:
        raise StateError("Airflow is not installed.", remedy="run `make setup`") from error
    database = home.path / "airflow.db"
    if database.is_file() and home.migrated.is_file() and home.migrated.read_text("utf-8") == version:
        return
    log = home.logs / "migrate.log"
    with log.open("ab") as output:
        done = run_airflow(["db", "migrate"], variables, stdout=output)
    if done:
        raise StateError("Airflow's database could not be made.", where=str(log), remedy="read the log's last lines")
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
            f"Airflow of this project is up already, at {url}.",
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


def _await_health(port: int, parts: list[Part], home: AirflowHome, patience: float) -> None:
    deadline = time.monotonic() + patience
    wanted = {"metadatabase", "scheduler", "dag_processor"} | ({"triggerer"} & {part.name for part in parts})
    missing = wanted
    while missing:
        if dead := [part.name for part in parts if part.process() is None]:
            raise _not_up(f"Airflow's {dead[0]} ended while starting.", home.logs / f"{dead[0]}.log")
        if time.monotonic() > deadline:
            raise _not_up(f"Airflow is not healthy after {patience:.0f} s: {', '.join(sorted(missing))}.", home.logs)
        time.sleep(0.3)
        missing = wanted - _healthy(port)


def _not_up(what: str, where: Path) -> StateError:
    return StateError(what, where=str(where), remedy="read the end of that log; a second start is safe")


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
