"""CSV, row by row with line numbers. Quoted values may span lines; malformed rows are reported, never guessed.

Python's ``csv`` is used because the quarantine needs a row's own line and source text; Arrow's reader knows neither
where values span lines. Types are cast by Arrow afterwards, a chunk at a time.
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.csv_header import names_in, without_mark
from profiling_core.ingest.csv_lines import Lines, cells_in, last_joined, opened, options
from profiling_core.ingest.rows import (
    CHUNK_ROWS,
    OPERATION,
    RowBuffer,
    RowChunk,
    not_utf8,
    odd_bytes,
    other_file,
    unreadable_file,
)
from profiling_core.model.dialect import PLAIN_DIALECT, CsvDialect
from profiling_core.model.errors import InputError

_BLOCK = 1 << 20
_MORE_THAN_CHANCE = 8
"""Delimiters that lines inside one quoted value need in all, to count as swallowed rows rather than as text."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The beginning of a file: the names of its columns, and the text before its first row."""

    names: tuple[str, ...]
    text: str


def header(path: Path, dialect: CsvDialect = PLAIN_DIALECT) -> tuple[str, ...]:
    """The names of a file's columns.

    Raises:
        InputError: the file is unreadable, empty, of another encoding, or has names that a table cannot have.
    """
    return heading(path, dialect).names


def heading(path: Path, dialect: CsvDialect) -> Heading:
    """The beginning of a file, up to its first row; raises as :func:`header`."""
    try:
        with opened(path, dialect) as file:
            lines = _Kept(file, path, dialect)
            lines.skip(dialect.skip_rows)
            return Heading(
                _names(cells_in(csv.reader(lines, **options(dialect)), dialect), dialect, path), "".join(lines.all)
            )
    except UnicodeError as error:
        raise not_utf8(path, dialect.encoding) from error
    except OSError as error:
        raise unreadable_file(path, error) from error


class _Kept(Lines):
    """Lines that are kept, for the beginning of a file."""

    def __init__(self, file: TextIO, path: Path, dialect: CsvDialect) -> None:
        self.all: list[str] = []
        super().__init__(file, path, dialect)
        self._read = file.readline
        self._file = self  # type: ignore[assignment] # Lines only calls readline of a file

    def readline(self, size: int) -> str:
        """Reads and keeps the next line."""
        self.all.append(self._read(size))
        return self.all[-1]


def _names(reader: "Iterator[list[str]]", dialect: CsvDialect, path: Path) -> tuple[str, ...]:
    try:
        names = names_in(reader, dialect, path)
    except csv.Error as error:
        with path.open("rb") as file:
            raise other_file(path, file.read(_BLOCK), is_text=True) or unreadable_file(path, error) from error
    try:
        "".join(names).encode()
    except UnicodeEncodeError as error:
        raise not_utf8(path, dialect.encoding) from error
    return names


def read(path: Path, dialect: CsvDialect, null_values: Sequence[str]) -> Iterator[RowChunk]:
    """The rows below the header, in chunks. Empty lines are no rows.

    Raises:
        InputError: as for :func:`header`; or a quoted value is never closed, so that the rows after it are unknown.
    """
    nulls = pa.array(null_values, pa.string())
    try:
        with opened(path, dialect) as file:
            for chunk in _chunks(file, path, dialect):
                yield _with_nulls(chunk, nulls)
    except UnicodeError as error:
        raise not_utf8(path, dialect.encoding) from error
    except OSError as error:
        raise unreadable_file(path, error) from error


def read_range(
    path: Path, dialect: CsvDialect, null_values: Sequence[str], bounds: tuple[int, int], names: Sequence[str]
) -> Iterator[RowChunk]:
    """The rows between two positions of a file, both at the start of a row; without names the first row is the header.

    Raises:
        InputError: as for :func:`read`.
    """
    nulls = pa.array(null_values, pa.string())
    with path.open("rb") as file:
        before = sum(file.read(min(_BLOCK, bounds[0] - at)).count(b"\n") for at in range(0, bounds[0], _BLOCK))
        content = file.read(bounds[1] - bounds[0])
    text = io.StringIO(content.decode("utf-8-sig" if not bounds[0] else "utf-8", "surrogateescape"), newline="")
    for chunk in _chunks(text, path, dialect, names, before):
        yield _with_nulls(chunk, nulls)


def _with_nulls(chunk: RowChunk, nulls: pa.Array) -> RowChunk:
    return replace(chunk, cells={name: _nulled(name, cells, nulls) for name, cells in chunk.cells.items()})


def _nulled(name: str, cells: pa.Array, nulls: pa.Array) -> pa.Array:
    if name == OPERATION:
        return cells
    return pc.if_else(pc.is_in(cells, nulls), pa.scalar(None, pa.string()), cells)


def _chunks(
    file: TextIO, path: Path, dialect: CsvDialect, names: Sequence[str] = (), before: int = 0
) -> Iterator[RowChunk]:
    """The rows of a text; without names it begins with skipped lines and a header. ``before``: the lines before it."""
    csv.field_size_limit(sys.maxsize)
    lines = Lines(file, path, dialect, before)
    if not names:
        lines.skip(dialect.skip_rows)
    reader, header = cells_in(csv.reader(lines, **options(dialect)), dialect), list[list[str]]()
    if not names:
        names = _names(_noted(reader, header), dialect, path)
        lines.leave_row("header")
    rows = _Rows(lines, RowBuffer(names), dialect, path, header)
    width, taken = len(names), lines.taken
    is_usual = not (dialect.skip_footer or dialect.repeated_header)
    while True:
        try:
            for cells in islice(reader, rows.buffer.room):
                if len(cells) == width and len(taken) == 1 and is_usual:
                    rows.buffer.add(*lines.one(), cells)
                else:
                    rows.add(cells)
        except csv.Error as error:
            rows.add_malformed(str(error))
            continue
        if rows.buffer.room > 0 and lines.is_over:
            break
        if rows.buffer.room <= 0:
            yield rows.take()
    rows.end()
    yield rows.take()


def _noted(reader: "Iterator[list[str]]", header: list[list[str]]) -> "Iterator[list[str]]":
    """The lines of a header as they are read; they are added to ``header``."""
    for cells in reader:
        header.append(cells)
        yield cells


class _Rows:
    """Takes a file's rows one after the other, and separates the good ones from the others."""

    def __init__(
        self, lines: Lines, buffer: RowBuffer, dialect: CsvDialect, path: Path, header: Sequence[Sequence[str]]
    ) -> None:
        self._header = header if dialect.repeated_header else ()
        self.buffer, self._lines, self._dialect, self._path = buffer, lines, dialect, path
        self._width = len(buffer.names)
        self._tail: list[tuple[int, int, str, Sequence[str], str]] = []
        # The first of the rows held back that is below an empty line; None: there is none.
        self._apart: int | None = None
        self._is_encoded = False

    def take(self) -> RowChunk:
        """The rows so far as a chunk; raises ``InputError`` where the file's encoding is evidently another one."""
        account, encoding = self._lines.account(), self._dialect.encoding
        try:
            return self.buffer.take(account)
        except UnicodeEncodeError as error:
            self._is_encoded = self._is_encoded or odd_bytes(self._path, encoding).are_few
            if not self._is_encoded:
                raise not_utf8(self._path, encoding) from error
        return self.buffer.take(replace(account, lost=account.lost + self.buffer.set_odd_apart()))

    def add(self, cells: Sequence[str | None]) -> None:
        """Adds a row as the CSV reader has split it."""
        lines = self._lines
        first, text = lines.row()
        if self._is_header(cells):
            lines.left_out["header"] += lines.number - first + 1
            self._leave_titles()
            return
        if len(cells) != self._width:
            cells = () if _is_empty(cells) else self._fitted(cells)
            if len(cells) != self._width:
                self._add_of_other_width(first, text, cells)
                return
        if lines.number > first + 1 and swallows_rows(text, self._width, self._dialect.delimiter):
            self._unreadable(first, text, self._swallowed(first))
        elif self._may_be_title(cells) and self._apart is None:
            self._hold_title(first, text, cells)
        elif self._apart is not None or (self._dialect.skip_footer and self._width > 2 and not any(cells[1:])):  # noqa: PLR2004 -- of two, one may well be empty
            self._hold_last(first, text, cells)
        else:
            if self._tail:
                self._release()
            self.buffer.add(first, text, cells)

    def _add_of_other_width(self, first: int, text: str, cells: Sequence[str | None]) -> None:
        """Leaves out an empty line, and holds another one back: it may be one of a footer, a title, or a broken row."""
        if _is_empty(cells):
            self._lines.left_out["empty"] += self._lines.number - first + 1
            self._begin_apart()
            return
        self._hold(first, text, cells, f"{len(cells)} values, where the header names {self._width} columns")
        if not self._dialect.skip_footer and not self._may_be_title(cells):
            self._release()

    def _is_header(self, cells: Sequence[str | None]) -> bool:
        """Whether a line repeats one of the header's."""
        return bool(self._header) and without_mark(cells) in self._header

    def _may_be_title(self, cells: Sequence[str | None]) -> bool:
        """Whether a line with one value at most may be a title above a header that comes again."""
        values = sum(bool(cell and cell.strip()) for cell in cells)
        return bool(self._header and cells) and self._width > 2 and values <= 1  # noqa: PLR2004 -- of two, one may well be empty

    def _hold_title(self, first: int, text: str, cells: Sequence[str | None]) -> None:
        """Holds back a line that may be a title; what follows a line without values may be a footer."""
        if len(self._tail) > CHUNK_ROWS:
            self._release()
        if not any(cells):
            self._begin_apart()
        self._hold(first, text, cells, "")

    def _leave_titles(self) -> None:
        """Leaves out the lines directly above a header that comes again, if they have one value at most."""
        while self._tail and self._may_be_title(self._tail[-1][3]):
            self._lines.left_out["title"] += self._tail.pop()[1]
        self._apart = None

    def _fitted(self, cells: Sequence[str | None]) -> Sequence[str | None]:
        """The cells without empty ones beyond the width, and with missing ones filled in if the dialect does so."""
        width = self._width
        if len(cells) > width and not any(cell and cell.strip() for cell in cells[width:]):
            return cells[:width]
        if len(cells) < width and self._dialect.short_rows == "fill":
            return [*cells, *[None] * (width - len(cells))]
        return last_joined(cells, width, self._dialect.delimiter) if self._dialect.long_rows == "join" else cells

    def _hold(self, first: int, text: str, cells: Sequence[str | None], reason: str) -> None:
        """Holds back a row that may be a footer; the rows after it decide."""
        self._tail.append((first, self._lines.number - first + 1, text, cells, reason))  # type: ignore[arg-type]

    def _hold_last(self, first: int, text: str, cells: Sequence[str | None]) -> None:
        """Holds back a row of the table's width that may be a footer; what follows a row without values is apart."""
        if not any(cell and cell.strip() for cell in cells):
            self._begin_apart()
        self._hold(first, text, cells, "")
        while self._apart is not None and self._held() > self._dialect.skip_footer:
            before, self._apart = self._apart, 0 if self._apart else None
            self._release(before or self._whole())

    def _whole(self) -> int:
        """How many of the rows held back are rows in any case: up to the last with more than a first cell, or all."""
        whole = (at for at, (*_, cells, reason) in enumerate(self._tail, 1) if reason or any(cells[1:]))
        return max(whole, default=len(self._tail))

    def _begin_apart(self) -> None:
        """Notes an empty line: the rows below it may be a footer."""
        self._apart = len(self._tail) if self._dialect.skip_footer else None

    def _release(self, end: int = 0) -> None:
        """Adds the rows that are held back, or the first ``end`` of them."""
        released = self._tail[: end or None]
        del self._tail[: len(released)]
        self._apart = self._apart if end else None
        for first, lines, text, cells, reason in released:
            if reason:
                self._lines.lose(lines)
                self.buffer.add_unreadable(first, text, reason)
            else:
                self.buffer.add(first, text, cells)

    def _held(self) -> int:
        """How many of the rows held back are not empty."""
        return sum(bool(text.strip(f" {self._dialect.delimiter}")) for _, _, text, *_ in self._tail)

    def end(self) -> None:
        """Ends the file: rows held back are footers, or are released; rows above the footer's lines are rows."""
        beyond = self._held() - self._dialect.skip_footer
        if 0 < beyond < len(self._tail) and not any(reason for *_, reason in self._tail[:beyond]):
            self._release(beyond)
        if self._held() <= self._dialect.skip_footer:
            self._lines.left_out["at the end"] += sum(lines for _, lines, *_ in self._tail)
            rows = ((first, cells) for first, *_, cells, reason in self._tail if not reason)
            self._lines.last = tuple(first for first, cells in rows if any(cells[1:]) or self._width == 1)
            self._tail.clear()
        self._release()

    def add_malformed(self, error: str) -> None:
        """Adds a row that the CSV reader cannot split; raises ``InputError`` where a quote is never closed."""
        first, text = self._lines.row()
        if "unexpected end of data" in error:
            lost = self._lines.number - first + 1
            raise InputError(
                "a quoted value is never closed" + (f" and swallows {lost:,} lines" if lost > 1 else ""),
                where=f"{self._path}, line {first}",
                remedy='close the quote (a quote within a quoted value is written "") and land the file again',
            )
        self._unreadable(first, text, error if self._lines.number == first else f"{self._swallowed(first)}: {error}")

    def _swallowed(self, first: int) -> str:
        last = self._lines.number
        return f"a quote opened in line {first} swallows {last - first + 1:,} lines, up to line {last}"

    def _unreadable(self, first: int, text: str, reason: str) -> None:
        self._hold(first, text, (), reason)
        if self._lines.number > first or not self._dialect.skip_footer:
            self._release()


def _is_empty(cells: Sequence[str | None]) -> bool:
    """Whether a line has no delimiter, and nothing but blanks."""
    return not cells or (len(cells) == 1 and not (cells[0] or "").strip())


def swallows_rows(text: str, width: int, delimiter: str) -> bool:
    """Whether most of the lines within a row look like rows themselves, since a quote was opened by mistake."""
    inner = text.split("\n")[1:-1]
    alike = sum(line.count(delimiter) == width - 1 for line in inner)
    return 2 * alike > len(inner) and alike * (width - 1) >= _MORE_THAN_CHANCE
