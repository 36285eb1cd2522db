"""Airflow's answers while its SQLite database is locked, as it gave them, from a real server on the loopback interface.

``tests/e2e`` holds the lock of a running Airflow; but where a lock comes in the middle of a request is not in a test's
hands.
"""

import http.server
import json
import threading

import pytest

from profiling_core.cli import airflow_client
from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.model.errors import StateError

IN_BETWEEN = {"detail": "Database is locked. Backfill creation is not supported on SQLite under concurrent access."}
AT_ONCE = {"detail": {"reason": "Database error", "statement": "hidden", "orig_error": "hidden", "message": "Serious"}}
OTHERWISE = {"detail": {"reason": "Unique constraint violation"}}


class Airflow:
    """A server that refuses as many backfills as it has refusals, leaves each unfinished, and takes the next."""

    def __init__(self, refusals):
        self.refusals, self.open, self.made, self.cancelled = list(refusals), [], 0, []
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

    def answer(self, method, path, _body):
        if path == "/auth/token":
            return 201, {"access_token": "token"}
        if method == "POST":
            self.made += 1
            self.open.append(self.made)
            return self.refusals.pop(0) if self.refusals else (200, {"id": self.made})
        if method == "PUT":
            self.cancelled.append(int(path.split("/")[-2]))
            self.open.remove(self.cancelled[-1])
            return 200, {}
        return 200, {"backfills": [{"id": number, "completed_at": None} for number in self.open]}


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


def test_a_backfill_is_tried_again_without_what_the_tries_before_left(client_of):
    airflow = Airflow([(503, IN_BETWEEN), (500, AT_ONCE), (503, IN_BETWEEN)])
    assert client_of(airflow).backfill("shop", "2024-01-01", "2024-01-02") == 4
    assert (airflow.cancelled, airflow.open) == ([1, 2, 3], [4])


def test_a_lock_that_stays_is_told_in_the_end(client_of):
    airflow = Airflow([(503, IN_BETWEEN)] * 100)
    with pytest.raises(StateError, match="Database is locked"):
        client_of(airflow).backfill("shop", "2024-01-01", "2024-01-02")
    assert 2 < airflow.made < 20


@pytest.mark.parametrize("refusal", [(500, OTHERWISE), (409, OTHERWISE), (500, {"detail": "Internal Server Error"})])
def test_what_is_no_lock_is_told_at_once(client_of, refusal):
    airflow = Airflow([refusal])
    with pytest.raises(StateError, match=str(refusal[0])):
        client_of(airflow).backfill("shop", "2024-01-01", "2024-01-02")
    assert (airflow.made, airflow.cancelled) == (1, [])
