"""Parents beside their children on the whole way: listed, kept current, and broken, with the parent named."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.maintain.results import read_results
from profiling_core.model.change import Transition
from profiling_core.model.constraint import DATASET
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
SHIPMENT = ("_op", "shipment_no", "booked_at", "departed_at", "arrived_at", "leg_count", "freight")
LEG = ("_op", "shipment_no", "leg_no", "departed_at", "arrived_at", "cost")
OF_CHILDREN = {
    "shipments.leg_count = count(legs) (by shipment_no)",
    "shipments.freight = sum(legs.cost) (by shipment_no)",
}


@pytest.fixture
def project(project: Path) -> Path:
    keys = {"shipments": ["shipment_no"], "legs": ["shipment_no", "leg_no"]}
    tables = {
        name: {"source": {"path": f"landing/{name}", "format": "csv", "kind": "changes"}, "key": key}
        for name, key in keys.items()
    }
    write_configuration(project, {"dataset": "freight", "tables": tables})
    return project


def journey(number: int) -> tuple[tuple, list[tuple]]:
    """A shipment and its legs, one after the other."""
    rng = random.Random(number)
    booked = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=rng.randrange(300_000))
    at, legs = booked + timedelta(minutes=rng.randint(1, 4_000)), []
    for leg in range(1, rng.randint(2, 5)):
        end = at + timedelta(minutes=rng.randint(60, 4_000))
        legs.append(("insert", f"S{number:05}", leg, at.isoformat(), end.isoformat(), rng.randint(50, 9_000)))
        at = end + timedelta(minutes=rng.randint(10, 900))
    whole = (booked.isoformat(), legs[0][3], legs[-1][4], len(legs), sum(leg[5] for leg in legs))
    return ("insert", f"S{number:05}", *whole), legs


def land(project: Path, day: str, numbers: range) -> None:
    journeys = [journey(number) for number in numbers]
    write_delta(project, "shipments", day, SHIPMENT, *(shipment for shipment, _ in journeys))
    write_delta(project, "legs", day, LEG, *(leg for _, legs in journeys for leg in legs))


def listed() -> list[str]:
    work = Workspace.open("freight")
    results = read_results(work.store, work.catalog.current("freight"), DATASET)
    return [r.measured.constraint.text for r in results.ranked[: results.shown]]


def test_what_children_come_to_is_listed(project: Path):
    land(project, "2024-01-01", range(250))
    walk("freight")
    land(project, "2024-01-02", range(250, 262))
    walk("freight")
    shown = listed()
    assert "legs.shipment_no ⊆ shipments.shipment_no" in shown
    assert set(shown) >= OF_CHILDREN
    dear = journey(7)[1][-1]
    write_delta(project, "legs", "2024-01-03", LEG, ("update", *dear[1:5], dear[5] + 1))
    walk("freight")
    work = Workspace.open("freight")
    changes = work.catalog.changes("freight", work.catalog.current("freight").number).changes
    broke = {c.measured.constraint.text: c for c in changes if c.transition is Transition.BROKE}
    (witness,) = broke["shipments.freight = sum(legs.cost) (by shipment_no)"].witnesses
    assert witness.broken_by["shipment_no"] == "S00007"
    assert OF_CHILDREN.isdisjoint(set(broke) - {"shipments.freight = sum(legs.cost) (by shipment_no)"})
