"""Which delta a run of each type applies up to, with the run types as a real task's context has them."""

from datetime import UTC, datetime

import pytest

DAY = datetime(2013, 3, 1, tzinfo=UTC)
pytestmark = pytest.mark.airflow


@pytest.fixture
def label_of(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    from profiling_core.airflow.form import label_of

    return label_of


@pytest.mark.parametrize("name", ["SCHEDULED", "BACKFILL"])
def test_a_scheduled_or_backfilled_run_applies_the_day_of_its_interval(label_of, name):
    from airflow.sdk.api.datamodels._generated import DagRunType

    assert label_of({"delta": None}, DagRunType[name], DAY) == "2013-03-01"


def test_a_manual_run_applies_everything_or_what_the_form_says(label_of):
    from airflow.sdk.api.datamodels._generated import DagRunType

    assert label_of({"delta": None}, DagRunType.MANUAL, DAY) is None
    assert label_of({"delta": "2013-02-26"}, DagRunType.MANUAL, None) == "2013-02-26"
