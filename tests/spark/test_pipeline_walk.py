"""The whole way of a delta in one process: what is maintained equals what discovery from scratch finds."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta
from oracle.dependencies import functional_dependencies, unique_column_combinations
from oracle.inclusions import inclusion_dependencies

from profiling_core.maintain.counted import discovered, read_cover, read_evidence
from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import DATASET, FunctionalDependency, UniqueColumnCombination
from profiling_core.pipeline import steps
from profiling_core.pipeline.fsck import fsck
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

PEOPLE = ("id", "city", "zip", "age", "height")
VISITS = ("day", "person", "city", "paid")


def configuration(nulls: str, space: str) -> dict:
    tables = {}
    for table, key in (("people", ["id"]), ("visits", [])):
        source = {"path": f"landing/{table}", "format": "csv", "kind": "changes"}
        options = {"source": source, "key": key, "nulls": nulls, "space": space, "max_predicates": 3}
        tables[table] = options | {"max_reject_ratio": 1.0}
    return {"dataset": "clinic", "tables": tables, "alerts": {"min_held_deltas": 1}}


def person(rng: random.Random, number: int) -> tuple:
    return (
        number,
        rng.choice(["Köln", "Bonn", ""]),
        rng.choice([50667, 53111]),
        rng.choice(["", 7, 30]),
        rng.choice([1.5, 1.75]),
    )


def visit(rng: random.Random) -> tuple:
    day = rng.choice(["2024-01-01", "2024-01-02"])
    return (day, rng.randint(1, 9), rng.choice(["Köln", "Ulm"]), rng.choice(["", "1.50", "7.25"]))


class Clinic:
    """Two tables in memory beside the landing files that lead to them."""

    def __init__(self, project: Path, seed: int) -> None:
        self.project, self.rng = project, random.Random(seed)  # test data
        self.people: dict[int, tuple] = {}
        self.visits: list[tuple] = []

    def land_day(self, delta: str, size: int) -> None:
        changes, used = [], set()
        for _ in range(size):
            number = self.rng.choice([n for n in range(1, 12) if n not in used])
            used.add(number)
            row = person(self.rng, number)
            if number not in self.people:
                changes.append(("insert", *row))
                self.people[number] = row
            elif self.rng.random() < 0.5:
                changes.append(("update", *row))
                self.people[number] = row
            else:
                changes.append(("delete", *self.people.pop(number)))
        write_delta(self.project, "people", delta, ("_op", *PEOPLE), *changes)
        write_delta(self.project, "visits", delta, ("_op", *VISITS), *self._visit_changes(size))

    def _visit_changes(self, size: int) -> list[tuple]:
        changes = []
        for _ in range(size):
            if self.visits and self.rng.random() < 0.4:
                row = self.visits.pop(self.rng.randrange(len(self.visits)))
                changes.append(("delete", *row))
            else:
                self.visits.append(visit(self.rng))
                changes.append(("insert", *self.visits[-1]))
        return changes


@pytest.mark.parametrize(
    ("seed", "nulls", "space"), [(1, "sql", "cross"), (2, "equal", "same-column"), (3, "equal", "cross")]
)
def test_maintained_equals_discovered_after_every_delta(spark, project, seed, nulls, space):
    write_configuration(project, configuration(nulls, space))
    clinic = Clinic(project, seed)
    for day, size in (("2024-01-01", 7), ("2024-01-02", 3), ("2024-01-03", 4)):
        clinic.land_day(day, size)
        outcome = walk("clinic", label=day)
        work = Workspace.open("clinic")
        assert outcome["arrived"]["people"]["rows"] == len(clinic.people)
        assert outcome["arrived"]["visits"]["rows"] == len(clinic.visits)
        findings = verify(work)
        engines = {f"{table}: {part}" for table in ("people", "visits") for part in ("evidence", "cover")}
        rules = {f"{table}: rules of rows" for table in ("people", "visits")}  # where a table has some
        assert {finding.subject for finding in findings} - rules == {*engines, "inclusions"}
        assert all(finding.equal for finding in findings), findings
    inclusions = assert_equals_oracle(spark, work)
    assert inclusions or seed != 1  # so that the comparison is not always one of nothing with nothing


def assert_equals_oracle(spark, work: Workspace) -> int:
    version = work.catalog.current("clinic")
    rows = {}
    for table, state in version.tables.items():
        rows[table] = [
            {name: row[name] for name in state.schema.names}
            for row in read_snapshot(spark, work.store, version, table).collect()
        ]
        evidence = read_evidence(work.store, version, table)
        cover = read_cover(work.store, version, table)
        found = discovered(work.config.tables[table], state.space, evidence, cover)
        fds = {(c.lhs.columns, c.rhs.columns[0]) for c in found if isinstance(c, FunctionalDependency)}
        uccs = {c.lhs.columns for c in found if isinstance(c, UniqueColumnCombination)}
        nulls = state.space.nulls
        assert fds == set(functional_dependencies(rows[table], state.schema, nulls, max_lhs=2))
        assert uccs == set(unique_column_combinations(rows[table], state.schema, nulls, max_columns=3))
    schemas = {table: state.schema for table, state in version.tables.items()}
    expected = inclusion_dependencies(rows, schemas, min_coverage=0.95)
    ranked = [r.measured.constraint for r in read_results(work.store, version, DATASET).ranked]
    kept = {constraint.text for constraint in ranked if constraint.kind == "ind"}
    assert kept == {f"{e.table}.{e.column} ⊆ {e.other_table}.{e.other_column}" for e in expected}
    return len(kept)


def test_a_second_run_applies_nothing_and_ends_in_the_same_state(spark, project):
    write_configuration(project, configuration("sql", "same-column"))
    Clinic(project, 5).land_day("2024-01-01", 5)
    first = walk("clinic")
    again = walk("clinic")
    assert again["applied"] == {}
    assert (again["version"], again["run_id"]) == (first["version"], first["run_id"])
    assert len(Workspace.open("clinic").catalog.versions("clinic")) == 1


def test_a_dry_run_says_what_would_change_and_changes_nothing(spark, project):
    write_configuration(project, configuration("sql", "same-column"))
    clinic = Clinic(project, 5)
    clinic.land_day("2024-01-01", 6)
    walk("clinic")
    clinic.land_day("2024-01-02", 4)
    plan = steps.plan("clinic")  # of a run that goes on meanwhile
    for step in (steps.ingest, steps.maintain_table):
        for table in plan["pending"]:
            step("clinic", plan["run_id"], table)
    work = Workspace.open("clinic")
    before = sorted((work.settings.home / "state").rglob("*"))
    preview = walk("clinic", dry_run=True)
    assert sorted((work.settings.home / "state").rglob("*")) == before
    assert preview["version"] == 2
    assert work.catalog.current("clinic").number == 1
    for step in (steps.maintain_inclusions, steps.commit, steps.diff):
        step("clinic", plan["run_id"])
    assert work.catalog.current("clinic").number == 2
    assert fsck(work.settings).damage == []
    changes = work.catalog.changes("clinic", 2).to_json()["changes"]
    assert preview["changes"] == changes


def test_a_rebuild_gives_the_same_state(spark, project):
    write_configuration(project, configuration("equal", "cross"))
    clinic = Clinic(project, 8)
    for day in ("2024-01-01", "2024-01-02"):
        clinic.land_day(day, 5)
        walk("clinic", label=day)
    rebuilt = walk("clinic", rebuild=True)
    work = Workspace.open("clinic")
    assert rebuilt["version"] == 3
    assert work.catalog.current("clinic").tables["people"].rows == len(clinic.people)
    assert all(finding.equal for finding in verify(work))
