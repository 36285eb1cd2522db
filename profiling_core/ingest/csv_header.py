"""The column names in the header of a CSV file, read as the file's dialect says.

A file may leave names out, repeat one, or spread names over several lines. The result follows from the header and the
dialect alone, so that each file of a table gives the same names.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from profiling_core.ingest.rows import check_names
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import FileError

_RULE = re.compile(":?[-=]{2,}:?")
UNNAMED = "index"
"""The first column's name where it has none: programs write row numbers into a column without a name."""


def names_in(reader: Iterator[list[str]], dialect: CsvDialect, path: Path) -> tuple[str, ...]:
    """The names of the columns; afterwards the reader is behind the header.

    Raises:
        InputError: the header is missing though the dialect has one, or a table cannot have its names.
    """
    if not dialect.header:
        return check_names(dialect.names, path)
    lines = [*islice(reader, dialect.header + dialect.skip_below)][: dialect.header]
    if not lines or not any(lines):
        raise FileError(
            "the file begins with an empty line, not with a header" if lines else _without_header(path),
            where=str(path),
            remedy="write the column names as the first row; a delta without rows is a header alone",
        )
    return check_names(completed(joined(lines), dialect.width, row_names=dialect.row_names), path)


def _without_header(path: Path) -> str:
    return "the file has no header" + ("" if path.stat().st_size else ": it is empty")


def without_mark(cells: Sequence[str | None]) -> list[str | None]:
    """The cells of a line without a byte order mark in front, which stands within files that were put together."""
    return [(cells[0] or "").removeprefix("\ufeff"), *cells[1:]] if cells else []


def joined(lines: Sequence[Sequence[str]]) -> list[str]:
    """The names that the lines of a header make together: ``left``, ```` over ``X``, ``Y`` give ``left X``, ``left Y``.

    A name of an upper line also belongs to the columns after it, if their names would otherwise repeat.
    """
    width = max(map(len, lines))
    rows = [[*line, *[""] * (width - len(line))] for line in lines]
    plain = _beside(rows)
    named = [name for name in rows[-1] if name and not is_rule(name)]
    return plain if len(set(named)) == len(named) else _beside([*map(spread, rows[:-1]), rows[-1]])


def _beside(rows: Sequence[Sequence[str]]) -> list[str]:
    if len(rows) == 1:
        return list(rows[0])
    return [" ".join(p.strip() for p in column if p.strip() and not is_rule(p)) for column in zip(*rows, strict=True)]


def is_rule(cell: str) -> bool:
    """Whether a cell is a ruled line between names and rows, as programs draw it."""
    return _RULE.fullmatch(cell.strip()) is not None


def spread(row: Sequence[str]) -> list[str]:
    """The names of a line; each is also given to the unnamed columns after it."""
    found: list[str] = []
    for name in row:
        found.append(name or (found[-1] if found else ""))
    return found


def lacks_one(names: Sequence[str], width: int) -> bool:
    """Whether a header has one name fewer than there are columns, and none of them is empty."""
    return width == len(names) + 1 and all(names)


def completed(names: Sequence[str], width: int = 0, *, row_names: bool = True) -> list[str]:
    """A name for each column: unnamed columns at the end are dropped, others get a name, repeated names a number.

    A header with one name fewer than there are columns lacks the first: programs write row names without a name.

    Args:
        names: the names as written.
        width: the number of columns; 0: up to the last one with a name.
        row_names: whether the first name may be the one that is missing.
    """
    if row_names and lacks_one(names, width):
        names = ["", *names]
    last = width or max((i for i, name in enumerate(names, 1) if name.strip()), default=len(names))
    wanted = [*names[:last], *[""] * (last - len(names))]
    if len(wanted) == 1 and not wanted[0].strip():
        return [""]  # nothing but blanks is no name
    return _apart(wanted)


def _apart(wanted: Sequence[str]) -> list[str]:
    """A name for each column without one, and numbers for repeated names."""
    taken, seen = {*wanted} - {""}, dict[str, None]()
    numbers: dict[str, Iterator[int]] = {}
    for place, name in enumerate(wanted):
        given = name or (f"col_{place}" if place else UNNAMED)
        if given in seen or (not name and given in taken):
            following = numbers.setdefault(given, count(2 if name else 1))
            given = next(new for i in following if (new := f"{given}_{i}") not in taken)
        taken.add(given)
        seen[given] = None
    return list(seen)
