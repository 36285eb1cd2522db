"""The DAG factory: every dataset file is a DAG, a wrong one is an import error of its own, and parsing is cheap."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.many_datasets import dataset_file

from profiling_core.cli.airflow_environment import environment
from profiling_core.state.settings import Settings

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
REPOSITORY = Path(__file__).resolve().parents[2]
BAD = """\
dataset: bad
tables:
  orders:
    source: {path: landing/orders, format: cvs}
"""


def project(place: Path, files: dict[str, str]) -> Settings:
    datasets = place / "datasets"
    datasets.mkdir(parents=True)
    for name, text in files.items():
        (datasets / name).write_text(text, "utf-8")
    return Settings(REPOSITORY, place / "home", f"sqlite:///{place}/catalog.db", datasets)


def parse(settings: Settings) -> dict:
    program = Path(__file__).with_name("parse_dags.py")
    variables = environment(settings)
    folder = variables.get("AIRFLOW__CORE__DAGS_FOLDER", str(REPOSITORY / "dags"))
    done = subprocess.run(
        [sys.executable, str(program), folder], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def two_hundred(tmp_path_factory):
    names = [f"dataset{number:03}" for number in range(200)]
    return parse(project(tmp_path_factory.mktemp("many"), {f"{n}.yaml": dataset_file(n) for n in names}))


@pytest.fixture(scope="module")
def with_a_bad_file(tmp_path_factory):
    files = {
        "good.yaml": dataset_file("good"),
        "bad.yaml": BAD,
        "again.yaml": dataset_file("good"),
        "broken.yaml": "dataset: [unclosed",
    }
    return parse(project(tmp_path_factory.mktemp("bad"), files))


def test_two_hundred_files_are_two_hundred_dags(two_hundred):
    assert len(two_hundred["dags"]) == 200
    assert two_hundred["errors"] == {}


def test_parsing_imports_nothing_heavy(two_hundred):
    assert two_hundred["imported"] == []


def test_a_wrong_file_is_an_import_error_and_the_others_have_their_dags(with_a_bad_file):
    assert with_a_bad_file["dags"] == ["holdfast.good"]
    assert list(with_a_bad_file["errors"]) == ["holdfast_file_errors.py"]
    message = with_a_bad_file["errors"]["holdfast_file_errors.py"]
    for part in ("bad.yaml, line 4", "tables.orders.source.format", "'cvs'", "did you mean 'csv'"):
        assert part in message
    assert "broken.yaml, line " in message
    assert "'good' is in two files" in message


def test_a_project_that_is_no_checkout_has_its_dags_too(tmp_path):
    files = {"good.yaml": dataset_file("good"), "bad.yaml": BAD}
    within = project(tmp_path, files)
    found = parse(Settings(tmp_path, within.home, within.catalog_url, within.datasets_dir))
    assert found["dags"] == ["holdfast.good"]
    assert list(found["errors"]) == ["holdfast_check_dags.py"]


def test_the_steps_follow_each_other(two_hundred):
    tasks = two_hundred["first"]["tasks"]
    assert {name: task["downstream"] for name, task in tasks.items()} == {
        "plan": ["commit", "ingest", "maintain_inclusions", "maintain_table", "refusals"],
        "ingest": ["maintain_inclusions", "maintain_table", "refusals"],
        "maintain_table": ["commit"],
        "maintain_inclusions": ["commit"],
        "commit": ["diff", "emit", "validate"],
        "diff": ["alert", "emit"],
        "emit": ["validate"],
        "validate": ["alert"],
        "alert": [],
        "refusals": [],
    }
    assert {name for name, task in tasks.items() if task["mapped"]} == {"ingest", "maintain_table"}
    assert {tasks[name]["trigger_rule"] for name in ("commit", "refusals")} == {"none_failed"}
    assert {name: task["outlets"] for name, task in tasks.items() if task["outlets"]} == {
        "alert": ["holdfast://dataset000/"]
    }


def test_runs_and_retries_are_bounded(two_hundred):
    first = two_hundred["first"]
    assert {name: task["links"] for name, task in first["tasks"].items() if task["links"]} == {
        "ingest": ["Rows kept out"],
        "diff": ["What changed"],
        "alert": ["Incidents"],
    }
    assert first["max_active_runs"] == 1
    assert first["catchup"] is False
    assert first["schedule"] == "CronDataIntervalTimetable"
    assert {task["retries"] for task in first["tasks"].values()} == {3}
    assert {task["backoff"] for task in first["tasks"].values()} == {2.0}
    assert {task["timeout"] for task in first["tasks"].values()} == {1200}


def test_what_is_begun_comes_before_what_is_not(two_hundred):
    assert {task["weighs_as"] for task in two_hundred["first"]["tasks"].values()} == {"upstream"}


def test_the_trigger_form_is_typed(two_hundred):
    form = two_hundred["first"]["params"]
    assert form["tables"]["items"] == {"type": "string", "enum": ["customers", "items", "orders"]}
    assert form["delta"]["type"] == ["null", "string"]
    assert form["mode"]["enum"] == ["apply", "dry run"]
    assert form["rebuild"]["type"] == "boolean"
