"""How a file of delimited text is written, as a dataset's file says it: readers follow it and guess nothing."""

import codecs
import re
from dataclasses import dataclass, fields
from typing import Any, Literal

Short = Literal["reject", "fill"]
Long = Literal["reject", "join"]
InnerQuotes = Literal["doubled", "single", "rows"]


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How a CSV file is written.

    Attributes:
        delimiter: what stands between cells, one character or more; quote: what stands around a cell that has
            delimiters in it.
        escape: what stands before a quote within a quoted cell; empty: ``inner_quotes`` says how it is written.
        inner_quotes: whether a quote within a quoted cell is doubled. ``single``: it is not; the quote that closes a
            cell stands before a delimiter or at the line's end. ``rows``: it is, and a line that is one quoted cell is
            a row that was quoted as a whole.
        places: the characters at which the columns begin, in a file that is aligned by blanks and has no delimiter; a
            line with text across a place is one cell.
        encoding: the file's encoding, by its name in Python; ``utf-8-cp1252``: UTF-8 made of mistaken Windows-1252.
        comment: how lines begin that are no rows; empty: none do.
        skip_rows: lines in front of the header; header: lines of the header, 0 where there is none.
        skip_below: lines below the header that are no rows, such as units and types.
        names: the columns' names where there is no header.
        width: columns where the header names fewer; 0: those without a name at its end are left out, being empty.
        row_names: whether a header with one name fewer than ``width`` lacks the first name, else the last.
        framed: whether lines begin with a delimiter that no cell stands before, as those of drawn tables do.
        repeated_header: whether rows that are equal to a line of the header are no rows, nor lines with one value
            directly above them, in tables of more than two columns.
        skip_footer: how many lines at the end may be no rows.
        trim: whether blanks after a delimiter are no part of the cell, and several tabs between cells count as one.
        short_rows: whether a row with too few cells is a reject, or its last cells are empty.
        long_rows: whether a row with too many cells is a reject, or cells that begin with a blank, as in prose, belong
            to the last column.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    inner_quotes: InnerQuotes = "doubled"
    places: tuple[int, ...] = ()
    encoding: str = "utf-8"
    comment: str = ""
    skip_rows: int = 0
    header: int = 1
    skip_below: int = 0
    names: tuple[str, ...] = ()
    width: int = 0
    row_names: bool = True
    framed: bool = False
    repeated_header: bool = False
    skip_footer: int = 0
    trim: bool = False
    short_rows: Short = "reject"
    long_rows: Long = "reject"

    @property
    def is_regular(self) -> bool:
        """Whether rows are what a plain reader takes for rows: in UTF-8, quoted by double quotes, and all as wide."""
        odd = (self.places, self.comment, self.framed, self.repeated_header, self.skip_footer, self.trim, self.width)
        return (
            not any(odd)
            and self.mark == self.delimiter
            and (
                self.quote,
                self.escape,
                self.inner_quotes,
                self.encoding,
                self.short_rows,
                self.long_rows,
            )
            == ('"', "", "doubled", "utf-8", "reject", "reject")
        )

    @property
    def mark(self) -> str:
        """The one character that stands for the delimiter while lines are split."""
        return self.delimiter if len(self.delimiter) == 1 else BETWEEN

    @property
    def codec(self) -> str:
        """The encoding to open the file with; a byte order mark is no part of the text."""
        return "utf-8-sig" if self.encoding == "utf-8" else self.encoding

    def changed(self) -> dict[str, Any]:
        """The fields that are not as by default, as a dataset's file has them."""
        found = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


_NO_DELIMITER = re.compile(r"[\w\"'\r\n]")
"""Characters that a delimiter of several characters has none of."""
BETWEEN = "\uffff"
"""Stands for a delimiter of several characters; Unicode keeps it for use within programs, and no text has it."""
PLAIN_DIALECT = CsvDialect()
MIXED = "utf-8-cp1252"
"""UTF-8 that was made from Windows-1252 taken for Latin-1: its quotation marks and dashes have become controls."""
_CONTROLS = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def may_delimit(delimiter: str) -> bool:
    """Whether a text may stand between cells; empty: it is to be found."""
    return len(delimiter) <= 1 or not _NO_DELIMITER.search(delimiter)


class _Mixed(codecs.IncrementalDecoder):
    """Decodes :data:`MIXED`."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")(errors)

    def decode(self, data: Any, final: bool = False) -> str:  # noqa: FBT001, FBT002 -- the signature of codecs
        return self._utf8.decode(data, final).translate(_CONTROLS)

    def reset(self) -> None:
        self._utf8.reset()


def _find(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != MIXED:
        return None
    utf8 = codecs.lookup("utf-8-sig")

    def decode(data: Any, errors: str = "strict") -> tuple[str, int]:
        text, size = utf8.decode(data, errors)
        return text.translate(_CONTROLS), size

    return codecs.CodecInfo(
        utf8.encode, decode, incrementalencoder=utf8.incrementalencoder, incrementaldecoder=_Mixed, name=MIXED
    )


codecs.register(_find)
