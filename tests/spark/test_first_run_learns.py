"""A first run of many deltas learns from each of them: what is usual for a load, and for how long rules have held."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from helpers.landing import write_configuration
from helpers.project import write_csv

from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

DAYS = 30
CITIES = {"Ulm": "BW", "Bonn": "NW", "Köln": "NW", "Trier": "RP"}


def load(day: int, cities: tuple[str, ...] = tuple(CITIES)) -> list[dict[str, Any]]:
    """A day's orders; each city has some."""
    draw = random.Random(day)
    named = [cities[number % len(cities)] for number in range(40 + draw.randrange(9))]
    return [
        {"id": day * 100 + number, "city": city, "state": CITIES[city], "cents": draw.randrange(100, 9_000)}
        for number, city in enumerate(named)
    ]


def in_files(root: Path, day: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    path = root / "landing" / f"2024-{4 + day // 28:02}-{1 + day % 28:02}.csv"
    path.parent.mkdir(exist_ok=True)
    write_csv(path, rows)
    return {"path": "landing", "kind": "append"}


def in_a_delta_table(root: Path, _: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(root / "lake", pa.Table.from_pylist(rows), mode="append")
    return {"path": "lake", "format": "delta", "history": 60}


@pytest.mark.parametrize("land", [in_files, in_a_delta_table])
def test_the_day_after_the_first_run_is_judged_by_all_days_before(
    spark: "SparkSession", project: Path, land: Callable[[Path, int, list[dict[str, Any]]], dict[str, Any]]
) -> None:
    for day in range(DAYS):
        source = land(project, day, load(day))
    table = {"source": source, "key": ["id"], "space": "same-column", "max_predicates": 3}
    write_configuration(project, {"dataset": "shop", "tables": {"orders": table}, "inclusions": "off"})
    first = walk("shop")
    assert len(first["applied"]["orders"]) == DAYS
    land(project, DAYS, load(DAYS, ("Ulm", "Bonn", "Trier")))
    walk("shop")
    work = Workspace.open("shop")
    changes = work.catalog.changes("shop", 2)
    assert any("Köln" in finding.headline for finding in changes.findings), changes.findings
    held = {t.measured.constraint.text: t.held_deltas for t in work.catalog.tracked("shop", 2)}
    assert held["{city} → state"] == DAYS + 1
