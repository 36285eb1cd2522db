"""A user, who is no administrator, does the morning's work in a browser, up to runs that Airflow really makes."""

import re
import time

import pytest
from helpers.morning_shop import DATASET

from e2e.test_e2e_morning_walk import _decide, frame_of, log_in_on_the_way
from profiling_core.model.decision import standing
from profiling_core.model.incident import IncidentStatus

pytestmark = [pytest.mark.airflow, pytest.mark.browser, pytest.mark.slow]
DAG_ID = f"holdfast.{DATASET}"
# Airflow's tasks take seconds each, and many times that on a busy machine.
LONGEST = 420


def incident(settings, table):
    return next(i for i in settings.catalog().incidents(DATASET) if i.table == table)


@pytest.fixture
def page(airflow, settings, browser):
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    opened.goto(f"{airflow.url}/holdfast/")
    log_in_on_the_way(opened, settings, "user")
    frame_of(opened).get_by_role("heading", name="Today").wait_for()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def dag(airflow):
    client = airflow.client()
    client.await_dag(DAG_ID)
    client.unpause(DAG_ID)
    return client


def test_a_user_reads_mutes_accepts_and_undoes(settings, page, screenshots):
    frame = frame_of(page)
    frame.get_by_role("link", name="95 rows came").click()
    frame.get_by_role("heading", name="Decide").wait_for()
    frame.get_by_role("link", name="all rows", exact=True).click()
    frame.get_by_role("heading", name="2 rows violate this rule now").wait_for()
    assert frame.get_by_text("c9999", exact=True).count() == 1
    page.go_back()
    frame.get_by_role("button", name="Acknowledge", exact=True).click()
    frame.get_by_text("Acknowledge: done.").wait_for()
    _decide(frame, "Mute", until="2024-05-31", note="a sale until the end of May")
    muted = incident(settings, "orders")
    assert (muted.status, muted.muted_until, muted.events[-1].who) == (IncidentStatus.MUTED, "2024-05-31", "user")
    assert frame.get_by_text("muted until 2024-05-31").count() >= 1
    _decide(frame, "Accept", note="it was a sale")
    decided = standing(settings.catalog().decisions(DATASET), {})
    assert [rule.words for rule in decided.values()] == ["muted until 2024-05-31, accepted"]
    for status in (IncidentStatus.MUTED, IncidentStatus.ACKNOWLEDGED):
        frame.get_by_role("button", name="Undo").click()
        frame.get_by_text(f"undid: {'accepted' if status is IncidentStatus.MUTED else 'muted'}").wait_for()
        assert incident(settings, "orders").status is status
    page.screenshot(path=screenshots / "page-user-incident.png")


def test_a_user_releases_what_was_set_aside(settings, page, dag):
    frame = frame_of(page)
    frame.get_by_role("link", name="the rows", exact=True).click()
    frame.get_by_role("button", name="Release 1 row").click()
    _wait_for(frame, page, re.compile(r"^2024-05-13"))
    assert not settings.catalog().current(DATASET).files_of("aside", "parcels")
    assert "p1390" in page.content() or frame.get_by_text("parcels", exact=True).count() >= 1


def _wait_for(frame, page, title):
    """Loads the page of a run again and again until it has become this one."""
    deadline = time.monotonic() + LONGEST
    while not frame.get_by_role("heading", name=title, level=1).count():
        assert time.monotonic() < deadline, frame.locator("main").inner_text()
        page.wait_for_timeout(1500)
        page.reload()
        frame.locator("h1").wait_for()
