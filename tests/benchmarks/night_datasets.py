"""The datasets of a night: a table each, which begins with some days of orders and then gets one more."""

import csv
import random
from datetime import date, timedelta
from pathlib import Path

ROWS, DAY_ROWS = 200, 20
WRONG_EACH = 10
"""The new day of each dataset by this number has a row that breaks what held: its zip has another city."""
COLUMNS = ("id", "customer", "zip", "city", "ordered", "shipped", "net", "vat", "gross")
DATASET = """\
dataset: {name}
start_date: 2024-01-01  # in the past, so that all runs fall due when the datasets are switched on
tables:
  orders:
    source: {{path: landing/{name}, kind: append}}
    key: [id]
"""


def name_of(number: int) -> str:
    """The name of the dataset with this number."""
    return f"night{number:03}"


def configure(root: Path, number: int) -> None:
    """Writes a dataset's file."""
    name = name_of(number)
    path = root / "dags" / "datasets" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DATASET.format(name=name), "utf-8")


def land(root: Path, number: int, day: date, *, first: bool) -> None:
    """Lands the rows that a dataset begins with, or those of its new day."""
    draw = random.Random(f"{number} {first}")
    path = root / "landing" / name_of(number) / f"{day}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(draw, i, day) for i in (range(ROWS) if first else range(ROWS, ROWS + DAY_ROWS))]
    if not first and number % WRONG_EACH == 0:
        rows[0][3] = "Elsewhere"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


def _row(draw: random.Random, number: int, day: date) -> list[object]:
    place, net = draw.randrange(12), draw.randrange(100, 20_000)
    ordered = day - timedelta(days=draw.randrange(30))
    shipped = ordered + timedelta(days=draw.randrange(5))
    vat = net // 5
    cells = [f"c{draw.randrange(60)}", 10_000 + 7 * place, f"city{place % 7}", ordered, shipped]
    return [number, *cells, *(f"{cents / 100:.2f}" for cents in (net, vat, net + vat))]
