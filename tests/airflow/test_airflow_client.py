"""Making a run while Airflow's SQLite database is locked: in Airflow's own server, and where the lock stays."""

import http.server
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from helpers.airflow_database import migrated

from profiling_core.cli import airflow_client
from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.cli.airflow_environment import environment
from profiling_core.model.errors import StateError
from profiling_core.state.settings import Settings

REPOSITORY = Path(__file__).resolve().parents[2]
IN_BETWEEN = {"detail": "Database is locked."}
AT_ONCE = {"detail": {"reason": "Database error", "statement": "hidden", "orig_error": "hidden", "message": "Serious"}}
OTHERWISE = {"detail": {"reason": "Unique constraint violation"}}


@pytest.mark.airflow
@pytest.mark.slow
def test_a_run_is_made_once_whenever_the_database_is_locked(tmp_path, tmp_path_factory):
    """54 tries: before each statement of the request, another connection takes the lock in one of three ways."""
    settings = Settings(REPOSITORY, tmp_path / "home", f"sqlite:///{tmp_path}/catalog.db", REPOSITORY / "dags/datasets")
    variables = environment(settings) | {"PYTHONWARNINGS": "ignore"}
    migrated(settings, tmp_path_factory)
    answer = tmp_path / "answer.json"
    program = Path(__file__).with_name("locked_triggers.py")
    done = subprocess.run(
        [sys.executable, str(program), str(answer)], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    found = json.loads(answer.read_text("utf-8"))
    assert len(found["told"]) >= 50
    first = {way: found["told"][place]["locked"] for place, way in enumerate(("exclusive", "write", "read"))}
    assert first == {"exclusive": True, "write": True, "read": True}
    assert not found["told"][-1]["locked"]  # the request has no statement any more that nobody locked
    made = {run["run"]: (run["state"], run["tasks"]) for run in found["runs"]}
    assert len(made) == len(found["runs"]) == len(found["told"]) + 1
    assert {made[told["run"]] for told in found["told"]} == {("queued", 2)}


class Airflow:
    """A server that refuses as many runs as it has refusals, and takes the next."""

    def __init__(self, refusals):
        self.refusals, self.asked = list(refusals), []
        airflow = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = airflow.answer(self.command, self.path, body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, _method, path, body):
        if path == "/auth/token":
            return 201, {"access_token": "token"}
        self.asked.append(json.loads(body)["dag_run_id"])
        return self.refusals.pop(0) if self.refusals else (200, {"dag_run_id": self.asked[-1]})


@pytest.fixture
def client_of(monkeypatch):
    servers = []
    monkeypatch.setattr(airflow_client, "_LOCKED_PAUSE", 0.01)

    def client(airflow):
        servers.append(airflow.server)
        return AirflowClient(f"http://127.0.0.1:{airflow.server.server_port}", "admin", "secret")

    yield client
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_run_whose_answer_was_lost_is_not_made_again(client_of):
    airflow = Airflow([(503, IN_BETWEEN), (500, AT_ONCE), (409, OTHERWISE)])
    run_id = client_of(airflow).trigger("shop", {})
    assert airflow.asked == [run_id] * 3


def test_a_lock_that_stays_is_told_in_the_end(client_of):
    airflow = Airflow([(503, IN_BETWEEN)] * 100)
    with pytest.raises(StateError, match="Database is locked"):
        client_of(airflow).trigger("shop", {})
    assert 2 < len(airflow.asked) < 20


@pytest.mark.parametrize("refusal", [(500, OTHERWISE), (409, OTHERWISE), (500, {"detail": "Internal Server Error"})])
def test_what_is_no_lock_is_told_at_once(client_of, refusal):
    airflow = Airflow([refusal])
    with pytest.raises(StateError, match=str(refusal[0])):
        client_of(airflow).trigger("shop", {})
    assert len(airflow.asked) == 1
