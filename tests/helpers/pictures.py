"""The pictures of the pages in the docs, taken in a real Airflow: ``python -m helpers.pictures``; ``make pictures``.

Each page is taken in light, in dark and on a phone. The phone shows the page by itself, as a link in a message that is
opened there does; the others show it inside Airflow's frame.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from helpers import morning_shop
from helpers.catalog import REPOSITORY, seed
from profiling_core.cli.airflow_client import AirflowClient
from profiling_core.cli.airflow_environment import free_port, passwords
from profiling_core.cli.airflow_progress import follow
from profiling_core.cli.airflow_runner import running
from profiling_core.state.settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = REPOSITORY / "docs" / "images"
SHOP = morning_shop.DATASET
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")


@dataclass(frozen=True)
class View:
    """A way to look at pages: what its pictures' names end in, and the browser's options."""

    ending: str
    options: Mapping[str, Any]
    framed: bool = True


VIEWS = (
    View("", {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"}),
    View("-dark", {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"}),
    View("-phone", {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"}, framed=False),
)


def main() -> None:
    """Makes a shop, applies its bad days, and takes the pictures."""
    os.environ.setdefault("HOLDFAST_SETTLE_SECONDS", "0")
    with TemporaryDirectory() as folder:
        place = Path(folder)
        settings = seed(place)
        morning_shop.add(settings, place / "shop", policy="quarantine")
        morning_shop.land(place / "shop", morning_shop.BAD_DAYS[-1])
        with running(settings, port=free_port(0), triggerer=False, tell=sys.stderr.write) as up:
            run_id = _dry_run(up.client())
            _take(settings, up.url, _pages(settings, run_id))


def _dry_run(client: AirflowClient) -> str:
    dag_id = f"holdfast.{SHOP}"
    client.await_dag(dag_id)
    client.unpause(dag_id)
    run_id = client.trigger(dag_id, {"mode": "dry run"})
    for _ in follow(client, dag_id, [run_id], pause=1.0):
        pass
    return run_id


def _pages(settings: Settings, run_id: str) -> dict[str, str]:
    """By name the path of each page."""
    catalog = settings.catalog()
    incident = next(i for i in catalog.incidents(SHOP) if i.table == "customers")
    here = f"/datasets/{SHOP}"
    return {
        "morning": "/",
        "incident": f"{here}/incidents/{incident.number}",
        "rule": f"{here}/constraints/{incident.constraints[0]}",
        "column": f"{here}/column?table=orders&name=amount",
        "references": f"{here}/joins",
        "run": f"/dag-run?dag_id=holdfast.{SHOP}&run_id={run_id}",
    }


def _take(settings: Settings, url: str, pages: Mapping[str, str]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(CHROMIUM))
        for view in VIEWS:
            _look(browser, view, settings, url, pages)
        browser.close()


def _look(browser: "Browser", view: View, settings: Settings, url: str, pages: Mapping[str, str]) -> None:
    page = browser.new_context(**view.options).new_page()
    page.goto(f"{url}/holdfast/")
    page.fill("input[name=username]", "admin")
    page.fill("input[name=password]", passwords(settings)["admin"])
    page.click("button[type=submit]")
    page.wait_for_url("**/plugin/holdfast/**")
    for name, path in pages.items():
        page.goto(f"{url}/plugin/holdfast/holdfast{path}" if view.framed else f"{url}/holdfast{path}")
        shown = page.frame_locator("iframe[src*='holdfast/']") if view.framed else page
        shown.locator("h1").wait_for()
        page.wait_for_timeout(700)  # Airflow's own side draws on after its frame
        page.screenshot(path=IMAGES / f"airflow-{name}{view.ending}.png")
        sys.stderr.write(f"{name}{view.ending}\n")
    page.context.close()


if __name__ == "__main__":
    main()
