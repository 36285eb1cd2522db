"""The page of a DAG run answers in every state of the run; what Airflow knows of the run is given here."""

from datetime import UTC, datetime

import pytest
from helpers.morning_shop import DATASET, make
from helpers.pages_client import asking

from profiling_core.airflow.ui import runs
from profiling_core.airflow.ui.runs import DagRunState, FailedTask

pytestmark = pytest.mark.airflow
MOMENT = datetime(2024, 5, 14, 2, 0, tzinfo=UTC)
HELD = {"table": "orders", "delta": "2024-05-14", "reason": "it changed after it was applied", "remedy": "rename it"}
PREVIEW = {"version": 0, "preview": {"arrived": {}, "alerts": 0}}


def state(how: str, *failed: str) -> DagRunState:
    ended = None if how == "running" else MOMENT
    return DagRunState("r", how, MOMENT, ended, "eva", tuple(FailedTask(task, -1) for task in failed))


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return make(tmp_path_factory.mktemp("shop"))


@pytest.mark.parametrize(
    ("known", "handed", "title", "said"),
    [
        (state("success"), {"plan": {"label": "2024-05-14"}}, "There was nothing to do", "No delta had arrived"),
        (
            state("success"),
            {"commit": {"version": 2}, "plan": {"refused": [HELD]}},
            "The run committed a version, and refused deltas",
            "What version 2 changed",
        ),
        (
            state("failed", "refusals"),
            {"commit": {"version": 2}, "refusals": {"refused": [HELD]}},
            "The run committed a version, and refused deltas",
            "rename it",
        ),
        (state("success"), {"commit": PREVIEW}, "Dry run: nothing was changed", "Nothing was pending"),
        (state("running"), {"commit": PREVIEW}, "The run is under way", "began"),
        (
            state("failed", "refusals"),
            {"commit": PREVIEW, "refusals": {"refused": [HELD]}},
            "Dry run: nothing was changed",
            "rename it",
        ),
        (state("failed", "refusals"), {"plan": {"refused": [HELD]}}, "Deltas were refused", "rename it"),
        (state("failed", "ingest"), {}, "The run failed", "Mend what the log names"),
        (state("running"), {}, "The run is under way", "began"),
        (None, {}, "Airflow knows no such run", "the run in Airflow"),
    ],
)
def test_page_of_a_run_says_what_became_of_it(shop, monkeypatch, known, handed, title, said):
    monkeypatch.setattr(runs, "run", lambda dataset, run_id: known)
    monkeypatch.setattr(
        runs, "handed_on", lambda dataset, run_id, task, key="return_value": _handed(handed.get(task, {}), key)
    )
    with asking(shop) as client:
        text = client.get(f"/dag-run?dag_id=holdfast.{DATASET}&run_id=r").text
    assert f"<h1>{title}" in text
    assert said in text


def _handed(found, key):
    return found.get(key, {}) if key == "preview" else found
