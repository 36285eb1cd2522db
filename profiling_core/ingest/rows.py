"""The rows that readers of all formats give: chunks of cells as the file has them, with the place of each row.

A row that cannot be read is a row too, with its reason: it goes to the quarantine, and counts. A file that cannot be
read is an error.
"""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from profiling_core.model.account import Account
from profiling_core.model.errors import FileError, InputError
from profiling_core.state.proof import is_regular

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a chunk.
CHUNK_ROWS = 16_384
OPERATION = "_op"
LONGEST_ROW = 16 << 20
"""Characters in a row of a text file, at most; else an unclosed quote would read the whole file into memory."""
# Columns of a table, at most.
MOST_COLUMNS = 10_000
DEEPEST = 100
"""Levels of nested JSON, at most."""
_BLOCK = 1 << 20
_ODD, _BEYOND_ASCII = re.compile("[\udc80-\udcff]"), re.compile("[^\0-\x7f]")
_LINE_END = re.compile("\r\n|\r|\n")
_UNPACK, _CONVERT = (
    "unpack it and land what is in it",
    "convert it to UTF-8, for instance with iconv, and land it again",
)
_EXPORT = (
    "write what is in it as CSV: of a sheet of .xlsx, .xls or .ods by Save as, CSV UTF-8, or by "
    "libreoffice --convert-to csv:'Text - txt - csv (StarCalc)':44,34,76 FILE"
)
_OTHER_FILES = {
    b"\x1f\x8b": ("compressed by gzip", _UNPACK),
    b"PK\x03\x04": ("a zip archive, as workbooks are, too", _EXPORT),
    b"\xd0\xcf\x11\xe0": ("a workbook", _EXPORT),
    b"BZh": ("compressed by bzip2", _UNPACK),
    b"\xfd7zXZ\x00": ("compressed by xz", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("compressed by Zstandard", _UNPACK),
    b"ARROW1": ("Arrow", "write it as Parquet, and land it as .parquet"),
    b"Obj\x01": ("Avro", "write it as Parquet, and land it as .parquet"),
    b"SQLite format 3\0": ("a SQLite database", "write its tables as CSV or Parquet"),
    b"PAR1": ("Parquet", "set source.format to parquet, and land it as .parquet"),
    b"\xff\xfe": ("UTF-16", _CONVERT),
    b"\xfe\xff": ("UTF-16", _CONVERT),
}
"""Files that cannot be read as text, by their first bytes."""
_OTHER_TEXTS = (
    (re.compile(rb"%PDF-"), "a PDF document", "write its tables as CSV"),
    (
        re.compile(rb"<(!doctype\s+html|html[\s>])", re.IGNORECASE),
        "a web page",
        "load the file itself: a page that asks to log in, or reports an error, may have come in its place",
    ),
    (re.compile(rb"<\?xml\s"), "XML", "write its rows as CSV, or each as a line of JSON to a file that ends in .jsonl"),
    (
        re.compile(rb'(\[\s*)?\{\s*("[^"\n]*"\s*:|\})'),
        "JSON",
        "write it as CSV or Parquet; init and apply read lines of objects, too (.jsonl; jq -c '.[]' writes them)",
    ),
)
"""Texts that are no CSV, by how they begin."""
RESERVED = frozenset({"_row_id", "_delta_id"})


@dataclass(frozen=True, slots=True)
class RowChunk:
    """Consecutive rows of one file.

    ``lines`` are where rows begin (from 1; in Parquet the row's number), ``texts`` the rows' source (None: the format
    has
    none), ``unreadable`` the reasons of unreadable rows, whose cells are all null (null: readable). ``cells`` are
    columns by
    name: strings, or in Parquet the file's types. ``account`` counts the lines that were read for the chunk (None: one
    for
    each row).
    """

    lines: "pa.Int64Array"
    texts: "pa.StringArray | None"
    unreadable: "pa.StringArray"
    cells: "Mapping[str, pa.Array]"
    account: Account | None = None

    def __len__(self) -> int:
        return len(self.lines)


Reader = Callable[[Path], Iterator[RowChunk]]


class RowBuffer:
    """Collects rows until they make a chunk."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._rows: list[Sequence[str | None]] = []
        self._lines: list[int] = []
        self._texts: list[str] = []
        self._unreadable: dict[int, str] = {}
        self._nothing = (None,) * len(self.names)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def room(self) -> int:
        """How many more rows the chunk takes."""
        return max(0, CHUNK_ROWS - len(self._rows))

    @property
    def is_full(self) -> bool:
        """Whether it is time to :meth:`take` a chunk."""
        return len(self._rows) >= CHUNK_ROWS

    def add(self, line: int, text: str, cells: Sequence[str | None]) -> None:
        """Adds a row that was read."""
        self._rows.append(cells)
        self._lines.append(line)
        self._texts.append(text)

    def add_unreadable(self, line: int, text: str, reason: str) -> None:
        """Adds an unreadable row."""
        self._unreadable[len(self._rows)] = reason
        self.add(line, text, self._nothing)

    def set_odd_apart(self) -> int:
        """Makes rows with bytes that are not in the file's encoding unreadable; gives their lines beyond one for each.

        These bytes are surrogates in the rows' texts.
        """
        lost = 0
        for place, text in enumerate(self._texts):
            if found := _ODD.search(text):
                shown = (_backslashed(part) for part in (text, found[0]))
                self._texts[place], odd = shown
                if place not in self._unreadable:
                    self._unreadable[place] = f"{odd} is not in the file's encoding"
                    lost += len(_LINE_END.findall(text))
                self._rows[place] = self._nothing
        return lost

    def take(self, account: Account | None = None) -> RowChunk:
        """The rows collected so far; this empties the buffer."""
        import pyarrow as pa

        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(self.names)
        chunk = RowChunk(
            pa.array(self._lines, pa.int64()),
            pa.array(self._texts, pa.string()),
            pa.array(map(self._unreadable.get, range(len(self._rows))), pa.string(), size=len(self._rows)),
            {name: pa.array(values, pa.string()) for name, values in zip(self.names, columns, strict=True)},
            account,
        )
        self._rows, self._lines, self._texts, self._unreadable = [], [], [], {}
        return chunk


def _backslashed(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def check_names(names: Sequence[str], path: object) -> tuple[str, ...]:
    """The column names of a file, if a table can have them; else raises ``InputError``."""
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"the file has {len(names):,} columns, and a table can have {MOST_COLUMNS:,}",
            where=str(path),
            remedy="leave columns out of the file, or write a row per value",
        )
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InputError(f"column {twice[0]!r} is in the file twice", where=str(path), remedy="name each column once")
    if "" in names:
        raise InputError(
            f"column {list(names).index('') + 1} has no name", where=str(path), remedy="give each column a name"
        )
    if cut := [number for number, name in enumerate(names, 1) if "\0" in name]:
        raise _with_nul(cut[0], path)
    ours = sorted(RESERVED.intersection(names))
    if ours:
        raise InputError(f"the column name {ours[0]!r} is reserved", where=str(path), remedy="rename the column")
    return tuple(names)


def _with_nul(column: int, path: object) -> InputError:
    """The error of a file with NUL bytes in a column's name: its real format, if its first bytes show one."""
    if isinstance(path, Path):
        with path.open("rb") as file:
            if other := other_file(path, file.read(8), is_csv=False):
                return other
    return FileError(
        f"the name of column {column} has NUL bytes, which no text has",
        where=str(path),
        remedy="write the file again: NUL bytes stand where a program or a disk has stopped within it",
    )


def too_long(path: Path, line: int) -> InputError:
    """The error of a text file with a row of more than ``LONGEST_ROW`` characters, which begins in this line."""
    return FileError(
        f"a row is longer than {LONGEST_ROW >> 20} Mi characters",
        where=f"{path}, line {line}",
        remedy="close open quotes, and end rows with line breaks; keep values that large in files of their own",
    )


def no_columns(where: object) -> InputError:
    """The error of a file of JSON lines without a key."""
    return FileError(
        "no columns were found: the file is empty, or none of its lines is a JSON object",
        where=str(where),
        remedy='write an object a line, such as {"id": 1, "city": "Bonn"}; jq -c \'.[]\' makes them of an array',
    )


def not_utf8(path: Path, encoding: str = "utf-8", *, is_csv: bool = True) -> InputError:
    """The error of a text file that is not UTF-8: its real format, or the first line with other bytes."""
    if encoding != "utf-8":
        return FileError(
            f"the file is not {encoding} text",
            where=str(path),
            remedy="correct encoding in the source, or write the file in it and land it again",
        )
    with path.open("rb") as file:
        begin = file.read(8)
    if other := other_file(path, begin, is_csv=is_csv):
        return other
    where = f"{path}, line {odd_bytes(path).line}"
    return FileError("the file is not UTF-8 text", where=where, remedy=_CONVERT)


def other_file(path: Path, begin: bytes, *, is_text: bool = False, is_csv: bool = True) -> InputError | None:
    """The error of a file whose first bytes show another format than text, or than CSV; None: they do not.

    Args:
        path: the file.
        begin: its first bytes.
        is_text: whether they are known to be text.
        is_csv: whether the file is to be CSV.
    """
    for sign, (what, remedy) in () if is_text else _OTHER_FILES.items():
        if begin.startswith(sign):
            return FileError(f"the file is not UTF-8 text: it is {what}", where=str(path), remedy=remedy)
    begin = begin.removeprefix(codecs.BOM_UTF8).lstrip()
    for pattern, what, remedy in _OTHER_TEXTS if is_csv else ():
        if pattern.match(begin) and not (what == "JSON" and _goes_on(begin)):
            return FileError(f"the file is not CSV: it is {what}", where=str(path), remedy=remedy)
    return None


def _goes_on(begin: bytes) -> bool:
    """Whether the line of a JSON value has something else behind it, as where that is a cell without quotes."""
    try:
        text = begin.decode("utf-8", "replace")
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip(" \t")[:1] not in ("", "\r", "\n")


@dataclass(frozen=True, slots=True)
class OddBytes:
    """Bytes of a text that its encoding does not have: ``line`` has the first, from 1, and ``count`` is their number.

    ``others`` is the number of characters beyond ASCII that are read.
    """

    line: int
    count: int
    others: int

    @property
    def are_few(self) -> bool:
        """Whether the encoding has most characters beyond ASCII: bytes of another encoding rarely fit by chance."""
        return self.count < self.others


def odd_bytes(path: Path, encoding: str = "utf-8") -> OddBytes:
    """The bytes of a text that its encoding does not have; reads in blocks, however long lines are."""
    decoder, line, count, others = codecs.getincrementaldecoder(encoding)("surrogateescape"), 1, 0, 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            text = decoder.decode(block)
            if not text.isascii():
                found = len(_ODD.findall(text))
                others += len(_BEYOND_ASCII.findall(text)) - found
                text = _ODD.split(text, maxsplit=1)[0] if found else text
                line, count = line + (not count) * text.count("\n"), count + found
            elif not count:
                line += text.count("\n")
    return OddBytes(line, count + len(decoder.decode(b"", final=True)), others)


def require_regular(path: Path) -> None:
    """Raises ``InputError`` for a directory, a pipe (reading it may wait) or a device (it may not end)."""
    if path.is_dir():
        raise InputError("this is a directory, not a file", where=str(path), remedy="name the files in it")
    if not is_regular(path):
        raise InputError(
            "this is not a regular file", where=str(path), remedy="write what comes from there to a file, and name that"
        )


def unreadable_file(path: object, error: Exception) -> InputError:
    """The error of a file that the operating system or a format library cannot read."""
    what = error.strerror if isinstance(error, OSError) and error.strerror else str(error).strip().split("\n")[0]
    if isinstance(error, FileNotFoundError):
        remedy = "check the path"
    elif isinstance(error, PermissionError):
        remedy = "let the user who runs this read it"
    else:
        remedy = "mend the file and land it again"
    return InputError(f"the file cannot be read: {what}", where=str(path), remedy=remedy)
