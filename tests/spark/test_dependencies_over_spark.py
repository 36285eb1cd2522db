"""FDs and UCCs kept over Spark against those kept in one process and the oracle, delta by delta."""

import csv
import random
from pathlib import Path

import pytest
import yaml
from oracle.dependencies import functional_dependencies, unique_column_combinations

from profiling_core.maintain.choice import beyond_a_process, stored_engine, suited
from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import FunctionalDependency
from profiling_core.model.dataset import Engine
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark import agreeing_pairs, evidence
from profiling_core.spark.snapshot import read_snapshot

pytestmark = pytest.mark.spark

COLUMNS = ("id", "city", "zip.code`s", "state", "rank")
WAYS = {"held": "agree-sets", "pairs": "agree-sets-spark", "groups": "groups-spark"}


def configure(project: Path, nulls: str, errors: dict[str, float], ways: dict[str, str]) -> None:
    tables = {}
    for table, engine in ways.items():
        source = {"path": "landing", "format": "csv", "kind": "changes"}
        tables[table] = {"source": source, "key": ["id"], "nulls": nulls, "engine": engine, "max_predicates": 3}
        tables[table] |= {"errors": errors, "presented": 200}
    config = {"dataset": "plant", "tables": tables, "inclusions": "off"}
    path = project / "dags" / "datasets" / "plant.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")


def land(project: Path, delta: str, rng: random.Random, known: set[int], many: int) -> None:
    changes = []
    for number in rng.sample(range(40), many):
        op = rng.choice(["update", "delete"]) if number in known else "insert"
        values = (rng.choice(["Köln", "Bonn", ""]), rng.choice([1, 2, ""]), rng.choice("NS"), rng.randrange(6))
        changes.append((op, number, *values))
        (known.discard if op == "delete" else known.add)(number)
    path = project / "landing" / f"{delta}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("_op", *COLUMNS), *changes])


@pytest.mark.parametrize(
    ("nulls", "errors", "blocks"),
    [("sql", {"fd": 0.0, "ucc": 0.0}, 20_000), ("equal", {"fd": 0.05, "ucc": 0.02}, 0)],
    ids=["sql, exact, small deltas broadcast", "equal, approximate, pairs of blocks"],
)
def test_every_version_is_the_same_in_each_way(spark, tmp_path, monkeypatch, nulls, errors, blocks):
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    monkeypatch.setattr(evidence, "BROADCAST_ROWS", blocks)
    monkeypatch.setattr(evidence, "BLOCK_ROWS", 7)
    monkeypatch.setattr(agreeing_pairs, "SETS_PER_JOB", 11)
    rng, known = random.Random(2), set()  # test data
    for day, many in enumerate((24, 9), start=1):
        spark.conf.set("spark.sql.shuffle.partitions", str(day + 1))
        configure(tmp_path, nulls, errors, WAYS)
        land(tmp_path, f"day-{day}", rng, known, many)
        walk("plant")
        work = Workspace.open("plant")
        version = work.catalog.current("plant")
        assert {t: stored_engine(version, t).value for t in WAYS} == WAYS
        found = {table: dependencies(work, version, table) for table in WAYS}
        assert found["held"] == expected(spark, work, version, NullSemantics(nulls), errors)
        assert found["pairs"] == found["groups"] == found["held"]
    findings = verify(work)
    assert len(findings) == 4
    assert all(finding.equal for finding in findings), findings
    assert figures(work, "groups") == figures(work, "pairs") == figures(work, "held")


def test_a_table_that_no_process_is_to_hold_goes_over_to_spark(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    rng, known = random.Random(4), set()  # test data
    configure(tmp_path, "sql", {}, {"held": "agree-sets"})
    land(tmp_path, "day-1", rng, known, 12)
    walk("plant")
    path = tmp_path / "dags" / "datasets" / "plant.yaml"
    changed = path.read_text(encoding="utf-8").replace("engine: agree-sets", "engine: auto\n    max_cells: 60")
    path.write_text(changed, encoding="utf-8")
    land(tmp_path, "day-2", rng, known, 25)
    walk("plant")
    work = Workspace.open("plant")
    version = work.catalog.current("plant")
    assert len(known) * len(COLUMNS) > 60
    assert stored_engine(version, "held") is Engine.AGREE_SETS_SPARK
    assert dependencies(work, version, "held") == expected(spark, work, version, NullSemantics.SQL, {})


def test_the_way_is_chosen_by_cells_and_by_pairs():
    assert suited(1_000, 100, 100_000)[0] is Engine.AGREE_SETS
    assert suited(1_001, 100, 100_000) == beyond_a_process(1_001, 100, 100_000)
    engine, reason = beyond_a_process(1_001, 100, 100_000)
    assert engine is Engine.AGREE_SETS_SPARK
    assert "1,001 rows by 100 columns are more than max_cells (100,000)" in reason
    assert beyond_a_process(10_000_000, 20, 100_000)[0] is Engine.GROUPS_SPARK


def dependencies(work, version, table) -> dict:
    results = read_results(work.store, version, table)
    assert results.counts["fd"] + results.counts["ucc"] == len(results.ranked)
    return {sides(r.measured.constraint): r.measured.violations for r in results.ranked}


def sides(constraint) -> tuple:
    rhs = constraint.rhs.columns if isinstance(constraint, FunctionalDependency) else ()
    return (constraint.lhs.columns, *rhs)


def figures(work, table) -> dict:
    tracked = [t.measured for t in work.catalog.tracked("plant") if t.measured.constraint.tables == (table,)]
    return {
        sides(m.constraint): (m.violations, m.population, m.support) for m in tracked if hasattr(m.constraint, "lhs")
    }


def expected(spark, work, version, nulls, errors) -> dict:
    table = next(iter(version.tables))
    schema = version.tables[table].schema
    snapshot = read_snapshot(spark, work.store, version, table).collect()
    rows = [{name: row[name] for name in schema.names} for row in snapshot]
    fds = functional_dependencies(rows, schema, nulls, max_lhs=2, max_error=errors.get("fd", 0.0))
    uccs = unique_column_combinations(rows, schema, nulls, max_columns=3, max_error=errors.get("ucc", 0.0))
    return fds | {(columns,): count for columns, count in uccs.items()}
