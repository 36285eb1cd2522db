"""Rows of a table that only grows refer to a snapshot, really applied: what its rows lose, and what new rows lack."""

import pytest
from helpers.changing import changed, dataset, land, newest

from profiling_core.model.change import Transition

REFERENCE = "readings.meter ⊆ meters.meter"
METERS = [f"m{i:03d}" for i in range(40)]
DAYS = [f"2024-05-{day:02d}" for day in range(1, 7)]


def read_out(place, day, meters, read):
    first = 1000 * int(day[-2:])
    tables = {
        "meters": ["meter,city", *(f"{meter},c{meter[-1]}" for meter in meters)],
        "readings": ["reading,meter,kwh", *(f"{first + i},{meter},{first % 7 + i}" for i, meter in enumerate(read))],
    }
    for table, lines in tables.items():
        land(place, table, day, lines)


@pytest.mark.parametrize(("read", "alerts"), [(METERS[:-1], False), (METERS, True)])
def test_meter_that_left_is_told_only_where_a_new_row_refers_to_it(tmp_path, read, alerts):
    with dataset(
        tmp_path, "grid", key="reading", kind="append", meters={"kind": "snapshot", "key": "meter"}, readings={}
    ):
        for day in DAYS[:-1]:
            read_out(tmp_path, day, METERS, METERS)
            changed("grid")
        read_out(tmp_path, DAYS[-1], METERS[:-1], read)
        changes = newest(changed("grid"))
    (broke,) = (c for c in changes if c.transition is Transition.BROKE and c.before.constraint.text == REFERENCE)
    assert broke.alerts is alerts
