"""The environment that Airflow's processes run in: where its files are, on which port it listens, its secrets.

Airflow is never imported: it is configured by ``airflow.cfg`` (the project's own, or the library's) and by the
variables made here.
Secrets are generated once and kept in files that only their owner can read, under the state directory.
"""

import base64
import json
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import profiling_core
from profiling_core.cli.airflow_sqlite import PATIENT_SQLITE
from profiling_core.model.errors import ConfigurationError
from profiling_core.spark.connection import REMOTE_VARIABLE, TOKEN_VARIABLE
from profiling_core.state.atomic import write_atomically
from profiling_core.state.settings import Settings

HOST = "127.0.0.1"
DEFAULT_PORT = 8080
USERS = ("admin", "viewer")
_LIBRARYS = Path(profiling_core.__file__).with_name("airflow") / "airflow.cfg"
_DAG_FILE = "from profiling_core.airflow import {call}\n\n{call}()\n"


@dataclass(frozen=True, slots=True)
class AirflowHome:
    """Where the Airflow of one project keeps its files, all under ``<state directory>/airflow``."""

    path: Path

    @property
    def passwords(self) -> Path:
        """User name → password, as JSON; read by Airflow's simple auth manager."""
        return self.path / "passwords.json"

    @property
    def secrets(self) -> Path:
        """The keys that Airflow's processes sign and encrypt with, as JSON."""
        return self.path / "secrets.json"

    @property
    def spark(self) -> Path:
        """The token that the Spark server asks for, as JSON."""
        return self.path / "spark.json"

    @property
    def logs(self) -> Path:
        """The directory of the processes' and the tasks' logs."""
        return self.path / "logs"

    @property
    def running(self) -> Path:
        """The record of the processes that run now, as JSON; absent when none do."""
        return self.path / "running.json"

    @property
    def migrated(self) -> Path:
        """Names the Airflow version that the database was last migrated to."""
        return self.path / "migrated"


def airflow_home(settings: Settings) -> AirflowHome:
    """The place of the project's Airflow."""
    home = settings.root / ".holdfast" if settings.bucket else settings.home
    return AirflowHome(home.resolve() / "airflow")


def environment(settings: Settings, *, port: int = DEFAULT_PORT) -> dict[str, str]:
    """The variables for any ``airflow`` command of this project, on top of the present environment.

    Creates directories and secrets where they are missing.

    Args:
        settings: the project's paths.
        port: the loopback port of the API server, which tasks talk to as well.

    Raises:
        ConfigurationError: no directory of dataset files is there.
    """
    if not settings.datasets_dir.is_dir():
        raise ConfigurationError(
            "the project has no datasets yet",
            where=str(settings.datasets_dir),
            remedy="let `holdfast init WHAT…` write a dataset's file, or point HOLDFAST_ROOT at a project",
        )
    home = airflow_home(settings)
    home.logs.mkdir(parents=True, exist_ok=True)
    url = f"http://{HOST}:{port}"
    return {
        **os.environ,
        **_project(settings),
        **_patient(),
        "AIRFLOW_HOME": str(home.path),
        **_configuration(settings, home),
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"{url}/",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{url}/execution/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(_kept(home.passwords, _new_passwords)),
        **json.loads(_kept(home.secrets, _new_secrets).read_text("utf-8")),
    }


def _configuration(settings: Settings, home: AirflowHome) -> dict[str, str]:
    """The project's own configuration; where it has none, the library's, with DAG files that are made here."""
    own = settings.root.resolve() / "airflow.cfg"
    if own.is_file():
        return {"AIRFLOW_CONFIG": str(own)}
    folder = home.path / "dags"
    for call in ("dags", "check_dags"):
        write_atomically(folder / f"holdfast_{call}.py", _DAG_FILE.format(call=call).encode())
    return {"AIRFLOW_CONFIG": str(_LIBRARYS), "AIRFLOW__CORE__DAGS_FOLDER": str(folder)}


def spark_server(settings: Settings, port: int) -> dict[str, str]:
    """The variables by which the project's Spark server and its clients know each other; for Airflow's processes."""
    path = _kept(airflow_home(settings).spark, lambda: {TOKEN_VARIABLE: secrets.token_urlsafe(48)})
    # "localhost" is the one name over which Spark's client sends a token without TLS.
    return {REMOTE_VARIABLE: f"sc://localhost:{port}", **json.loads(path.read_text("utf-8"))}


def passwords(settings: Settings) -> Mapping[str, str]:
    """User name → password of the project's Airflow; generated on first use."""
    path = _kept(airflow_home(settings).passwords, _new_passwords)
    found: dict[str, str] = json.loads(path.read_text("utf-8"))
    return found


def free_port(preferred: int = DEFAULT_PORT) -> int:
    """The preferred loopback port when nothing listens there, else one that the system picks."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            chosen: int = probe.getsockname()[1]
            return chosen
    raise ConfigurationError("No loopback port is free.", remedy="end a program that listens, or give --port")


def _project(settings: Settings) -> dict[str, str]:
    return {
        "HOLDFAST_ROOT": str(settings.root.resolve()),
        "HOLDFAST_HOME": settings.bucket or str(settings.home.resolve()),
        "HOLDFAST_CATALOG": settings.catalog_url,
        "HOLDFAST_DATASETS": str(settings.datasets_dir.resolve()),
    }


def _patient() -> dict[str, str]:
    """Lets Airflow's processes wait for each other where they share the SQLite file of ``airflow.cfg``."""
    if "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN" in os.environ:
        return {}
    return {f"AIRFLOW__DATABASE__SQL_ALCHEMY_CONNECT_ARGS{kind}": PATIENT_SQLITE for kind in ("", "_ASYNC")}


def _new_secrets() -> dict[str, str]:
    return {
        "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_urlsafe(96),
        "AIRFLOW__API__SECRET_KEY": secrets.token_urlsafe(48),
        "AIRFLOW__CORE__FERNET_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode("ascii"),
    }


def _new_passwords() -> dict[str, str]:
    return {user: secrets.token_urlsafe(12) for user in USERS}


def _kept(path: Path, generate: Callable[[], Mapping[str, str]]) -> Path:
    """The file, made with mode 0600 when it is not there; another process that makes it first wins."""
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(dict(generate()), stream)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path
