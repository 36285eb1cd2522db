"""axe looks at all pages, light, dark and on a phone, and finds nothing serious; the keys do what they should."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.chromium import chromium
from helpers.morning_shop import DATASET, make
from helpers.pages_client import asking

from profiling_core.airflow.ui import runs
from profiling_core.airflow.ui.runs import DagRunState, FailedTask
from profiling_core.model.incident import IncidentStatus
from profiling_core.pipeline.incident_handling import set_status
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import using

pytestmark = [pytest.mark.airflow, pytest.mark.browser]
HERE = f"/datasets/{DATASET}"
VIEWS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1440, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 800}},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    made = make(tmp_path_factory.mktemp("shop"))
    with using(made):
        set_status(Workspace.open(DATASET), 2, IncidentStatus.ACKNOWLEDGED, who="ann", note="asked the sender")
    checks = [
        {"fingerprint": t.fingerprint, "constraint": t.measured.constraint.text, "table": t.table, "source": "executed"}
        | {"status": "violated" if t.measured.violations else "passed", "rows": 2, "violations": t.measured.violations}
        for t in made.catalog().tracked(DATASET)
    ]
    made.catalog().save_validation(DATASET, 2, "", {"table": "", "checks": checks, "result": "suites/all.json"})
    return made


@pytest.fixture
def client(shop, monkeypatch):
    failed = DagRunState("r", "failed", None, None, "eva", (FailedTask("ingest", 0),))
    monkeypatch.setattr(runs, "run", lambda dataset, run_id: failed)
    monkeypatch.setattr(runs, "handed_on", lambda *names: {})
    with asking(shop) as asked:
        yield asked


def places(shop):
    """Of every route that gives a page one address or more."""
    broken = next(t for t in shop.catalog().tracked(DATASET) if t.measured.constraint.text == "{zip} → city")
    rule = f"{HERE}/constraints/{broken.fingerprint}"
    return {
        "/": ["/", "/?state=all&q=rows"],
        "/datasets/{dataset}": [HERE],
        "/datasets/{dataset}/incidents/{number}": [f"{HERE}/incidents/{n}?done=note" for n in (1, 2)],
        "/datasets/{dataset}/versions/{version}": [f"{HERE}/versions/2"],
        "/datasets/{dataset}/versions/{version}/checks": [f"{HERE}/versions/2/checks"],
        "/datasets/{dataset}/rules": [f"{HERE}/rules?q=city&sort=violations"],
        "/datasets/{dataset}/table": [f"{HERE}/table?name=orders"],
        "/datasets/{dataset}/column": [
            f"{HERE}/column?table=orders&name=amount",
            f"{HERE}/column?table=parcels&name=city",
        ],
        "/datasets/{dataset}/joins": [f"{HERE}/joins"],
        "/datasets/{dataset}/constraints/{fingerprint}": [rule],
        "/datasets/{dataset}/constraints/{fingerprint}/rows": [f"{rule}/rows"],
        "/datasets/{dataset}/quarantine": [f"{HERE}/quarantine?table=parcels"],
        "/dag": ["/dag?dag_id=others"],
        "/dag-run": [f"/dag-run?dag_id=holdfast.{DATASET}&run_id=r"],
    }


def test_axe_finds_nothing_serious_on_any_page(client, shop):
    pages = {
        route.path
        for route in client.app.routes
        if "GET" in getattr(route, "methods", ())
        and not route.path.startswith("/api/")
        and not route.path.endswith(".csv")
    }
    known = places(shop)
    assert pages == set(known)
    texts = {address: client.get(address).text for addresses in known.values() for address in addresses}
    found = []
    with chromium() as browser:
        for view, options in VIEWS.items():
            page = browser.new_context(**options).new_page()
            for address, text in texts.items():
                page.set_content(text)
                page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
                found += [
                    f"{view} {address}: {problem['id']} {problem['nodes'][0]['html'][:200]}"
                    for problem in Axe().run(page).response["violations"]
                    if problem["impact"] in ("serious", "critical")
                ]
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > options["viewport"]["width"]:
                    found.append(f"{view} {address}: it is {wide} wide")
    assert found == []


def test_keys_search_walk_the_lines_and_reach_the_button_that_acknowledges(client):
    morning, incident = client.get("/").text, client.get(f"{HERE}/incidents/1").text
    focused = "document.activeElement.matches"
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(morning)
        first, second = (line.get_attribute("href") for line in page.locator("a.line").all()[:2])
        for key, line in (("j", first), ("j", second), ("k", first), ("k", first)):
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.getAttribute('href')") == line
        page.keyboard.press("/")
        assert page.evaluate(f"{focused}('input[type=search]')")
        page.keyboard.press("j")  # in a field it is a letter
        assert page.evaluate("document.activeElement.value") == "j"
        page.set_content(incident)
        page.keyboard.press("a")
        assert page.evaluate(f"{focused}('button[value=acknowledge]')")
