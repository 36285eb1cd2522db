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


RUNS = ("3 success", "2 success", "0 success", "0 failure")


def test_a_break_and_a_failed_run_are_sent_and_nothing_else_is(tmp_path, receiver):  # noqa: F811 - fixture
    settings = seed(tmp_path)
    url = receiver.url(scheme="json", login="user:secret-word@")
    connection = {"conn_type": "generic", "extra": {"apprise_url": url}}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("notify.py")), *RUNS],
        env=environment(settings) | {"AIRFLOW_CONN_DATA_TEAM": json.dumps(connection)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    _, of_a_break, of_a_quiet_day, of_no_version, _ = done.stdout.split("RUN ")
    broke, failed = receiver.received
    assert "2 of 905 new rows have another distance than others with the same origin" in broke.body["message"]
    assert "1725" in broke.body["message"]
    assert broke.body["type"] == "warning"
    assert "data_team" in of_a_break, "another channel fails, and the log says what was sent"
    assert "nothing is sent" in of_a_quiet_day
    assert "data_team" not in of_a_quiet_day + of_no_version
    assert failed.body["title"] == "nycflights13: a run failed"
    assert "the disk is full" in failed.body["message"]
    assert "manual__1" in failed.body["message"]
    assert "secret-word" not in done.stdout
