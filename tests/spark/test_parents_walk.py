"""Rows computed with their parents on the whole way: listed, kept current, and broken, with the row named."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.maintain.results import read_results
from profiling_core.model.change import Transition
from profiling_core.model.constraint import DATASET
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
CAGE = ("_op", "cage", "smolts", "feeder")
SAMPLE = ("_op", "sample_no", "cage", "dead", "alive", "weight_g")
LEFT = "samples.alive = cages.smolts − dead (by cage)"


@pytest.fixture
def project(project: Path) -> Path:
    keys = {"cages": ["cage"], "samples": ["sample_no"]}
    tables = {
        name: {"source": {"path": f"landing/{name}", "format": "csv", "kind": "changes"}, "key": key}
        for name, key in keys.items()
    }
    write_configuration(project, {"dataset": "farm", "tables": tables})
    return project


def test_what_is_left_of_a_cage_is_kept_and_broken(project: Path):
    rng = random.Random(5)
    cages = [("insert", f"C{i:03}", rng.randrange(60_000, 90_000), rng.choice(["old", "new"])) for i in range(40)]
    samples = []
    for number in range(620):
        _, cage, smolts, _ = rng.choice(cages)
        dead = rng.randrange(1, 9_000)
        samples.append(("insert", f"S{number:05}", cage, dead, smolts - dead, rng.randrange(80, 3_000)))
    write_delta(project, "cages", "2024-01-01", CAGE, *cages)
    write_delta(project, "samples", "2024-01-01", SAMPLE, *samples[:600])
    walk("farm")
    write_delta(project, "samples", "2024-01-02", SAMPLE, *samples[600:])
    walk("farm")
    work = Workspace.open("farm")
    results = read_results(work.store, work.catalog.current("farm"), DATASET)
    measured = {r.measured.constraint.text: r.measured for r in results.ranked[: results.shown]}
    assert (measured[LEFT].violations, measured[LEFT].population) == (0, 620)

    _, number, cage, dead, alive, weight = samples[3]
    write_delta(project, "samples", "2024-01-03", SAMPLE, ("update", number, cage, dead, alive - 10, weight))
    walk("farm")
    work = Workspace.open("farm")
    changes = work.catalog.changes("farm", work.catalog.current("farm").number).changes
    (broke,) = (c for c in changes if c.transition is Transition.BROKE and c.measured.constraint.text == LEFT)
    assert broke.measured.violations == 1
    (witness,) = broke.witnesses
    assert witness.broken_by["sample_no"] == number
