"""Tables are maintained by each engine, and pass from one to another; the results equal discovery and the oracle.

A day changes rows at random. Beyond ``WIDE`` columns covers are kept by right side.
"""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta
from oracle import predicates as naive

from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.maintain import choice
from profiling_core.maintain.choice import stored_engine, suited
from profiling_core.model.constraint import Kind, as_denial_constraint
from profiling_core.model.dataset import Engine
from profiling_core.model.errors import StateError
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import snapshot_rows

WIDE = 21
TOWN = ("city", "zip.code`s", "born", "moved")
PLANT = tuple(f"c{i}" for i in range(WIDE))
# Engines of the days, the meaning of nulls, the space, and the columns beside the key.
WAYS = {
    "indexed": ("counted indexed indexed indexed counted", "sql", "cross", TOWN),
    "indexed from the first day": ("indexed indexed counted", "equal", "cross", TOWN),
    "partitions": ("counted partitions partitions partitions counted", "sql", "same-column", TOWN),
    "agree sets": ("counted agree-sets agree-sets counted", "sql", "same-column", TOWN),
    "many columns": ("agree-sets agree-sets", "sql", "same-column", PLANT),
}


class Table:
    """A table in memory beside the landing files that lead to it."""

    def __init__(self, project: Path, nulls: str, space: str, columns: tuple[str, ...]) -> None:
        self.project, self.columns, self.rng = project, columns, random.Random(11)  # test data
        self.options = {"nulls": nulls, "space": space, "shared_values": 0.1, "max_predicates": 2}
        self.options |= {"max_reject_ratio": 1.0, "errors": {"fd": 0.02}}
        self.known: set[int] = set()

    def land(self, day: str, engine: str) -> None:
        table = self.options | {"source": {"path": "landing"}, "key": ["id"], "engine": engine}
        config = {"dataset": "town", "tables": {"people": table}, "alerts": {"min_held_deltas": 1}, "inclusions": "off"}
        write_configuration(self.project, config)
        changes = []
        for number in self.rng.sample(range(30), 11):
            operation = self.rng.choice(["update", "delete"]) if number in self.known else "insert"
            changes.append((operation, number, *self.values()))
            (self.known.discard if operation == "delete" else self.known.add)(number)
        write_delta(self.project, "", day, ("_op", "id", *self.columns), *changes)

    def values(self) -> list[object]:
        if len(self.columns) < WIDE:
            city = self.rng.randrange(3)
            zip_code = self.rng.choice([50667 + city, 10115, ""])
            return [("Köln", "Bonn", "Berlin")[city], zip_code, self.rng.choice([1, 2, 3]), self.rng.choice([2, 3, 4])]
        return [self.rng.choice(["", "a", "b"]) if i % 5 == 0 else self.rng.randrange(1 + i % 7) for i in range(WIDE)]


@pytest.mark.spark
@pytest.mark.usefixtures("without_suites")
@pytest.mark.parametrize("way", WAYS)
def test_each_version_is_that_of_discovery_whatever_the_engine(project, monkeypatch, way):
    monkeypatch.setattr(choice, "WIDE_COLUMNS", WIDE)
    engines, *options = WAYS[way]
    table = Table(project, *options)
    for day, (engine, following) in enumerate(pairwise([*engines.split(), ""]), start=1):
        table.land(f"day-{day}", "auto" if table.columns == PLANT else engine)
        outcome = walk("town")
        work = Workspace.open("town")
        assert stored_engine(work.catalog.current("town"), "people") is Engine(engine)
        assert outcome["arrived"]["people"]["rows"] == len(table.known)
        assert_followed_as_the_oracle_counts(work)
        if engine != following:
            findings = verify(work)
            assert findings
            assert all(finding.equal for finding in findings), findings


def assert_followed_as_the_oracle_counts(work: Workspace) -> None:
    """Followed constraints that are violated are counted, too."""
    version = work.catalog.current("town")
    state = version.tables["people"]
    rows = snapshot_rows(work.spark("tests"), work.store, version, "people").read(state.schema.names).to_pylist()
    kinds = {Kind.DC, Kind.FD, Kind.UCC}
    followed = [m for t in work.catalog.tracked("town") if (m := t.measured).constraint.kind in kinds]
    assert followed
    for m in followed:
        expected = naive.violations(as_denial_constraint(m.constraint), rows, state.space.nulls)[0]
        assert m.violations == expected, m.constraint.text


@pytest.mark.spark
@pytest.mark.usefixtures("without_suites")
def test_a_state_that_another_release_wrote_is_an_error_until_it_is_rebuilt(project, monkeypatch):
    table, arrays = Table(project, "sql", "cross", TOWN), IndexedTable.arrays
    table.land("day-1", "indexed")
    with monkeypatch.context() as another:
        another.setattr(IndexedTable, "arrays", lambda table: {n: a for n, a in arrays(table).items() if n != "bound"})
        walk("town")
    table.land("day-2", "indexed")
    with pytest.raises(StateError, match="'people' was written by another release: it has no 'bound'") as refused:
        walk("town")
    assert refused.value.remedy == "derive the state anew with: holdfast rebuild --dataset town"
    walk("town", rebuild=True)
    walk("town")
    assert all(finding.equal for finding in verify(Workspace.open("town")))


def test_wide_tables_of_many_rows_go_by_partitions():
    cells = 100_000_000  # more than any here
    engine, reason = suited(300_000, 60, cells)
    assert engine is Engine.PARTITIONS
    assert "44,999,850,000 pairs" in reason
    assert suited(30_000, 60, cells)[0] is Engine.AGREE_SETS
    assert suited(300_000, 30, cells)[0] is Engine.INDEXED
