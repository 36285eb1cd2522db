"""What a bootstrap gains by a second worker: ``python -m benchmarks.scaling``; ``make bench-scaling`` runs it.

TPC-H's lineitem begins on a standalone cluster of one and of two workers, each bound to one core, and on two threads of
one machine's Spark. What counts are the seconds by the clock of the maintenance step, and the CPU seconds of all
processes: the driver's, Java's and the workers'.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from benchmarks import datasets
from benchmarks.day import MEMORY
from benchmarks.day_growth import DATASET, SCALE
from benchmarks.day_growth import PROGRAM as GROWING
from benchmarks.meter import PAUSE, Meter
from benchmarks.pages import seconds, table, write_page
from benchmarks.pieces import under_way
from benchmarks.processes import Measurement, measured

ROWS = (2_000_000, 6_000_000)
PROGRAM = datasets.PROGRAMS / "bootstrap_pieces.py"
LIMIT = 3_000


@dataclass(frozen=True)
class Run:
    """A bootstrap of ``rows`` rows by a number of workers (0: Spark's two threads on this machine).

    ``cpu``: seconds of all processes; ``peaks``: MiB by kind of process; ``cover``: a digest of the constraints found.
    """

    rows: int
    workers: int
    driver: Measurement
    cpu: float
    peaks: Mapping[str, float]
    cover: str

    @property
    def maintained(self) -> float:
        """Seconds by the clock of the maintenance step."""
        return float(self.driver.report["wall"]["maintain"])

    @property
    def pieces(self) -> float:
        """Seconds by the clock with a round of pieces under way: what looks at all rows."""
        return under_way(self.driver.report["rounds"])


def main() -> None:
    """Measures, writes the page's part, and says where it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS, help="rows of lineitem")
    sizes = parser.parse_args().rows
    (lineitem,) = (path for path in datasets.tpch(SCALE, "parquet") if path.stem == "lineitem")
    found = [_begun(lineitem, rows, workers) for rows in sizes for workers in (0, 1, 2)]
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "scaling.md"
    write_page(out, "A bootstrap on one and two workers", "make bench-scaling", _parts(found))
    sys.stderr.write(f"{out}\n")


def _begun(lineitem: Path, rows: int, workers: int) -> Run:
    root = datasets.WORK / "scaling"
    shutil.rmtree(root, ignore_errors=True)
    landing = root / "landing" / "lineitem"
    landing.mkdir(parents=True)
    made = measured([sys.executable, GROWING, lineitem, rows, 1, landing], cpu_limit=LIMIT)
    if made.failed:
        raise SystemExit(f"{rows:,} rows could not be made: {made.failed}")
    (root / "dags" / "datasets").mkdir(parents=True)
    (root / "dags" / "datasets" / "grown.yaml").write_text(DATASET.format(landing=landing), "utf-8")
    shutil.copy(datasets.REPOSITORY / "airflow.cfg", root)
    sys.stderr.write(f"{rows:,} rows, {workers or 'no'} workers\n")
    with ExitStack() as stack:
        meter = stack.enter_context(Meter())
        master = stack.enter_context(_cluster(root, workers)) if workers else "local[2]"
        before = meter.cpu
        variables = {"HOLDFAST_SPARK_MASTER": master, "HOLDFAST_SETTLE_SECONDS": "0", "SPARK_LOCAL_IP": "127.0.0.1"}
        command = [sys.executable, PROGRAM, root, "grown", "000", "together"]
        driver = measured(command, cpu_limit=LIMIT, memory_limit=MEMORY, environment=variables)
        if driver.failed:
            raise SystemExit(f"{rows:,} rows could not be measured: {driver.failed}")
        time.sleep(2 * PAUSE)
        return Run(rows, workers, driver, meter.cpu - before, dict(meter.peaks), _cover(root))


def _cover(root: Path) -> str:
    """A digest of the constraints that were found."""
    (path,) = (root / ".holdfast" / "state" / "grown" / "lineitem" / "cover").rglob("*.parquet/*.parquet")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def _cluster(root: Path, workers: int) -> Iterator[str]:
    """The address of a standalone cluster, all on the loopback interface, of workers with one core each."""
    from profiling_core.cli.airflow_environment import free_port

    port, ui = free_port(0), free_port(0)
    address = f"spark://127.0.0.1:{port}"
    home = ["--host", "127.0.0.1"]
    started = [_spark(root, "master.Master", [*home, "--port", port, "--webui-port", ui])]
    try:
        for number in range(workers):
            place = ["--webui-port", free_port(0), "--work-dir", root / f"work-{number}"]
            arguments = [*home, *place, "--cores", 1, "--memory", "3g", address]
            started.append(_spark(root, "worker.Worker", arguments, core=number))
        _await(f"http://127.0.0.1:{ui}/json/", workers)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def _spark(root: Path, part: str, arguments: Sequence[object], core: int | None = None) -> subprocess.Popen[bytes]:
    # `--cores` says how many tasks a worker takes. Java's threads and Python's processes take the cores that they find.
    pinned = () if core is None else ("taskset", "--cpu-list", core)
    program = Path(sys.executable).parent / "spark-class"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    options = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1", "PATH": path}
    log = (root / "cluster.log").open("ab")
    command = [*pinned, program, f"org.apache.spark.deploy.{part}", *arguments]
    return subprocess.Popen([*map(str, command)], env={**os.environ, **options}, stdout=log, stderr=log)


def _await(url: str, workers: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urlopen(url, timeout=5) as answer:
                if json.load(answer)["aliveworkers"] == workers:
                    return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit("the cluster did not start within a minute")


def _parts(found: Sequence[Run]) -> Iterator[str]:
    yield (
        "`holdfast apply` of TPC-H's lineitem (16 columns, scale 1, rows in random order), the bootstrap: on two"
        " threads of one machine's Spark (`local[2]`), and on a standalone cluster of workers bound to one core each,"
        " all on the same machine. `pieces` is what looks at all rows, by Spark's tasks, by the clock; `maintain` the"
        " step that they belong to, `whole` the program; CPU adds up all processes, Java's and Python's."
        " MiB are the peaks of what processes have for themselves, looked at every five seconds."
    )
    yield table(
        ("rows", "Spark", "pieces, s", "maintain, s", "whole, s", "CPU, s", "driver, MiB", "workers, MiB", "Java, MiB"),
        map(_row, found),
    )
    yield "By the second worker, and by the cluster:"
    header = ("rows", "pieces, 1 worker / 2", "maintain, 1 worker / 2", "CPU, 2 workers / `local[2]`", "same cover")
    yield table(header, (_ratios(rows, found) for rows in dict.fromkeys(run.rows for run in found)))


def _row(run: Run) -> tuple[object, ...]:
    where = f"{run.workers} workers" if run.workers > 1 else "1 worker" if run.workers else "`local[2]`"
    sizes = (f"{run.peaks.get(kind, 0.0):.0f}" for kind in ("driver", "Python workers", "Java"))
    times = (seconds(run.pieces), seconds(run.maintained), seconds(run.driver.wall), seconds(run.cpu))
    return (f"{run.rows:,}", where, *times, *sizes)


def _ratios(rows: int, found: Sequence[Run]) -> tuple[object, ...]:
    of = {run.workers: run for run in found if run.rows == rows}
    same = "yes" if len({run.cover for run in of.values()}) == 1 else "no"
    pieces = f"{of[1].pieces / of[2].pieces:.2f}"
    return (f"{rows:,}", pieces, f"{of[1].maintained / of[2].maintained:.2f}", f"{of[2].cpu / of[0].cpu:.2f}", same)


if __name__ == "__main__":
    main()
