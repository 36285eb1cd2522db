"""Counts the lines of a CSV file: each belongs to a row or is left out for a reason."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from profiling_core.ingest.rows import LONGEST_ROW, too_long
from profiling_core.model.account import Account
from profiling_core.model.dialect import BETWEEN, CsvDialect

_LINE = 64  # bytes that the shortest line takes in memory
_BLOCK = 1 << 20


def rewriting(dialect: CsvDialect) -> Callable[[str], str] | None:
    r"""Makes a line one that Python's ``csv`` splits as the dialect says; None: it splits lines as they are.

    An escape stands before a delimiter, a quote, a line end or another escape; before anything else it is text, as in
    the ``\N`` of databases.
    """
    if dialect.places:
        return partial(_cut, dialect.places)
    if dialect.mark != dialect.delimiter:
        return partial(_marked, dialect.delimiter, rewriting(replace(dialect, delimiter=dialect.mark)) or str)
    delimiter, quote, escape = map(re.escape, (dialect.delimiter, dialect.quote, dialect.escape))
    if escape:
        found = re.compile(rf"{escape}(?:{delimiter}|{quote or escape}|{escape}|[\r\n]|$)|{escape}")
        return partial(found.sub, lambda match: 2 * dialect.escape if match[0] == dialect.escape else match[0])
    if dialect.inner_quotes == "doubled" or not quote:
        return None
    if dialect.inner_quotes == "rows":
        found = re.compile(rf"^{quote}((?:[^{quote}]|{quote}{quote})*){quote}(?=[\r\n]*$)")
        return partial(found.sub, lambda match: match[1].replace(2 * dialect.quote, dialect.quote))
    found = re.compile(rf"(?<!^)(?<!{delimiter}){quote}(?!{delimiter}|[\r\n]|$)")
    return partial(found.sub, 2 * dialect.quote)


def _marked(delimiter: str, rewritten: Callable[[str], str], line: str) -> str:
    """A line with one character in place of each delimiter; :func:`cells_in` gives it back to quoted cells."""
    return rewritten(line.replace(delimiter, BETWEEN))


def options(dialect: CsvDialect) -> dict[str, Any]:
    """A dialect as the options of Python's ``csv``."""
    return {
        "delimiter": dialect.mark,
        "quotechar": dialect.quote or None,
        "quoting": csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        "escapechar": dialect.escape or None,
        "skipinitialspace": dialect.trim,
        "strict": True,
    }


def last_joined(cells: Sequence[str | None], width: int, delimiter: str) -> Sequence[str | None]:
    """The cells, with those behind the last column joined to it if each begins with a blank."""
    if len(cells) > width and all((cell or "").startswith(" ") for cell in cells[width:]):
        return [*cells[: width - 1], delimiter.join(cell or "" for cell in cells[width - 1 :])]
    return cells


def cells_in(rows: Iterator[list[str]], dialect: CsvDialect) -> Iterator[list[str]]:
    """The cells of rows that ``csv`` has split: those that have a delimiter of several characters have it again.

    Where several tabs count as one, there are no empty cells.
    """
    if dialect.trim and dialect.delimiter == "\t":
        return map(lambda cells: [*filter(None, cells)], rows)  # noqa: C417 -- goes on behind an error
    if dialect.mark == dialect.delimiter:
        return rows
    return map(lambda cells: [cell.replace(dialect.mark, dialect.delimiter) for cell in cells], rows)  # noqa: C417 -- goes on behind an error


def aligned(line: str) -> str:
    """A line as a page shows it: tabs as blanks, without its end, a form feed and the mark of DOS at a file's end."""
    return line.strip("\f\r\n\x1a").expandtabs()


def _cut(places: Sequence[int], line: str) -> str:
    """The cells of a line that has no delimiters, as quoted cells; one cell if it has text across a place."""
    text = aligned(line)
    whole = any(text[place - 1 : place].strip() for place in places[1:])
    cells = [text] if whole else [text[begin:end] for begin, end in pairwise([*places, None])]
    return ",".join('"' + cell.strip().replace('"', '""') + '"' for cell in cells) if text.strip() else ""


def unframing(dialect: CsvDialect) -> Callable[[str], str] | None:
    """Takes the delimiter away that a row's first line begins with; None: rows begin with a cell."""
    if not dialect.framed:
        return None
    blanks = "" if dialect.delimiter.isspace() else " *"
    return partial(re.compile(rf"\A{blanks}{re.escape(dialect.delimiter)}").sub, "")


def opened(path: Path, dialect: CsvDialect) -> TextIO:
    """A CSV file as text; bytes that its encoding does not have are surrogates, which no row may have."""
    return path.open(encoding=dialect.codec, errors="surrogateescape", newline="")


class Lines:
    """The lines of a text, with those that the CSV reader took for the current row.

    Attributes:
        number: how many lines were read so far; is_over: whether none is left.
        taken: the lines of the current row; left_out: counts of lines that are no rows, by reason; last: the numbers
            of those at the end that could be rows.
    """

    def __init__(self, file: TextIO, path: Path, dialect: CsvDialect, before: int = 0) -> None:
        self._file, self._path = file, path
        self._comment, self._rewriting = dialect.comment, rewriting(dialect)
        self._unframing, self._quote = unframing(dialect), dialect.quote
        self.taken: list[str] = []
        self._room = LONGEST_ROW
        self.number = before
        self.is_over = False
        self.left_out: Counter[str] = Counter()
        self._lost, self._told, self._told_out = 0, before, 0
        self.last: tuple[int, ...] = ()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self._room)
        if self._comment and not self.taken:
            while line.startswith(self._comment):
                self._leave("comment", 1)
                line = self._file.readline(self._room)
        if not line:
            self.is_over = True
            raise StopIteration
        size = len(line)
        self._room -= size if size > _LINE else _LINE  # noqa: FURB136 -- a call for each line
        if self._room <= 0:
            raise too_long(self._path, self.number + 1)
        bare = self._unframing(line) if self._unframing and not self._is_quoted() else line
        self.taken.append(line)
        return self._rewriting(bare) if self._rewriting else bare

    def _is_quoted(self) -> bool:
        """Whether the next line goes on with a quoted cell."""
        return bool(self._quote) and sum(line.count(self._quote) for line in self.taken) % 2 == 1

    def skip(self, lines: int) -> None:
        """Leaves out lines before the header."""
        for _ in range(lines):
            if self._file.readline(LONGEST_ROW):
                self._leave("in front", 1)

    def one(self) -> tuple[int, str]:
        """As :meth:`row`, for a row of one line."""
        self.number += 1
        self._room = LONGEST_ROW
        return self.number, self.taken.pop().rstrip("\r\n")

    def row(self) -> tuple[int, str]:
        """First line and text of the row that was read last."""
        taken = self.taken
        first = self.number + 1
        self.number += len(taken)
        text = "".join(taken).rstrip("\r\n")
        taken.clear()
        self._room = LONGEST_ROW
        return first, text

    def leave_row(self, why: str) -> None:
        """Counts the lines that were read last as left out."""
        first, _ = self.row()
        self.left_out[why] += self.number - first + 1

    def lose(self, lines: int) -> None:
        """Counts the lines of a row that could not be read."""
        self._lost += lines - 1

    def _leave(self, why: str, lines: int) -> None:
        self.number += lines
        self.left_out[why] += lines

    def account(self) -> Account:
        """What became of the lines since the last account."""
        read, out = self.number - self._told, self.left_out.total() - self._told_out
        account = Account(read - out, self._lost, dict(self.left_out), self.last)
        self._told, self._told_out, self._lost = self.number, 0, 0
        self.left_out = Counter()
        return account


def lines_in(path: Path, dialect: CsvDialect) -> int:
    """How many lines a CSV file has, of any kind, including text after the last line end."""
    if dialect.codec.startswith("utf-8"):
        return count_lines(path, returns=True)
    with opened(path, dialect) as text:
        return sum(1 for _ in text)


def count_lines(path: Path, *, returns: bool) -> int:
    """The number of lines of a text in UTF-8; with ``returns`` a lone carriage return also ends a line."""
    found, last = 0, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found += block.count(b"\n")
            if returns and b"\r" in block:
                found += block.count(b"\r") - block.count(b"\r\n")
            found -= returns and last == b"\r" and block[:1] == b"\n"
            last = block[-1:]
    return found + (last not in ((b"", b"\n", b"\r") if returns else (b"", b"\n")))
