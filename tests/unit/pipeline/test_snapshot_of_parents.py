"""Rows of a table that only grows refer to a snapshot, really applied: what its rows lose, and what new rows lack."""

import pytest
from helpers.changing import changed

from profiling_core.model.change import Transition
from profiling_core.state.settings import Settings, using

DATASET_FILE = """\
dataset: grid
tables:
  meters:
    source: {{path: {place}/meters, format: csv, kind: snapshot}}
    key: [meter]
  readings:
    source: {{path: {place}/readings, format: csv, kind: append}}
    key: [reading]
"""
REFERENCE = "readings.meter ⊆ meters.meter"
METERS = [f"m{i:03d}" for i in range(40)]
DAYS = [f"2024-05-{day:02d}" for day in range(1, 7)]


def land(place, day, meters, read):
    first = 1000 * int(day[-2:])
    tables = {
        "meters": ["meter,city", *(f"{meter},c{meter[-1]}" for meter in meters)],
        "readings": ["reading,meter,kwh", *(f"{first + i},{meter},{first % 7 + i}" for i, meter in enumerate(read))],
    }
    for table, lines in tables.items():
        (place / table).mkdir(exist_ok=True)
        (place / table / f"{day}.csv").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize(("read", "alerts"), [(METERS[:-1], False), (METERS, True)])
def test_meter_that_left_is_told_only_where_a_new_row_refers_to_it(tmp_path, read, alerts):
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "grid.yaml").write_text(DATASET_FILE.format(place=tmp_path), "utf-8")
    settings = Settings(tmp_path, tmp_path / "home", f"sqlite:///{tmp_path}/home/catalog.db", tmp_path / "datasets")
    with using(settings):
        for day in DAYS[:-1]:
            land(tmp_path, day, METERS, METERS)
            changed("grid")
        land(tmp_path, DAYS[-1], METERS[:-1], read)
        work = changed("grid")
    changes = work.catalog.changes("grid", work.catalog.current("grid").number).changes
    (broke,) = (c for c in changes if c.transition is Transition.BROKE and c.before.constraint.text == REFERENCE)
    assert broke.alerts is alerts
