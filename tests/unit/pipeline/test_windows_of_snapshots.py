"""Snapshots of the days to come: as many rows go with each as come, and no run that reads several can say when."""

from datetime import date, timedelta

from helpers.changing import changed, dataset, land

DAYS = [date(2025, 5, 1) + timedelta(days=n) for n in range(16)]


def offer(place, day):
    nights = [day + timedelta(days=ahead) for ahead in range(3)]
    lines = ["room,night,price", *(f"R{room:02d},{night},{60 + room}" for room in range(25) for night in nights)]
    land(place, "nights", day, lines)


def test_rows_that_leave_a_window_are_no_news_after_a_run_that_read_many_windows(tmp_path):
    with dataset(tmp_path, "inn", key="room night", kind="snapshot", nights={}):
        for day in DAYS[:14]:
            offer(tmp_path, day)
        changed("inn")
        for day in DAYS[14:]:
            offer(tmp_path, day)
            work = changed("inn")
        assert work.catalog.incidents("inn") == []
