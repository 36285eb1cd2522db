"""A morning's work in a browser: anonymous, viewer and admin; and forms that our pages did not send change nothing."""

import http.client
import re
from urllib.parse import urlencode, urlsplit

import pytest
from helpers.catalog import DATASET, DISTANCE

from e2e.test_e2e_plugin_page import token_of
from profiling_core.cli.airflow_environment import passwords
from profiling_core.model.incident import IncidentStatus

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
INCIDENT = f"/datasets/{DATASET}/incidents/1"
DECISIONS = f"{INCIDENT}/decisions"
FORM = "application/x-www-form-urlencoded"


def incident(settings):
    return settings.catalog().incidents(DATASET)[0]


def frame_of(page):
    return page.frame_locator("iframe[src*='holdfast/']")


def log_in_on_the_way(page, settings, user):
    page.fill("input[name=username]", user)
    page.fill("input[name=password]", passwords(settings)[user])
    page.click("button[type=submit]")


@pytest.mark.browser
def test_a_link_from_a_message_leads_through_the_login_to_the_incident_in_airflows_frame(airflow, settings, browser):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{airflow.url}/holdfast{INCIDENT}")
    log_in_on_the_way(page, settings, "viewer")
    page.wait_for_url(f"**/plugin/holdfast/holdfast{INCIDENT}")
    frame_of(page).get_by_role("heading", name="2 of 905 new rows").wait_for()
    page.close()


@pytest.mark.browser
def test_an_admin_walks_the_morning_and_each_step_is_recorded(airflow, settings, browser, screenshots):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    problems = []
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.goto(f"{airflow.url}/holdfast/")
    log_in_on_the_way(page, settings, "admin")
    frame = frame_of(page)
    frame.get_by_role("heading", name="Today").wait_for()
    page.screenshot(path=screenshots / "page-morning.png")
    frame.get_by_role("searchbox").fill("distance")
    frame.get_by_role("button", name="Show").click()
    frame.get_by_role("link", name="2 of 905 new rows").click()
    frame.get_by_role("heading", name="Decide").wait_for()
    assert frame.get_by_text("1725", exact=True).count() == 1
    page.screenshot(path=screenshots / "page-incident.png")

    frame.get_by_role("button", name="Acknowledge", exact=True).click()
    frame.get_by_text("Acknowledge: done.").wait_for()
    assert (incident(settings).status, incident(settings).events[-1].who) == (IncidentStatus.ACKNOWLEDGED, "admin")

    _decide(frame, "Assign", owner="ann")
    assert incident(settings).owner == "ann"
    _decide(frame, "Mute", note="known until Friday")
    assert incident(settings).status is IncidentStatus.MUTED
    _decide(frame, "Accept", note="the airport has moved")
    accepted = incident(settings)
    assert (accepted.status, accepted.events[-1].note) == (IncidentStatus.ACCEPTED, "the airport has moved")
    assert [d.verdict.value for d in settings.catalog().decisions(DATASET)] == ["mute", "accept"]

    frame.get_by_role("button", name="Undo").click()
    frame.get_by_text("Undo: done.").wait_for()
    assert incident(settings).status is IncidentStatus.MUTED
    assert frame.get_by_text("undid: accepted").count() == 1
    frame.get_by_role("button", name="Undo").click()
    frame.get_by_text("undid: muted").wait_for()
    assert (incident(settings).status, incident(settings).owner) == (IncidentStatus.ACKNOWLEDGED, "ann")
    assert [p for p in problems if "Content Security" in p] == []
    page.close()


def _decide(frame, label, **fields):
    frame.locator("summary", has_text=f"{label}…").click()
    form = frame.locator("details[open] form", has=frame.get_by_role("button", name=label, exact=True))
    for name, value in fields.items():
        form.locator(f"input[name={name}]").fill(value)
    form.get_by_role("button", name=label, exact=True).click()
    frame.get_by_text(f"{label}: done.").wait_for()


@pytest.mark.browser
def test_an_admin_pins_a_rule_and_sees_who_decided(airflow, settings, browser):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{airflow.url}/holdfast/datasets/{DATASET}/rules?q=distance")
    log_in_on_the_way(page, settings, "admin")
    frame = frame_of(page)
    frame.get_by_role("link", name=DISTANCE.words).click()
    frame.get_by_role("button", name="Pin", exact=True).click()
    frame.get_by_text("Pin: done.").wait_for()
    assert frame.get_by_text("pinned").first.is_visible()
    assert settings.catalog().decisions(DATASET)[-1].who == "admin"
    page.close()


@pytest.mark.browser
def test_a_viewer_sees_the_incident_and_no_button(airflow, settings, browser):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{airflow.url}/holdfast{INCIDENT}")
    log_in_on_the_way(page, settings, "viewer")
    frame = frame_of(page)
    frame.get_by_role("heading", name="2 of 905 new rows").wait_for()
    assert frame.locator("form").count() == 0
    page.close()


def send(airflow, token, fields, *, origin=None, cookie="", path=DECISIONS, content=FORM):
    connection = http.client.HTTPConnection(urlsplit(airflow.url).netloc, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": content, "Cookie": cookie}
    headers |= {"Origin": origin} if origin else {}
    connection.request("POST", f"/holdfast{path}", urlencode(fields), headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@pytest.fixture
def admin(airflow):
    """The admin's bearer token, session cookie, and the hidden fields of the incident's form."""
    token = token_of(airflow.client())
    connection = http.client.HTTPConnection(urlsplit(airflow.url).netloc, timeout=30)
    connection.request("GET", f"/holdfast{INCIDENT}", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    body = answer.read().decode()
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    hidden = dict(re.findall(r'name="(token|seen)" value="([^"]*)"', body))
    return token, cookie.partition(";")[0], hidden


def test_forms_that_our_pages_did_not_send_change_nothing(airflow, settings, viewer, admin):
    token, cookie, hidden = admin
    before, note = incident(settings), {"action": "note", "note": "forged"}
    whole = hidden | note
    refused = [
        send(airflow, token_of(viewer), whole, origin=airflow.url, cookie=cookie),
        send(airflow, token, whole, origin="https://evil.example", cookie=cookie),
        send(airflow, token, whole, cookie=cookie),
        send(airflow, token, whole, origin="null", cookie=cookie),
        send(airflow, token, whole, origin=airflow.url),
        send(airflow, token, whole | {"token": "0" * 64}, origin=airflow.url, cookie=cookie),
        send(airflow, token, note, origin=airflow.url, cookie=cookie),
    ]
    assert [status for status, _ in refused] == [403] * len(refused)
    assert send(airflow, token, whole, origin=airflow.url, cookie=cookie, content="text/plain")[0] == 400
    assert send(airflow, token, whole | {"note": "x" * 30_000}, origin=airflow.url, cookie=cookie)[0] == 413
    assert send(airflow, token, whole | {"action": "drop"}, origin=airflow.url, cookie=cookie)[0] == 400
    assert incident(settings) == before


def test_a_form_that_is_sent_twice_decides_once(airflow, settings, admin):
    token, cookie, hidden = admin
    before = len(incident(settings).events)
    whole = hidden | {"action": "note", "note": "once"}
    assert send(airflow, token, whole, origin=airflow.url, cookie=cookie)[0] == 303
    status, said = send(airflow, token, whole, origin=airflow.url, cookie=cookie)
    assert (status, "has changed since you looked" in said) == (409, True)
    assert len(incident(settings).events) == before + 1
