"""Two days of a small dataset through its DAG, by ``dag.test`` with real Spark and Great Expectations."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.airflow_database import migrated
from helpers.shop import DATASET, DAYS, make_shop

from profiling_core.cli.airflow_environment import environment

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.slow]
RULE = "{zip} → city"
CONFS = (
    {"delta": DAYS[0]},
    {"delta": DAYS[1], "mode": "dry run"},
    {"delta": DAYS[1]},
    {"delta": DAYS[1]},
    {"delta": "no delta id"},
    {"delta": "2023-12-31"},
    {"delta": DAYS[2], "mode": "dry run"},
    {"delta": DAYS[2]},
    {"delta": DAYS[2], "mode": "dry run"},
    {"delta": DAYS[2]},
)
STEPS = ("commit", "diff", "emit", "validate", "alert")


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """On the third day no order can be read: each amount is a word."""
    place = tmp_path_factory.mktemp("shop")
    settings = make_shop(place, DAYS)
    orders = place / "landing" / "orders" / f"{DAYS[2]}.csv"
    orders.write_text("_op,order,customer,amount\ninsert,o900,c01,many\n", "utf-8")
    return settings


@pytest.fixture(scope="module")
def runs(settings, tmp_path_factory):
    answer = tmp_path_factory.mktemp("answer") / "runs.json"
    variables = environment(settings) | {"PYTHONWARNINGS": "ignore"}
    migrated(settings, tmp_path_factory)
    program = Path(__file__).with_name("run_dag.py")
    done = subprocess.run(
        [sys.executable, str(program), str(answer), *(json.dumps(conf) for conf in CONFS)],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    answer.with_name("run.log").write_text(done.stdout + done.stderr, "utf-8")  # what to read when a run failed
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return json.loads(answer.read_text("utf-8"))


def states(run, *tasks):
    return [run["tasks"][task][""] for task in tasks]


def test_the_first_day_walks_every_step_per_table(runs):
    first = runs[0]
    assert first["state"] == "success"
    for task in ("ingest", "maintain_table"):
        assert first["tasks"][task] == {"customers": "success", "orders": "success"}
    assert states(first, "plan", "maintain_inclusions", *STEPS) == ["success"] * 7
    assert first["version"] == 1


def test_a_dry_run_reports_and_changes_nothing(runs):
    dry = runs[1]
    assert dry["version"] == 1
    assert states(dry, *STEPS) == ["skipped"] * 5
    assert RULE in [change["after"]["text"] for change in dry["preview"]["changes"] if change["transition"] == "broke"]
    assert dry["events"] == []


def test_the_second_day_breaks_the_rule_and_tells_whoever_waits_for_the_asset(runs):
    second = runs[2]
    assert second["state"] == "success"
    assert second["version"] == 2
    assert len(second["events"]) == 1
    summary = second["events"][0]
    assert summary["version"] == 2
    assert summary["broke"] >= 1
    assert RULE in summary["broken"]
    assert summary["arrived"]["customers"]["updates"] == 1


def test_the_second_day_is_in_the_catalog_with_its_rows(runs, settings):
    changes = settings.catalog().changes(DATASET, 2)
    broke = next(c for c in changes.changes if c.transition == "broke" and c.measured.constraint.text == RULE)
    assert broke.witnesses[0].broken_by["city"] == "Elsewhere"
    assert {row["city"] for row in broke.witnesses[0].contradicts} == {"city3"}
    told = [record.body["title"] for record in settings.catalog().alerts(DATASET, 2)]
    assert sum("another city than others with the same zip" in title for title in told) == 1


def test_a_run_again_applies_nothing_and_goes_through(runs, settings):
    again = runs[3]
    assert again["state"] == "success"
    assert set(again["tasks"]["ingest"].values()) == {"skipped"}
    assert set(again["tasks"]["maintain_table"].values()) == {"skipped"}
    assert states(again, *STEPS) == ["success"] * 5
    assert again["version"] == 2
    made = [version.label for version in settings.catalog().versions(DATASET)]
    assert made.count(DAYS[1]) == 1


def test_a_label_that_cannot_be_one_fails_the_run_with_a_plain_message(runs):
    wrong = runs[4]
    assert wrong["state"] == "failed"
    assert wrong["tasks"]["plan"] == {"": "failed"}
    assert wrong["version"] == 2


def test_an_id_that_no_delta_has_is_refused_with_those_that_there_are(runs):
    unknown = runs[5]
    assert unknown["state"] == "failed"
    assert unknown["tasks"]["plan"] == {"": "failed"}
    assert unknown["version"] == 2


def test_a_dry_run_with_a_refused_table_fails_and_shows_what_the_other_one_would_change(runs, settings):
    dry = runs[6]
    assert dry["state"] == "failed"
    assert dry["tasks"]["refusals"] == {"": "failed"}
    assert states(dry, *STEPS) == ["skipped"] * 5
    assert list(dry["preview"]["arrived"]) == ["customers"]
    assert dry["version"] == 2
    rejects = [file for file in settings.home.rglob("quarantine/*.parquet") if "dry" in file.name]
    assert rejects, "the refusal names the file of the rejected rows"


def test_a_refused_table_fails_the_run_and_the_other_one_goes_on(runs, settings):
    refused = runs[7]
    assert refused["state"] == "failed"
    assert refused["tasks"]["refusals"] == {"": "failed"}
    assert states(refused, *STEPS) == ["success"] * 5
    assert refused["version"] == 3
    assert list(settings.catalog().version(DATASET, 3).arrivals) == ["customers"]


@pytest.mark.parametrize("run", [8, 9])
def test_a_run_whose_deltas_are_all_refused_fails_for_that_alone(runs, run):
    refused = runs[run]
    assert refused["state"] == "failed"
    assert refused["tasks"]["refusals"] == {"": "failed"}
    assert refused["tasks"]["maintain_table"] == {"orders": "success"}
    assert states(refused, "maintain_inclusions", *STEPS) == ["success"] + ["skipped"] * 5
    assert refused["version"] == 3
