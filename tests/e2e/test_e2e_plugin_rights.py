"""Who may read one DAG sees its dataset and no other, by whatever auth manager Airflow has."""

import json
import re
import subprocess
import sys

import pytest
from helpers.catalog import DATASET, REPOSITORY

from profiling_core.cli.airflow_environment import environment

pytestmark = [pytest.mark.airflow, pytest.mark.slow]
READER, OTHER, NOBODY = f"reader@holdfast.{DATASET}:VIEWER", "other@holdfast.other:ADMIN", "nobody"


@pytest.fixture(scope="module")
def answers(airflow, settings):
    """By user and route what Airflow's API server answers, with an auth manager that grants each user one DAG."""
    variables = {"AIRFLOW__CORE__AUTH_MANAGER": "helpers.one_dag.OneDag", "PYTHONPATH": str(REPOSITORY / "tests")}
    command = [sys.executable, "-m", "helpers.ask_pages", READER, OTHER, NOBODY]
    found = subprocess.run(command, env=environment(settings) | variables, capture_output=True, text=True, check=True)
    return json.loads(found.stdout.split("answers ")[-1])


# The seeded tables lack the columns of their rules, and Airflow knows no run "r".
NOT_THERE = {
    "GET /datasets/{dataset}/constraints/{fingerprint}/rows": 400,
    "GET /datasets/{dataset}/constraints/{fingerprint}/rows.csv": 400,
    "GET /api/v1/datasets/{dataset}/runs/{run_id:path}": 404,
    "GET /dag": 303,
    # Nobody has validated it.
    "GET /datasets/{dataset}/versions/{version}/checks": 404,
    "GET /api/v1/datasets/{dataset}/versions/{version}/checks": 404,
}


def test_who_may_read_the_dag_sees_its_dataset_on_every_page_and_decides_nothing(answers):
    assert len(answers[READER]) > 18
    for route, (status, text) in answers[READER].items():
        expected = 403 if route.startswith("POST") else NOT_THERE.get(route, 200)
        assert status == expected, (route, text)
        says_it = DATASET in text or expected in (303, 400, 403, 404) or route.endswith(("openapi.json", ".csv"))
        assert says_it, route


def test_who_may_read_another_dag_alone_sees_nothing_of_it(answers):
    for route, (status, text) in answers[OTHER].items():
        assert status == (403 if "{dataset}" in route or route.endswith("/dag-run") else 200), route
        # The header repeats the address that was asked for.
        assert DATASET not in re.sub("<header.*?</header>", "", text, flags=re.DOTALL), route
        assert "distance" not in text, route


def test_nobody_sees_anything(answers):
    assert {status for status, _ in answers[NOBODY].values()} == {401}
