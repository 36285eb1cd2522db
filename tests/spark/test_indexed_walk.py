"""A table on its way through the indexed engine, from counted and back, against the oracle after every delta."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta
from oracle import denial
from oracle import predicates as naive

from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.maintain.choice import stored_engine
from profiling_core.maintain.counted import read_cover
from profiling_core.model.constraint import as_denial_constraint
from profiling_core.model.dataset import Engine
from profiling_core.model.errors import StateError
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

COLUMNS = ("id", "city", "zip", "born", "moved")
ENGINES = {"sql": ("counted", "indexed", "indexed", "indexed", "counted"), "equal": ("indexed", "indexed", "counted")}


def configure(project: Path, engine: str, nulls: str) -> None:
    table = {
        "source": {"path": "landing"},
        "key": ["id"],
        "nulls": nulls,
        "shared_values": 0.1,
        "max_predicates": 2,
        "engine": engine,
    }
    config = {"dataset": "town", "tables": {"people": table}, "alerts": {"min_held_deltas": 1}, "inclusions": "off"}
    write_configuration(project, config)


def person(rng: random.Random) -> tuple:
    zip_code = rng.choice([50667, 53111, 10115, ""])
    return (rng.choice(["Köln", "Bonn", "Berlin"]), zip_code, rng.choice([1, 2, 3]), rng.choice([2, 3, 4]))


def land(project: Path, delta: str, rng: random.Random, known: set[int]) -> None:
    changes = []
    for number in rng.sample(range(24), 9):
        op = rng.choice(["update", "delete"]) if number in known else "insert"
        changes.append((op, number, *person(rng)))
        (known.discard if op == "delete" else known.add)(number)
    write_delta(project, "", delta, ("_op", *COLUMNS), *changes)


@pytest.mark.parametrize("nulls", ENGINES)
def test_every_version_equals_the_oracle_whatever_the_engine(spark, project, nulls):
    rng, known = random.Random(11), set()  # test data
    for day, engine in enumerate(ENGINES[nulls], start=1):
        configure(project, engine, nulls)
        land(project, f"day-{day}", rng, known)
        walk("town")
        work = Workspace.open("town")
        version = work.catalog.current("town")
        assert stored_engine(version, "people") is Engine(engine)
        assert_equals_oracle(spark, work, version)
    assert all(finding.equal for finding in verify(work))


def test_a_state_that_another_release_wrote_is_an_error_until_it_is_rebuilt(spark, project, monkeypatch):
    rng, known = random.Random(12), set()  # test data
    configure(project, "indexed", "sql")
    land(project, "day-1", rng, known)
    arrays = IndexedTable.arrays
    with monkeypatch.context() as another:
        another.setattr(IndexedTable, "arrays", lambda table: {n: a for n, a in arrays(table).items() if n != "bound"})
        walk("town")
    land(project, "day-2", rng, known)
    with pytest.raises(StateError, match="'people' was written by another release: it has no 'bound'") as refused:
        walk("town")
    assert refused.value.remedy == "derive the state anew with: holdfast rebuild --dataset town"
    walk("town", rebuild=True)
    walk("town")
    work = Workspace.open("town")
    assert_equals_oracle(spark, work, work.catalog.current("town"))


def assert_equals_oracle(spark, work: Workspace, version) -> None:
    state = version.tables["people"]
    found = read_snapshot(spark, work.store, version, "people").collect()
    rows = [{name: row[name] for name in state.schema.names} for row in found]
    evidence = naive.evidence(rows, state.space)
    cover = denial.set_minimal_cover(evidence, state.space, 2)
    if stored_engine(version, "people") is Engine.COUNTED:  # keeps the maximal one
        cover = denial.weakest(cover, state.space)
    assert sorted(read_cover(work.store, version, "people")) == sorted(cover)
    tracked = work.catalog.tracked("town")
    assert tracked
    for t in tracked:
        wanted = as_denial_constraint(t.measured.constraint)
        positions = {state.space.index[p] for p in wanted.predicates}
        pairs = sum(count for satisfied, count in evidence.items() if positions <= set(satisfied))
        expected = pairs // (len(rows) - 1) if wanted.is_single_row else pairs
        assert t.measured.violations == expected, t.measured.constraint.text
