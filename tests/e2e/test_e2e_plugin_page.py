"""The plugin in a running Airflow: who may see its pages, and that they look right inside Airflow in a real browser."""

import http.client
import json
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from helpers.catalog import AWAY, DISTANCE, NASTY, REPOSITORY

from profiling_core.cli.airflow_environment import environment, passwords

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
PAGES = (
    "/",
    "/datasets/nycflights13",
    "/datasets/nycflights13/versions/3",
    "/datasets/nycflights13/incidents/1",
    "/datasets/nycflights13/rules?q=distance&sort=violations",
    "/datasets/nycflights13/quarantine",
    f"/datasets/nycflights13/constraints/{DISTANCE.fingerprint}",
    "/dag-run?dag_id=x&run_id=y",
)
API = (
    "/api/v1/morning",
    "/api/v1/datasets",
    "/api/v1/datasets/nycflights13",
    "/api/v1/datasets/nycflights13/versions/3",
    "/api/v1/datasets/nycflights13/incidents/1",
    "/api/v1/datasets/nycflights13/rules?state=violated",
    "/api/v1/openapi.json",
)


def fetch(airflow, path, token=None, method="GET"):
    connection = http.client.HTTPConnection(urlsplit(airflow.url).netloc, timeout=30)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request(method, f"/holdfast{path}", headers=headers)
    response = connection.getresponse()
    return response.status, response.read().decode(), response.headers


def token_of(client):
    client.call("GET", "/version")
    return client._token


def log_in(page, airflow, settings, user):
    page.goto(f"{airflow.url}/auth/login")
    page.fill("input[name=username]", user)
    page.fill("input[name=password]", passwords(settings)[user])
    page.click("button[type=submit]")
    page.wait_for_url(lambda url: "/auth/login" not in url)


ROUTES = """
import json, re, sys
from profiling_core.airflow.ui.app import create_app
print("routes", json.dumps([[m, re.sub("{[^}]+}", "1", r.path)] for r in create_app().routes for m in r.methods]))
"""


def routes(settings):
    """Method and path of every route that the plugin's app has."""
    command = [sys.executable, "-c", ROUTES]
    done = subprocess.run(
        command, env=environment(settings), cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.split("routes ")[-1])


def test_anonymous_requests_see_nothing_on_any_route(airflow, settings):
    found = routes(settings)
    assert len(found) > 9
    for method, path in found:
        status, body, _ = fetch(airflow, path, method=method)
        assert status == 401, (method, path)
        assert "distance" not in body
    for path in ("/docs", "/openapi.json", "/nothing"):
        assert fetch(airflow, path)[0] == 404


def test_a_dag_that_is_nobodys_and_a_version_beyond_all_numbers_are_no_error_of_ours(airflow, viewer):
    for dag_id in ("holdfast.unknown", "holdfast.//evil.example", "other"):
        status, body, _ = fetch(airflow, f"/dag?dag_id={dag_id}", token_of(viewer))
        assert (status, "no constraints to show" in body) == (200, True)
    for number in (2**31, 2**63, 10**30):
        assert fetch(airflow, f"/datasets/nycflights13/versions/{number}", token_of(viewer))[0] in (404, 422)


def test_a_forged_token_is_refused(airflow):
    assert fetch(airflow, "/", token="eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.")[0] in (401, 403)


@pytest.mark.parametrize("path", PAGES + API)
def test_a_viewer_sees_pages_and_api(airflow, viewer, path):
    status, _, headers = fetch(airflow, path, token_of(viewer))
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"


def test_what_is_not_there_is_said_plainly(airflow, viewer):
    status, body, _ = fetch(airflow, "/datasets/nope", token_of(viewer))
    assert status == 404
    assert "There is no dataset" in body


def test_the_plugin_loads_without_errors(airflow):
    client = airflow.client()
    wrong = client.call("GET", "/plugins/importErrors")
    assert wrong["total_entries"] == 0, wrong
    names = [plugin["name"] for plugin in client.call("GET", "/plugins")["plugins"]]
    assert names == ["holdfast"]


@pytest.mark.browser
def test_pages_inside_airflow_in_a_browser(airflow, settings, browser, screenshots):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    problems = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: problems.append(f"a script of the data ran: {dialog.message}"))
    log_in(page, airflow, settings, "viewer")
    page.goto(f"{airflow.url}/plugin/holdfast")
    frame = _frame_of(page)
    frame.get_by_role("link", name="2 of 905 new rows").first.click()
    frame.get_by_role("heading", name="2 of 905 new rows").wait_for()
    assert frame.get_by_text("1725", exact=True).count() == 1
    assert frame.get_by_role("heading", name="Decide").count() == 0
    frame.get_by_role("link", name="nycflights13").first.click()
    frame.get_by_role("heading", name="nycflights13").first.wait_for()
    assert frame.get_by_text(AWAY.text, exact=True).is_visible()
    frame.get_by_role("link", name="carrier", exact=True).first.click()
    frame.get_by_text("its values are those of airlines.carrier").wait_for()
    frame.get_by_role("link", name="nycflights13").first.click()
    page.screenshot(path=screenshots / "page-dataset.png")
    frame.get_by_role("link", name="2013-03-01").first.click()
    frame.get_by_text("broke it").first.wait_for()
    assert frame.get_by_text(DISTANCE.words).count() >= 1
    assert frame.get_by_text("1725", exact=True).count() == 1
    assert frame.get_by_text("1726", exact=True).count() == 1
    assert frame.get_by_text(NASTY, exact=True).count() == 1
    page.screenshot(path=screenshots / "page-run.png")
    assert [p for p in problems if "holdfast" in p or "script of the data" in p or "Content Security" in p] == []
    page.close()


@pytest.mark.browser
def test_navigation_leads_to_the_page(airflow, settings, browser, screenshots):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    log_in(page, airflow, settings, "admin")
    page.goto(f"{airflow.url}/")
    page.get_by_role("link", name="Holdfast").first.click()
    _frame_of(page).get_by_role("heading", name="Today").wait_for()
    page.screenshot(path=screenshots / "page-morning.png")
    page.close()


def _frame_of(page):
    return page.frame_locator("iframe[src*='holdfast/']")
