"""Around Airflow: its secrets stay private and stable, and it ends what it started, with all descendants."""

import http.client
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from helpers.airflow_database import migrated

from profiling_core.cli import airflow_processes
from profiling_core.cli.airflow_environment import airflow_home, environment, free_port, passwords
from profiling_core.cli.airflow_progress import RunEvent, TaskEvent, _news, run_label
from profiling_core.cli.airflow_runner import PARTS, _clear_leftovers, _start
from profiling_core.cli.running_server import join_running_server
from profiling_core.model.errors import ConfigurationError, StateError
from profiling_core.spark.connection import REMOTE_VARIABLE, TOKEN_VARIABLE
from profiling_core.spark.session import MASTER_VARIABLE
from profiling_core.state.settings import Settings

REPOSITORY = Path(__file__).resolve().parents[2]
SECRETS = ("AIRFLOW__API_AUTH__JWT_SECRET", "AIRFLOW__API__SECRET_KEY", "AIRFLOW__CORE__FERNET_KEY")


@pytest.fixture
def settings(tmp_path):
    return Settings(REPOSITORY, tmp_path / "home", f"sqlite:///{tmp_path}/catalog.db", REPOSITORY / "dags" / "datasets")


def test_secrets_are_made_once_and_only_their_owner_reads_them(settings):
    first, second = environment(settings), environment(settings, port=9999)
    assert {name: first[name] for name in SECRETS} == {name: second[name] for name in SECRETS}
    assert len(first["AIRFLOW__API_AUTH__JWT_SECRET"].encode()) >= 64
    home = airflow_home(settings)
    for path in (home.secrets, home.passwords):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert passwords(settings) == json.loads(home.passwords.read_text("utf-8"))
    assert set(passwords(settings)) == {"admin", "viewer"}


def test_two_projects_share_no_secret(settings, tmp_path):
    other = Settings(settings.root, tmp_path / "other", settings.catalog_url, settings.datasets_dir)
    assert {environment(settings)[name] for name in SECRETS}.isdisjoint({environment(other)[name] for name in SECRETS})


def test_the_configuration_names_no_machine_and_no_secret():
    text = (REPOSITORY / "airflow.cfg").read_text("utf-8")
    values = [line.partition("=")[2].strip() for line in text.splitlines() if "=" in line and not line.startswith("#")]
    assert not [value for value in values if value.startswith("/")]
    assert "host = 127.0.0.1" in text
    assert not [name for name in ("jwt_secret", "secret_key =", "fernet_key", "password") if name in text]


def test_a_project_without_datasets_is_refused(tmp_path):
    settings = Settings(tmp_path, tmp_path / "home", "sqlite:////nowhere", tmp_path / "dags" / "datasets")
    with pytest.raises(ConfigurationError, match="no datasets yet") as caught:
        environment(settings)
    assert "holdfast init" in caught.value.remedy


def test_a_taken_port_is_passed_over():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        assert free_port(number) != number


def test_ending_a_part_ends_what_it_started_in_other_sessions(tmp_path):
    """A task's Java machine is no member of the scheduler's group, and must not outlive it."""
    marker = tmp_path / "grandchild"
    grandchild = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    child = (
        "import subprocess, sys, time;"
        f"subprocess.Popen([sys.executable, '-c', {grandchild!r}], start_new_session=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
    part = airflow_processes.AirflowPart("test", process.pid, psutil.Process(process.pid).create_time())
    deadline = time.monotonic() + 20
    while not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    airflow_processes.end([part], patience=5)
    assert part.process() is None
    assert not psutil.pid_exists(int(marker.read_text())) or (
        psutil.Process(int(marker.read_text())).status() == psutil.STATUS_ZOMBIE
    )


def test_the_record_forgets_processes_that_ended_or_were_replaced(tmp_path):
    here = psutil.Process(os.getpid())
    alive = airflow_processes.AirflowPart("alive", here.pid, here.create_time())
    replaced = airflow_processes.AirflowPart("replaced", here.pid, here.create_time() - 1000)
    airflow_processes.record(tmp_path / "running.json", 7, "http://127.0.0.1:1", [alive, replaced])
    assert airflow_processes.recorded(tmp_path / "running.json") == (7, "http://127.0.0.1:1", [alive])
    assert airflow_processes.recorded(tmp_path / "none.json") == (0, "", [])


def test_commands_join_the_server_that_runs_and_no_other(tmp_path, monkeypatch):
    for name in (REMOTE_VARIABLE, MASTER_VARIABLE, "HOLDFAST_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    settings = Settings.discover(tmp_path, {})
    home = airflow_home(settings)
    home.path.mkdir(parents=True)
    join_running_server(settings)
    here = psutil.Process(os.getpid())
    ended = airflow_processes.AirflowPart(airflow_processes.SPARK, here.pid, here.create_time() - 1000)
    airflow_processes.record(home.running, 7, "", [ended], 4711)
    join_running_server(settings)
    assert REMOTE_VARIABLE not in os.environ
    airflow_processes.record(home.running, 7, "", [replace(ended, started=here.create_time())], 4711)
    monkeypatch.setenv(MASTER_VARIABLE, "local[1]")
    join_running_server(settings)
    assert REMOTE_VARIABLE not in os.environ
    monkeypatch.delenv(MASTER_VARIABLE)
    monkeypatch.setenv(TOKEN_VARIABLE, "")  # put back afterwards
    monkeypatch.setenv(REMOTE_VARIABLE, "")
    del os.environ[REMOTE_VARIABLE]
    join_running_server(settings)
    assert os.environ[REMOTE_VARIABLE] == "sc://localhost:4711"
    assert len(os.environ[TOKEN_VARIABLE]) > 40


def test_progress_tells_each_state_once_and_names_mapped_tasks():
    def task(name, state, index=-1, label=None):
        return {
            "task_id": name,
            "state": state,
            "map_index": index,
            "rendered_map_index": label,
            "start_date": "2013-03-01",
            "duration": 1.5,
            "try_number": 1,
        }

    run = {"dag_run_id": "r", "state": "running", "conf": {"delta": "2013-03-01"}}
    seen: dict = {}
    first = list(_news(seen, run, [task("plan", "success"), task("ingest", "running", 0, "0")]))
    assert first == [
        RunEvent("r", "2013-03-01", "running", None),
        TaskEvent("r", "2013-03-01", "plan", "", "success", 1.5, 1),
    ]
    again = list(_news(seen, run, [task("plan", "success"), task("ingest", "success", 0, "flights")]))
    assert again == [TaskEvent("r", "2013-03-01", "ingest", "flights", "success", 1.5, 1)]
    done = list(_news(seen, run | {"state": "success", "duration": 9.0}, []))
    assert done == [RunEvent("r", "2013-03-01", "success", 9.0)]


def test_a_backfilled_run_is_named_after_its_day():
    run = {"dag_run_id": "backfill__x", "conf": {}, "data_interval_start": "2013-02-27T00:00:00Z"}
    assert run_label(run) == "2013-02-27"


def sleeper() -> airflow_processes.AirflowPart:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    return airflow_processes.AirflowPart("sleeper", process.pid, psutil.Process(process.pid).create_time())


def test_what_a_killed_run_left_behind_is_ended_by_the_next_start(settings):
    home = airflow_home(settings)
    home.path.mkdir(parents=True)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = sleeper()
    airflow_processes.record(home.running, gone.pid, "http://127.0.0.1:1", [left])
    _clear_leftovers(home)
    assert left.process() is None


def test_a_second_airflow_of_one_project_is_refused_and_the_first_one_stays(settings):
    home = airflow_home(settings)
    home.path.mkdir(parents=True)
    up = sleeper()
    airflow_processes.record(home.running, os.getpid(), "http://127.0.0.1:8080", [up])
    with pytest.raises(StateError, match="already running"):
        _clear_leftovers(home)
    assert up.process() is not None
    airflow_processes.end([up])


@pytest.fixture
def server(settings, tmp_path_factory):
    """The port of an Airflow's API server that has begun to answer."""
    home, port = migrated(settings, tmp_path_factory), free_port(0)
    variables = environment(settings, port=port)
    part = _start("api-server", PARTS["api-server"], variables, home)
    while part.process() and asked(port, "GET", "/api/v2/version")[0] != http.client.OK:
        time.sleep(0.5)
    yield port
    airflow_processes.end([part])


def asked(port, method, path, body=None, token=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=25)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    with closing(connection):
        try:
            connection.request(method, path, json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except ConnectionRefusedError:
            return 0, {}


@pytest.mark.airflow
def test_the_server_tells_of_a_lock_before_those_who_wait_give_up(server, settings):
    credentials = {"username": "admin", "password": passwords(settings)["admin"]}
    token = asked(server, "POST", "/auth/token", credentials)[1]["access_token"]
    pausing = ("PATCH", "/api/v2/dags/none", {"is_paused": True}, token)
    with closing(sqlite3.connect(airflow_home(settings).path / "airflow.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert asked(server, *pausing)[0] >= http.client.INTERNAL_SERVER_ERROR
    assert asked(server, *pausing)[0] == http.client.NOT_FOUND


@pytest.fixture
def default_signals():
    """As at the start of a program; an Airflow that other tests keep up has its own handler."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


def test_a_request_to_end_becomes_an_exception(default_signals):
    with pytest.raises(SystemExit), airflow_processes.ending_on_request():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_second_request_does_not_disturb_the_end(default_signals):
    with airflow_processes.undisturbed():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
