"""The notifier: sends what a run's version broke through an Airflow connection, and nothing on quiet days."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from helpers.catalog import seed

from profiling_core.cli.airflow_environment import environment

pytestmark = [pytest.mark.airflow, pytest.mark.slow]


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return seed(tmp_path_factory.mktemp("notified"))


@pytest.fixture
def channel():
    received = []

    class Channel(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Keeps the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), Channel)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, received
    server.shutdown()
    server.server_close()


def notify(settings, port, version, outcome):
    connection = {"conn_type": "generic", "extra": {"apprise_url": f"json://user:secret-word@127.0.0.1:{port}/hook"}}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("notify_once.py")), str(version), outcome],
        env=environment(settings) | {"AIRFLOW_CONN_DATA_TEAM": json.dumps(connection)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_break_reaches_the_connection_though_another_channel_fails(settings, channel):
    port, received = channel
    log = notify(settings, port, 3, "success")
    assert len(received) == 1
    assert "2 of 905 new rows have another distance than others with the same origin" in received[0]["message"]
    assert "1725" in received[0]["message"]
    assert received[0]["type"] == "warning"
    assert "data_team" in log
    assert "secret-word" not in log


def test_a_quiet_day_sends_nothing(settings, channel):
    port, received = channel
    assert "nothing is sent" in notify(settings, port, 2, "success")
    assert received == []


def test_a_run_that_committed_nothing_sends_nothing(settings, channel):
    port, received = channel
    notify(settings, port, 0, "success")
    assert received == []


def test_a_failed_run_is_told_with_its_reason(settings, channel):
    port, received = channel
    notify(settings, port, 0, "failure")
    assert [message["title"] for message in received] == ["nycflights13: a run failed"]
    assert "the disk is full" in received[0]["message"]
    assert "manual__1" in received[0]["message"]
