"""The report, a mail and a dataset's page in a browser: each fits a phone; the first two run and fetch nothing."""

import pytest
from fastapi import Request
from helpers.catalog import DATASET, seed
from helpers.story import EVIL, fd, story

from profiling_core.airflow.ui import access, reading, runs
from profiling_core.airflow.ui.pages import Pages
from profiling_core.alert.brief import Action, Brief, ShownRow
from profiling_core.alert.formats.mail import to_html
from profiling_core.alert.report_html import write_html

pytestmark = pytest.mark.browser


def opened(browser, path, **options):
    page = browser.new_context(**options).new_page()
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("dialog", lambda dialog: page.said.append(dialog.message))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_never_scrolls_sideways(browser, tmp_path, width):
    path = tmp_path / "report.html"
    write_html(story(fd(("x" * 120, "y" * 120), "distance")), path)
    page = opened(browser, path, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_follows_light_and_dark(browser, tmp_path):
    path = tmp_path / "report.html"
    write_html(story(), path)
    colours = {
        scheme: opened(browser, path, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert colours == {"light": "rgb(246, 247, 249)", "dark": "rgb(17, 21, 27)"}


def test_hostile_values_neither_run_nor_fetch(browser, tmp_path):
    path = tmp_path / "report.html"
    write_html(story(fd((EVIL,), "b"), new=EVIL, old=EVIL + "2"), path)
    page = opened(browser, path)
    assert page.title().startswith("nyc: constraints")
    assert page.said == []
    assert page.asked == [path.as_uri()]
    assert page.locator("svg").count() == 2


@pytest.mark.parametrize("width", [320, 768])
def test_a_mail_fits_a_phone_and_neither_runs_nor_fetches_what_values_say(browser, tmp_path, width):
    rows = (ShownRow(f"order {EVIL}", f"amount {EVIL}, should be {'4' * 80}", "x" * 120),)
    actions = (Action("Look after it", f"holdfast incidents ack 3 --dataset {'d' * 90}"),)
    brief = Brief(f"shop.orders: {'y' * 120} {EVIL}", rows, 7, (EVIL,), (EVIL,), 3, EVIL, actions)
    path = tmp_path / "mail.html"
    path.write_text(to_html(brief), "utf-8")
    page = opened(browser, path, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.said == []
    assert page.asked == [path.as_uri()]
    assert page.locator("script, img, iframe, a").count() == 0


def test_a_datasets_page_says_on_a_phone_what_is_wrong_without_scrolling(browser, tmp_path, monkeypatch):
    made = seed(tmp_path)
    for name, where in (("ROOT", made.root), ("HOME", made.home), ("CATALOG", made.catalog_url)):
        monkeypatch.setenv(f"HOLDFAST_{name}", str(where))
    monkeypatch.setenv("HOLDFAST_DATASETS", str(made.datasets_dir))
    scope = {"type": "http", "root_path": "/holdfast", "headers": [], "path": "/", "query_string": b""}
    request = Request(scope | {"server": ("127.0.0.1", 80), "scheme": "http"})
    monkeypatch.setattr(access, "may_edit", lambda *_: False)
    monkeypatch.setattr(runs, "standings", dict)
    path = tmp_path / "page.html"
    path.write_text(Pages().dataset(request, reading.dataset(DATASET)), encoding="utf-8")
    page = opened(browser, path, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    seen = page.evaluate("document.querySelector('#incident-1 .said').getBoundingClientRect().toJSON()")
    assert seen["width"] >= 200
    assert seen["right"] <= 390
