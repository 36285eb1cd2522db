"""A column that another equation computes, and that is right by it, is not what a broken equation blames."""

import csv
import os
import random
from datetime import datetime, timedelta
from pathlib import Path


def land(root: Path, day: int, spoilt: bool) -> None:
    """Stays of a day; the charge of one of them is ten times too high."""
    rng, path = random.Random(day), root / "landing" / "stays" / f"2024-06-{day:02}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for i in range(60):
        came = datetime(2024, 6, day, rng.randrange(6, 20), rng.randrange(60))  # noqa: DTZ001 -- as in the file
        left = came + timedelta(minutes=rng.randrange(60, 12_000))
        nights, rate = (left.date() - came.date()).days, rng.choice([330, 410, 520, 610])
        charge = rate * (nights + 1) * (10 if spoilt and i == 7 else 1)
        rows.append([1000 * day + i, came.isoformat(" "), left.isoformat(" "), nights, rate, charge])
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["stay", "came", "left_at", "nights", "rate", "charge"], *rows])
    os.utime(path, (1, 1))


def test_what_another_equation_confirms_is_not_blamed(here, holdfast, caplog):
    def ran(*words: str) -> str:
        code, out, err = holdfast(*words)
        assert code == 0, err
        return out + err + caplog.text

    for day in range(1, 11):
        land(here, day, spoilt=False)
    ran("init", "--yes", "landing/stays", "--name", "hotel")
    ran("apply", "hotel")
    assert "nights = calendar days(left_at − came)" in ran("constraints", "hotel")
    land(here, 11, spoilt=True)
    said = ran("apply", "hotel")
    assert "stay 11007" in said, said
    assert "nights" in said
    assert "nights 5, should be" not in said
    assert "likely a data error in nights" not in said
