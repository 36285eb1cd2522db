"""What a person should look at in a table that was found: names, columns, and first and last rows that stand out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb

from profiling_core.ingest.csv_header import joined
from profiling_core.ingest.sniffing.records import (
    FEWEST_SHORT,
    NOTHING,
    NUMBER,
    RARE,
    TYPED,
    Record,
    agrees,
    kind_of,
    kinds_of,
    usually_filled,
)
from profiling_core.ingest.sniffing.sums import has_sum
from profiling_core.model.dialect import CsvDialect

_KEY_AND_VALUE = 2
"""The cells of a line that says one thing of the file, such as `Station;Kiel`."""


def doubts_of_rows(names: Sequence[Record], body: Sequence[Record], width: int, dialect: CsvDialect) -> list[str]:
    """The doubts about columns without names, blanks around values, and rows that are aligned."""
    found = [*_doubts_of_unnamed(names, body), *_doubts_of_blanks([*names, *body], dialect)]
    return [*found, *_doubts_of_aligned(body, width)]


def doubts_of_front(before: Sequence[Record], names: Sequence[Record]) -> list[str]:
    """The doubts about lines in front: they may be a table of their own, or have the names of one without names."""
    wide = Counter(len(row.cells) for row in before if row.filled > _KEY_AND_VALUE)
    said = []
    if max(wide.values(), default=0) > FEWEST_SHORT:
        first = before[0].begins.strip()[:60]
        said = [f"{len(before)} lines in front of the table are left out, and may be one, too: {first}"]
    if names or not before:
        return said
    last = before[-1]
    return [
        *said,
        f"no line is read as names; line {last.line + 1}, which is left out, may have them: {last.begins.strip()[:60]}",
    ]


def doubts_of_names(names: Sequence[Record], named: int, body: Sequence[Record]) -> list[str]:
    """Doubts about the names in a header, and about a first column without any."""
    if not body:
        return []
    doubts = []
    lines = [row.cells for row in names[:named]]
    if lines and [cell.startswith("#") for cell in lines[-1]].count(True) == 1 and lines[-1][0].startswith("#"):
        doubts.append("the first name begins with #, as comments do")
    if len(lines) > 1:
        doubts.append(
            f"the first {len(lines)} lines are read as the header, with names as {joined(lines)[:3]}; one may be a row"
        )
    if named < len(names):
        doubts.append(f"what is below the names is left out, and may be a row: {names[named].begins.strip()[:60]}")
    if not any(row.cells[0].strip() for row in (*names[-1:], *body)):
        doubts.append("the first column has neither a name nor a value")
    return doubts


def _doubts_of_unnamed(names: Sequence[Record], body: Sequence[Record]) -> list[str]:
    """The doubt about columns with values that a header leaves without a name; one may be of row names."""
    named = {i for row in names for i, cell in enumerate(row.cells) if cell.strip()}
    unnamed = {i for row in body for i, cell in enumerate(row.cells) if cell.strip()} - named
    if not names or len(unnamed) < 2:  # noqa: PLR2004 -- one is usual
        return []
    return [f"{len(unnamed)} columns have no name; the line below the header may have more of it"]


def _doubts_of_blanks(rows: Sequence[Record], dialect: CsvDialect) -> list[str]:
    """The doubt about blanks between cells if rows differ in their number of cells."""
    if dialect.delimiter != " " or len({len(row.cells) for row in rows}) < 2:  # noqa: PLR2004 -- rows of two widths differ
        return []
    return ["rows differ in their number of cells; blanks between cells may be a part of values"]


def _doubts_of_aligned(body: Sequence[Record], width: int) -> list[str]:
    """The doubt about a column whose cells are as many numbers each, put in line by blanks."""
    columns = [[row.cells[place].strip() for row in body if place < len(row.cells)] for place in range(width)]
    found = next((place for place, cells in enumerate(columns) if _are_aligned(cells)), None)
    return [] if found is None else [f"each cell of column {found + 1} has several numbers, with blanks between them"]


def _are_aligned(cells: Sequence[str]) -> bool:
    """Whether cells are as many numbers each, with more than one blank between some of them."""
    parts = [cell.split() for cell in cells]
    is_even = len({len(part) for part in parts}) == 1 and all("  " in cell for cell in cells)
    return is_even and {kind_of(value) for part in parts for value in part} <= {NUMBER, NOTHING}


def doubts_of_ends(body: Sequence[Record], width: int) -> list[str]:
    """The doubts about first and last rows: sums, texts among numbers, values that only these have or lack."""
    body = [row for row in body if len(row.cells) >= width]
    if len(body) <= FEWEST_SHORT:
        return []
    doubts = [*_doubts_of_end("beginning", body, width), *_doubts_of_end("end", body[::-1], width)]
    alone = sum(row.is_alone for row in body) if width > 2 else 0  # noqa: PLR2004 -- of two, one may well be empty
    return [*doubts, *([f"{alone} rows have one value; they may be titles of groups"] if alone else [])]


def doubts_of_pages(ends: Sequence[Record], body: Sequence[Record]) -> list[str]:
    """The doubt about last rows of pages that lack at least half of the values that nearly all other rows have."""
    lines = {row.line for row in ends}
    usual = usually_filled([row for row in body if row.line not in lines] or body)
    has = ([place for place, cell in enumerate(row.cells) if cell.strip() and place in usual] for row in ends)
    lacking = next((row for row, filled in zip(ends, has, strict=True) if 2 * len(filled) <= len(usual)), None)
    if lacking is None:
        return []
    row = lacking.begins.strip()[:60]
    return [f"rows at the end of pages lack values that others have, and are read as rows: {row}"]


def _doubts_of_end(end: str, rows: Sequence[Record], width: int) -> list[str]:
    """The doubts about the first of some rows."""
    kinds = kinds_of(rows[FEWEST_SHORT:], width)
    columns = [[row.cells[place] for row in rows] for place in range(width)]
    has = [[kind_of(cell) != NOTHING for cell in cells] for cells in columns]
    doubts = [f"rows at the {end} alone have values in some columns"] if _stand_out(has) else []
    if any(has_sum(row, rows[at:], kinds) for at, row in enumerate(rows[:FEWEST_SHORT], 1)):
        return [f"a row at the {end} has sums of the others, and is read as a row", *doubts]
    alike, other = agrees(rows[0], kinds)
    if alike == 0 < other - (not rows[0].is_alone) or any(map(_stand_out, _oddities(columns, kinds))):
        said = f"rows at the {end} lack values that all others have, or have others, and are read as rows"
        return [said, *doubts]
    return doubts


def _oddities(columns: Sequence[Sequence[str]], kinds: Sequence[str]) -> Iterator[list[list[bool]]]:
    """Where cells are not of their column's kind, nothing included or not, and where they are empty."""
    typed = [([*map(kind_of, cells)], kind) for cells, kind in zip(columns, kinds, strict=True)]
    yield [[found == NOTHING or (kind in TYPED and found != kind) for found in of] for of, kind in typed]
    yield [[found not in (kind, NOTHING) for found in of] for of, kind in typed if kind in TYPED]
    yield [[not cell.strip() for cell in cells] for cells in columns]


def _stand_out(columns: Sequence[Sequence[bool]]) -> bool:
    """Whether first rows are what no other row is, in several columns or where chance makes it rare in one.

    The chance is that as many rows of the column, at any places, stand as near to the beginning.
    """
    found = Counter[tuple[int, int]]()
    for are in columns:
        rows, last = sum(are), max((place for place, one in enumerate(are, 1) if one), default=0)
        found[rows, last] += 0 < rows <= max(FEWEST_SHORT, RARE * len(are))
    size = max(map(len, columns), default=0)
    return any(
        count and ((count > 1 and rows == last) or len(columns) * comb(last, rows) <= RARE * comb(size, rows))
        for (rows, last), count in found.items()
    )
