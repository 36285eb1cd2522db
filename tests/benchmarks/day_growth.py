"""What a day costs as tables grow: ``python -m benchmarks.day_growth``; ``make bench-day-growth`` runs it.

TPC-H's lineitem with its key, in random order: a bootstrap of ever more rows, then days of 1,000 rows (400 inserted,
300 deleted, 300 updated), each ``holdfast apply`` in a process of its own beside a warm Spark server. Above 6 million
rows the table is that of scale 10, without its comments.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

from benchmarks import datasets
from benchmarks.day import applied, beside_a_warm_server
from benchmarks.meter import ALL, PAUSE, Meter
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import Measurement, measured

Found = TypeVar("Found")
ROWS = (10_000, 100_000, 1_000_000, 6_000_000)
# Days, and the first ones of them that are not counted: imports, and the first suite.
DAYS, WARM = 5, 2
SCALE = "1"
# Larger tables are of this scale, which has 60 million rows, without the column of words.
LARGE, LEFT_OUT = "10", ("l_comment",)
MOST = ROWS[-1]
LIMIT = 20_000
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
    """A table of ``rows`` rows: its bootstrap, its days, and MiB of the source and of the state after the bootstrap.

    ``together`` is the peak of all processes' own memory during the bootstrap, and ``cpu`` its seconds of all of them.
    """

    rows: int
    bootstrap: Measurement
    days: Sequence[Measurement]
    source: float
    state: float
    together: float
    cpu: float

    @property
    def counted(self) -> Sequence[Measurement]:
        """The days that are counted."""
        return self.days[WARM:]


def main() -> None:
    """Measures, writes the page, and says where it is."""
    by_rows(_grown, _parts, ROWS, "day-growth", "A day of deltas as tables grow")


def by_rows(
    measure: Callable[[int], Found], parts: Callable[[list[Found]], Iterable[str]], rows: Sequence[int], *page: str
) -> None:
    """Measures each number of rows that is asked for (else ``rows``), and writes the page: its name and title."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="*", default=rows, help="rows of lineitem")
    name, title = page
    out = datasets.REPOSITORY / "docs" / "benchmarks" / f"{name}.md"
    write_page(out, title, f"make bench-{name}", parts([measure(size) for size in parser.parse_args().rows]))
    sys.stderr.write(f"{out}\n")


def project_of(name: str, rows: int, days: int) -> Path:
    """A project whose table is lineitem: a bootstrap of some of its rows, and days, all landed."""
    scale, left_out = (LARGE, LEFT_OUT) if rows > MOST else (SCALE, ())
    (lineitem,) = (path for path in datasets.tpch(scale, "parquet") if path.stem == "lineitem")
    root = datasets.WORK / name
    shutil.rmtree(root, ignore_errors=True)
    landing = root / "landing" / "lineitem"
    landing.mkdir(parents=True)
    made = measured([sys.executable, PROGRAM, lineitem, rows, days, landing, *left_out], cpu_limit=LIMIT)
    if made.failed:
        raise SystemExit(f"the deltas of {rows:,} rows could not be made: {made.failed}")
    datasets_dir = root / "dags" / "datasets"
    datasets_dir.mkdir(parents=True)
    (datasets_dir / "grown.yaml").write_text(DATASET.format(landing=landing), "utf-8")
    shutil.copy(datasets.REPOSITORY / "airflow.cfg", root)
    sys.stderr.write(f"{rows:,} rows\n")
    return root


def _grown(rows: int) -> Grown:
    root = project_of("day-growth", rows, DAYS)
    with beside_a_warm_server(root) as server:
        with Meter() as meter:
            time.sleep(2 * PAUSE)
            before = meter.cpu
            bootstrap = applied(root, "grown", "000", server, LIMIT)
            time.sleep(2 * PAUSE)
            spent, together = meter.cpu - before, meter.peaks[ALL]
        state = sum(file.stat().st_size for file in (root / ".holdfast" / "state").rglob("*") if file.is_file())
        source = (root / "landing" / "lineitem" / "000.parquet").stat().st_size
        days = [applied(root, "grown", f"{day:03}", server, LIMIT) for day in range(1, DAYS + 1)]
    if failed := [run.failed for run in (bootstrap, *days) if run.failed]:
        raise SystemExit(f"{rows:,} rows could not be measured: {failed[0]}")
    return Grown(rows, bootstrap, days, source / 2**20, state / 2**20, together, spent)


def _parts(found: Sequence[Grown]) -> Iterator[str]:
    yield (
        "`holdfast apply` of TPC-H's lineitem (16 columns, scale 1, rows in random order; above"
        f" {MOST:,} rows scale {LARGE} without {', '.join(LEFT_OUT)}): a bootstrap, then days of"
        " 1,000 rows (400 inserted, 300 deleted, 300 updated), each in a process of its own beside a warm Spark server,"
        f" whose share is not in the CPU seconds. Of {DAYS} days the last {DAYS - WARM} count: medians. `clock` is"
        " wall time, the start of Python included; MiB is the peak of the process's own memory, and what is mapped adds"
        " the pages of files that it looked at: all processes share them, and the system takes them back when it needs"
        " them."
    )
    cost = ("CPU", "MiB", "and mapped")
    header = ("rows", "bootstrap: clock", *cost, "a day: clock", *cost, "Spark used")
    yield table(header, (_row(grown) for grown in found))
    yield (
        "All processes of the bootstrap, Spark's server and workers too: CPU seconds, and the peak of what they had for"
        " themselves together, looked at every five seconds. The state, beside the Parquet file that it came from:"
    )
    header = ("rows", "CPU", "all processes, MiB", "source, MiB", "state, MiB", "state / source")
    yield table(header, map(_whole, found))
    yield "The steps of these days, CPU seconds:"
    steps = list(found[0].days[-1].report["cpu"])
    shares = ((step, *(seconds(_median_of(grown, step)) for grown in found)) for step in steps)
    yield table(("step", *(f"{grown.rows:,}" for grown in found)), shares)


def _median_of(grown: Grown, step: str) -> float:
    return median(run.report["cpu"][step] for run in grown.counted)


def _row(grown: Grown) -> tuple[object, ...]:
    days = grown.counted
    used = f"{sum(run.report['session'] for run in days)} of {len(days)}"
    return f"{grown.rows:,}", *_cost([grown.bootstrap]), *_cost(days), used


def _whole(grown: Grown) -> tuple[object, ...]:
    sizes = (f"{size:.0f}" for size in (grown.together, grown.source, grown.state))
    return f"{grown.rows:,}", seconds(grown.cpu), *sizes, f"{grown.state / grown.source:.2f}"


def _cost(runs: Sequence[Measurement]) -> tuple[str, ...]:
    """Medians of wall time and CPU; peaks of the processes' own memory, and of all that was resident."""
    times = (seconds(median(run.wall for run in runs)), seconds(median(run.cpu for run in runs)))
    return *times, f"{max(run.report['own'] for run in runs):.0f}", f"{max(run.peak for run in runs):.0f}"


if __name__ == "__main__":
    main()
