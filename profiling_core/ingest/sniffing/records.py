"""The first and last lines of a file, split as a dialect says, with the apparent kind of value of each cell."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from profiling_core.ingest.csv_lines import cells_in, options, rewriting, unframing
from profiling_core.ingest.csv_rows import swallows_rows
from profiling_core.model.dialect import CsvDialect

_PLAIN = r"[-+−]?\s*[$€£¥]?\s*[-+]?(\d[\d.,' \u00a0\u202f]*|[.,]\d+)([eE][-+]?\d+)?\s*[%€$£]?"
_NUMBER = re.compile(rf"{_PLAIN}|\({_PLAIN}\)")
_DAY = re.compile(
    r"(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4})([T ]\d{1,2}:\d{1,2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2}\S*)?( ?[AaPp]\.? ?[Mm]\.?)?"
)
_NOTHING = frozenset({"na", "n/a", "nan", "null", "none", "nil", "\\n", "x"})
_SIGNS = re.compile(r"[^\w\s]{0,3}|[-=]*")
"""Signs without a letter or digit, which offices write where there is no number, and ruled lines."""
NUMBER, DAY, FLAG, TEXT, NOTHING = "number", "day", "flag", "text", ""
TYPED = (NUMBER, DAY, FLAG)
MOST = 0.8
"""A column is of a kind if at least this share of its cells is; broken cells are few."""

RARE = 0.1
"""Records, or lines among them, up to this share count as exceptions."""
FEWEST_SHORT = 3
"""Short rows that show a habit, at least; and first or last rows that may be others than all others."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record: its first line (from 0), its number of lines, and its cells; without cells it is an empty line.

    ``begins`` is the text of its first line, which may begin with a quote.
    """

    line: int
    lines: int
    cells: tuple[str, ...]
    begins: str = ""

    @property
    def filled(self) -> int:
        """The number of cells up to the last that is not empty."""
        return max((i for i, cell in enumerate(self.cells, 1) if cell.strip()), default=0)

    @property
    def is_alone(self) -> bool:
        """Whether only one cell has a value."""
        return sum(bool(cell.strip()) for cell in self.cells) == 1

    @property
    def is_empty(self) -> bool:
        """Whether all cells are empty or blank."""
        return not any(cell.strip() for cell in self.cells)


def records_of(lines: Sequence[str], dialect: CsvDialect) -> list[Record]:
    """Lines as records. A quote that is opened by mistake takes no other lines here."""
    csv.field_size_limit(sys.maxsize)
    found: list[Record] = []
    at, rewritten = 0, [*map(rewriting(dialect) or str, map(unframing(dialect) or str, lines))]
    while at < len(lines):
        reader, first = csv.reader(rewritten[at:], **options(dialect) | {"strict": False}), at
        for cells in cells_in(reader, dialect):
            begin, end = at, first + reader.line_num
            at = end
            if end > begin + 2 and _is_mistaken("".join(lines[begin:end]), len(lines) == end, dialect):
                at = begin + 1
                found.append(
                    Record(begin, 1, tuple(lines[begin].rstrip("\r\n").split(dialect.delimiter)), lines[begin])
                )
                break
            found.append(Record(begin, end - begin, tuple(cells), lines[begin]))
    return found


def prose_width(records: Sequence[Record]) -> int:
    """The number of columns if the last one has delimiters that are not quoted; 0: it has none.

    In prose a blank follows each of them, and none follows those between columns.
    """
    rows = [r.cells for r in records if not (r.is_empty or r.begins.startswith("#"))]
    width = min(map(len, rows), default=0)
    beyond = [cell for cells in rows for cell in cells[width:]]
    longer = sum(len(cells) > width for cells in rows)
    if width < 2 or len(rows[0]) > width or longer <= RARE * len(rows):  # noqa: PLR2004 -- a line of one cell has no delimiter
        return 0
    is_prose = all(cell.startswith(" ") for cell in beyond)
    return width if is_prose and not any(cell.startswith(" ") for cells in rows for cell in cells[1:width]) else 0


def _is_mistaken(text: str, is_last: bool, dialect: CsvDialect) -> bool:  # noqa: FBT001 -- one of two facts of a record
    """Whether a quote in a record was opened by mistake."""
    width = text.partition("\n")[0].count(dialect.delimiter) + 1
    is_open = is_last and text.count(dialect.quote or "\0") % 2 == 1
    return is_open or swallows_rows(text, width, dialect.delimiter)


@lru_cache(1 << 16)
def kind_of(cell: str) -> str:
    """The apparent kind of a cell: a number, a day or time, a flag, a text, or nothing."""
    text = cell.strip()
    if _SIGNS.fullmatch(text) or text.lower() in _NOTHING:
        return NOTHING
    if text.lower() in ("true", "false"):
        return FLAG
    if _DAY.fullmatch(text):
        return DAY
    return NUMBER if _NUMBER.fullmatch(text) else TEXT


def kinds_of(rows: Sequence[Record], width: int) -> list[str]:
    """Per column the kind of most of its cells; text if no kind has enough of them."""
    kinds = []
    for place in range(width):
        found = Counter(kind_of(row.cells[place]) for row in rows if place < len(row.cells))
        found.pop(NOTHING, None)
        kind, count = found.most_common(1)[0] if found else (NOTHING, 0)
        kinds.append(kind if count >= MOST * found.total() else TEXT)
    return kinds


def agrees(row: Record, kinds: Sequence[str]) -> tuple[int, int]:
    """How many cells of a row are of their columns' kinds, and how many are texts in columns of other kinds."""
    pairs = [(kind_of(cell), kind) for cell, kind in zip(row.cells, kinds, strict=False) if kind in TYPED]
    return sum(cell == kind for cell, kind in pairs), sum(cell not in (kind, NOTHING) for cell, kind in pairs)


def evenness(counts: Sequence[int]) -> float:
    """The share of the most frequent count, if it is above 1 and nearly all counts are the same; else 0."""
    count, times = Counter(counts).most_common(1)[0] if counts else (0, 0)
    return times / len(counts) if count > 1 and times >= (1 - RARE) * len(counts) else 0.0


def usually_filled(rows: Sequence[Record]) -> set[int]:
    """The columns in which nearly all rows have a value."""
    counts = Counter(place for row in rows for place, cell in enumerate(row.cells) if cell.strip())
    return {place for place, count in counts.items() if count >= (1 - RARE) * len(rows)}
