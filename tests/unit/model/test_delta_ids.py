"""The moment that a delta's id names."""

import pytest

from profiling_core.algorithms.batch_anomalies.surprise import seasons_of
from profiling_core.model.delta_ids import moment_of


@pytest.mark.parametrize(
    ("delta_id", "moment"),
    [
        ("2024-05-01", "2024-05-01T00:00:00"),
        ("20240501", "2024-05-01T00:00:00"),
        ("2024-05-01T13", "2024-05-01T13:00:00"),
        ("orders_2024-05-01", "2024-05-01T00:00:00"),
        ("loans-20241024", "2024-10-24T00:00:00"),
        ("shop.20240501T1330.part", "2024-05-01T13:30:00"),
        ("rates_12345678_2024-05-02", "2024-05-02T00:00:00"),  # a number that is no day
        ("x20240501y", "2024-05-01T00:00:00"),
        ("202405011", None),
        ("batch-17", None),
        ("2024-13-01", None),
    ],
)
def test_an_id_names_the_first_day_in_it(delta_id: str, moment: str | None):
    found = moment_of(delta_id)
    assert (found and found.isoformat()) == moment


def test_daily_files_have_weekdays_whatever_stands_before_the_day():
    ids = tuple(f"orders_2024-05-{day:02}" for day in range(1, 15))
    assert seasons_of(ids) == (2, 3, 4, 5, 6, 0, 1) * 2  # 1 May 2024 was a Wednesday
