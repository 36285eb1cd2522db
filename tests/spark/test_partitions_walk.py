"""A table on its way through the partitions engine, from counted and back, against the oracle after every delta."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta
from oracle import dependencies as naive

from profiling_core.algorithms.dependencies.upkeep.partition_table import PartitionTable
from profiling_core.maintain.agreeing import bounds_of
from profiling_core.maintain.choice import stored_engine, suited
from profiling_core.maintain.partitioned import ROLE
from profiling_core.maintain.results import read_results
from profiling_core.maintain.state_files import read_arrays
from profiling_core.model.constraint import FunctionalDependency, UniqueColumnCombination
from profiling_core.model.dataset import Engine
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

COLUMNS = ("id", "city", "zip.code`s", "state")
ENGINES = ("counted", "partitions", "partitions", "partitions", "counted")
MAX_ERROR = 0.02
CELLS = 100_000_000  # more than any here


def configure(project: Path, engine: str) -> None:
    table = {
        "source": {"path": "landing"},
        "key": ["id"],
        "space": "same-column",
        "max_predicates": 3,
        "max_reject_ratio": 1.0,
        "errors": {"fd": MAX_ERROR},
        "engine": engine,
    }
    config = {"dataset": "town", "tables": {"people": table}, "alerts": {"min_held_deltas": 1}, "inclusions": "off"}
    write_configuration(project, config)


def land(project: Path, delta: str, known: set[int], rng: random.Random) -> None:
    changes = []
    for number in rng.sample(range(45), 20):
        op = rng.choice(["update", "delete"]) if number in known else "insert"
        city = rng.randrange(4)
        changes.append((op, number, f"c{city}", rng.choice(["", f"{city}0", "11"]), "x" if city < 2 else "y"))
        (known.discard if op == "delete" else known.add)(number)
    write_delta(project, "", delta, ("_op", *COLUMNS), *changes)


@pytest.mark.spark
@pytest.mark.usefixtures("without_suites")
def test_dependencies_stay_the_oracles(spark, project):
    known, rng = set(), random.Random(6)  # test data
    for day, engine in enumerate(ENGINES):
        configure(project, engine)
        land(project, f"2024-01-0{day + 1}", known, rng)
        outcome = walk("town", label=f"2024-01-0{day + 1}")
        work = Workspace.open("town")
        version = work.catalog.current("town")
        assert stored_engine(version, "people") is Engine(engine)
        assert outcome["arrived"]["people"]["rows"] == len(known)
        snapshot = read_snapshot(spark, work.store, version, "people").collect()
        rows = [{name: row[name] for name in COLUMNS} for row in snapshot]
        assert_followed(work, version, rows)
        if engine == "partitions":
            assert_found(work, version, rows)
            findings = verify(work)
            assert "people: dependencies" in [finding.subject for finding in findings]
            assert all(finding.equal for finding in findings), findings


def assert_found(work, version, rows) -> None:
    """The stored dependencies are those of the rows."""
    state = version.tables["people"]
    arrays = {name: array for name, (_, array) in read_arrays(work.store, version.files_of(ROLE, "people")).items()}
    table = PartitionTable.from_arrays(arrays, state.space, bounds=bounds_of(work.config.tables["people"], state.space))
    fds = naive.functional_dependencies(rows, state.schema, NullSemantics.SQL, max_lhs=2, max_error=MAX_ERROR)
    found = table.functional_dependencies()
    assert {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]): m.violations for m in found} == fds
    uccs = naive.unique_column_combinations(rows, state.schema, NullSemantics.SQL, max_columns=3)
    assert {m.constraint.lhs.columns for m in table.unique_column_combinations()} == set(uccs)
    assert read_results(work.store, version, "people").counts["fd"] == len(fds)


def assert_followed(work, version, rows) -> None:
    """The figures of what is followed, dependencies of former days that are violated now among it, are the rows'."""
    followed = [
        m for m in read_results(work.store, version, "people").tracked if m.population == len(rows) * (len(rows) - 1)
    ]
    for m in followed:
        if isinstance(m.constraint, FunctionalDependency):
            lhs, rhs = m.constraint.lhs.columns, m.constraint.rhs.columns[0]
            assert m.violations == naive.fd_violations(rows, lhs, rhs, NullSemantics.SQL)
        elif isinstance(m.constraint, UniqueColumnCombination):
            assert m.violations == naive.ucc_violations(rows, m.constraint.lhs.columns, NullSemantics.SQL)


def test_wide_tables_of_many_rows_go_by_partitions():
    engine, reason = suited(300_000, 60, CELLS)
    assert engine is Engine.PARTITIONS
    assert "44,999,850,000 pairs" in reason
    assert suited(30_000, 60, CELLS)[0] is Engine.AGREE_SETS
    assert suited(300_000, 30, CELLS)[0] is Engine.INDEXED
