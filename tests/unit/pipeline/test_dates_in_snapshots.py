"""A wrong date in a small table that comes whole each day: the order that it breaks is told, with the row."""

from datetime import date, timedelta

from helpers.changing import changed

from profiling_core.state.settings import Settings, using

DATASET_FILE = """\
dataset: library
tables:
  loans:
    source: {{path: {place}/loans, format: csv, kind: snapshot}}
    key: [loan]
"""
FIRST = date(2025, 1, 1)


def land(place, day, wrong=()):
    """Some loans more each day: borrowed on few days, and returned up to nine days later."""
    lines = ["loan,borrowed,returned"]
    for loan in range(60 + 20 * day):
        borrowed = FIRST + timedelta(days=loan % 4 + max(0, loan - 40) // 20)
        returned = FIRST - timedelta(days=loan) if loan in wrong else borrowed + timedelta(days=7 * loan % 10)
        lines.append(f"{loan},{borrowed},{returned}")
    (place / "loans").mkdir(exist_ok=True)
    (place / "loans" / f"2025-02-{day + 1:02}.csv").write_text("\n".join(lines) + "\n", "utf-8")


def test_a_changed_row_whose_dates_are_in_the_wrong_order_is_one_alert(tmp_path):
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "library.yaml").write_text(DATASET_FILE.format(place=tmp_path), "utf-8")
    settings = Settings(tmp_path, tmp_path / "home", f"sqlite:///{tmp_path}/home/catalog.db", tmp_path / "datasets")
    with using(settings):
        for day, wrong in enumerate([(), (), (6,)]):
            land(tmp_path, day, wrong)
            work = changed("library")
        (incident,) = work.catalog.incidents("library")
        assert incident.diagnosis.headline == "1 of 21 new rows has borrowed greater than returned"
        assert [row.place for row in incident.diagnosis.rows] == ["2025-02-03.csv, line 8"]
        (message,) = work.catalog.alerts("library")
        assert "borrowed greater than returned" in str(message.body)
