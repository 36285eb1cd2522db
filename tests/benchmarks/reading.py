"""Reads polluted files with Holdfast and other programs, and compares what each made of them with the table in them.

Figures are those of Pollock (Vitagliano and others, VLDB 2023): whether a file is loaded, and F1 of
names, of records and of cells, each as a multiset of texts. Beside them stands what was read wrongly without a word.
"""

import argparse
import csv
import io
import json
import logging
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from statistics import fmean

from benchmarks import reading_applied
from benchmarks.reading_cases import NOWHERE, Case, cases
from profiling_core.ingest import csv_rows
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.model.dialect import MIXED

_LIMIT = 0.05  # max_reject_ratio by default
_MADE = re.compile(r"_[0-9]+$")


@dataclass(frozen=True, slots=True)
class Read:
    """What a program made of a file: names, rows as texts, and what it said of what it is not sure of or left out."""

    names: tuple[str, ...]
    rows: list[tuple[str, ...]]
    said: str = ""


def holdfast(path: Path) -> Read:
    """As ``init`` looks at a file and ``apply`` reads it, with the default limit of rejects."""
    found = sniffed(path)
    names, rows, bad, lines = (), [], 0, 0
    for chunk in csv_rows.read(path, found.dialect, ("",)):
        names = tuple(chunk.cells)
        wrong = chunk.unreadable.to_pylist()
        columns = [cells.to_pylist() for cells in chunk.cells.values()]
        rows += [
            tuple(c or "" for c in row) for row, why in zip(zip(*columns, strict=True), wrong, strict=True) if not why
        ]
        lost = chunk.account.lost if chunk.account else 0
        bad, lines = bad + lost + sum(why is not None for why in wrong), lines + lost + len(wrong)
    if bad > _LIMIT * lines:
        raise ValueError(f"{bad} of {lines} lines are rejects")
    return Read(names, rows, "; ".join([*found.doubts, *([f"{bad} rejects"] if bad else [])]))


def duckdb(path: Path) -> Read:
    """``read_csv`` with its sniffer."""
    import duckdb as program

    found = program.execute("SELECT * FROM read_csv(?, all_varchar = true)", [str(path)])
    names = tuple(column[0] for column in found.description or ())
    return Read(names, [tuple("" if c is None else c for c in row) for row in found.fetchall()])


def pandas(path: Path) -> Read:
    """``read_csv`` that looks for the delimiter."""
    import pandas as pd

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        frame = pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    rows = [tuple("" if c is None or c != c else str(c) for c in row) for row in frame.itertuples(index=False)]  # noqa: PLR0124 -- NaN is not itself
    return Read(tuple(map(str, frame.columns)), rows, "; ".join(str(one.message) for one in said))


def polars(path: Path) -> Read:
    """``read_csv`` as it comes; it looks for no delimiter."""
    import polars as pl

    frame = pl.read_csv(path, infer_schema=False)
    return Read(tuple(frame.columns), [tuple("" if c is None else c for c in row) for row in frame.rows()])


def clevercsv(path: Path) -> Read:
    """``read_table``: its dialect, the first row taken for the header."""
    import clevercsv as program

    rows = [tuple(row) for row in program.read_table(str(path)) if row]
    return Read(rows[0] if rows else (), rows[1:])


PROGRAMS: dict[str, Callable[[Path], Read]] = {
    "Holdfast": holdfast,
    "DuckDB": duckdb,
    "pandas": pandas,
    "Polars": polars,
    "clevercsv": clevercsv,
}


@dataclass(frozen=True, slots=True)
class Score:
    """How near what was read is to the table in the file: F1 of names, records and cells; and whether all is equal.

    ``silent``: not all is equal, and nothing was said.
    """

    loaded: bool
    header: float
    records: float
    cells: float
    equal: bool
    silent: bool


def score(case: Case, program: Callable[[Path], Read], path: Path) -> Score:
    """What a program makes of a case."""
    try:
        found = program(path)
    except Exception:  # noqa: BLE001 -- whatever a program raises, it has refused the file
        return Score(False, 0.0, 0.0, 0.0, equal=False, silent=False)
    rows = [row for row in map(_row, found.rows) if row]
    wanted = _without_mistakes([row for row in map(_row, case.rows) if row], rows)
    names = [name.strip() for name in found.names]
    header = (
        max(_f1_of_names(names, given) for given in _placed(case)) if case.header else float(len(rows) == len(wanted))
    )
    records = _f1(rows, wanted)
    cells = _f1([c for row in rows for c in row], [c for row in wanted for c in row])
    equal = rows == wanted and header == 1
    return Score(True, header, records, cells, equal, silent=not equal and not found.said)


def _placed(case: Case) -> Iterator[Sequence[str]]:
    """The header as names of columns: as written; if it lacks a name, also with the first or last one empty."""
    yield case.header
    if case.lacks_name:
        yield from (("", *case.header), (*case.header, ""))


def _f1_of_names(names: Sequence[str], wanted: Sequence[str]) -> float:
    """F1 of names; a program may call a column without a name anything."""
    own = [*names, *[""] * len(wanted)]
    return _f1(names, [name.strip() or other for name, other in zip(wanted, own, strict=False)])


def _without_mistakes(wanted: list[tuple[str, ...]], rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The wanted rows, with what was read in place of cells that are nowhere in the file."""
    pairs = zip_longest(wanted, rows[: len(wanted)], fillvalue=())
    return [
        tuple(f if w == NOWHERE else w for w, f in zip_longest(row, read, fillvalue="")) if NOWHERE in row else row
        for row, read in pairs
    ]


def _row(row: Iterable[str]) -> tuple[str, ...]:
    cells = [str(cell).replace("\r\n", "\n").strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return tuple(cells)


def _f1(found: Sequence[object], wanted: Sequence[object]) -> float:
    if not found and not wanted:
        return 1.0
    both = (Counter(found) & Counter(wanted)).total()
    return 2 * both / (len(found) + len(wanted))


def published(folder: Path) -> Iterator[Case]:
    """The files of a directory with ``csv``, ``clean`` and ``parameters``, as Pollock's survey has them.

    Names are those of the parameters: they are what the file has, where clean versions have ``''`` for ``"``.
    """
    for path in sorted((folder / "csv").iterdir()):
        parameters = json.loads((folder / "parameters" / f"{path.name}_parameters.json").read_text("utf-8"))
        text = (folder / "clean" / path.name).read_text("utf-8", "replace")
        rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline="")) if row]
        if not rows:
            continue
        filled = max(map(len, map(_row, rows)))
        header = () if parameters["header_lines"] == "0" else _without_repeats(parameters["column_names"], filled)
        content = path.read_bytes()
        lacks_name = max(map(len, map(_row, rows[1:])), default=0) == len(rows[0]) + 1 and all(rows[0])
        yield Case(path.name, content, header, tuple(_with_nowhere(rows[1:], content)), lacks_name=lacks_name)


def described(folder: Path) -> Iterator[Case]:
    """The files of a directory with ``csv``, ``clean`` and ``files.csv``, which names each file and what is debatable.

    Clean versions have the rows alone where the column ``header`` of ``files.csv`` says ``no``; others call a column
    without a name ``column_N`` by its place, and a name that comes again ``name_N``: a program may call these anything.
    """
    with (folder / "files.csv").open(encoding="utf-8", newline="") as file:
        known = list(csv.DictReader(file))
    for described_file in known:
        name = described_file["name"]
        clean = folder / "clean" / name
        with (clean if clean.is_file() else clean.with_suffix(".csv")).open(encoding="utf-8", newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)]
        names, rows = ((), rows) if described_file.get("header") == "no" else (rows[0], rows[1:])
        filled = max((i for row in rows for i, cell in enumerate(row, 1) if cell.strip()), default=0)
        header = _without_made(names, filled)
        is_debatable = described_file["debatable"] != "no"
        content = (folder / "csv" / name).read_bytes()
        yield Case(name, content, header if any(header) else (), tuple(rows), is_debatable=is_debatable)


def _without_made(names: Sequence[str], filled: int) -> tuple[str, ...]:
    """Names without those that a clean version has made, for as many columns as have a name or a value."""
    made = [name == f"column_{i}" or _MADE.sub("", name) in names[: i - 1] for i, name in enumerate(names, 1)]
    last = max((i for i, own in enumerate(made, 1) if not own), default=0)
    return tuple("" if own else name for name, own in zip(names, made, strict=True))[: max(last, filled)]


def _with_nowhere(rows: Sequence[tuple[str, ...]], content: bytes) -> Iterator[tuple[str, ...]]:
    """Rows of a clean version, with a mark for cells that a file in UTF-8 does not have."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        yield from rows
        return
    text += text.replace('""', '"') + content.decode(MIXED)
    for row in rows:
        yield tuple(cell if cell.strip().replace("\r\n", "\n") in text else NOWHERE for cell in row)


def _without_repeats(names: Sequence[str], filled: int) -> tuple[str, ...]:
    """Column names without repeated ones: a program has to rename these, and may choose any new names.

    A last column without a name is one if a row has a value in it.
    """
    last = max(filled, *(i for i, name in enumerate(names, 1) if name.strip()), 0)
    return tuple("" if name in names[:i] else name for i, name in enumerate(names[:last]))


def measured(found: Sequence[Case]) -> dict[str, list[Score]]:
    """The scores of each program."""
    scores: dict[str, list[Score]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        for i, case in enumerate(found):
            path = Path(folder) / f"{i}.csv"
            path.write_bytes(case.content)
            for name, program in PROGRAMS.items():
                scores[name].append(score(case, program, path))
    return scores


def table_of(title: str, scores: dict[str, list[Score]]) -> str:
    """The scores of all programs as a table of Markdown."""
    count = len(next(iter(scores.values())))
    lines = [
        f"**{title}** ({count} files)",
        "",
        "| | loaded | header F1 | record F1 | cell F1 | all equal | wrong without a word |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, own in scores.items():
        means = " | ".join(f"{fmean(getattr(s, figure) for s in own):.3f}" for figure in ("header", "records", "cells"))
        loaded, equal, silent = (sum(getattr(s, figure) for s in own) for figure in ("loaded", "equal", "silent"))
        lines.append(f"| {name} | {loaded} | {means} | {equal} | {silent} |")
    return "\n".join(lines)


def main() -> None:
    """Measures, and prints tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory with csv, clean and parameters")
    parser.add_argument("--applied", action="store_true", help="take the files of --data through init and apply, too")
    parser.add_argument("--differing", action="store_true", help="name the files that Holdfast does not read equal")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    groups = {
        "Made by one pollution each": list(cases("one pollution")),
        "Made later": list(cases("later")),
        "As portals publish": list(cases("portals")),
    }
    if options.data:
        made = (options.data / "files.csv").is_file()
        groups = (
            {"Described files": list(described(options.data))}
            if made
            else groups | {"Published files": list(published(options.data))}
        )
    for title, found in groups.items():
        scores = measured(found)
        sys.stdout.write(table_of(title, scores) + "\n\n")
        if options.differing:
            for case, own in zip(found, scores["Holdfast"], strict=True):
                if not own.equal:
                    sys.stdout.write(
                        f"{'SILENT' if own.silent else 'told' if own.loaded else 'refused'}: {case.name}"
                        f"{' (debatable)' if case.is_debatable else ''}\n"
                    )
    if options.applied:
        sys.stdout.write(reading_applied.said_of(reading_applied.measured(found)) + "\n")


if __name__ == "__main__":
    main()
