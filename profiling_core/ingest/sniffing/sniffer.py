"""How a CSV file is written: one decision for ``discover`` and ``init``, which a dataset's file then holds.

clevercsv decides the delimiters and quotes: of all readings it chooses the one in which rows are most alike and most
cells are values of known types (van den Burg and others, "Wrangling messy CSV files by detecting row and type
patterns",
2019). This package decides which of the lines are the table.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from string import punctuation

from profiling_core.ingest.csv_lines import last_joined, rewriting
from profiling_core.ingest.rows import odd_bytes, other_file, unreadable_file
from profiling_core.ingest.sniffing.encodings import encoding_of
from profiling_core.ingest.sniffing.escapes import escape_of
from profiling_core.ingest.sniffing.places import aligned_places, ruled_places
from profiling_core.ingest.sniffing.records import RARE, TYPED, Record, evenness, kinds_of, prose_width, records_of
from profiling_core.ingest.sniffing.structure import Structure, structure_of
from profiling_core.model.dialect import CsvDialect, InnerQuotes
from profiling_core.model.errors import InputError

# Bytes at the beginning and at the end of a file that are looked at, and where a sign occurs that its beginning lacks.
_HEAD = 256 << 10
_TAIL = 16 << 10
_LINES = 400
"""Lines from which clevercsv infers delimiters and quotes; more lines cost time and change nothing."""
_DELIMITERS = (",", ";", "\t", "|", "\x01", ":", "^", " ", "~")
_COMMON = (",", ";", "\t", "|", "\x01")
_PROSE = (",", ";")
"""Delimiters that texts have."""
_RARE_MARKS = ("^", "~")
"""Delimiters of few files that values of few files have; blanks and colons are in the values of many."""
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_QUOTED = re.compile(r"([^\w\s\"'.()+-])[\w .-]+\1([,;\t|^])")
"""A line's first cell between two other signs than quotes, and the delimiter behind it."""
_IN_VALUES = frozenset("\"'.()+-/:%_@#&*=<>[]{}?\\°×±")
"""Signs that values have, several times in each line; so are letters' marks, currencies, dashes and quotes."""
_SEPARATING = frozenset({"Cc", "Po", "Sm", "So", "Sk"})
"""Unicode's categories of other signs."""
_LONGER = re.compile(r"([^\w\r\n \"'.()+-])[^\w\r\n \"'.()+-]?\1")
_OTHER_QUOTES = {
    "single": "quotes within quoted cells are not doubled; they are read as a part of the cell",
    "rows": "some lines are quoted as a whole; their cells are read from within the quotes",
}
_JOINED = "values behind the last name have a blank before them, as in prose; they are joined to the last column"
_BOTH_QUOTES = "cells begin with single and with double quotes; the single ones are read as quotes"
_UNEVEN_QUOTES = "single quotes are read as quotes, though rows differ in their number of cells so"
_NO_DELIMITER = "no delimiter gives all rows as many cells; cells are cut where all lines have blanks"
_NAMES = {",": "','", ";": "';'", "\t": "tabs", " ": "blanks"}


@dataclass(frozen=True, slots=True)
class Sniffed:
    """A file's dialect, and the doubts that a person should look at."""

    dialect: CsvDialect
    doubts: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The assumptions in one line; empty for a plain file."""
        return described(self.dialect)


def sniffed(path: Path, delimiter: str | None = None) -> Sniffed:
    """How a file is written.

    Args:
        path: a file of delimited text.
        delimiter: the delimiter, if it is known.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        found = path.stat()
        return _sniffed(path, delimiter or "", (found.st_mtime_ns, found.st_size))
    except OSError as error:
        raise unreadable_file(path, error) from error


# Byte order marks of texts with two bytes per letter, which can be read.
_CONTROLS = frozenset(map(chr, range(32))) - {*"\t\n\r\f"}
"""Control characters; a text has a few at most, as delimiters or end marks."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _is_plain(head: bytes) -> bool:
    """Whether a file begins as UTF-8 text does; its first name may be BZh, which is also the mark of bzip2."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


@lru_cache(64)
def _sniffed(path: Path, delimiter: str, _: tuple[int, int]) -> Sniffed:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        is_whole = len(head) < _HEAD
        file.seek(max(0, path.stat().st_size - _TAIL))
        last = file.read()
    if not head.startswith(_WIDE) and (other := other_file(path, head, is_text=_is_plain(head))):
        raise other
    dialect = CsvDialect(encoding=encoding_of(path, head))
    lines = _lines(head, dialect, is_whole=is_whole)
    if not lines:
        return Sniffed(dialect)
    if 2 * len(_CONTROLS.intersection("".join(lines))) > len(_CONTROLS):
        raise InputError(
            "the file is not text: it has most of the control characters that there are",
            where=str(path),
            remedy="write its rows as CSV, as lines of JSON or as Parquet",
        )
    separator = _SEPARATOR.fullmatch(lines[0])
    if separator:
        dialect, lines = replace(dialect, skip_rows=1), lines[1:]
    later = [] if is_whole else _lines(_with_other_signs(path, head), dialect, is_whole=False)
    delimiter = delimiter or (separator[1] if separator else "")
    dialect, doubts = _cells(lines, later, dialect, delimiter) if delimiter else _split(lines, later, dialect)
    behind = [] if is_whole else _lines(last, dialect, is_whole=True)[1:]
    if dialect.codec.startswith("utf-8") and (odd := odd_bytes(path)).count:
        doubts = [*doubts, f"{_bytes(odd.count)} not UTF-8, the first in line {odd.line}; rows with one are rejected"]
    elif not dialect.encoding.startswith("utf"):
        doubts = [*doubts, f"the file is not UTF-8; {dialect.encoding} is a guess from its bytes"]
    structure = _structure(lines, behind, dialect)
    if structure.is_framed:
        structure = _structure(lines, behind, replace(dialect, framed=True))
    return Sniffed(structure.dialect, (*doubts, *structure.doubts))


def _with_other_signs(path: Path, head: bytes) -> bytes:
    """The lines behind a file's head that have the first of each sign that the head lacks; an escape may be one."""
    missing, found = {sign for sign in punctuation.encode() if sign not in head}, b""
    with path.open("rb") as file:
        file.seek(len(head))
        while missing and (block := file.read(_HEAD)):
            for sign in [sign for sign in missing if sign in block]:
                at = block.index(sign)
                found += block[block.rfind(b"\n", 0, at) + 1 :][:_TAIL].rpartition(b"\n")[0] + b"\n"
                missing.remove(sign)
    return found


def _structure(lines: Sequence[str], last: Sequence[str], dialect: CsvDialect) -> Structure:
    """The structure of a file with these first lines, or all, and these last ones, if they are others."""
    records = records_of(lines, dialect)
    tail, said = records_of(last, dialect) if last else records, list[str]()
    if width := prose_width(records) if dialect.delimiter in _PROSE else 0:
        records, tail = (_joined(found, width, dialect.delimiter) for found in (records, tail))
        dialect, said = replace(dialect, long_rows="join"), [_JOINED]
    found = structure_of(records, tail, dialect)
    if begin := found.totals:
        text = next(line for line in lines if line.startswith(begin)).strip()[:60]
        found = structure_of(records, tail, replace(dialect, comment=begin))
        said = [*said, f"what begins with {begin} is left out: it has the sums or means of all rows: {text}"]
    return replace(found, doubts=(*found.doubts, *said))


def _joined(records: Sequence[Record], width: int, delimiter: str) -> list[Record]:
    """The records with cells behind the last column joined to it."""
    cells = [[*map(str, last_joined(record.cells, width, delimiter))] for record in records]
    return [replace(record, cells=tuple(joined)) for record, joined in zip(records, cells, strict=True)]


def _lines(content: bytes, dialect: CsvDialect, *, is_whole: bool) -> list[str]:
    """Lines with their ends; the last one is left out if it may be incomplete."""
    lines = content.decode(dialect.codec, errors="ignore" if not is_whole else "replace")
    found = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", lines)
    return found if is_whole else found[:-1]


def _split(lines: Sequence[str], later: Sequence[str], dialect: CsvDialect) -> tuple[CsvDialect, list[str]]:
    """The dialect with delimiter, quote and escape, or with the places of aligned columns, and the doubts about it."""
    if places := ruled_places(lines):
        return replace(dialect, places=places), []
    heads = ((mark, records_of(lines[:_LINES], replace(dialect, delimiter=mark))) for mark in _PROSE)
    if not _evident(lines) and (prose := next((mark for mark, head in heads if prose_width(head)), "")):
        return _cells(lines, later, dialect, prose)
    found, doubts = _cells(lines, later, dialect, "")
    widths = _all_widths(lines, found)
    counts = Counter(width for width in widths if width > 1)
    is_even = max(counts.values(), default=0) >= (1 - RARE) * counts.total() and (
        widths[:1] != [1] or _has_values(lines, found)
    )
    if is_even or not (places := aligned_places(lines[:_LINES])):
        return found, doubts
    return replace(dialect, places=places), [_NO_DELIMITER]


def _cells(
    lines: Sequence[str], later: Sequence[str], dialect: CsvDialect, delimiter: str
) -> tuple[CsvDialect, list[str]]:
    """The dialect with delimiter, quote and escape, and the doubts about them; later lines may show an escape."""
    text = "".join(lines[:_LINES])
    after = next((mark for mark in _COMMON if f'{mark} "' in text and f'{mark}"' not in text), "")
    plain = text.replace(f'{after} "', f'{after}"') if after else text
    if not delimiter:
        delimiter, quote = _delimiter_and_quote(lines, plain)
        dialect = replace(dialect, quote=quote or '"')
    elif _has_single_quotes(plain, delimiter):
        dialect = replace(dialect, quote=_by_clevercsv(plain, delimiter)[1] or '"')
    whole = "".join([*lines, *later])
    if after == delimiter:
        whole = whole.replace(f'{after} "', f'{after}"')
    dialect = replace(dialect, delimiter=delimiter)
    escape, unsure = escape_of(whole.replace(delimiter, dialect.mark), dialect.mark, dialect.quote)
    doubts = [*unsure, *_doubts_of_cells(lines, dialect)]
    dialect = replace(dialect, escape=escape)
    if _are_text(lines[:_LINES], dialect):
        dialect = replace(dialect, quote="")
    elif (inner := _inner_quotes(lines[:_LINES], dialect)) != "doubled":
        dialect = replace(dialect, inner_quotes=inner)
        doubts = [*doubts, _OTHER_QUOTES[inner]]
    return replace(dialect, trim=_is_trimmed(lines, text, dialect, quoted=after == dialect.delimiter)), doubts


def _delimiter_and_quote(lines: Sequence[str], text: str) -> tuple[str, str]:
    """The delimiter, of one character or several, and the quote."""
    found = _by_other_quotes(lines) or (_evident(lines) or _unusual(lines), "")
    if not found[0]:
        found = _by_clevercsv(text)
        in_words = found[0] == " " and not _has_values(lines, CsvDialect(" ", trim=True))
        if in_words or (found[0] == ":" and _are_codes(lines)):
            found = (_absent(text), found[1])
    return _longer(lines[:_LINES], found[0]) or found[0], found[1]


def _by_other_quotes(lines: Sequence[str]) -> tuple[str, str] | None:
    """The delimiter and the sign that encloses the first cell of nearly all lines in place of quotes."""
    found = Counter((match[2], match[1]) for line in lines if (match := _QUOTED.match(line)) and match[1] != match[2])
    return next((way for way, count in found.most_common(1) if count >= (1 - RARE) * len(lines)), None)


def _unusual(lines: Sequence[str]) -> str:
    """A sign that nearly all lines have equally often, more than once, if it parts more of them evenly than others."""
    signs = sorted({*lines[0]} - _IN_VALUES - {*_DELIMITERS, *"\r\n"})
    signs = [sign for sign in signs if unicodedata.category(sign) in _SEPARATING]
    even = {sign: evenness([line.count(sign) for line in lines[:_LINES]]) for sign in signs}
    usual = max(evenness(_all_widths(lines, CsvDialect(mark))) for mark in _COMMON) if any(even.values()) else 0.0
    found = [sign for sign, share in even.items() if share > usual]
    return found[0] if len(found) == 1 else ""


def _longer(lines: Sequence[str], delimiter: str) -> str:
    """The delimiter of several characters that one of a single character is a part of; empty: there is none.

    It reads the same from both ends (``::``, ``~|~``), gives as many lines one width as the single character does, and
    the single character stands elsewhere in few of these lines. Commas, semicolons or tabs alone part empty columns.
    """
    found = Counter(match[0] for line in lines for match in _LONGER.finditer(line) if delimiter in match[0])
    for longer, _ in found.most_common(1):
        parted = [line for line in lines if longer in line]
        single = sum(delimiter in line.replace(longer, "") for line in parted)
        is_even = _most_even(lines, longer) >= _most_even(lines, delimiter)
        if is_even and 2 * single < len(parted) and not {*longer} <= {",", ";", "\t"}:
            return longer
    return ""


def _most_even(lines: Sequence[str], mark: str) -> int:
    """How many lines have one and the same number of a mark, at least one."""
    return max(Counter(count for line in lines if (count := line.count(mark))).values(), default=0)


def _doubts_of_cells(lines: Sequence[str], dialect: CsvDialect) -> list[str]:
    """The doubts about what stands between and around cells."""
    delimiter, begins = dialect.delimiter, f'{dialect.delimiter}"'
    found = [*_doubt_of_doubled(lines[:_LINES], delimiter), *_doubt_of_formulas(lines, delimiter)]
    if dialect.quote != "'":
        return found
    are_both, is_uneven = any(begins in line for line in lines), len({*_all_widths(lines, dialect)}) > 1
    return [*found, *([_BOTH_QUOTES] if are_both else []), *([_UNEVEN_QUOTES] if is_uneven else [])]


def _doubt_of_doubled(lines: Sequence[str], delimiter: str) -> list[str]:
    """Said if all lines have the same number of doubled delimiters, more than one, and most lines no single one."""
    doubled = {line.count(2 * delimiter) for line in lines if line.strip()}
    single = sum(delimiter in line.replace(2 * delimiter, "") for line in lines)
    if len(doubled) != 1 or doubled <= {0, 1} or 2 * single >= len(lines):
        return []
    return [f"two of {_called(delimiter)} stand between all cells, so that every second column is empty"]


def _doubt_of_formulas(lines: Sequence[str], delimiter: str) -> list[str]:
    """Said if most lines have a cell as ``="0012"``, which a spreadsheet shows as text without the signs."""
    between = re.escape(delimiter)
    found = re.compile(rf"(?:^|{between})(=\"[^\"]*\")(?=[\r\n]|{between}|$)")
    cells = [match[1] for match in map(found.search, lines) if match]
    return [f"cells like {cells[0]} are formulas, which are read as written"] if 2 * len(cells) > len(lines) else []


def _are_text(lines: Sequence[str], dialect: CsvDialect) -> bool:
    """Whether quotes are a part of the cells, and without them no line is wider than the first.

    Few enclose a cell, or more stand within other cells: a program that quotes cells quotes those with a quote in them.
    """
    quote, lines = dialect.quote, _without_escaped(lines, dialect.escape)
    bare = [record.cells for record in records_of(lines, replace(dialect, quote="", escape="")) if record.cells]
    if not quote or not bare or len(bare[0]) < max(map(len, bare)):
        return False
    cells = [cell for found in bare for cell in found if quote in cell]
    if not _paired(cells, quote):
        is_even = evenness([*map(len, bare)]) > 0
        return is_even and sum(line.count(quote) % 2 for line in lines) > RARE * len(lines)
    return _enclose_few(cells, quote)


def _paired(cells: Sequence[str], quote: str) -> list[str]:
    """The cells that begin with a quote and have an even number of them."""
    return [cell for cell in cells if cell.startswith(quote) and cell.count(quote) % 2 == 0]


def _enclose_few(cells: Sequence[str], quote: str) -> bool:
    """Whether quotes enclose few of the cells that have any."""
    begun, paired = [cell for cell in cells if cell.startswith(quote)], _paired(cells, quote)
    enclosed = sum(cell.endswith(quote) for cell in paired)
    within = sum(not cell.lstrip().startswith(quote) for cell in cells)
    return 2 * enclosed < len(paired) or within > len(begun) == enclosed


def _without_escaped(lines: Sequence[str], escape: str) -> Sequence[str]:
    """The lines without their escaped characters, so that only the other quotes are counted."""
    return [re.sub(re.escape(escape) + r"[^\r\n]", "", line) for line in lines] if escape else lines


def _inner_quotes(lines: Sequence[str], dialect: CsvDialect) -> InnerQuotes:
    """How quotes within cells are written: in the way by which all lines that it changes are as wide as the others."""
    ways: list[InnerQuotes] = ["single", "rows"]
    for way in ways if dialect.quote and not dialect.escape else ():
        other = replace(dialect, inner_quotes=way)
        rewritten, plain, rows = rewriting(other) or str, rewriting(dialect) or str, records_of(lines, other)
        usual = Counter(len(row.cells) for row in rows).most_common(1)[0][0]
        changed = [row.cells for row in rows if rewritten(lines[row.line]) != plain(lines[row.line])]
        are_whole = not any(2 * dialect.quote in cell for cells in changed for cell in cells)
        if {len(cells) for cells in changed} == {usual} != {1} and are_whole:
            return way
    return "doubled"


def _has_values(lines: Sequence[str], dialect: CsvDialect) -> bool:
    """Whether a delimiter separates numbers or days; words are separated by blanks and commas in every text."""
    rows = [record for record in records_of(lines[:_LINES], dialect) if record.cells]
    return any(
        kind in TYPED for kind in kinds_of(rows[len(rows) // 2 :], max(map(len, (r.cells for r in rows)), default=0))
    )


def _are_codes(lines: Sequence[str]) -> bool:
    """Whether colons part lines into equally long pieces, as those of a device's address."""
    return len({len(cell) for record in records_of(lines[:_LINES], CsvDialect(":")) for cell in record.cells}) == 1


def _absent(text: str) -> str:
    """A delimiter that does not occur in a text, so that each line is one cell."""
    return next((mark for mark in _COMMON if mark not in text), "\x1f")


def _is_trimmed(lines: Sequence[str], text: str, dialect: CsvDialect, *, quoted: bool) -> bool:
    """Whether blanks stand after all delimiters; if blanks or tabs are the delimiter, whether several count as one."""
    between = text.count(dialect.delimiter)
    is_spaced = quoted or (between > 0 and between == text.count(f"{dialect.delimiter} "))
    if dialect.delimiter == "\t":
        as_they_are, together = (evenness(_all_widths(lines, replace(dialect, trim=trim))) for trim in (False, True))
        return together == 1 and (is_spaced or as_they_are < together)
    if dialect.delimiter != " ":
        return is_spaced
    widths = (_widths(lines, replace(dialect, trim=trim)) for trim in (False, True))
    as_they_are, together = (max(Counter(found).values(), default=0) for found in widths)
    return together > as_they_are


def _widths(lines: Sequence[str], dialect: CsvDialect) -> list[int]:
    return [width for width in _all_widths(lines, dialect) if width > 1]


def _all_widths(lines: Sequence[str], dialect: CsvDialect) -> list[int]:
    return [len(record.cells) for record in records_of(lines[:_LINES], dialect) if record.cells]


def _evident(lines: Sequence[str]) -> str:
    """The one delimiter that gives all lines the same number of cells, above 1; a comma if no line has any."""
    text = "".join(lines[:_LINES])
    if not any(mark in text for mark in _DELIMITERS):
        return ","
    ways = ("", "\\") if "\\" in text else ("",)
    even = [
        mark
        for mark in (*_COMMON, *_RARE_MARKS)
        if any(_is_even(lines, CsvDialect(mark, escape=escape)) for escape in ways)
    ]
    return even[0] if len(even) == 1 and not _has_single_quotes(text, even[0]) else ""


def _is_even(lines: Sequence[str], dialect: CsvDialect) -> bool:
    """Whether all rows have one number of cells, above 1."""
    found = set(_all_widths(lines, dialect))
    return len(found) == 1 and found != {1}


def _has_single_quotes(text: str, delimiter: str) -> bool:
    """Whether cells begin with a single quote, and have something within it."""
    return re.search(rf"(^|{re.escape(delimiter)})\s*'[^'\s]", text, re.MULTILINE) is not None


def _by_clevercsv(text: str, delimiter: str = "") -> tuple[str, str]:
    """The likeliest delimiter and quote."""
    from clevercsv import field_size_limit
    from clevercsv.break_ties import tie_breaker
    from clevercsv.consistency import ConsistencyDetector
    from clevercsv.potential_dialects import get_dialects

    text = text.replace("\0", "")  # clevercsv reads no text with it
    field_size_limit(len(text) + 1)
    detector = ConsistencyDetector()
    dialects = get_dialects(text, delimiters=[delimiter] if delimiter else list(_DELIMITERS))
    scores = detector.compute_consistency_scores(text, dialects)
    best = detector.get_best_dialects(scores)
    chosen = best[0] if len(best) == 1 else tie_breaker(text, best) or best[0]
    quote = chosen.quotechar or ""
    if quote == "'" and not _has_single_quotes(text, chosen.delimiter or ""):
        quote = '"'
    return chosen.delimiter or _absent(text), quote


def _called(delimiter: str) -> str:
    return _NAMES.get(delimiter, repr(delimiter))


def described(dialect: CsvDialect) -> str:
    """The parts of a dialect that differ from a plain file, in words."""
    said = [
        f"{_called(dialect.delimiter)} between cells" if dialect.delimiter != "," else "",
        f"{dialect.quote or 'nothing'} around cells" if dialect.quote != '"' else "",
        f"{dialect.escape} before quotes" if dialect.escape else "",
        {"single": "quotes within cells are not doubled", "rows": "lines quoted as a whole"}.get(
            dialect.inner_quotes, ""
        ),
        f"columns begin at characters {', '.join(map(str, dialect.places))}" if dialect.places else "",
        f"encoding {dialect.encoding}" if dialect.encoding != "utf-8" else "",
        f"lines that begin with {dialect.comment} are no rows" if dialect.comment else "",
        _counted(dialect.skip_rows, "in front") if dialect.skip_rows else "",
        {0: "no header", 1: ""}.get(dialect.header, f"{dialect.header} lines of header"),
        _counted(dialect.skip_below, "below the header") if dialect.skip_below else "",
        *_described_rows(dialect),
    ]
    return ", ".join(filter(None, said))


def _described_rows(dialect: CsvDialect) -> list[str]:
    """The doubts about the rows, in words."""
    return [
        f"{dialect.width} columns, not all of them named" if dialect.width else "",
        f"lines begin with one more {_called(dialect.delimiter)}" if dialect.framed else "",
        "lines that repeat the header, and titles above these, are left out" if dialect.repeated_header else "",
        _counted(dialect.skip_footer, "at the end that are no rows") if dialect.skip_footer else "",
        ("several tabs count as one" if dialect.delimiter == "\t" else "blanks after delimiters are left out")
        if dialect.trim
        else "",
        "cells that rows lack at their end are empty" if dialect.short_rows == "fill" else "",
    ]


def _bytes(count: int) -> str:
    return "1 byte is" if count == 1 else f"{count:,} bytes are"


def _counted(lines: int, where: str) -> str:
    return f"{lines} line{'' if lines == 1 else 's'} {where}"
