"""`holdfast constraints` tells of inclusions how likely they are foreign keys, and of nothing else."""

import json
from dataclasses import replace

import pytest
from helpers.catalog import CARRIER, DATASET, DISTANCE, seed
from typer.testing import CliRunner

from profiling_core.algorithms.inclusions.foreign_keys import InclusionSide, by_names, read
from profiling_core.cli.main import app
from profiling_core.maintain.inclusion_state import publish_results
from profiling_core.maintain.results import Results
from profiling_core.model.change import ChangeSet
from profiling_core.model.constraint import Measured
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.state.store import Store


@pytest.fixture
def catalog(tmp_path, monkeypatch):
    settings = seed(tmp_path)
    monkeypatch.setenv("HOLDFAST_ROOT", str(settings.root))
    monkeypatch.setenv("HOLDFAST_HOME", str(settings.home))
    monkeypatch.setenv("HOLDFAST_DATASETS", str(settings.datasets_dir))
    monkeypatch.setenv("HOLDFAST_CATALOG", settings.catalog_url)
    return settings


def listed(*arguments):
    shown = CliRunner().invoke(app, ["constraints", "--dataset", DATASET, *arguments])
    assert shown.exit_code == 0, shown.output
    return shown.stdout


def line_of(constraint, shown):
    (line,) = [line for line in shown.splitlines() if constraint.text in line]
    return line


def test_likelihoods_of_foreign_keys_are_listed(catalog):
    assert "foreign key" not in listed()
    measured = Measured(CARRIER, 0, 14, 14, 1.0)
    tables = by_names(
        {
            table: TableSchema(table, (Column("carrier", LogicalType.STRING, ordered=False),))
            for table in ("flights", "airlines")
        }
    )
    sides = {CARRIER.lhs: InclusionSide(14, 900), CARRIER.rhs: InclusionSide(16, 16)}
    reading = read(measured, sides, tables, "typed")
    results = Results({"ind": 1, "exact": 1}, (), (measured,), {}, readings={CARRIER.fingerprint: reading})
    file = publish_results(Store(catalog.home, DATASET), "run-4", results)
    known = catalog.catalog()
    current = known.current(DATASET)
    tracked = known.tracked(DATASET, current.number)
    known.commit(replace(current, number=current.number + 1, run_id="run-4", label="later", arrivals={}, files=(file,)))
    following = [replace(t, version=current.number + 1) for t in tracked]
    known.settle(following, ChangeSet(DATASET, current.number + 1, "run-4", {}, ()))

    shown = listed()
    assert "foreign key" in shown
    assert f" {reading.likelihood:.2f} " in line_of(CARRIER, shown)
    assert f" {reading.likelihood:.2f} " not in line_of(DISTANCE, shown)
    found = {c["measured"]["text"]: c["foreign_key"] for c in json.loads(listed("--json"))["constraints"]}
    assert (found[CARRIER.text], found[DISTANCE.text]) == (reading.likelihood, None)
