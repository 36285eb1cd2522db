"""An order within a row that only chance has kept is broken without a word; one that somebody keeps is told."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.model.change import Change, Transition
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import rows_set_aside

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
COLUMNS = ("_op", "id", "struck", "runs", "due", "paid")
BY_CHANCE, KEPT = "runs ≤ struck", "paid ≤ due"


def season(number: int, **wrong: float) -> tuple:
    """A player's season: fewer runs than strokes, as it happens, and no more paid than is due."""
    rng = random.Random(number)
    struck, due = 1 + int(rng.expovariate(1 / 150)), rng.randint(100, 90_000)
    row = {
        "_op": "insert",
        "id": number,
        "struck": struck,
        "runs": sum(rng.random() < 0.2 for _ in range(struck)),
        "due": due / 100,
        "paid": rng.choice((due, due, due // 2, rng.randint(0, due))) / 100,
    }
    return tuple((row | wrong)[name] for name in COLUMNS)


def changes(transition: Transition) -> dict[str, Change]:
    found = Workspace.open("league").catalog.changes("league", 2)
    assert found
    return {c.measured.constraint.text: c for c in found.changes if c.transition is transition}


def test_what_only_chance_has_kept_is_broken_in_silence_and_no_row_is_set_aside_for_it(project: Path):
    source = {"path": "landing/seasons", "format": "csv", "kind": "changes"}
    table = {"source": source, "key": ["id"], "policy": "quarantine"}
    write_configuration(project, {"dataset": "league", "tables": {"seasons": table}})
    write_delta(project, "seasons", "1990-01-01", COLUMNS, *(season(i) for i in range(1, 1200)))
    walk("league")
    wrong = [season(5_001, struck=3, runs=4), season(5_002, due=50.0, paid=51.0)]
    write_delta(project, "seasons", "1991-01-01", COLUMNS, *(season(i) for i in range(1200, 1260)), *wrong)
    walk("league")
    assert [(text, change.alerts) for text, change in changes(Transition.SPARED).items()] == [(KEPT, True)]
    assert changes(Transition.BROKE)[BY_CHANCE].alerts is False
    work = Workspace.open("league")
    assert rows_set_aside(work.store, work.catalog.current("league"), "seasons") == 1
