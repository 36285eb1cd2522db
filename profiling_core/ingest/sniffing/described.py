"""Reports on how a CSV file is read: assumptions, new names of columns, doubts."""

import csv
from collections.abc import Sequence
from pathlib import Path

from profiling_core.ingest import csv_rows
from profiling_core.ingest.csv_header import joined, lacks_one
from profiling_core.ingest.csv_lines import Lines, cells_in, opened, options
from profiling_core.ingest.files import is_parquet
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import InputError

_SHOWN = 3


def told_of(path: Path, delimiter: str | None = None, *, typed_header: bool = False) -> list[str]:
    """Sentences about a file; none for a plain file, another format, or an unreadable file (reading it raises)."""
    try:
        if typed_header or is_parquet(path):
            return []
        found = sniffed(path, delimiter)
        names = said_of_names(path, found.dialect)
    except (InputError, OSError):
        return []
    taken = [f"read as: {found.said}."] if found.said else []
    return [*taken, *names, *(f"in doubt: {doubt}." for doubt in found.doubts)]


def said_of_names(path: Path, dialect: CsvDialect) -> list[str]:
    """Reports columns that are renamed here, since their name in the file is empty or repeated."""
    if not dialect.header:
        return []
    names = csv_rows.header(path, dialect)
    with opened(path, dialect) as file:
        lines = Lines(file, path, dialect)
        lines.skip(dialect.skip_rows)
        reader = cells_in(csv.reader(lines, **options(dialect)), dialect)
        written = joined([line for _, line in zip(range(dialect.header), reader, strict=False)])
    lacking = len(names) - len(written)
    written = ["", *written] if dialect.row_names and lacks_one(written, len(names)) else [*written, *[""] * lacking]
    unnamed = [name for name, given in zip(names, written, strict=False) if not given]
    renamed = [f"{given!r} {name!r}" for name, given in zip(names, written, strict=False) if given and name != given]
    said = []
    if len(unnamed) == 1 and unnamed[0] == names[0]:
        said.append(f"the first column has no name; it is called {names[0]!r} here.")
    elif unnamed:
        said.append(f"{len(unnamed)} columns have no name; they are called {_some(list(map(repr, unnamed)))} here.")
    if renamed:
        said.append(_said_of_renamed(renamed))
    if len(written) > len(names):
        said.append(f"{len(written) - len(names)} columns at the end without name or value are left out.")
    return said


def _said_of_renamed(names: Sequence[str]) -> str:
    many, was = ("1 name is", "was") if len(names) == 1 else (f"{len(names)} names are", "were")
    return f"{many} repeated and {was} renamed: {_some(names)}."


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
