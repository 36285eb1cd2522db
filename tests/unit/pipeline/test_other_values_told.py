"""What an open incident does not explain is told, by real runs: other values that break its rule, not day by day."""

import json
import random

import pytest
from helpers.changing import changed, dataset, land

CUSTOMERS = [f"c{i:02d}" for i in range(20)]
DAYS = [f"2024-05-{day:02d}" for day in range(1, 19)]


def day_of(place, number, strangers=(), repeated=()):
    """A day of the shop: an order of each customer, and of ``strangers``; ``repeated`` are receipts of day one."""
    first, day, rng = 1000 * number, DAYS[number], random.Random(number)

    def amount():
        return rng.randrange(1, 90)

    receipts = [f"r{(7919 * (25 * number + i)) % 9973}" for i in range(20 + len(strangers))]
    land(place, "customers", day, ["customer,town", *(f"{name},t{name[-1]}" for name in CUSTOMERS)])
    lines = [f"{first + i},{receipts[i]},{name},{amount()}" for i, name in enumerate((*CUSTOMERS, *strangers))]
    lines += [f"{first + 500 + i},r{7919 * i % 9973},{CUSTOMERS[3 * i]},{amount()}" for i in repeated]
    land(place, "orders", day, ["number,receipt,customer,amount", *lines])


def told(place, begun, *days):
    """The first lines of what is told of days, each the faults of one, after ``begun`` quiet days."""
    said = []
    with dataset(
        place, "shop", key="number", kind="append", customers={"kind": "snapshot", "key": "customer"}, orders={}
    ):
        for number in range(begun):
            day_of(place, number)
        changed("shop")
        for number, faults in enumerate(days, start=begun):
            day_of(place, number, **faults)
            work = changed("shop")
            records = work.catalog.alerts("shop", work.catalog.current("shop").number)
            said.append([json.loads(json.dumps(record.body))["title"] for record in records])
    return said


@pytest.mark.parametrize(
    ("fault", "values"), [("strangers", (("x1",), ("x1",), ("x2",), ("x3",))), ("repeated", ((1,), (1,), (2,), (2,)))]
)
def test_another_value_that_breaks_an_open_rule_is_told_once(tmp_path, fault, values):
    days = told(tmp_path, 10, *({fault: value} for value in values))
    assert [len(day) for day in days] == [1, 0, 1, 0], days
    assert days[2][0].endswith("likely a data error. Incident 1, open since 2024-05-11, had other values before.")
