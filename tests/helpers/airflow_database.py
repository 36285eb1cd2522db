"""Airflow's database as a test begins with it: a copy of one that the test run has migrated once, in seconds."""

import fcntl
import os
import shutil

import pytest

from profiling_core.cli.airflow_environment import AirflowHome, airflow_home, environment
from profiling_core.cli.airflow_runner import migrate
from profiling_core.state.settings import Settings


def migrated(settings: Settings, factory: pytest.TempPathFactory) -> AirflowHome:
    """The home of a project's Airflow, with a database of the installed version."""
    home, own = airflow_home(settings), factory.getbasetemp()
    kept = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "airflow-database"
    kept.mkdir(exist_ok=True)
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (kept / home.migrated.name).is_file():
            migrate(home, environment(settings) | {"PYTHONWARNINGS": "ignore"})
            for made in (home.path / "airflow.db", home.migrated):
                shutil.copy(made, kept)
            return home
    home.path.mkdir(parents=True, exist_ok=True)
    for made in ("airflow.db", home.migrated.name):
        shutil.copy(kept / made, home.path)
    return home
