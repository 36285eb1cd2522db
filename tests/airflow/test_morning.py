"""The morning page over many datasets: worst first, nothing that is wrong left out, and a bounded number of queries."""

import os
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from helpers.catalog import DATASET, _changes, _table, _tracked, _version, seed
from sqlalchemy import event

from profiling_core.alert.message import tell
from profiling_core.model.finding import REFUSAL, SET_ASIDE, Finding
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.pipeline.incident_handling import set_status
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import using

pytestmark = pytest.mark.airflow
NOW = datetime(2013, 3, 2, 8, tzinfo=UTC)
REFUSED = Finding(REFUSAL, "orders", "2013-03-01", "delta 2013-03-01 is refused, and nothing of it was applied")


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """The project's settings, and the modules of the pages, which find it by the environment."""
    settings = seed(tmp_path)
    named = {"ROOT": settings.root, "HOME": settings.home, "CATALOG": settings.catalog_url}
    for name, place in (named | {"DATASETS": settings.datasets_dir}).items():
        monkeypatch.setenv(f"HOLDFAST_{name}", str(place))
    from profiling_core.airflow.ui import morning, runs

    return settings, morning, runs


def more(settings, count, broken):
    """Further datasets; the first ones break as the seeded one does."""
    catalog = settings.catalog()
    for place in range(count):
        name, number = f"shop{place:03}", 3 if place < broken else 1
        for version in range(1, number + 1):
            label = f"2013-02-{26 + version}"
            catalog.commit(replace(_version(version, label), dataset=name))
            change_set = replace(_changes(version, label), dataset=name)
            telling = tell(change_set, label, {"flights": _table("flights", 1).schema})
            catalog.settle(_tracked(version), change_set, (), telling.incidents)


def shown(pages, query=None, standings=None, pending=None):
    settings, morning, _ = pages
    allowed = [*(found.name for found in settings.catalog().in_short()), *(standings or {})]
    return morning.morning(allowed, query or morning.MorningQuery(), standings or {}, pending or {}, NOW)


def test_an_incident_is_a_line_with_its_rows_and_the_rest_is_quiet(pages):
    more(pages[0], 3, broken=0)
    page = shown(pages)
    (line,) = page.lines
    assert (line.dataset, line.today, line.in_all, line.trend) == (DATASET, 2, 2, "1st day")
    assert [found.name for found in page.quiet] == ["shop000", "shop001", "shop002"]
    assert [(t.dataset, t.kind) for t in page.troubles] == [(DATASET, "not delivered")]


def test_rows_that_were_set_aside_count_in_the_delta_that_brought_them(pages):
    aside = Finding(SET_ASIDE, "airlines", "2013-03-01", "3 rows were set aside", count=3)
    incident = Incident(2, "airlines", IncidentStatus.OPEN, "", "2013-03-01", "2013-03-01", 3, (aside,), rows=3)
    pages[0].catalog().save_incidents(DATASET, [incident])
    (line,) = [line for line in shown(pages).lines if line.incident.number == 2]
    assert (line.today, line.in_all) == (3, 3)


def test_nothing_that_is_wrong_is_passed_over(pages):
    settings, _, runs = pages
    more(settings, 2, broken=0)
    settings.catalog().save_incidents(
        "orders", [Incident(1, "orders", IncidentStatus.OPEN, "", "2013-03-01", "2013-03-01", 0, (REFUSED,))]
    )
    failed = runs.DagRunState("r1", "failed", NOW, NOW, failed=(runs.FailedTask("ingest", 0),))
    standings = {
        "shop000": runs.DagStanding(False, None, failed),
        "shop001": runs.DagStanding(False, NOW - timedelta(hours=1), None),
        "first": runs.DagStanding(False, None, failed),
        "fresh": runs.DagStanding(True, NOW, None),
    }
    page = shown(pages, standings=standings)
    assert sorted((t.dataset, t.kind) for t in page.troubles) == [
        ("first", "failed"),
        ("fresh", "not begun"),
        ("fresh", "paused"),
        (DATASET, "not delivered"),
        ("orders", "not begun"),
        ("orders", "refused"),
        ("shop000", "failed"),
        ("shop001", "late"),
    ]
    assert page.quiet == ()
    assert page.datasets == 6


def test_what_has_arrived_and_is_not_applied_is_told_once_somebody_has_looked(pages):
    settings = pages[0]
    from profiling_core.airflow.ui.looking import Looks

    for day in ("2013-03-02", "2013-03-03"):
        path = settings.datasets_dir.parent / "landing" / "flights" / f"{day}.csv"
        path.write_text(f"_op,flight\ninsert,{day}\n", "utf-8")  # alike, one would be refused
        os.utime(path, (1, 1))  # what has just changed waits
    looks, deadline = Looks(), time.monotonic() + 30
    assert looks.pending([DATASET]) == {}
    while not looks.pending([DATASET]) and time.monotonic() < deadline:
        time.sleep(0.05)
    found = shown(pages, pending=looks.pending([DATASET])).troubles
    said = next(trouble.sentence for trouble in found if trouble.kind == "pending")
    assert said == "2 deltas of flights, 2013-03-02 to 2013-03-03, have arrived and are not applied"


def test_what_nobody_looks_after_comes_before_what_somebody_does_and_what_is_muted_is_not_told(pages):
    settings, morning, _ = pages
    more(settings, 3, broken=2)
    with using(settings):
        set_status(Workspace.open(DATASET), 1, IncidentStatus.ACKNOWLEDGED, who="eva")
    assert [line.dataset for line in shown(pages).lines] == ["shop000", "shop001", DATASET]
    with using(settings):
        set_status(Workspace.open(DATASET), 1, IncidentStatus.MUTED, who="eva")
    assert [line.dataset for line in shown(pages).lines] == ["shop000", "shop001"]
    muted = shown(pages, morning.MorningQuery(state="muted"))
    assert [line.dataset for line in muted.lines] == [DATASET]
    assert [t.dataset for t in muted.troubles] == []
    assert [line.dataset for line in shown(pages, morning.MorningQuery(text="SHOP001")).lines] == ["shop001"]
    assert [line.dataset for line in shown(pages, morning.MorningQuery(table=f"{DATASET}.flights")).lines] == []


def test_what_is_muted_until_a_day_is_there_again_the_day_after(pages):
    settings = pages[0]
    with using(settings):
        set_status(Workspace.open(DATASET), 1, IncidentStatus.MUTED, who="eva", until="2013-03-02")
    assert shown(pages).lines == ()
    _, morning, _ = pages
    (line,) = morning.morning([DATASET], morning.MorningQuery(), {}, {}, NOW + timedelta(days=1)).lines
    assert line.incident.muted_until == "2013-03-02"


@contextmanager
def queries(settings):
    from profiling_core.airflow.ui.places import catalog

    engine, said = catalog()._engine, []
    note = lambda *args: said.append(args[2])  # noqa: E731 - SQLAlchemy's hook
    event.listen(engine, "before_cursor_execute", note)
    yield said
    event.remove(engine, "before_cursor_execute", note)


def test_quiet_datasets_cost_no_query(pages):
    settings = pages[0]
    shown(pages)
    with queries(settings) as few:
        shown(pages)
    more(settings, 60, broken=0)
    shown(pages)  # how many rules of a version hold is counted once
    with queries(settings) as many:
        assert len(shown(pages).quiet) == 60
    assert len(many) == len(few) < 25
