"""The compose stack's Airflow on a real PostgreSQL, step by step as the stack takes them, only without containers."""

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from databases.catalogs import server
from databases.postgres_server import binaries
from stack.files import DOCKER, REPOSITORY, compose, env_file

from profiling_core.cli.airflow_environment import free_port
from profiling_core.cli.airflow_processes import end, spawn

pytestmark = [pytest.mark.airflow, pytest.mark.postgres, pytest.mark.slow]
PARTS = {"scheduler": "scheduler", "dag-processor": "dag_processor", "triggerer": "triggerer", "api-server": ""}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("env")
    for name in ("make-env", ".env.example"):
        (folder / name).write_bytes((DOCKER / name).read_bytes())
    subprocess.run(["bash", folder / "make-env"], check=True, capture_output=True, timeout=20)
    return env_file(folder / ".env")


@pytest.fixture(scope="module")
def postgres(request, secrets) -> str:
    """The address (host:port) of a server on which the stack's script for new volumes has run."""
    url = server(request.config).new_database()
    with psycopg.connect(url) as connection:
        place = connection.info
        variables = {
            "PGHOST": place.host,
            "PGPORT": str(place.port),
            "PGPASSWORD": place.password,
            "POSTGRES_USER": place.user,
            "POSTGRES_DB": place.dbname,
            "PATH": f"{binaries()}:{os.environ['PATH']}",
        }
        address = f"{place.host}:{place.port}"
    subprocess.run([DOCKER / "create-databases"], env=variables | secrets, check=True, timeout=60)
    return address


@pytest.fixture(scope="module")
def variables(postgres, secrets, tmp_path_factory) -> dict[str, str]:
    """The environment of the stack's services, with places and ports of this machine."""
    home, port = tmp_path_factory.mktemp("stack"), free_port(0)
    service = compose(secrets)["services"]["initialise"]["environment"]
    moved = {name: value.replace("postgres:5432", postgres) for name, value in service.items()}
    return {
        **os.environ,
        **moved,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOLDFAST_ROOT": str(REPOSITORY),
        "HOLDFAST_HOME": str(home / "state"),
        "AIRFLOW_HOME": str(home / "airflow"),
        "AIRFLOW_CONFIG": str(REPOSITORY / "airflow.cfg"),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(home / "airflow" / "passwords.json"),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__API__PORT": str(port),
    }


@pytest.fixture(scope="module")
def initialised(variables) -> dict[str, str]:
    Path(variables["AIRFLOW_HOME"]).mkdir()
    for _ in range(2):  # it runs at every start of the stack
        done = subprocess.run(
            [DOCKER / "initialise"], env=variables, capture_output=True, text=True, timeout=180, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return variables


def test_databases_are_made_and_migrated(initialised):
    with psycopg.connect(address(initialised, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN")) as connection:
        assert connection.execute("SELECT count(*) FROM dag_run").fetchone() == (0,)
    with psycopg.connect(address(initialised, "HOLDFAST_CATALOG")) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone()


def test_passwords_are_written_for_the_owner_alone(initialised, secrets):
    path = Path(initialised["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text("utf-8")) == {
        "admin": secrets["ADMIN_PASSWORD"],
        "viewer": secrets["VIEWER_PASSWORD"],
    }


def test_a_database_is_closed_to_the_owner_of_the_other(initialised):
    foreign = address(initialised, "HOLDFAST_CATALOG").rpartition("/")[0] + "/airflow"
    with pytest.raises(psycopg.OperationalError, match="permission denied"):
        psycopg.connect(foreign)


def test_services_come_up_and_report_their_health(running):
    url, parts = running
    wanted = list(PARTS.items())
    deadline = time.monotonic() + 120
    while wanted:
        name, part = wanted[0]
        assert time.monotonic() < deadline, f"{name} is not healthy"
        assert not [p.name for p in parts if p.process() is None], "a service ended"
        check = [DOCKER / "healthy", f"{url}/api/v2/monitor/health", *([part] if part else [])]
        if subprocess.run(check, capture_output=True, timeout=20, check=False).returncode == 0:
            wanted.pop(0)
        else:
            time.sleep(0.5)


@pytest.fixture
def running(initialised) -> Iterator[tuple[str, list]]:
    services, logs, port = compose()["services"], Path(initialised["AIRFLOW_HOME"]), initialised["AIRFLOW__API__PORT"]
    parts = []
    try:
        for name in PARTS:
            command = [{"0.0.0.0": "127.0.0.1", "8080": port}.get(word, word) for word in services[name]["command"]]
            parts.append(spawn(name, command, initialised, logs / f"{name}.log"))
        yield f"http://127.0.0.1:{port}", parts
    finally:
        end(parts)


def address(variables: dict[str, str], name: str) -> str:
    return variables[name].replace("postgresql+psycopg://", "postgresql://")
