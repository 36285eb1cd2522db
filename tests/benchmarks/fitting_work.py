"""Fits how much work a second of a core does: ``python -m benchmarks.fitting_work FILE.csv …``, or ``make fit-work``.

Each file is searched without a bound. The figures are the steps, the cells and the seconds of the processor of each
search; the fit is the least squares of their relative errors, by non-negative seconds per step and per cell: a search
that takes a minute counts as one that takes a second. It prints both figures of :mod:`profiling_core.algorithms.budget`
as this run has them, and how far the work of a search is from its time.
"""

import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.rules import discovery
from profiling_core.algorithms.rules.discovery import Rows
from profiling_core.algorithms.rules.searches import Searches
from profiling_core.ingest.files import read_table

# Searches that take less say nothing of how long one takes.
_LEAST_SECONDS = 0.05


class Measured(NamedTuple):
    """What a search did: its name, steps and cells, and the seconds of the processor that it took."""

    what: str
    steps: int
    cells: float
    seconds: float


class _Timed(Searches):
    """Searches that are timed."""

    measured: list[Measured]

    def run(self, what, search, table="", part=1.0):  # type: ignore[no-untyped-def]
        """A search, timed."""

        def timed(budget: Budget):  # type: ignore[no-untyped-def]
            steps, cells, began = budget.meter.steps, budget.meter.cells, time.process_time()
            found = search(budget)
            seconds = time.process_time() - began
            self.measured.append(Measured(what, budget.meter.steps - steps, budget.meter.cells - cells, seconds))
            return found

        return super().run(what, timed, table, part)


def measured(paths: list[Path]) -> list[Measured]:
    """The searches of some files, each as a database of one table, or of all files of a directory."""
    _Timed.measured = []
    discovery.Searches = _Timed  # type: ignore[misc]
    for path in paths:
        files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
        rows = [Rows(*read_table(file, null_values=None)) for file in files]
        discovery.find_rules(rows, Budget(ENDLESS.cells))
    return _Timed.measured


def main(paths: list[Path]) -> None:
    """Prints the fit, and by kind of search the seconds and what the fit makes of its work."""
    measured(paths[:1])  # kernels compile, and caches fill
    told = [one for one in measured(paths) if one.seconds >= _LEAST_SECONDS]
    work = np.array([[one.steps, one.cells] for one in told], np.float64)
    seconds = np.array([one.seconds for one in told])
    (per_step, per_cell), _ = nnls(work / seconds[:, None], np.ones(len(told)))
    sys.stdout.write(f"cells per second {1 / per_cell:.2g}, cells per step {per_step / per_cell:.2g}\n")
    by_kind: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(told):
        by_kind[one.what].append(place)
    sys.stdout.write("| search | seconds | seconds of its work | steps | cells |\n|---|--:|--:|--:|--:|\n")
    for what, places in by_kind.items():
        steps, cells = work[places].sum(axis=0)
        fitted = steps * per_step + cells * per_cell
        sys.stdout.write(f"| {what} | {seconds[places].sum():.1f} | {fitted:.1f} | {steps:,.0f} | {cells:,.0f} |\n")


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]])
