"""The notifier: sends what a run's version broke through an Airflow connection, and nothing on quiet days."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.catalog import seed
from helpers.webhook import receiver  # noqa: F401 - fixture

from profiling_core.cli.airflow_environment import environment

pytestmark = [pytest.mark.airflow, pytest.mark.slow]


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return seed(tmp_path_factory.mktemp("notified"))


def notify(settings, receiver, version, outcome):  # noqa: F811 - fixture
    url = receiver.url(scheme="json", login="user:secret-word@")
    connection = {"conn_type": "generic", "extra": {"apprise_url": url}}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("notify_once.py")), str(version), outcome],
        env=environment(settings) | {"AIRFLOW_CONN_DATA_TEAM": json.dumps(connection)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_break_reaches_the_connection_though_another_channel_fails(settings, receiver):  # noqa: F811 - fixture
    log = notify(settings, receiver, 3, "success")
    (sent,) = receiver.received
    assert "2 of 905 new rows have another distance than others with the same origin" in sent.body["message"]
    assert "1725" in sent.body["message"]
    assert sent.body["type"] == "warning"
    assert "data_team" in log
    assert "secret-word" not in log


def test_a_quiet_day_sends_nothing(settings, receiver):  # noqa: F811 - fixture
    assert "nothing is sent" in notify(settings, receiver, 2, "success")
    assert receiver.received == []


def test_a_run_that_committed_nothing_sends_nothing(settings, receiver):  # noqa: F811 - fixture
    notify(settings, receiver, 0, "success")
    assert receiver.received == []


def test_a_failed_run_is_told_with_its_reason(settings, receiver):  # noqa: F811 - fixture
    notify(settings, receiver, 0, "failure")
    (sent,) = receiver.received
    assert sent.body["title"] == "nycflights13: a run failed"
    assert "the disk is full" in sent.body["message"]
    assert "manual__1" in sent.body["message"]
