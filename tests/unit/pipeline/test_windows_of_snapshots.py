"""Snapshots of the days to come: as many rows go with each as come, and no run that reads several can say when."""

from datetime import date, timedelta

from helpers.changing import changed

from profiling_core.state.settings import Settings, using

DATASET_FILE = """\
dataset: inn
tables:
  nights:
    source: {{path: {place}/nights, format: csv, kind: snapshot}}
    key: [room, night]
"""
DAYS = [date(2025, 5, 1) + timedelta(days=n) for n in range(16)]


def land(place, day):
    nights = [day + timedelta(days=ahead) for ahead in range(3)]
    lines = ["room,night,price", *(f"R{room:02d},{night},{60 + room}" for room in range(25) for night in nights)]
    (place / "nights").mkdir(exist_ok=True)
    (place / "nights" / f"{day}.csv").write_text("\n".join(lines) + "\n", "utf-8")


def test_rows_that_leave_a_window_are_no_news_after_a_run_that_read_many_windows(tmp_path):
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "inn.yaml").write_text(DATASET_FILE.format(place=tmp_path), "utf-8")
    settings = Settings(tmp_path, tmp_path / "home", f"sqlite:///{tmp_path}/home/catalog.db", tmp_path / "datasets")
    with using(settings):
        for day in DAYS[:14]:
            land(tmp_path, day)
        changed("inn")
        for day in DAYS[14:]:
            land(tmp_path, day)
            work = changed("inn")
        assert work.catalog.incidents("inn") == []
