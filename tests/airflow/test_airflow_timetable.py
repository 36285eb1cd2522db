"""A dataset's schedule begins when its DAG is switched on, unless its file names a day to begin with."""

from datetime import UTC, datetime, timedelta

import pendulum
import pytest

pytestmark = pytest.mark.airflow
BEGUN = pendulum.datetime(2024, 1, 1)


def first(timetable, catchup=False):
    """The first interval of a DAG that began long ago."""
    from airflow.timetables.base import TimeRestriction

    restriction = TimeRestriction(BEGUN, None, catchup)
    found = timetable.next_dagrun_info(last_automated_data_interval=None, restriction=restriction)
    return found and found.data_interval


def schedule(**fields):
    from profiling_core.airflow.flow import _schedule
    from profiling_core.model.dataset import DatasetConfig

    return _schedule(
        DatasetConfig.model_validate({"dataset": "shop", "tables": {"t": {"source": {"path": "."}}}} | fields)
    )


def hour_away_from_now():
    """Every day at a time that is neither near nor now."""
    return f"0 {(datetime.now(UTC).hour + 12) % 24} * * *"


def test_the_first_run_is_for_the_interval_that_goes_on():
    interval = first(schedule(schedule=hour_away_from_now()))
    now = datetime.now(UTC)
    assert interval.start < now < interval.end
    assert interval.end - interval.start == timedelta(days=1)


def test_a_day_in_the_file_asks_for_the_past():
    asked = {"schedule": hour_away_from_now(), "start_date": "2024-01-01"}
    assert first(schedule(end_date="2999-01-01", **asked)).end < datetime.now(UTC)
    assert type(schedule(**asked)).__name__ == "CronDataIntervalTimetable"  # Airflow's own begins there


def test_a_run_that_is_just_due_is_not_passed_over():
    due = datetime.now(UTC) - timedelta(minutes=2)
    interval = first(schedule(schedule=f"{due.minute} {due.hour} * * *"))
    assert datetime.now(UTC) - timedelta(minutes=4) < interval.end < datetime.now(UTC)


def test_the_next_runs_follow_without_a_gap():
    from airflow.timetables.base import DataInterval, TimeRestriction

    timetable = schedule(schedule="0 0 * * *")
    today = pendulum.today("UTC")
    last = DataInterval(today.subtract(days=2), today.subtract(days=1))
    found = timetable.next_dagrun_info(
        last_automated_data_interval=last, restriction=TimeRestriction(BEGUN, None, catchup=False)
    )
    assert found.data_interval.start == last.end


@pytest.mark.parametrize("asked", [{}, {"start_date": "2024-01-01"}])
def test_a_schedule_that_has_ended_makes_no_run(asked):
    assert first(schedule(end_date="2024-02-01", **asked)) is None


def test_a_schedule_is_the_same_after_it_was_stored():
    from profiling_core.airflow.timetable import DatasetTimetable

    timetable = schedule(end_date="2999-02-01")
    again = DatasetTimetable.deserialize(timetable.serialize())
    assert again.serialize() == timetable.serialize()
    assert first(again) == first(timetable)
