"""The gate: work behind it runs when the dataset is there and clean, not when something that matters is violated."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.airflow_database import migrated
from helpers.catalog import DATASET, DISTANCE, LABELS, seed

from profiling_core.cli.airflow_environment import environment
from profiling_core.model.change import ChangeSet
from profiling_core.model.constraint import ColumnList, FunctionalDependency
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.version import HELD

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
OPEN = {"gate": "success", "work": "success"}
CLOSED = {"gate": "failed", "work": "upstream_failed"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    made = seed(tmp_path_factory.mktemp("gated"))
    migrated(made, tmp_path_factory)
    return made


@pytest.fixture
def run(settings):
    """Runs the DAG in one process with each gate's options: what became of the tasks each time, and the log."""
    dags = {"AIRFLOW__CORE__DAGS_FOLDER": str(Path(__file__).with_name("gated")), "GATE_OPTIONS": "{}"}
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("open_gate.py"))],
        env=environment(settings) | dags,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )

    def ran(*gates: dict) -> tuple[list[dict[str, str]], str]:
        process.stdin.write(json.dumps([{"dataset": DATASET, **gate} for gate in gates]) + "\n")
        process.stdin.flush()
        log = ""
        for line in process.stdout:
            if line.startswith("STATES "):
                return json.loads(line.removeprefix("STATES ")), log
            log += line
        raise AssertionError(log[-4000:])

    yield ran
    process.stdin.close()
    process.wait(60)


def test_work_behind_the_gate_runs_when_nothing_that_matters_is_violated(settings, run):
    gates = {"delta": LABELS[-1]}, {"skip": True}, {"tables": ["airlines"]}, {"delta": "9999-12-31"}
    states, log = run(*gates)
    assert states == [CLOSED, {"gate": "skipped", "work": "skipped"}, OPEN, CLOSED]
    assert "The gate is closed" in log
    assert DISTANCE.text in log
    assert f"Waiting for 9999-12-31 of {DATASET}" in log

    # What was decided under the column's former name stands.
    path = settings.datasets_dir / f"{DATASET}.yaml"
    renamed = "key: [flight], columns: {distance: {renamed_from: miles}}"
    path.write_text(path.read_text("utf-8").replace("key: [flight]", renamed), "utf-8")
    former = FunctionalDependency(DISTANCE.lhs, ColumnList("flights", ("miles",)))
    settings.catalog().decide(DATASET, Decision(former, Verdict.MUTE, "ana"))
    states, _ = run({})
    assert states == [OPEN]

    # A table whose delta is refused waits, and with it what is behind its gate; the others' gates are open.
    catalog = settings.catalog()
    before = catalog.current(DATASET)
    held = settings.store(DATASET).publish_json("run-held", "airlines", HELD, {})
    number = before.number + 1
    catalog.commit(replace(before, number=number, run_id="run-held", arrivals={}, files=(*before.files, held)))
    changes = ChangeSet(DATASET, number, "run-held", {}, (), ())
    catalog.settle(catalog.tracked(DATASET, before.number), changes, [], ())
    states, log = run({}, {"tables": ["airlines"]}, {"tables": ["flights"]})
    assert states == [CLOSED, CLOSED, OPEN]
    assert f"Waiting for airlines of {DATASET}: its delta is refused." in log
