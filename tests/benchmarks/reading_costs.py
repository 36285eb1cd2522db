"""What `holdfast apply` of a CSV file costs in two versions of the code: ``python -m benchmarks.reading_costs OTHER``.

Both versions read one file of numbers, dates, words, flags and empty cells, each with the configuration that its own
``init`` writes, and take turns. What `apply` takes is the CPU time of its process and of all that it starts, Spark's
server included.
"""

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from statistics import median

from benchmarks.datasets import REPOSITORY
from benchmarks.meter import PAUSE, Meter

_PROGRAM = "from profiling_core.cli.main import process; process()"
_WORDS = ("north", "south-east", "old town", "harbour, new", "Zürich")
_DAYS = 700


def written(path: Path, rows: int) -> None:
    """A file of ten columns, with an empty cell in each tenth row."""
    drawn, first = random.Random(rows), date(2023, 1, 1)
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "day", "shop", "place", "units", "price", "weight", "is_paid", "code", "note"))
        for row in range(rows):
            shop, units, price = drawn.randrange(200), drawn.randint(1, 30), drawn.randint(99, 99_999) / 100
            day = first + timedelta(days=drawn.randrange(_DAYS))
            values = (_WORDS[shop % len(_WORDS)], units, f"{price:.2f}", f"{drawn.gauss(50, 9):.3f}")
            coded = (drawn.choice(("yes", "no")), f"K{drawn.randrange(rows):07}", f"{drawn.choice(_WORDS)} {row % 97}")
            writer.writerow((row, day, shop, *values, *coded[:2], coded[2] if drawn.randrange(10) else ""))


def spent(code: Path, root: Path, *command: str) -> float:
    """The CPU seconds of a command of a version of the code."""
    variables = {**os.environ, "PYTHONPATH": str(code), "HOLDFAST_ROOT": str(root), "HOLDFAST_SETTLE_SECONDS": "0"}
    with Meter() as meter:
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, *command], cwd=root, env=variables, check=True, stdout=subprocess.DEVNULL
        )
        time.sleep(2 * PAUSE)
    return meter.cpu


def applied(code: Path, rows: int) -> float:
    """The CPU seconds of `apply` of a file with some rows, in a new project."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        written(root / "landing" / "sales" / "2024-01-01.csv", rows)
        spent(code, root, "init", "--yes", "landing/sales", "--name", "costs")
        return spent(code, root, "apply", "costs")


def main() -> None:
    """Measures, and prints each pair and the median of their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the other version of the code: a directory with profiling_core")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    versions = (REPOSITORY, options.other.resolve())
    for code in versions:
        applied(code, 1_000)  # compiles what it has to
    ratios = []
    for _ in range(options.pairs):
        this, other = (applied(code, options.rows) for code in versions)
        ratios.append(this / other)
        sys.stdout.write(f"{this:.2f} s beside {other:.2f} s: {ratios[-1]:.3f}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{options.rows:,} rows, median: {median(ratios):.3f}\n")


if __name__ == "__main__":
    main()
