"""The morning's work in a browser, as anonymous, viewer, user and admin; and forms that no page of ours sent."""

import http.client
import re
import time
from urllib.parse import quote, urlencode, urlsplit

import pytest
from helpers import many_rules, morning_shop
from helpers.catalog import DATASET, DISTANCE

from e2e.test_e2e_plugin_page import fetch, token_of
from profiling_core.cli.airflow_environment import passwords
from profiling_core.model.decision import standing
from profiling_core.model.finding import REFUSAL, SET_ASIDE
from profiling_core.model.incident import IncidentStatus

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
SHOP = morning_shop.DATASET
DAG_ID = f"holdfast.{SHOP}"
INCIDENT = f"/datasets/{DATASET}/incidents/1"
DECISIONS = f"{INCIDENT}/decisions"
FORM = "application/x-www-form-urlencoded"
# Airflow's tasks take seconds each, and many times that on a busy machine.
LONGEST = 420
# Milliseconds by a clock that also counts other programs' work: docs/benchmarks/pages.md says what the page needs.
SOON = 3_000


# What the morning's work is about, and a value of a row that violates its rule.
LINE, WRONG = "95 rows came", "c9999"


def frame_of(page):
    return page.frame_locator("iframe[src*='holdfast/']")


def log_in_on_the_way(page, settings, user):
    page.fill("input[name=username]", user)
    page.fill("input[name=password]", passwords(settings)[user])
    page.click("button[type=submit]")


def in_frame(airflow, path):
    return f"{airflow.url}/plugin/holdfast/holdfast{path}"


@pytest.fixture(scope="module")
def arrive(airflow, settings, browser):
    """Opens a page of Holdfast as a role, through the login the first time; what the pages' policy forbids fails."""
    contexts, problems = {}, []

    def opened(role, path="/"):
        known = role in contexts
        context = contexts.setdefault(role, browser.new_context(viewport={"width": 1440, "height": 900}))
        page = context.new_page()
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.goto(in_frame(airflow, path) if known else f"{airflow.url}/holdfast{path}")
        if not known:
            log_in_on_the_way(page, settings, role)
        return page, frame_of(page)

    yield opened
    for context in contexts.values():
        context.close()
    assert [said for said in problems if "Content Security" in said] == []


@pytest.fixture(scope="module")
def dag(airflow):
    client = airflow.client()
    client.await_dag(DAG_ID)
    client.unpause(DAG_ID)
    return client


def incident(settings, table):
    return next(i for i in settings.catalog().incidents(SHOP) if i.table == table)


def decide(frame, label, **fields):
    frame.locator("summary", has_text=f"{label}…").click()
    form = frame.locator("details[open] form", has=frame.get_by_role("button", name=label, exact=True))
    for name, value in fields.items():
        form.locator(f"input[name={name}]").fill(value)
    form.get_by_role("button", name=label, exact=True).click()
    frame.get_by_text(f"{label}: done.").wait_for()


def filter_many(page, frame, airflow):
    """Finds one rule among 100,000."""
    page.goto(in_frame(airflow, f"/datasets/{many_rules.WIDE}/rules"))
    frame.get_by_text(f"1–100 of {many_rules.RULES:,}").first.wait_for()
    took = frame.locator("html").evaluate(
        "() => { const [t] = performance.getEntriesByType('navigation'); return t.responseEnd - t.requestStart }"
    )
    assert took < SOON
    assert frame.locator("tbody tr").count() <= 100
    frame.get_by_role("searchbox").fill("column390, column600")
    frame.get_by_role("button", name="Show").click()
    frame.get_by_text("1–1 of 1").first.wait_for()
    frame.get_by_label("State").select_option("violated")
    frame.get_by_role("searchbox").fill("")
    frame.get_by_role("button", name="Show").click()
    frame.get_by_role("link", name=DISTANCE.words).wait_for()
    assert "state=violated" in frame.locator("html").evaluate("() => location.href")


@pytest.mark.browser
def test_an_anonymous_person_sees_the_login_and_changes_nothing(airflow, browser):
    page = browser.new_page()
    for path in ("/", INCIDENT, f"/datasets/{SHOP}"):
        page.goto(f"{airflow.url}/holdfast{path}")
        page.locator("input[name=password]").wait_for()
        assert "holdfast" in page.url
        assert page.get_by_text("distance").count() == 0
    page.close()
    for path in (DECISIONS, f"/datasets/{SHOP}/runs"):
        assert fetch(airflow, path, method="POST")[0] == 401


@pytest.mark.browser
def test_a_viewer_comes_by_a_message_reads_everything_and_finds_no_button(airflow, arrive):
    page, frame = arrive("viewer", INCIDENT)
    page.wait_for_url(f"**/plugin/holdfast/holdfast{INCIDENT}")
    frame.get_by_role("heading", name="2 of 905 new rows").wait_for()
    frame.get_by_role("link", name="Today").click()
    frame.get_by_role("heading", name="Today").wait_for()
    frame.get_by_role("link", name=LINE).click()
    frame.get_by_role("link", name="all rows", exact=True).click()
    frame.get_by_text(WRONG, exact=True).first.wait_for()
    filter_many(page, frame, airflow)
    for path in (INCIDENT, f"/datasets/{SHOP}", f"/datasets/{SHOP}/quarantine?table=parcels"):
        page.goto(in_frame(airflow, path))
        frame.locator("h1").wait_for()
        assert frame.locator("form[method=post]").count() == 0
    page.close()


@pytest.mark.browser
def test_a_morning_is_walked_and_each_step_recorded(settings, arrive, screenshots):
    page, frame = arrive("user")
    frame.get_by_role("heading", name="Today").wait_for()
    page.screenshot(path=screenshots / "page-morning-user.png")
    frame.get_by_role("searchbox").fill("orders")
    frame.get_by_role("button", name="Show").click()
    frame.get_by_role("link", name=LINE).click()
    frame.get_by_role("heading", name="Decide").wait_for()
    page.screenshot(path=screenshots / "page-incident-user.png")
    frame.get_by_role("link", name="all rows", exact=True).first.click()
    frame.get_by_role("heading", name="violate this rule now").wait_for()
    assert frame.get_by_text(WRONG, exact=True).count() >= 1
    page.go_back()
    frame.get_by_role("button", name="Acknowledge", exact=True).click()
    frame.get_by_text("Acknowledge: done.").wait_for()
    decide(frame, "Assign", owner="bob")
    decide(frame, "Mute", until="2024-05-31", note="a sale until the end of May")
    muted = incident(settings, "orders")
    assert (muted.status, muted.muted_until, muted.owner) == (IncidentStatus.MUTED, "2024-05-31", "bob")
    decide(frame, "Accept", note="it was a sale")
    accepted = incident(settings, "orders")
    assert (accepted.status, accepted.events[-1].note) == (IncidentStatus.ACCEPTED, "it was a sale")
    assert {event.who for event in accepted.events[1:]} == {"user"}
    decided = standing(settings.catalog().decisions(SHOP), {})
    assert decided[accepted.constraints[0]].words == "muted until 2024-05-31, accepted"
    for undone, status in (("accepted", IncidentStatus.MUTED), ("muted", IncidentStatus.ACKNOWLEDGED)):
        frame.get_by_role("button", name="Undo").click()
        frame.get_by_text(f"undid: {undone}").wait_for()
        assert incident(settings, "orders").status is status
    page.close()


@pytest.mark.browser
def test_an_admin_pins_a_rule_and_sees_who_decided(settings, arrive):
    page, frame = arrive("admin", f"/datasets/{DATASET}/rules?q=distance")
    frame.get_by_role("link", name=DISTANCE.words).click()
    frame.get_by_role("button", name="Pin", exact=True).click()
    frame.get_by_text("Pin: done.").wait_for()
    assert frame.get_by_text("pinned").first.is_visible()
    assert settings.catalog().decisions(DATASET)[-1].who == "admin"
    page.close()


@pytest.mark.browser
def test_a_dry_run_is_read_and_a_delta_applied_and_rows_released(airflow, settings, arrive, dag, screenshots):
    delta, place = "2024-05-14", morning_shop.beside(settings)
    for day in (14, 15):
        morning_shop.land(place, day)
    before = settings.catalog().current(SHOP).number
    page, frame = arrive("user", f"/datasets/{SHOP}")
    ask(airflow, page, frame, "2024-05-15", "Dry run")
    wait_for(frame, page, "Dry run: nothing was changed")
    frame.get_by_text("rows then").wait_for()
    shown_then = frame.locator("main").inner_text()
    assert "Would appear" in shown_then
    assert "Would be kept, with rows set aside" in shown_then
    page.screenshot(path=screenshots / "page-dry-run-user.png")
    assert settings.catalog().current(SHOP).number == before

    ask(airflow, page, frame, delta, "Apply")
    wait_for(frame, page, re.compile(f"^{delta}"))
    current = settings.catalog().current(SHOP)
    assert (current.number, current.label) == (before + 1, delta)
    run_id = max(dag.runs(DAG_ID), key=lambda run: run["queued_at"])["dag_run_id"]
    tab(airflow, page, run_id).get_by_role("heading", name=delta).wait_for()
    assert noted(dag, run_id).startswith(f"{delta} · ")
    release(airflow, settings, page, f"/datasets/{SHOP}/quarantine?table=parcels", "Release 1 row", delta)
    page.close()


@pytest.mark.browser
def test_a_refused_delta_is_mended_and_tried_again_and_its_rows_released_from_incidents(airflow, settings, arrive, dag):
    delta, place = "2024-05-15", morning_shop.beside(settings)
    parcels = place / "landing" / "parcels" / f"{delta}.csv"
    morning_shop.land(place, 15)
    good = parcels.read_text("utf-8")
    parcels.write_text("\n".join([good.splitlines()[0], *(f"p159{i},D1,Ulm,heavy" for i in range(9)), ""]), "utf-8")
    before = settings.catalog().current(SHOP).number
    page, frame = arrive("admin", f"/datasets/{SHOP}")
    ask(airflow, page, frame, delta, "Apply")
    wait_for(frame, page, "The run committed a version, and refused deltas")
    assert "9 of its 9 rows are rejected" in frame.locator("main").inner_text()
    frame.get_by_role("link", name=re.compile(f"parcels: deltas? .*{delta} (is|are) refused")).click()
    frame.get_by_role("button", name="Try the delta again").wait_for()
    without = settings.catalog().current(SHOP)
    assert (without.number, "parcels" in without.arrivals) == (before + 1, False)
    parcels.write_text(good, "utf-8")
    press(frame, page, "Try the delta again")
    wait_for(frame, page, re.compile(f"^{delta}"))
    current = settings.catalog().current(SHOP)
    assert (current.number, current.label, list(current.arrivals)) == (before + 2, delta, ["parcels"])
    assert current.arrivals["parcels"].inserts == 20
    refused = next(i for i in settings.catalog().incidents(SHOP) if i.diagnosis.kind == REFUSAL)
    page.goto(in_frame(airflow, f"/datasets/{SHOP}/incidents/{refused.number}"))
    frame.get_by_text("recovered").first.wait_for()
    assert frame.get_by_role("button", name="Try the delta again").count() == 0
    found = [i for i in settings.catalog().incidents(SHOP) if any(f.kind == SET_ASIDE for f in i.findings)]
    release(airflow, settings, page, f"/datasets/{SHOP}/incidents/{found[-1].number}", "Release the rows", delta)
    page.close()


def ask(airflow, page, frame, delta, button):
    """Starts a run up to a delta from the page of the shop."""
    page.goto(in_frame(airflow, f"/datasets/{SHOP}"))
    frame.get_by_label("Up to").select_option(delta)
    press(frame, page, button)


def release(airflow, settings, page, place, button, delta):
    """Releases the rows that are set aside from a page, which offers it no more then."""
    frame = frame_of(page)
    page.goto(in_frame(airflow, place))
    press(frame, page, button)
    wait_for(frame, page, re.compile(f"^{delta}"))
    assert not settings.catalog().current(SHOP).files_of("aside", "parcels")
    page.goto(in_frame(airflow, place))
    frame.locator("h1").wait_for()
    assert frame.get_by_role("button", name="Release").count() == 0


def noted(dag, run_id):
    """The note of a run, once the run has ended."""
    deadline = time.monotonic() + 120
    while (run := dag.run(DAG_ID, run_id))["state"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.5)
    return run["note"] or ""


def tab(airflow, page, run_id):
    """What the tab of a run in Airflow shows."""
    page.goto(f"{airflow.url}/dags/{DAG_ID}/runs/{quote(run_id, safe='')}")
    page.get_by_role("link", name="Constraints").click()
    return page.frame_locator("iframe[src*='holdfast/dag-run']")


def shown(page):
    """The frame in which Airflow shows the pages of Holdfast."""
    return page.locator("iframe[src*='holdfast/']").element_handle().content_frame()


def press(frame, page, button):
    """Presses a button that starts a run, and waits until the browser has come to the page of that run."""
    started = re.compile(r"/dag-run\?|/versions/")
    with page.expect_event("framenavigated", lambda moved: started.search(moved.url), timeout=1000 * LONGEST):
        frame.get_by_role("button", name=button).click()


def wait_for(frame, page, title):
    """Loads the page of a run again and again until it has become this one."""
    deadline, place = time.monotonic() + LONGEST, shown(page).url
    while not frame.get_by_role("heading", name=title, level=1).count():
        assert time.monotonic() < deadline, frame.locator("main").inner_text()
        page.wait_for_timeout(1500)
        shown(page).goto(place)
        frame.locator("h1").wait_for()


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


def of_flights(settings):
    return settings.catalog().incidents(DATASET)[0]


def test_forms_that_our_pages_did_not_send_change_nothing(airflow, settings, viewer, admin):
    token, cookie, hidden = admin
    before, note, run = of_flights(settings), {"action": "note", "note": "forged"}, {"action": "apply", "value": ""}
    whole, runs = hidden | note, f"/datasets/{SHOP}/runs"
    refused = [
        send(airflow, token_of(viewer), whole, origin=airflow.url, cookie=cookie),
        send(airflow, token_of(viewer), hidden | run, origin=airflow.url, cookie=cookie, path=runs),
        send(airflow, token, hidden | run, origin="https://evil.example", cookie=cookie, path=runs),
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
    unknown = hidden | {"action": "dry run", "value": "2024-5-1"}
    status, said = send(airflow, token, unknown, origin=airflow.url, cookie=cookie, path=runs)
    assert (status, "no delta &#39;2024-5-1&#39;" in said) == (400, True)
    assert of_flights(settings) == before


def test_a_form_that_is_sent_twice_decides_once(airflow, settings, admin):
    token, cookie, hidden = admin
    before = len(of_flights(settings).events)
    whole = hidden | {"action": "note", "note": "once"}
    assert send(airflow, token, whole, origin=airflow.url, cookie=cookie)[0] == 303
    status, said = send(airflow, token, whole, origin=airflow.url, cookie=cookie)
    assert (status, "has changed since you looked" in said) == (409, True)
    assert len(of_flights(settings).events) == before + 1
