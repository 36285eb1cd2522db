"""Inclusion dependencies against Desbordante's: ``python -m benchmarks.ind --help``; ``make bench-ind`` runs it.

From scratch, from CSV files, all programs over the source texts, in one process and on Spark. What was measured is kept
in ``build/benchmarks/ind``, so that parts can be measured one by one; the page shows what is there. What deltas cost is
measured by ``ind_deltas``.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import datasets
from benchmarks.pages import cells, ratio, seconds, table, write_page
from benchmarks.processes import GIB, Measurement, best_of

OURS = datasets.PROGRAMS / "holdfast_ind.py"
ON_SPARK = datasets.PROGRAMS / "holdfast_ind_spark.py"
THEIRS = datasets.PROGRAMS / "desbordante_ind.py"
KEPT = datasets.WORK / "ind"
MEMORY = 20 * GIB
HEADER = (
    "tables", "rows × columns", "what", "program", "INDs", "ours", "wall", "MiB", "theirs", "wall", "MiB",
    "times faster", "same",
)  # fmt: skip
SPARK_HEADER = (
    "tables", "INDs", "wall", "Spark's start", "JVM, MiB", "worker, MiB", "driver, MiB", "Spider, wall", "MiB",
    "times faster", "start apart", "same",
)  # fmt: skip
# What is looked for: in words, Desbordante's program, the most columns, the share of values that may be missing.
# From scale factor 1 on only the first is measured.
TASKS = {
    "unary": ("one column", "Spider", 1, 0.0),
    "partial": ("one column, coverage ≥ 0.95", "Mind", 1, 0.05),
    "longer": ("up to two columns", "Mind", 2, 0.0),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what the arguments ask for, writes the page and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scales", nargs="*", default=["0.1", "1"], help="TPC-H's scale factors")
    parser.add_argument(
        "--parts", nargs="*", default=list(TASKS), choices=list(TASKS), help="what to measure; none: only the page"
    )
    parser.add_argument("--data", type=Path, help="a directory of CSV files, looked at together and one by one")
    parser.add_argument("--tables", nargs="*", help="of that directory only these files, by their names without .csv")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=180, help="CPU seconds that a program gets")
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "ind.md")
    options = parser.parse_args(arguments)
    for scale in options.scales:
        allowed = ["unary"] if float(scale) >= 1 else list(TASKS)
        for part in filter(allowed.__contains__, options.parts):
            programs = [OURS, ON_SPARK] if part == "unary" else [OURS]
            _compare(f"TPC-H {scale}", datasets.tpch(scale), part, programs, options.repeat, options.limit)
    found = sorted(options.data.glob("*.csv")) if options.data and "unary" in options.parts else []
    found = [datasets.unmarked(path) for path in found if not options.tables or path.stem in options.tables]
    for paths in [*([path] for path in found), *([found] if len(found) > 1 else [])]:
        names = ", ".join(path.stem for path in paths)
        _compare(names, paths, "unary", [OURS], options.repeat, options.limit)
    command = f"make bench-ind{' DATA=directory' if any('TPC-H' not in k['tables'] for k in _kept('unary')) else ''}"
    write_page(options.out, "Inclusion dependencies", command, page_parts())
    sys.stderr.write(f"{options.out}\n")


def _keep(name: str, found: Mapping[str, Any]) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")


def _kept(part: str) -> list[Any]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(KEPT.glob(f"{part}.*.json"))]


def _compare(
    tables: str, paths: Sequence[Path], part: str, programs: Sequence[Path], repetitions: int, limit: int
) -> None:
    """Measures one task by programs of ours and by Desbordante's; keeps whether they found the same, one by one."""
    what, peer, arity, error = TASKS[part]
    sys.stderr.write(f"{tables}: {what}\n")
    sizes = [datasets.size(path) for path in paths]
    size = [sum(rows for rows, _ in sizes), sum(columns for _, columns in sizes)]
    with tempfile.TemporaryDirectory() as folder:
        *outs, aside, their_out = [Path(folder) / str(i) for i in range(len(programs) + 2)]
        asked = [str(arity), str(error)]
        commands = [[sys.executable, program, *asked, out, *paths] for program, out in zip(programs, outs, strict=True)]
        commands.append([datasets.PEERS / "python", THEIRS, peer, *asked, their_out, *paths])
        if ON_SPARK in programs:
            commands.append([sys.executable, ON_SPARK, *asked, aside])
        runs = best_of(repetitions, commands, cpu_limit=limit, memory_limit=MEMORY)
        theirs, start = runs[len(programs)], runs[-1]
        for program, run, out in zip(programs, runs, outs, strict=False):
            same = "" if run.failed or theirs.failed else _same(out, their_out)
            found = {"tables": tables, "size": size, "what": what, "program": peer, "same": same}
            found |= {"ours": asdict(run), "theirs": asdict(theirs), "start": start.wall}
            _keep(f"{'spark' if program == ON_SPARK else part}.{tables}", found)


def _same(ours: Path, theirs: Path) -> str:
    our, their = (set(out.read_text("utf-8").splitlines()) for out in (ours, theirs))
    return "yes" if our == their else f"{len(our - their)} only ours, {len(their - our)} only theirs"


def page_parts() -> Iterator[str]:
    """The page below its title, from all that is kept."""
    compared = [kept for part in TASKS for kept in _kept(part)]
    yield (
        "## From scratch, in one process\n\nFrom the CSV files to the inclusion dependencies, over source texts, empty"
        " ones being values. Files are read in parts, and what was counted waits in files, so that no table is held."
        " `ours` and `theirs` are CPU seconds without the interpreter's start; `MiB` is the whole process's peak."
        " `same` compares the constraints one by one. Desbordante is 2.5."
    )
    yield table(HEADER, map(_row, compared))
    if spark := _kept("spark"):
        yield (
            "## From scratch, on Spark\n\nThe same from the same files with Spark's tasks on two cores, by the clock,"
            " from the start of the process to its end, Spark's start included; the memory is each process's peak."
            " `Spark's start` is what a process takes that starts Spark, has its Python processes answer and ends."
            " `times faster` is by the clock, too; `start apart` without Spark's start. The clock also counts what"
            " other work on the machine takes: compare within a row."
        )
        yield table(SPARK_HEADER, map(_spark_row, spark))


def _row(kept: Mapping[str, Any]) -> tuple[object, ...]:
    ours, theirs = Measurement(**kept["ours"]), Measurement(**kept["theirs"])
    rows, columns = kept["size"]
    return (
        kept["tables"],
        f"{rows:,} × {columns}",
        kept["what"],
        kept["program"],
        "" if ours.failed else f"{ours.report['count']:,}",
        *cells(ours, "run", "wall", "peak"),
        *cells(theirs, "run", "wall", "peak"),
        ratio(ours, theirs),
        kept["same"],
    )


def _spark_row(kept: Mapping[str, Any]) -> tuple[object, ...]:
    ours, theirs = Measurement(**kept["ours"]), Measurement(**kept["theirs"])
    faster = ["", ""]
    if not (ours.failed or theirs.failed):
        faster = [f"{theirs.wall / wall:.1f}" for wall in (ours.wall, ours.wall - kept["start"])]
    return (
        kept["tables"],
        "" if ours.failed else f"{ours.report['count']:,}",
        ours.failed or seconds(ours.wall),
        seconds(kept["start"]),
        *(["", "", ""] if ours.failed else cells(ours, "jvm_peak", "worker_peak", "driver_peak")),
        theirs.failed or seconds(theirs.wall),
        "" if theirs.failed else f"{theirs.peak:.0f}",
        *faster,
        kept["same"],
    )


if __name__ == "__main__":
    main()
