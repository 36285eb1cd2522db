"""Inclusion dependencies against Desbordante's: ``python -m benchmarks.ind --help``; ``make bench-ind`` runs it.

From scratch, from CSV files, all programs over the source texts; then what a delta costs where INDs are maintained.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import cells, ratio, seconds, table, write_page
from benchmarks.processes import GIB, Measurement, best_of, measured

OURS = datasets.PROGRAMS / "holdfast_ind.py"
THEIRS = datasets.PROGRAMS / "desbordante_ind.py"
DELTAS = datasets.PROGRAMS / "holdfast_ind_deltas.py"
MEMORY = 20 * GIB
HEADER = (
    "tables", "what", "program", "INDs", "ours", "wall", "MiB", "theirs", "wall", "MiB", "times faster", "same",
)  # fmt: skip
# What is looked for: in words, Desbordante's program, the most columns, the share of values that may be missing.
# From scale factor 1 on only the first is measured.
TASKS = (
    ("one column", "Spider", 1, 0.0),
    ("one column, coverage ≥ 0.95", "Mind", 1, 0.05),
    ("up to two columns", "Mind", 2, 0.0),
)
DELTA_HEADER = ("change of the largest table", "inserted", "of bootstrap", "deleted", "of bootstrap")
CHANGES = (("one tuple", "tuple"), ("100 rows", "hundred"), ("1 % of the rows", "percent"))


@dataclass(frozen=True)
class Comparison:
    """One task over some tables: both programs' runs, and whether their results are equal."""

    tables: str
    what: str
    program: str
    ours: Measurement
    theirs: Measurement
    same: str


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what the arguments ask for, writes the page and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scales", nargs="*", default=["0.1", "1"], help="TPC-H's scale factors")
    parser.add_argument("--data", type=Path, help="a directory of CSV files, looked at together and one by one")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=180, help="CPU seconds that a program gets")
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "ind.md")
    options = parser.parse_args(arguments)
    page = _Page(options.out, f"make bench-ind{' DATA=directory' if options.data else ''}")
    for scale in options.scales:
        paths = datasets.tpch(scale)
        for task in TASKS[:1] if float(scale) >= 1 else TASKS:
            page.add(compare(f"TPC-H {scale}", paths, task, options.repeat, options.limit))
        parquet = datasets.tpch(scale, "parquet")
        run = measured([sys.executable, DELTAS, *parquet], cpu_limit=options.limit, memory_limit=MEMORY)
        page.add_maintained(scale, run)
    found = sorted(options.data.glob("*.csv")) if options.data else []
    for paths in [*([path] for path in found), *([found] if len(found) > 1 else [])]:
        names = ", ".join(path.stem for path in paths)
        page.add(compare(names, paths, TASKS[0], options.repeat, options.limit))
    sys.stderr.write(f"{options.out}\n")


class _Page:
    """The page, written anew with each result, so that a long run leaves what it has."""

    def __init__(self, path: Path, command: str) -> None:
        self.path, self.command = path, command
        self.compared: list[Comparison] = []
        self.maintained: dict[str, Measurement] = {}

    def add(self, compared: Comparison) -> None:
        """Adds a comparison from scratch."""
        self.compared.append(compared)
        self._write()

    def add_maintained(self, scale: str, run: Measurement) -> None:
        """Adds a run over deltas."""
        self.maintained[scale] = run
        self._write()

    def _write(self) -> None:
        write_page(self.path, "Inclusion dependencies", self.command, page_parts(self.compared, self.maintained))


def compare(
    tables: str, paths: Sequence[Path], task: tuple[str, str, int, float], repetitions: int, limit: int
) -> Comparison:
    """Measures one task, and compares what was found, constraint by constraint."""
    what, program, arity, error = task
    sys.stderr.write(f"{tables}: {what}\n")
    peer = datasets.PEERS / "python"

    limits = {"cpu_limit": limit, "memory_limit": MEMORY}
    same = ""
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder) / name for name in ("ours", "theirs")]
        own = [sys.executable, OURS, str(arity), str(error), outs[0], *paths]
        other = [peer, THEIRS, program, str(arity), str(error), outs[1], *paths]
        ours, theirs = best_of(repetitions, [own, other], **limits)
        if not ours.failed and not theirs.failed:
            found = [set(out.read_text("utf-8").splitlines()) for out in outs]
            only = (len(found[0] - found[1]), len(found[1] - found[0]))
            same = "yes" if found[0] == found[1] else f"{only[0]} only ours, {only[1]} only theirs"
    return Comparison(tables, what, program, ours, theirs, same)


def page_parts(compared: Sequence[Comparison], maintained: dict[str, Measurement]) -> Iterator[str]:
    """The page below its title."""
    yield (
        "## From scratch\n\nFrom the CSV files to the inclusion dependencies, in one process that holds all tables,"
        " over source texts, empty ones being values. `ours` and `theirs` are CPU seconds without the interpreter's"
        " start; `MiB` is the whole process's peak. `same` compares the constraints one by one. Desbordante is 2.5."
    )
    yield table(HEADER, map(_row, compared))
    for scale, run in maintained.items():
        yield f"## Maintained: TPC-H {scale}\n\n{_told(run)}"
        if not run.failed:
            yield table(DELTA_HEADER, (_change(run, *change) for change in CHANGES))


def _row(compared: Comparison) -> tuple[object, ...]:
    ours, theirs = compared.ours, compared.theirs
    return (
        compared.tables,
        compared.what,
        compared.program,
        "" if ours.failed else f"{ours.report['count']:,}",
        *cells(ours, "run", "wall", "peak"),
        *cells(theirs, "run", "wall", "peak"),
        ratio(ours, theirs),
        compared.same,
    )


def _told(run: Measurement) -> str:
    if run.failed:
        return f"It did not end: {run.failed}."
    told = run.report
    return (
        f"On Spark with two threads, typed values, from Parquet files. Bootstrap of {told['count']} inclusion"
        f" dependencies: {seconds(told['bootstrap'])} s by the clock, after {seconds(told['spark'])} s of Spark's"
        f" start; peak memory {told['jvm_peak']:.0f} MiB in the JVM, {told['worker_peak']:.0f} in a worker,"
        f" {told['driver_peak']:.0f} in the driver. Then changes of {told['table']} ({told['rows']:,} rows), by the"
        " clock, the faster of two:"
    )


def _change(run: Measurement, words: str, name: str) -> tuple[str, ...]:
    whole = run.report["bootstrap"]
    shares = [(run.report[f"{name}_{side}"], run.report[f"{name}_{side}"] / whole) for side in ("inserted", "deleted")]
    return (words, *(text for value, share in shares for text in (f"{seconds(value)} s", f"{share:.1%}")))


if __name__ == "__main__":
    main()
