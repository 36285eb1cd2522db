"""A wrong date in a small table that comes whole each day: the order that it breaks is told, with the row."""

from datetime import date, timedelta

from helpers.changing import changed, dataset, land

FIRST = date(2025, 1, 1)


def lend(place, day, wrong=()):
    """Some loans more each day: borrowed on few days, and returned up to nine days later."""
    lines = ["loan,borrowed,returned"]
    for loan in range(60 + 20 * day):
        borrowed = FIRST + timedelta(days=loan % 4 + max(0, loan - 40) // 20)
        returned = FIRST - timedelta(days=loan) if loan in wrong else borrowed + timedelta(days=7 * loan % 10)
        lines.append(f"{loan},{borrowed},{returned}")
    land(place, "loans", f"2025-02-{day + 1:02}", lines)


def test_a_changed_row_whose_dates_are_in_the_wrong_order_is_one_alert(tmp_path):
    with dataset(tmp_path, "library", key="loan", kind="snapshot", loans={}):
        for day, wrong in enumerate([(), (), (6,)]):
            lend(tmp_path, day, wrong)
            work = changed("library")
        (incident,) = work.catalog.incidents("library")
        assert incident.diagnosis.headline == "1 of 21 new rows has borrowed greater than returned"
        assert [row.place for row in incident.diagnosis.rows] == ["2025-02-03.csv, line 8"]
        (message,) = work.catalog.alerts("library")
        assert "borrowed greater than returned" in str(message.body)
