"""What a day costs as tables grow: ``python -m benchmarks.day_growth``; ``make bench-day-growth`` runs it.

TPC-H's lineitem with its key, in random order: a bootstrap of ever more rows, then days of 1,000 rows (400 inserted,
300 deleted, 300 updated), each ``holdfast apply`` in a process of its own beside a warm Spark server.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks import datasets
from benchmarks.day import applied, beside_a_warm_server
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import Measurement, measured

ROWS = (10_000, 100_000, 1_000_000, 6_000_000)
# Days, and the first ones of them that are not counted: imports, and the first suite.
DAYS, WARM = 5, 2
SCALE = "1"
LIMIT = 3_000
PROGRAM = datasets.PROGRAMS / "growing_table.py"
DATASET = """\
dataset: grown
tables:
  lineitem:
    source: {{path: {landing}, format: parquet, kind: changes}}
    key: [l_orderkey, l_linenumber]
"""


@dataclass(frozen=True)
class Grown:
    """A table of ``rows`` rows: its bootstrap, its days, and MiB of its state after the bootstrap."""

    rows: int
    bootstrap: Measurement
    days: Sequence[Measurement]
    state: float

    @property
    def counted(self) -> Sequence[Measurement]:
        """The days that are counted."""
        return self.days[WARM:]


def main() -> None:
    """Measures, writes the page, and says where it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS, help="rows of lineitem")
    sizes = parser.parse_args().rows
    (lineitem,) = (path for path in datasets.tpch(SCALE, "parquet") if path.stem == "lineitem")
    found = [_grown(lineitem, rows) for rows in sizes]
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "day-growth.md"
    write_page(out, "A day of deltas as tables grow", "make bench-day-growth", _parts(found))
    sys.stderr.write(f"{out}\n")


def _grown(lineitem: Path, rows: int) -> Grown:
    root = datasets.WORK / "day-growth"
    shutil.rmtree(root, ignore_errors=True)
    landing = root / "landing" / "lineitem"
    landing.mkdir(parents=True)
    made = measured([sys.executable, PROGRAM, lineitem, rows, DAYS, landing], cpu_limit=LIMIT)
    if made.failed:
        raise SystemExit(f"the deltas of {rows:,} rows could not be made: {made.failed}")
    datasets_dir = root / "dags" / "datasets"
    datasets_dir.mkdir(parents=True)
    (datasets_dir / "grown.yaml").write_text(DATASET.format(landing=landing), "utf-8")
    shutil.copy(datasets.REPOSITORY / "airflow.cfg", root)
    with beside_a_warm_server(root) as server:
        sys.stderr.write(f"{rows:,} rows\n")
        bootstrap = applied(root, "grown", "000", server, LIMIT)
        files = (file for file in (root / ".holdfast" / "state").rglob("*") if file.is_file())
        state = sum(file.stat().st_size for file in files) / 2**20
        days = [applied(root, "grown", f"{day:03}", server, LIMIT) for day in range(1, DAYS + 1)]
    if failed := [run.failed for run in (bootstrap, *days) if run.failed]:
        raise SystemExit(f"{rows:,} rows could not be measured: {failed[0]}")
    return Grown(rows, bootstrap, days, state)


def _parts(found: Sequence[Grown]) -> Iterator[str]:
    yield (
        "`holdfast apply` of TPC-H's lineitem (16 columns, scale 1, rows in random order): a bootstrap, then days of"
        " 1,000 rows (400 inserted, 300 deleted, 300 updated), each in a process of its own beside a warm Spark server,"
        f" whose share is not in the CPU seconds. Of {DAYS} days the last {DAYS - WARM} count: medians. `clock` is"
        " wall time, the start of Python included; MiB is the peak of the process's own memory, and what is mapped adds"
        " the pages of files that it looked at: all processes share them, and the system takes them back when it needs"
        " them."
    )
    cost = ("CPU", "MiB", "and mapped")
    header = ("rows", "bootstrap: clock", *cost, "state, MiB", "a day: clock", *cost, "Spark used")
    yield table(header, (_row(grown) for grown in found))
    yield "The steps of these days, CPU seconds:"
    steps = list(found[0].days[-1].report["cpu"])
    shares = ((step, *(seconds(_median_of(grown, step)) for grown in found)) for step in steps)
    yield table(("step", *(f"{grown.rows:,}" for grown in found)), shares)


def _median_of(grown: Grown, step: str) -> float:
    return median(run.report["cpu"][step] for run in grown.counted)


def _row(grown: Grown) -> tuple[object, ...]:
    days = grown.counted
    used = f"{sum(run.report['session'] for run in days)} of {len(days)}"
    return f"{grown.rows:,}", *_cost([grown.bootstrap]), f"{grown.state:.0f}", *_cost(days), used


def _cost(runs: Sequence[Measurement]) -> tuple[str, ...]:
    """Medians of wall time and CPU; peaks of the processes' own memory, and of all that was resident."""
    times = (seconds(median(run.wall for run in runs)), seconds(median(run.cpu for run in runs)))
    return *times, f"{max(run.report['own'] for run in runs):.0f}", f"{max(run.peak for run in runs):.0f}"


if __name__ == "__main__":
    main()
