"""CSV, row by row with line numbers: quoted values may span lines, and what is malformed is told, never guessed.

Python's ``csv`` is used because a row's own line and source text must be known for the quarantine; Arrow's reader knows
neither where values span lines. Types are cast by Arrow afterwards, a chunk at a time.
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.rows import (
    LONGEST_ROW,
    OPERATION,
    RowBuffer,
    RowChunk,
    check_names,
    not_utf8,
    too_long,
    unreadable_file,
)
from profiling_core.model.errors import InputError

_BLOCK = 1 << 20
_LINE = 64  # what the shortest line takes in memory
UNNAMED = "index"


class _Lines:
    """The lines of a file, remembering those that the CSV reader took for the present row."""

    def __init__(self, file: TextIO, path: Path, before: int = 0) -> None:
        self._file, self._path = file, path
        self._taken: list[str] = []
        self._room = LONGEST_ROW
        self.number = before

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._file.readline(self._room)
        if not line:
            raise StopIteration
        self._room -= max(len(line), _LINE)
        if self._room <= 0:
            raise too_long(self._path, self.number + 1)
        self._taken.append(line)
        return line

    def row(self) -> tuple[int, str]:
        """First line and text of the row that was just read."""
        first = self.number + 1
        self.number += len(self._taken)
        text = "".join(self._taken).rstrip("\r\n")
        self._taken.clear()
        self._room = LONGEST_ROW
        return first, text


def header(path: Path, delimiter: str) -> tuple[str, ...]:
    """The column names in the file's first row.

    Raises:
        InputError: the file is unreadable, empty, not UTF-8, or has names that a table cannot have.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _header(csv.reader(_Lines(file, path), delimiter=delimiter, strict=True), path)
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    except OSError as error:
        raise unreadable_file(path, error) from error


def _header(reader: "Iterator[list[str]]", path: Path) -> tuple[str, ...]:
    try:
        names = next(reader, None)
    except csv.Error as error:
        raise unreadable_file(path, error) from error
    if not names:
        raise InputError(
            "the file has no header" if names is None else "the file begins with an empty line, not with a header",
            where=str(path),
            remedy="write the column names as the first row; a delta without rows is a header alone",
        )
    return check_names(with_first_name(names), path)


def with_first_name(names: Sequence[str]) -> list[str]:
    """The names, the first one given where it is empty: programs write row numbers into a column without a name."""
    if len(names) == 1 or names[0]:
        return list(names)
    free = next(name for i in count() if (name := f"{UNNAMED}_{i}" if i else UNNAMED) not in names)
    return [free, *names[1:]]


def named_first(path: Path, delimiter: str) -> str | None:
    """What the first column of a file is called that has no name for it; None where it has one.

    Raises:
        InputError: the file has no header that can be read.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file, delimiter=delimiter), [""])
    return with_first_name(names)[0] if len(names) > 1 and not names[0] else None


def read(path: Path, delimiter: str, null_values: Sequence[str]) -> Iterator[RowChunk]:
    """The rows below the header, in chunks. Empty lines are no rows.

    Raises:
        InputError: as for :func:`header`; or a quoted value is never closed, so that nobody knows what the rows are.
    """
    nulls = pa.array(null_values, pa.string())
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for chunk in _chunks(file, path, delimiter):
                yield _with_nulls(chunk, nulls)
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    except OSError as error:
        raise unreadable_file(path, error) from error


def read_range(
    path: Path, delimiter: str, null_values: Sequence[str], bounds: tuple[int, int], names: Sequence[str]
) -> Iterator[RowChunk]:
    """The rows between two positions of a file, both at the beginning of a row; no names: the first one is the header.

    Raises:
        InputError: as for :func:`read`.
    """
    nulls = pa.array(null_values, pa.string())
    with path.open("rb") as file:
        before = sum(file.read(min(_BLOCK, bounds[0] - at)).count(b"\n") for at in range(0, bounds[0], _BLOCK))
        content = file.read(bounds[1] - bounds[0])
    try:
        text = io.StringIO(content.decode("utf-8-sig" if not bounds[0] else "utf-8"), newline="")
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    for chunk in _chunks(text, path, delimiter, names, before):
        yield _with_nulls(chunk, nulls)


def _with_nulls(chunk: RowChunk, nulls: pa.Array) -> RowChunk:
    return replace(chunk, cells={name: _nulled(name, cells, nulls) for name, cells in chunk.cells.items()})


def _nulled(name: str, cells: pa.Array, nulls: pa.Array) -> pa.Array:
    if name == OPERATION:
        return cells
    return pc.if_else(pc.is_in(cells, nulls), pa.scalar(None, pa.string()), cells)


def _chunks(file: TextIO, path: Path, delimiter: str, names: Sequence[str] = (), before: int = 0) -> Iterator[RowChunk]:
    """The rows of a text; without names, its first row is the header. There are so many lines ``before`` it."""
    csv.field_size_limit(sys.maxsize)
    lines = _Lines(file, path, before)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    buffer = RowBuffer(names or _header(reader, path))
    width = len(buffer.names)
    if not names:
        lines.row()
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            first, text = lines.row()
            if "unexpected end of data" in str(error):
                raise InputError(
                    "a quoted value is never closed",
                    where=f"{path}, line {first}",
                    remedy='close the quote (a quote within a quoted value is written "") and land the file again',
                ) from error
            buffer.add_unreadable(first, text, str(error))
            continue
        first, text = lines.row()
        if len(cells) == width:
            buffer.add(first, text, cells)
        elif cells:
            buffer.add_unreadable(first, text, f"{len(cells)} values, where the header names {width} columns")
        if buffer.is_full:
            yield buffer.take()
    yield buffer.take()
