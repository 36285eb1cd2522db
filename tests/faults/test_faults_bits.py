"""Bits that flip anywhere in a home: each is named, or without effect on what anybody is told."""

import random
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from databases.catalogs import tracked
from helpers.crash_walk import Case, state, walk
from helpers.damage import flipped

from faults.figures import Figures
from faults.flows import DATASET
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import StateError
from profiling_core.pipeline.fsck import fsck
from profiling_core.state.settings import Settings


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """Four versions, a decision, and a run that has not committed; the database in one file."""
    case = Case(str(tmp_path / "home"), "", DATASET)
    for number in (1, 2, 3, 4):
        walk(case, number)
    case.settings.catalog().decide(DATASET, Decision(tracked(1)[0].measured.constraint, Verdict.MUTE, "somebody"))
    with sqlite3.connect(case.settings.home / "catalog.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return case.settings


def seen(settings: Settings) -> dict[str, Any]:
    catalog = settings.catalog()
    case = Case(str(settings.home), settings.catalog_url, DATASET)
    decided = [decision.to_json() for decision in catalog.decisions(DATASET)]
    return state(case) | {"decided": decided, "current": catalog.current(DATASET)}


@pytest.mark.parametrize("flips", [24, pytest.param(1000, marks=pytest.mark.faults)])
def test_a_bit_that_flips_anywhere_is_named_or_without_effect(home: Settings, flips: int, figures: Figures) -> None:
    before, chance, ended = seen(home), random.Random(11), Counter[str]()
    # SQLite's files beside the catalog are gone as soon as nobody has it open.
    beside = ("catalog.db-wal", "catalog.db-shm")
    found_there = (path for path in home.home.rglob("*") if path.is_file() and path.name not in beside)
    files = sorted(path for path in found_there if path.stat().st_size)
    sizes = [path.stat().st_size for path in files]
    assert {part for path in files for part in path.parts} >= {
        "rows",
        "results",
        "_manifests",
        "_journal",
        "catalog.db",
    }
    order = chance.sample(files, len(files))
    with figures.timed("bits flipped, each in some file of a home, the catalog included", "SQLite") as found:
        for turn in range(flips):
            # Each file as often as any other in one half, and each byte in the other.
            path = chance.choices(files, sizes)[0] if turn % 2 else order[turn // 2 % len(order)]
            with flipped(path, chance) as place:
                ended[outcome(home, path, before, f"{path}, bit {place}")] += 1
        found |= {"possible": 8 * sum(sizes), "done": flips}
    assert ended["named"] > flips // 3
    assert fsck(home).damage == []


def outcome(home: Settings, path: Path, before: dict[str, Any], what: str) -> str:
    """How a flip ends: named by who reads the file and by fsck, or found equal by all of them."""
    try:
        equal = seen(home) == before
    except StateError as error:
        assert error.where, what  # noqa: PT017 - an equal outcome is as good
        equal = None
    assert equal is not False, what
    named = [damage.where for damage in fsck(home).damage]
    if path.name == "catalog.db":
        assert (equal is None) <= bool(named), what
    elif "_staging" not in path.parts and "artifacts" not in path.parts:
        assert str(path) in named, what
    return "named" if named else "without effect"
