"""FDs and UCCs kept over Spark against those kept in one process and the oracle, delta by delta."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta
from oracle.dependencies import functional_dependencies, unique_column_combinations

from profiling_core.maintain.choice import beyond_a_process, stored_engine, suited
from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import FunctionalDependency
from profiling_core.model.dataset import Engine
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark import evidence
from profiling_core.spark.snapshot import read_snapshot

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

COLUMNS = ("id", "city", "zip.code`s", "state", "rank")
EXACT = {"nulls": "sql", "errors": {"fd": 0.0, "ucc": 0.0}}
NEAR = {"nulls": "equal", "errors": {"fd": 0.05, "ucc": 0.02}}
# The last one begins in one process, which is not to hold it any more on the second day.
TABLES = {
    "held": EXACT | {"engine": "agree-sets"},
    "pairs": EXACT | {"engine": "agree-sets-spark"},
    "groups": EXACT | {"engine": "groups-spark"},
    "near_groups": NEAR | {"engine": "groups-spark"},
    "outgrown": NEAR | {"engine": "agree-sets"},
}
FAMILIES = (("held", "pairs", "groups"), ("outgrown", "near_groups"))


def configure(project: Path, tables: dict[str, dict]) -> None:
    source = {"path": "landing", "format": "csv", "kind": "changes"}
    shared = {"source": source, "key": ["id"], "max_predicates": 3, "presented": 200}
    config = {"dataset": "plant", "tables": {name: shared | own for name, own in tables.items()}, "inclusions": "off"}
    write_configuration(project, config)


def land(project: Path, delta: str, rng: random.Random, known: set[int], many: int) -> None:
    changes = []
    for number in rng.sample(range(40), many):
        op = rng.choice(["update", "delete"]) if number in known else "insert"
        city, state = rng.choice(["Köln", "Bonn", ""]), rng.choice("NS")
        # City and state give the rank, but for some faults.
        rank = len(city) + ord(state) if rng.random() < 0.95 else 0
        changes.append((op, number, city, rng.choice([1, 2, ""]), state, rank))
        (known.discard if op == "delete" else known.add)(number)
    write_delta(project, "", delta, ("_op", *COLUMNS), *changes)


@pytest.mark.long
def test_every_version_is_the_same_in_each_way(spark, project, monkeypatch):
    monkeypatch.setattr(evidence, "BLOCK_ROWS", 7)
    monkeypatch.setattr(evidence, "PAIRS_HERE", -1)
    rng, known = random.Random(2), set()  # test data
    second = TABLES | {"outgrown": NEAR | {"engine": "auto", "max_cells": 60}}
    # The first day's rows are compared as pairs of blocks, the second day's broadcast.
    for day, (many, broadcast, tables) in enumerate(((24, 0, TABLES), (9, 20_000, second)), start=1):
        monkeypatch.setattr(evidence, "BROADCAST_ROWS", broadcast)
        spark.conf.set("spark.sql.shuffle.partitions", str(day + 1))
        configure(project, tables)
        land(project, f"day-{day}", rng, known, many)
        walk("plant")
        work = Workspace.open("plant")
        version = work.catalog.current("plant")
        engines = {name: stored_engine(version, name).value for name in TABLES}
        goes_over = {"outgrown": "agree-sets-spark"} if day == 2 else {}
        assert engines == {name: options["engine"] for name, options in TABLES.items()} | goes_over
        for family in FAMILIES:
            expected = expected_dependencies(spark, work, version, family[0])
            assert len(expected) > 7
            for table in family:
                assert dependencies(work, version, table) == expected, table
    assert len(known) * len(COLUMNS) > 60
    findings = verify(work)
    assert len(findings) == 6
    assert all(finding.equal for finding in findings), findings
    for family in FAMILIES:
        for table in family[1:]:
            assert figures(work, table) == figures(work, family[0])


def test_the_way_is_chosen_by_cells_and_by_pairs():
    assert suited(1_000, 100, 100_000)[0] is Engine.AGREE_SETS
    assert suited(1_001, 100, 100_000) == beyond_a_process(1_001, 100, 100_000)
    engine, reason = beyond_a_process(1_001, 100, 100_000)
    assert engine is Engine.AGREE_SETS_SPARK
    assert "1,001 rows by 100 columns are more than max_cells (100,000)" in reason
    assert beyond_a_process(10_000_000, 20, 100_000)[0] is Engine.GROUPS_SPARK


def test_a_table_that_no_process_holds_keeps_its_denial_constraints_while_a_task_holds_some_columns():
    engine, reason = suited(10_000_000, 20, 10**8)
    assert engine is Engine.INDEXED
    assert "10,000,000 rows by 20 columns are more than max_cells" in reason
    assert suited(25_000_001, 20, 10**8) == beyond_a_process(25_000_001, 20, 10**8)
    assert suited(10_000_000, 41, 10**8) == beyond_a_process(10_000_000, 41, 10**8)
    assert suited(400_000, 20, 2 * 10**6) == beyond_a_process(400_000, 20, 2 * 10**6)


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


def expected_dependencies(spark, work, version, table) -> dict:
    schema, options = version.tables[table].schema, TABLES[table]
    nulls, errors = NullSemantics(options["nulls"]), options["errors"]
    snapshot = read_snapshot(spark, work.store, version, table).collect()
    rows = [{name: row[name] for name in schema.names} for row in snapshot]
    fds = functional_dependencies(rows, schema, nulls, max_lhs=2, max_error=errors["fd"])
    uccs = unique_column_combinations(rows, schema, nulls, max_columns=3, max_error=errors["ucc"])
    return fds | {(columns,): count for columns, count in uccs.items()}
