"""How a measured program reports; for all of them, and without any import that would count against it.

Used as a neighbour (``import report``): a script's own directory is on its path, in whatever environment it runs.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")
# Systems count CPU time in steps of up to 10 ms: quick work is repeated until this many seconds have passed.
_LONG_ENOUGH = 0.3


def started() -> dict[str, float]:
    """What the process took up to here: ``start``, its CPU seconds, and ``start_peak``, its peak memory in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"start": time.process_time(), "start_peak": peak}


def timed(work: Callable[[], Result]) -> tuple[Result, dict[str, float]]:
    """What the work returns, and the mean ``run`` (CPU seconds of all threads) and ``wall`` seconds that it took."""
    cpu, wall, times = time.process_time(), time.monotonic(), 0
    while True:
        result = work()
        times += 1
        spent = time.process_time() - cpu, time.monotonic() - wall
        if max(spent) > _LONG_ENOUGH:
            return result, {"run": spent[0] / times, "wall": spent[1] / times}


def timed_once(work: Callable[[], Result]) -> tuple[Result, float]:
    """What work that can be done only once returns, and the CPU seconds of all threads that it took."""
    cpu = time.process_time()
    result = work()
    return result, time.process_time() - cpu


def write_few(path: Path, few: Path) -> None:
    """Writes the first rows of a table, CSV or Parquet."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(pq.ParquetFile(path).read_row_group(0).slice(0, 5), few)
        return
    with path.open(encoding="utf-8") as file:
        few.write_text("".join(line for _, line in zip(range(5), file, strict=False)), encoding="utf-8")


def report(**values: object) -> None:
    """The program's one line: what :func:`started` and :func:`timed` say, the ``count`` found, and more."""
    sys.stdout.write(json.dumps(values) + "\n")
