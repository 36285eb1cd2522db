"""The API does what its OpenAPI document says, whatever is asked of it: schemathesis makes the requests."""

import pytest
import schemathesis
from helpers.catalog import DATASET, DISTANCE, seed
from helpers.pages_client import asking
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import ignored_auth

from profiling_core.airflow.ui import runs

pytestmark = pytest.mark.airflow
SMALL = settings(
    max_examples=15, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
# Names that exist, beside those that are made up: without them each answer would be that there is nothing.
KNOWN = {"dataset": DATASET, "fingerprint": DISTANCE.fingerprint, "number": 1, "version": 3, "run_id": "r"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return seed(tmp_path_factory.mktemp("catalog"))


@pytest.fixture
def client(project, monkeypatch):
    monkeypatch.setattr(runs, "run", lambda dataset, run_id: None)
    monkeypatch.setattr(runs, "handed_on", lambda *names: {})
    with asking(project, "viewer") as asked:
        yield asked


def answer(case):
    """The status of what is answered, which has to be as the document says.

    Whoever asks here is let in; ``tests/e2e`` asks a real Airflow without a login.
    """
    return case.call_and_validate(excluded_checks=[ignored_auth]).status_code


def operations(client):
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", client.app)
    return [found.ok() for found in schema.get_all_operations()]


def test_every_answer_is_as_the_document_says(client):
    asked, answers = operations(client), set()
    assert len(asked) >= 12
    for operation in asked:

        @SMALL
        @given(case=operation.as_strategy())
        def ask(case):
            answers.add(answer(case))

        ask()
    assert answers <= {200, 400, 404, 405, 422}


def test_what_exists_is_given_whatever_else_is_asked(client):
    given_back = set()
    for operation in operations(client):

        @SMALL
        @given(case=operation.as_strategy())
        def ask(case):
            case.path_parameters = {name: KNOWN[name] for name in case.path_parameters or {}}
            given_back.add((case.operation.path, answer(case)))

        ask()
    found = {path for path, status in given_back if status == 200}
    assert {path for path, _ in given_back} - found <= {
        "/api/v1/datasets/{dataset}/column",
        "/api/v1/datasets/{dataset}/joins",
        "/api/v1/datasets/{dataset}/runs/{run_id}",
        "/api/v1/datasets/{dataset}/table",
        "/api/v1/datasets/{dataset}/versions/{version}/checks",
    }
