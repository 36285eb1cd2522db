"""A dataset's DAG in a running Airflow: its schedule ends when it should, and its form checks what is entered."""

import os
import re
import signal

import pytest

from e2e.test_e2e_plugin_page import log_in
from profiling_core.cli.airflow_environment import airflow_home
from profiling_core.cli.airflow_processes import recorded
from profiling_core.cli.airflow_progress import RunEvent, TaskEvent, follow
from profiling_core.model.errors import StateError

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
DAG_ID = "holdfast.nycflights13"


@pytest.fixture(scope="module")
def client(airflow):
    client = airflow.client()
    client.await_dag(DAG_ID)
    return client


def test_every_dag_file_imports(client):
    assert client.import_errors() == ""


def test_a_schedule_that_has_ended_makes_no_runs(client):
    client.unpause(DAG_ID)
    dag = client.call("GET", f"/dags/{DAG_ID}")
    assert dag["next_dagrun_logical_date"] is None
    assert dag["timetable_summary"] == "0 0 * * *"
    assert client.runs(DAG_ID) == []


@pytest.mark.parametrize(
    "conf",
    [
        {"mode": "perhaps"},
        {"tables": ["no_such_table"]},
        {"tables": "flights"},
        {"delta": 20130301},
        {"rebuild": "yes"},
    ],
)
def test_parameters_that_break_the_form_are_refused(client, conf):
    with pytest.raises(StateError, match="400"):
        client.trigger(DAG_ID, conf)


def test_what_an_ended_airflow_left_unfinished_is_cleared_away(client):
    client.pause(DAG_ID)
    left = [client.trigger(DAG_ID, {"delta": delta}) for delta in ("2013-02-27", "2013-02-28")]
    assert set(left) == set(client.abandon_unfinished(DAG_ID))
    assert {run["state"] for run in client.runs(DAG_ID)} == {"failed"}
    client.unpause(DAG_ID)


@pytest.mark.browser
def test_the_trigger_form_in_a_browser(airflow, settings, browser, screenshots, client):
    page = browser.new_page(viewport={"width": 1440, "height": 1300})
    log_in(page, airflow, settings, "admin")
    page.goto(f"{airflow.url}/dags/{DAG_ID}")
    page.get_by_role("button", name="Trigger").first.click()
    for title in ("Tables", "Up to delta", "Mode", "Rebuild"):
        page.get_by_text(re.compile(rf"^{title}")).first.wait_for()
    place = page.get_by_role("link", name="The dataset's page").get_attribute("href")
    assert place == "/plugin/holdfast/holdfast/datasets/nycflights13"  # which offers the deltas that are pending
    page.screenshot(path=screenshots / "trigger-form.png")
    page.close()


@pytest.mark.long  # waits as long as Airflow does before it takes a scheduler for dead
def test_a_run_goes_on_when_the_scheduler_was_killed_in_the_middle_of_it(client, settings, told):
    """Stands last: the task that the scheduler took with it holds up the next run until it counts as dead."""
    (scheduler,) = (part for part in recorded(airflow_home(settings).running)[2] if part.name == "scheduler")
    run_id = client.trigger(DAG_ID, {"delta": "2013-03-01"})
    for event in follow(client, DAG_ID, [run_id], pause=0.2):
        if isinstance(event, RunEvent) and event.state == "running":
            os.kill(scheduler.pid, signal.SIGKILL)
        if isinstance(event, TaskEvent) and event.task == "commit" and event.state == "success":
            break
    else:
        pytest.fail("the commit did not succeed")
    assert [said.partition(".")[0] for said in told] == ["Airflow's scheduler ended"]
    assert scheduler.pid not in [part.pid for part in recorded(airflow_home(settings).running)[2]]
