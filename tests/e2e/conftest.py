"""One real Airflow for all tests of this directory, over a catalog that was filled by hand, and one real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import many_rules, morning_shop
from helpers.airflow_database import migrated
from helpers.catalog import DATASET, DATASET_FILE, seed
from helpers.chromium import chromium

from profiling_core.cli.airflow_environment import free_port, passwords
from profiling_core.cli.airflow_runner import RunningAirflow, running
from profiling_core.state.settings import Settings


@pytest.fixture(scope="package")
def settings(tmp_path_factory) -> Settings:
    place = tmp_path_factory.mktemp("project")
    made = seed(place)
    morning_shop.add(made, morning_shop.beside(made), policy="quarantine")
    many_rules.add(made, many_rules.WIDE)
    file = DATASET_FILE.format(landing=place / "wide").replace(DATASET, many_rules.WIDE)
    (made.datasets_dir / f"{many_rules.WIDE}.yaml").write_text(file, "utf-8")
    return made


@pytest.fixture(scope="package")
def told() -> list[str]:
    """What a person was told about Airflow's parts."""
    return []


# A part or task without a sign of life counts as dead after minutes, and a test that kills one would wait for them.
SOON = {"SCHEDULER_HEALTH_CHECK_THRESHOLD": "15", "TASK_INSTANCE_HEARTBEAT_TIMEOUT": "30"}
# Beside those that ``holdfast up`` knows, one who may edit and run DAGs and is no administrator.
USERS = "admin:admin,viewer:viewer,user:user"


@pytest.fixture(scope="package")
def airflow(settings, told, tmp_path_factory) -> Iterator[RunningAirflow]:
    options = {f"AIRFLOW__SCHEDULER__{name}": value for name, value in SOON.items()}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (options | {"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": USERS}).items():
            patch.setenv(name, value)
        migrated(settings, tmp_path_factory)
        with running(settings, port=free_port(0), triggerer=False, tell=told.append) as up:
            yield up


@pytest.fixture(scope="package")
def viewer(airflow, settings):
    from profiling_core.cli.airflow_client import AirflowClient

    return AirflowClient(airflow.url, "viewer", passwords(settings)["viewer"])


@pytest.fixture(scope="package")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def screenshots() -> Path:
    directory = Path(__file__).resolve().parents[2] / "build" / "screenshots"
    directory.mkdir(parents=True, exist_ok=True)
    return directory
