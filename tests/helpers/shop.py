"""A tiny dataset on disk: customers and their orders, three days of change files, a rule that breaks on the second."""

import csv
from collections.abc import Iterable
from pathlib import Path

from profiling_core.state.settings import Settings

REPOSITORY = Path(__file__).resolve().parents[2]
DATASET = "shop"
DAYS = ("2024-01-01", "2024-01-02", "2024-01-03")
DATASET_FILE = """\
dataset: shop
description: Customers and their orders
schedule: "0 0 * * *"
start_date: "2024-01-01"
end_date: "2024-01-31"
retries: 0
tables:
  customers:
    source: {{path: {landing}/customers, format: csv, kind: changes}}
    key: [customer]
    max_predicates: 3
  orders:
    source: {{path: {landing}/orders, format: csv, kind: changes}}
    key: [order]
    max_predicates: 3
"""


def make_shop(place: Path, days: Iterable[str] = DAYS[:2]) -> Settings:
    """The project under ``place``, with the landing files of the days given and nothing applied yet."""
    datasets, landing = place / "datasets", place / "landing"
    datasets.mkdir(parents=True)
    (datasets / f"{DATASET}.yaml").write_text(DATASET_FILE.format(landing=landing), "utf-8")
    for day in days:
        land(place, day)
    return Settings(REPOSITORY, place / "home", f"sqlite:///{place}/home/catalog.db", datasets)


def land(place: Path, day: str) -> None:
    """Puts one day's files into the landing directories."""
    number = DAYS.index(day)
    customers = [["_op", "customer", "zip", "city"]]
    if number == 0:
        customers += [["insert", f"c{i:02}", f"{10 + i % 7}", f"city{i % 7}"] for i in range(40)]
    elif number == 1:  # zip 13 is in city3; from now on it is also in Elsewhere
        customers += [["update", "c03", "13", "Elsewhere"], ["insert", "c40", "11", "city1"]]
    else:  # mended
        customers += [["update", "c03", "13", "city3"]]
    orders = [["_op", "order", "customer", "amount"]]
    first = 60 * number
    orders += [["insert", f"o{i:03}", f"c{i % 40:02}", f"{i * 3 % 50}"] for i in range(first, first + 60)]
    for table, rows in (("customers", customers), ("orders", orders)):
        path = place / "landing" / table / f"{day}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(rows)
