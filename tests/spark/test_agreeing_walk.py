"""A wide table on its whole way through the agree-set engine, and a change of engine, against discovery and oracle."""

import random
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta
from oracle.dependencies import functional_dependencies, unique_column_combinations

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.maintain import choice
from profiling_core.maintain.agreeing import bounds_of, read_state
from profiling_core.maintain.choice import stored_engine
from profiling_core.model.dataset import Engine
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import read_snapshot

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]

# Beyond 20 columns covers are kept by right side.
WIDE = 21
PLANS = {"narrow": ("id", "city", "zip.code`s", "state"), "wide": ("id", *(f"c{i}" for i in range(WIDE)))}


def configure(project: Path, narrow_engine: str) -> None:
    tables = {}
    for table, engine in (("narrow", narrow_engine), ("wide", "auto")):
        source = {"path": f"landing/{table}", "format": "csv", "kind": "changes"}
        options = {"source": source, "key": ["id"], "nulls": "sql", "space": "same-column", "engine": engine}
        tables[table] = options | {"max_predicates": 3, "max_reject_ratio": 1.0, "errors": {"fd": 0.02}}
    config = {"dataset": "plant", "tables": tables, "inclusions": "off", "alerts": {"min_held_deltas": 1}}
    write_configuration(project, config)


def value(rng: random.Random, column: int) -> str:
    return rng.choice(["", "a", "b"]) if column % 5 == 0 else str(rng.randrange(1 + column % 7))


class Plant:
    """Two tables in memory beside the landing files that lead to them."""

    def __init__(self, project: Path) -> None:
        self.project, self.rng = project, random.Random(4)  # test data
        self.tables: dict[str, set[int]] = {table: set() for table in PLANS}

    def land(self, delta: str, many: int) -> None:
        for table, columns in PLANS.items():
            known = self.tables[table]
            changes = []
            for number in self.rng.sample(range(3 * many), many):
                op = self.rng.choice(["update", "delete"]) if number in known else "insert"
                changes.append((op, number, *(value(self.rng, i) for i in range(len(columns) - 1))))
                (known.discard if op == "delete" else known.add)(number)
            write_delta(self.project, table, delta, ("_op", *columns), *changes)


def test_wide_tables_and_changes_of_engine(spark, project, monkeypatch):
    monkeypatch.setattr(choice, "WIDE_COLUMNS", WIDE)
    plant = Plant(project)
    for day, engine in (("2024-01-01", "counted"), ("2024-01-02", "agree-sets")):
        configure(project, engine)
        plant.land(day, 8)
        outcome = walk("plant", label=day)
        work = Workspace.open("plant")
        version = work.catalog.current("plant")
        assert stored_engine(version, "wide") is Engine.AGREE_SETS
        assert stored_engine(version, "narrow") is Engine(engine)
        assert {t: outcome["arrived"][t]["rows"] for t in PLANS} == {t: len(n) for t, n in plant.tables.items()}
    findings = verify(work)
    assert len(findings) == 4
    assert all(finding.equal for finding in findings), findings
    assert {t.measured.constraint.tables[0] for t in work.catalog.tracked("plant")} == set(PLANS)
    for table in PLANS:
        assert_equals_oracle(spark, work, version, table)


def assert_equals_oracle(spark, work, version, table) -> None:
    state, options = version.tables[table], work.config.tables[table]
    arrays = read_state(work.store, version.files, table)
    engine = AgreeSetEngine(AgreeSetState.from_arrays(arrays, state.space), bounds_of(options, state.space))
    snapshot = read_snapshot(spark, work.store, version, table).collect()
    rows = [{name: row[name] for name in state.schema.names} for row in snapshot]
    fds = functional_dependencies(rows, state.schema, NullSemantics.SQL, max_lhs=2, max_error=0.02)
    found = engine.functional_dependencies()
    assert {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]): m.violations for m in found} == fds
    uccs = unique_column_combinations(rows, state.schema, NullSemantics.SQL, max_columns=3)
    assert {m.constraint.lhs.columns for m in engine.unique_column_combinations()} == set(uccs)
    tracked = {t.measured.constraint.fingerprint: t for t in work.catalog.tracked("plant")}
    for m in found:
        if m.constraint.fingerprint in tracked:
            assert tracked[m.constraint.fingerprint].measured.violations == m.violations
