"""What the pieces of a bootstrap cost, and what follows for more workers: ``python -m benchmarks.pieces``.

TPC-H's lineitem begins twice: once with its pieces one after the other, each timed, once on two threads of Spark's. The
model says how long a round of pieces takes p workers: as long as its largest piece, or as a p-th of all of them. It is
held against the two threads at each size.
"""

import math
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import datasets
from benchmarks.day import MEMORY
from benchmarks.day_growth import by_rows, project_of
from benchmarks.pages import seconds, table
from benchmarks.processes import measured

ROWS = (500_000, 1_000_000, 2_000_000)
FORETOLD = (100_000_000, 1_000_000_000)
WORKERS = (1, 2, 20, 200)
LIMIT = 3_000
PROGRAM = datasets.PROGRAMS / "bootstrap_pieces.py"
# Rounds that have a piece per row file or segment: with more rows there are more pieces, not larger ones.
BY_FILE = {"Counting", "Profiling", "Indexing", "index", "count_block", "tally"}
# What is not done beyond max_cells.
BOUNDED = {"Search"}
# What runs beside the other rounds, on the cores that they leave.
BESIDE = {"Counting", "Profiling", "Indexing"}
SPARK = {"HOLDFAST_SETTLE_SECONDS": "0", "HOLDFAST_SPARK_MASTER": "local[2]"}


@dataclass(frozen=True)
class Round:
    """Pieces that run at the same time: what they do, CPU seconds of all of them and of the largest, how many."""

    name: str
    total: float
    largest: float
    pieces: int

    def grown(self, factor: float, more: float) -> "Round":
        """The same for a table with a multiple of the work and of the rows."""
        if self.name in BY_FILE:
            return Round(self.name, self.total * factor, self.largest, round(self.pieces * more))
        return Round(self.name, self.total * factor, self.largest * factor, self.pieces)


@dataclass(frozen=True)
class Bootstrap:
    """A bootstrap: its rounds in order, CPU seconds of the leading process, the rounds' seconds on two threads."""

    rows: int
    rounds: Sequence[Round]
    leading: float
    clock: float

    def took(self, workers: int) -> float:
        """The model's seconds for the rounds with a number of workers."""
        in_turn = sum(max(some.largest, some.total / workers) for some in self.rounds if some.name not in BESIDE)
        return max(in_turn, sum(some.total for some in self.rounds) / workers)

    def grown(self, rows: int) -> "Bootstrap":
        """What the model says of a larger table: sorting and searching grow by n log n."""
        more = rows / self.rows
        factor = more * math.log2(rows) / math.log2(self.rows)
        rounds = [some.grown(factor, more) for some in self.rounds if some.name not in BOUNDED]
        return Bootstrap(rows, rounds, self.leading, math.nan)


def main() -> None:
    """Measures, writes the page, and says where it is."""
    by_rows(_begun, _parts, ROWS, "pieces", "What the pieces of a bootstrap cost")


def _begun(rows: int) -> Bootstrap:
    root = project_of("pieces", rows, 1)
    apart, together = _applied(root, "apart"), _applied(root, "together")
    rounds = [Round(name, sum(spent), max(spent), len(spent)) for name, spent in apart["rounds"] if spent]
    leading = apart["cpu"]["maintain"] - sum(some.total for some in rounds)
    return Bootstrap(rows, rounds, leading, under_way(together["rounds"]))


def under_way(rounds: Sequence[tuple[str, tuple[float, float]]]) -> float:
    """For how many seconds at least one of these rounds is under way; each with when it begins and ends."""
    total, until = 0.0, -math.inf
    for began, ended in sorted(when for _, when in rounds):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total


def _applied(root: Path, how: str) -> Mapping[str, Any]:
    shutil.rmtree(root / ".holdfast", ignore_errors=True)
    command = [sys.executable, PROGRAM, root, "grown", "000", how]
    run = measured(command, cpu_limit=LIMIT, memory_limit=MEMORY, environment=SPARK)
    if run.failed:
        raise SystemExit(f"a bootstrap could not be measured: {run.failed}")
    return run.report


def _parts(found: Sequence[Bootstrap]) -> Iterator[str]:
    yield (
        "The maintenance step of a bootstrap of TPC-H's lineitem (16 columns, scale 1, rows in random order), in one"
        " process, its pieces one after the other: CPU seconds of all pieces, and of the largest. `leading` is what the"
        " leading process does itself."
    )
    names = list(dict.fromkeys(some.name for bootstrap in found for some in bootstrap.rounds))
    header = ("what pieces do", *(f"{bootstrap.rows:,}: pieces | all | largest" for bootstrap in found))
    yield table(" | ".join(header).split(" | "), (_named(name, found) for name in names))
    yield "The leading process itself: " + ", ".join(f"{seconds(b.leading)} s of {b.rows:,} rows" for b in found) + "."
    yield (
        "A model of the rounds of pieces with p workers of one core each: a round takes as long as its largest piece,"
        f" or as a p-th of all; {', '.join(sorted(BESIDE))} run beside the others, on the cores that they leave."
        " `measured` is for how long rounds were under way on two threads of Spark's, which schedules them, starts"
        " processes and moves what they give."
    )
    with_workers = [f"{workers} worker{'s' * (workers > 1)}" for workers in WORKERS]
    header = ("rows", *with_workers, "measured, 2", "measured / model")
    yield table(header, (_row(bootstrap) for bootstrap in found))
    yield (
        "What it says of tables that were not measured, in seconds: sorting and searching grow by n log n, what is done"
        " by file or by segment has more pieces; rules within a row are not searched beyond `max_cells`."
    )
    yield table(header[:-2], (_row(found[-1].grown(rows))[:-2] for rows in FORETOLD))


def _named(name: str, found: Sequence[Bootstrap]) -> tuple[object, ...]:
    cells: list[object] = [name]
    for bootstrap in found:
        rounds = [some for some in bootstrap.rounds if some.name == name]
        largest = max((some.largest for some in rounds), default=0.0)
        cells += [sum(some.pieces for some in rounds), seconds(sum(some.total for some in rounds)), seconds(largest)]
    return tuple(cells)


def _row(bootstrap: Bootstrap) -> tuple[object, ...]:
    model = [seconds(bootstrap.took(workers)) for workers in WORKERS]
    ratio = f"{bootstrap.clock / bootstrap.took(2):.2f}"
    return (f"{bootstrap.rows:,}", *model, seconds(bootstrap.clock), ratio)


if __name__ == "__main__":
    main()
