"""Which of a file's records are its table: lines before and after it, the header, the width, and rows with fewer cells.

The table is the part whose records have as many cells as most records. A header is a row whose cells are not of the
kinds of their columns.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from string import punctuation

from profiling_core.ingest.csv_header import completed, is_rule, joined, without_mark
from profiling_core.ingest.sniffing.doubts import (
    doubts_of_ends,
    doubts_of_front,
    doubts_of_names,
    doubts_of_pages,
    doubts_of_rows,
)
from profiling_core.ingest.sniffing.records import (
    FEWEST_SHORT,
    MOST,
    NOTHING,
    NUMBER,
    RARE,
    TEXT,
    TYPED,
    Record,
    agrees,
    kind_of,
    kinds_of,
    usually_filled,
)
from profiling_core.ingest.sniffing.sums import beginning_of, has_sum, totals_below
from profiling_core.model.dialect import CsvDialect

# Lines of a header, and of a footer, at most.
_MOST_HEADER_LINES = 3
_MOST_FOOTERS = 20
_FRAME = "|"
"""The delimiter of drawn tables; others in front of all rows part a first column without values."""
_RULE_BEGINS = 3
"""Signs that a drawn rule begins with."""
_DRAWN = re.compile(r"[-+=]{3}[-+= ]*")
_IN_BRACKETS = re.compile(r"\[.*\]|\(.*\)")
_YEARS = range(1800, 2200)
_BEYOND = "some rows have values behind the last name; a cell may have delimiters in it"
_NEITHER = "the first line, which is read as names, has nothing in the columns of numbers and dates; it may be a row"
_COUNTED = "the first line counts up and is read as the header"


@dataclass(frozen=True, slots=True)
class Structure:
    """A file's dialect with its structure, and the doubts that a person should look at."""

    dialect: CsvDialect
    doubts: tuple[str, ...] = ()
    is_framed: bool = False
    """Whether all rows begin and end with a delimiter, as those of drawn tables do."""
    totals: str = ""
    """How the lines begin that are totals of all others."""


def structure_of(records: Sequence[Record], tail: Sequence[Record], dialect: CsvDialect) -> Structure:
    """The structure of a file.

    Args:
        records: the first records, or all.
        tail: the last records; the same if all are known.
        dialect: how records are split; the lines of its ``skip_rows`` are not among the records. Its ``comment`` may be
            known.
    """
    comment = dialect.comment or _comment(records)
    rows = [r for r in _uncommented(records, comment) if not r.is_empty]
    if not rows:
        return Structure(replace(dialect, comment=comment))
    table = _Table(records, rows)
    header, doubts = _header(table)
    names, below = rows[table.first : table.first + header], rows[table.first + header :]
    named = 1 if table.below else _naming(names)
    body, ending = (_without(found, names) for found in (below, _uncommented(tail, comment)))
    pages, footers = _page_ends(below, body), _footers(ending, table) if body else 0
    is_whole = tail[-1].line == records[-1].line
    body = body[: len(body) - footers * is_whole]
    width = max((table.width, *(row.filled for row in names)))
    beyond = _width_beyond_names(names[:named], table.width)
    given, said = ((), []) if header else _names_in_comments(records, comment, table.width)
    made = replace(
        dialect,
        comment=comment,
        skip_rows=dialect.skip_rows + _lines_in_front(records, table, comment),
        header=named,
        skip_below=header - named,
        names=given,
        width=beyond,
        row_names=not beyond or _are_different(body),
        repeated_header=len(_without(below, names)) < len(below),
        skip_footer=footers,
        short_rows="fill" if _are_shortened(body, width, table.kinds) else "reject",
    )
    doubts += [*(said or doubts_of_front(rows[: table.first], names)), *doubts_of_names(names, named, body)]
    doubts += doubts_of_rows(names, body, table.width, dialect)
    totals = ""
    doubts += doubts_of_pages(pages, body)
    if is_whole:
        doubts += doubts_of_ends(body, table.width)
        totals = _totals(rows, body, table.kinds, made)
    doubts += _doubts_without_names(names, table)
    doubts += _doubts_of_width(names[-1].cells if names else (), table, made)
    return Structure(made, tuple(doubts), _are_framed([*names, *body], dialect.delimiter), totals)


def _totals(rows: Sequence[Record], body: Sequence[Record], kinds: Sequence[str], dialect: CsvDialect) -> str:
    """How the last rows begin if they are totals of the others, and no line is a comment; else nothing."""
    found = body[len(body) - totals_below(body, kinds) :]
    others = [row for row in rows if row not in found]
    return beginning_of(found, others, dialect.delimiter) if found and not dialect.comment else ""


def _naming(names: Sequence[Record]) -> int:
    """How many lines of a header name its columns: until each has a name of its own; ruled lines and brackets go on."""
    lines = [row.cells for row in names]
    width = max(map(len, lines), default=0)
    made = (joined(lines[:count]) for count in range(1, len(lines)))
    named = next((i for i, found in enumerate(made, 1) if len({*found} - {""}) == width), len(lines))
    return named + len([*takewhile(lambda row: _is_of_names(row) and not _numbers_columns(row), names[named:])])


def _are_framed(rows: Sequence[Record], delimiter: str) -> bool:
    """Whether neither the first nor the last cells of several rows of a drawn table have any text."""
    return (
        delimiter == _FRAME and len(rows) > 1 and not any(row.cells[0].strip() or row.cells[-1].strip() for row in rows)
    )


def _doubts_without_names(names: Sequence[Record], table: "_Table") -> list[str]:
    """The doubt about a table without names in which a row has texts in all columns of another kind."""
    named = next((row for at, row in enumerate(table.rows) if at >= table.first and table.has_names(at)), None)
    if names or named is None:
        return []
    return [f"no line is read as names, and this one may have them: {named.begins.strip()[:60]}"]


def _doubts_of_width(names: Sequence[str], table: "_Table", dialect: CsvDialect) -> list[str]:
    """The doubt about rows that have more cells than the header has names."""
    if not names or not all(names) or table.usual != len(names) + 1:
        return [_BEYOND] if 0 < len(names) < table.width else []
    if table.width == table.usual:
        which = "first" if dialect.row_names else "last"
        return [f"the header has one name fewer than rows have cells; the {which} name is assumed to be missing"]
    return ["rows have one cell more than the header has names; the last one, which is empty, is left out"]


def _are_different(body: Sequence[Record]) -> bool:
    """Whether the first cells of all rows differ, as names of rows do."""
    return len({row.cells[0] for row in body}) == len(body)


def _width_beyond_names(names: Sequence[Record], width: int) -> int:
    """The table's width if its header names fewer columns; else 0."""
    named = len(completed(joined([row.cells for row in names]))) if names else width
    return width if width > named else 0


def _lines_in_front(records: Sequence[Record], table: "_Table", comment: str) -> int:
    """The lines before the table; 0 if all of them are comments, since these are skipped anyway."""
    line = table.rows[table.first].line
    before = [r for r in records if r.line < line]
    return 0 if all(_is_comment(r, comment) for r in before) else line


def _is_comment(record: Record, comment: str) -> bool:
    return bool(comment) and record.begins.startswith(comment)


def _uncommented(records: Sequence[Record], comment: str) -> list[Record]:
    return [record for record in records if not _is_comment(record, comment)]


def _names_in_comments(records: Sequence[Record], comment: str, width: int) -> tuple[tuple[str, ...], list[str]]:
    """A name for each column, behind the word that a comment begins with, and the doubt about it; else made names."""
    found = (r.cells[1:] for r in records if _is_comment(r, comment) and len({*r.cells[1:]} - {""}) == width)
    if names := next(found, ()):
        return names, [f"the names are those of a comment: {', '.join(names)[:60]}"]
    return tuple(f"col_{i}" for i in range(width)), []


def _without(rows: Sequence[Record], names: Sequence[Record]) -> list[Record]:
    """Rows without those that are equal to a line of the header, and without the titles above these."""
    lines, kept = [[*line.cells] for line in names], list[Record]()
    for row in rows:
        if without_mark(row.cells) not in lines:
            kept.append(row)
            continue
        while kept and kept[-1].is_alone:
            kept.pop()
    return kept


def _page_ends(below: Sequence[Record], kept: Sequence[Record]) -> list[Record]:
    """The last row of each page. A repeated header or empty lines, which are left out, follow it."""
    lines = {row.line for row in kept}
    return [
        row
        for row, after in pairwise(below)
        if row.line in lines and (after.line not in lines or after.line > row.line + row.lines)
    ]


def _comment(records: Sequence[Record]) -> str:
    """How lines begin that are no rows: ``#``, unless the header begins with it, too; or drawn rules."""
    marked = [r for r in records if _is_comment(r, "#")]
    rows = [r for r in records if not r.is_empty and not _is_comment(r, "#")]
    return (_comment_of(marked, rows) if marked and rows else "") or _rule(rows)


def _rule(rows: Sequence[Record]) -> str:
    """How the rules begin that programs draw between rows, if they are not split as rows are; empty: there are none."""
    rules = [r for r in rows if len(r.cells) == 1 and _DRAWN.fullmatch(r.begins.rstrip())]
    begins = {r.begins[:_RULE_BEGINS] for r in rules}
    is_alone = len(begins) == 1 and {r.begins[:_RULE_BEGINS] for r in rows if r not in rules}.isdisjoint(begins)
    return begins.pop() if is_alone else ""


def _comment_of(marked: Sequence[Record], rows: Sequence[Record]) -> str:
    """How the lines marked by ``#`` begin that are neither rows nor the header; empty if there are none."""
    if _are_rows(marked, rows):
        return ""
    usual = Counter(len(r.cells) for r in rows).most_common(1)[0][0]
    kinds = kinds_of(_below_header(rows), usual)
    widths = {usual, Counter(r.filled for r in rows).most_common(1)[0][0]}
    wide = [r for r in marked if widths & {len(r.cells), r.filled}]
    if 2 * sum(not agrees(r, kinds)[1] for r in wide) > len(marked):
        return ""
    return "" if _marked_names(wide, rows, kinds) else "#"


def _are_rows(marked: Sequence[Record], rows: Sequence[Record]) -> bool:
    """Whether marked lines are rows: most lines are, and one above them has a name for each cell."""
    width = {len(r.cells) for r in marked}
    above = [len(r.cells) for r in rows if r.line < marked[0].line]
    return len(marked) > len(rows) and width != {1} and width == {*above[-1:]}


def _marked_names(wide: Sequence[Record], rows: Sequence[Record], kinds: Sequence[str]) -> Record | None:
    """The last marked line with names: a row of the table is below it, and none of as many cells above it."""
    following, before = {r.line: r for r in rows}, {r.line + r.lines for r in rows if len(r.cells) == len(kinds)}
    above = [(r, following[end]) for r in wide if (end := r.line + r.lines) in following and r.line not in before]
    return next((r for r, row in reversed(above) if _may_be_of(row, kinds) and not _is_typed(r, kinds)), None)


def _may_be_of(row: Record, kinds: Sequence[str]) -> bool:
    """Whether a row has no more cells of other kinds than of its columns' kinds."""
    alike, other = agrees(row, kinds)
    return other <= alike


def _is_typed(row: Record, kinds: Sequence[str]) -> bool:
    """Whether a row has a cell of its column's kind."""
    return agrees(row, kinds)[0] > 0


class _Table:
    """The records that make the table.

    ``usual`` is the number of cells that most rows of its largest part have, empty cells at the end included. ``width``
    leaves out columns at the end in which no row has a value. ``below``: lines between the names and the first row, if
    the names do not stand directly above it.
    """

    def __init__(self, records: Sequence[Record], rows: Sequence[Record]) -> None:
        self.rows = rows
        breaks = _breaks(records, rows)
        counts = Counter(len(row.cells) for row in rows[slice(*_largest(rows, breaks))])
        self.usual = max(counts, key=lambda cells: (counts[cells], cells))
        filled = [row.filled for row in rows if len(row.cells) == self.usual]
        longer = [row.filled for row in rows if row.filled > self.usual]
        body = rows[len(rows) // 2 :]
        self.width = max(filled)
        if len([row for row in body if row.filled > self.usual]) > RARE * len(body):
            self.width = max(longer)
        self.kinds = kinds_of(_below_header(rows), self.width)
        self.below = 0
        self.first = self._with_groups(self._first(breaks))
        self.kinds = kinds_of(_below_header(rows[self.first :]), self.width)

    def is_typed(self) -> bool:
        """Whether a column has values of a kind that names are not of."""
        return any(kind in TYPED for kind in self.kinds)

    def is_row(self, row: Record) -> bool:
        """Whether a record has as many cells as the table's rows."""
        return len(row.cells) == self.usual or row.filled == self.width

    def _first(self, breaks: Sequence[int]) -> int:
        """The position of the first row of the table, its header included."""
        at = self._main_part(breaks)
        if (after := self._after_other_rows(at)) is not None:
            return after
        for i in range(at, len(self.rows)):
            row = self.rows[i]
            enough = row.filled * 2 >= self.width and (not row.is_alone or self.width == 1)
            is_longer = row.filled > self.width and self._is_all_alike(row)
            if (self.is_row(row) and enough) or is_longer:
                at = i
                break
        return at - self._is_header_line_before(at) if at and at not in breaks else at

    def _with_groups(self, at: int) -> int:
        """Where the header begins whose last line is here: names that repeat belong to groups in the lines above."""
        lowest, last = max(0, at - _MOST_HEADER_LINES + 1), self.rows[at]
        if self._is_header_like(last) and not agrees(last, self.kinds)[0]:
            while at > lowest and _repeats(self.rows[at]) and self._may_group(at - 1):
                at -= 1
        return at

    def _may_group(self, at: int) -> bool:
        """Whether a line directly above another one has several names, but not one for each column."""
        line, below = self.rows[at : at + 2]
        named = sum(bool(cell.strip()) for cell in line.cells)
        return line.line + line.lines == below.line and 1 < named < self.width

    def _after_other_rows(self, begin: int) -> int | None:
        """Where the table begins below more rows of other kinds than a header has; None: there are not as many.

        It begins with the rows of names above its first row, else with its first row. Rows that lack a value in each
        column that has a kind are rows of the table.
        """
        most = begin + (len(self.rows) - begin) // 2
        first = next((i for i in range(begin, most) if self._is_all_alike(self.rows[i])), begin)
        other = [row for row in self.rows[begin:first] if not self._may_be_row(row)]
        if len(other) <= _MOST_HEADER_LINES:
            return None
        names = first
        longest = max(self.width, self.rows[first - 1].filled)
        while first - names < _MOST_HEADER_LINES and self._names_all(above := self.rows[names - 1]):
            if above.filled > longest:
                break
            names -= 1
        if names < first:
            return names
        if (apart := self._names_above(begin, first)) is not None:
            self.below = first - apart - 1
            return apart
        return first

    def _names_above(self, begin: int, first: int) -> int | None:
        """The nearest line above the first row with a value in the last column, if it has names alone.

        No line between the two may be empty.
        """
        at = next((i for i in range(first - 1, begin - 1, -1) if self.rows[i].filled == self.width), first)
        is_whole = self.rows[first].line - self.rows[at].line == first - at > 0
        return at if is_whole and self._is_header_like(self.rows[at]) else None

    def _names_all(self, row: Record) -> bool:
        """Whether a row may be a line of a header of all columns."""
        named = sum(bool(cell.strip()) for cell in row.cells)
        is_full = 2 * named > self.width or row.filled >= self.width
        return self._is_header_like(row) and is_full

    def _may_be_row(self, row: Record) -> bool:
        """Whether a row has no cell of another kind than its column, and most cells filled."""
        return not agrees(row, self.kinds)[1] and 2 * row.filled > self.width

    def _is_all_alike(self, row: Record) -> bool:
        """Whether a row has cells of its columns' kinds and none of another."""
        alike, other = agrees(row, self.kinds)
        return alike > 0 == other

    def _is_header_line_before(self, at: int) -> bool:
        """Whether the record before this one is a line of the header, although it has another number of cells."""
        before = self.rows[at - 1]
        if self._is_title(at - 1):
            return False
        group = len(before.cells) == self.usual and not self._looks_like_row(before)
        longer = before.filled > self.width > 1 and not self._is_header_like(self.rows[at])
        least = min(self.width - 1, *(row.filled for row in self.rows[at:] if self._is_all_alike(row)), self.width)
        shorter = 1 < least <= before.filled < self.width and not self._is_header_like(self.rows[at])
        named = before.filled == len({*before.cells}) > 2  # noqa: PLR2004 -- two cells may be a key and its value
        shorter = shorter or (at == 1 and named and before.filled < self.width)
        return group or ((longer or shorter) and self._is_header_like(before))

    def _is_title(self, at: int) -> bool:
        """Whether a row with only one value is a title above the names, and names no group of columns.

        It is the second title, stands below an empty line, or has more words than any of the names.
        """
        title, below = self.rows[at : at + 2]
        if not title.is_alone:
            return False
        if at and (self.rows[at - 1].is_alone or self.rows[at - 1].line + self.rows[at - 1].lines < title.line):
            return True
        return below.filled > 1 and _words(title) > _words(below)

    def _main_part(self, breaks: Sequence[int]) -> int:
        """Where the largest part between empty lines begins, or its header if that is a part of its own."""
        bounds = [0, *breaks, len(self.rows)]
        begin, _ = _largest(self.rows, breaks)
        while (
            begin
            and not self.has_names(begin)
            and self._continues(self.rows[max(b for b in bounds if b < begin) : begin])
        ):
            begin = max(b for b in bounds if b < begin)
        is_named = begin > 0 and self.is_row(self.rows[begin - 1])
        if is_named and self._looks_like_row(self.rows[begin]):
            before = max(b for b in bounds if b < begin)
            return before if before + 1 == begin else begin
        return begin

    def has_names(self, at: int) -> bool:
        """Whether a row is text in each column, also in those of other kinds."""
        alike, other = agrees(self.rows[at], self.kinds)
        return alike == 0 < other and self._is_header_like(self.rows[at]) and not self.rows[at].is_alone

    def _continues(self, part: Sequence[Record]) -> bool:
        """Whether a part above an empty line has rows as the part below: most are, whatever cells they lack."""
        alike = [row for row in part if self._is_all_alike(row) and 2 * row.filled > self.width]
        return len(alike) >= MOST * len(part) and len(part) > 1

    def _looks_like_row(self, row: Record) -> bool:
        alike, other = agrees(row, self.kinds)
        return alike > other

    def _is_header_like(self, row: Record) -> bool:
        return all(kind_of(cell) in (TEXT, NOTHING) for cell in row.cells)


def _repeats(row: Record) -> bool:
    """Whether a name comes twice in a line."""
    names = [cell.strip() for cell in row.cells if cell.strip()]
    return len({*names}) < len(names)


def _words(row: Record) -> int:
    """The number of words in a row's longest cell."""
    return max(len(cell.split()) for cell in row.cells)


def _below_header(rows: Sequence[Record]) -> Sequence[Record]:
    """Rows below the longest possible header, at least one."""
    return rows[min(_MOST_HEADER_LINES, len(rows) - 1) :]


def _breaks(records: Sequence[Record], rows: Sequence[Record]) -> list[int]:
    """The positions of rows after empty lines, if empty lines are the exception; a header that comes again is none."""
    empty = [r.line for r in records if r.is_empty]
    if len(empty) > max(FEWEST_SHORT, RARE * len(rows)):
        return []
    found = sorted({sum(row.line < line for row in rows) for line in empty} - {0, len(rows)})
    begins = [rows[place].cells for place in (0, *found)]
    return [place for i, place in enumerate(found, 1) if begins[i] not in begins[:i]]


def _largest(rows: Sequence[Record], breaks: Sequence[int]) -> tuple[int, int]:
    """Where the part between breaks with the most cells begins and ends."""
    parts = pairwise([0, *breaks, len(rows)])
    return max(parts, key=lambda part: (sum(row.filled for row in rows[slice(*part)]), -part[0]))


def _header(table: _Table) -> tuple[int, list[str]]:
    """The lines of the header, 0 to 3, and the doubts about it."""
    rows = table.rows[table.first :]
    if table.below:
        return 1 + table.below, []
    if not table.is_typed():
        return _header_of_texts(rows)
    alike, other = agrees(rows[0], table.kinds)
    counts = alike > other and len(rows) > 1 and _counts(rows[0], rows[1])
    if alike > other and not counts:
        return 0, []
    if len(rows) == 1:
        return int(other > 0), []
    found = 1
    most = min(_MOST_HEADER_LINES, len(rows) - 1)
    filled = usually_filled([*filter(table.is_row, rows[most:])])
    while found < most and (
        _goes_on(rows[found - 1], rows[found], table.kinds, filled)
        or _counts_below(rows, found, table.kinds)
        or _name_more(rows[found - 1], rows[found + 1 : most], table.kinds)
    ):
        found += 1
    unsure = [_NEITHER] if not alike and not other else []
    return found, [_COUNTED] if counts else unsure


def _counts_below(rows: Sequence[Record], at: int, kinds: Sequence[str]) -> bool:
    """Whether a lower line belongs to a header: years where names are missing, or numbers of columns, some of texts."""
    if at + 1 == len(rows):
        return False
    years = _naming(rows[: at + 1]) > at and _counts(rows[at], rows[at + 1])
    return years or (TEXT in kinds and _numbers_columns(rows[at]))


def _name_more(above: Record, rows: Sequence[Record], kinds: Sequence[str]) -> bool:
    """Whether a line has names for several columns that a line above leaves unnamed, and no value."""
    return any(not agrees(row, kinds)[0] and _named_below(above, row) > 1 for row in rows)


def _named_below(above: Record, row: Record) -> int:
    """How many columns a line names that a line above leaves unnamed."""
    return sum(bool(cell.strip()) and not upper.strip() for upper, cell in zip(above.cells, row.cells, strict=False))


def _goes_on(above: Record, row: Record, kinds: Sequence[str], filled: set[int]) -> bool:
    """Whether a line belongs to the header as the one above it does.

    It names a column that is unnamed above and has a text in a column of another kind; or it has several of either; or
    it has one text in a column of another kind, and nothing in a column in which nearly all rows have a value; or it is
    a ruled line, or all its cells stand in brackets, as units do.
    """
    if _is_of_names(row):
        return True
    alike, other = agrees(row, kinds)
    if alike:
        return False
    named = _named_below(above, row)
    lacks = any(not row.cells[place].strip() for place in filled if place < len(row.cells))
    return max(other, named) > 1 or (other > 0 and (named > 0 or lacks))


def _is_of_names(row: Record) -> bool:
    """Whether a line below names is ruled, or has units in brackets."""
    return all(_IN_BRACKETS.fullmatch(cell.strip()) or is_rule(cell) for cell in row.cells if cell.strip())


def _is_ruled(row: Record) -> bool:
    """Whether all cells of a line below names are rules."""
    return not row.is_empty and all(is_rule(cell) for cell in row.cells if cell.strip())


def _numbers_columns(row: Record) -> bool:
    """Whether a line below names has the numbers of at least three columns, from 1 on, in brackets or not."""
    cells = [cell.strip().strip("()[]") for cell in row.cells]
    return len(cells) > 2 and cells == [*map(str, range(1, len(cells) + 1))]  # noqa: PLR2004 -- two numbers are 1 and 2 by chance


def _header_of_texts(rows: Sequence[Record]) -> tuple[int, list[str]]:
    """The header of a table of texts only: its cells do not occur again in their columns."""
    first = rows[0]
    others = _without(rows[1:], rows[:1]) if len(first.cells) > 1 else rows[1:]
    again = any(
        cell and any(place < len(row.cells) and row.cells[place] == cell for row in others)
        for place, cell in enumerate(first.cells)
    )
    if not others:
        return int(all(kind_of(cell) in (TEXT, NOTHING) for cell in first.cells)), []
    again = again or _has_sign_of_all(first, others)
    said = "values, since one is like all others in its column" if again else "names"
    ruled = [*takewhile(_is_ruled, rows[1:_MOST_HEADER_LINES])]
    return 0 if again else 1 + len(ruled), [f"all cells are texts: the cells of the first line are taken for {said}"]


def _has_sign_of_all(first: Record, others: Sequence[Record]) -> bool:
    """Whether the first cell of a list has a sign that all others have, as the dots of addresses."""
    cells = [row.cells[0] for row in (first, *others)]
    is_list = len(first.cells) == 1 and len(others) > FEWEST_SHORT
    return is_list and bool({*punctuation}.intersection(*cells))


def _steps(row: Record) -> tuple[list[int], set[int]]:
    """The whole numbers in a line, and the steps between them; none if a number is not whole."""
    numbers = [cell.strip() for cell in row.cells if kind_of(cell) == NUMBER]
    if not all(cell.isascii() and cell.isdigit() for cell in numbers):
        return [], set()
    whole = [*dict.fromkeys(map(int, numbers))]
    return whole, {b - a for a, b in pairwise(whole)}


def _counts(row: Record, below: Record) -> bool:
    """Whether cells count up in even steps as column names do, and the cells below do not."""
    whole, steps = _steps(row)
    if len(steps) != 1:
        return False
    if len(whole) > 2:  # noqa: PLR2004 -- two numbers count up by chance
        return steps != _steps(below)[1]
    return all(year in _YEARS for year in whole)


def _is_incomplete(row: Record, table: _Table) -> bool:
    if row.is_empty:
        return True
    is_short = not table.is_row(row) and row.filled < table.width
    if table.width > 2:  # noqa: PLR2004 -- of two, one may well be empty
        return is_short or row.filled == 1
    return is_short and len(row.cells) < table.width


def _is_foreign(row: Record, table: _Table) -> bool:
    """Whether a row has cells of other kinds than its columns, only these or few others, or sums of the rows above."""
    alike, other = agrees(row, table.kinds)
    if 0 < alike <= other and 2 * sum(bool(cell.strip()) for cell in row.cells) <= table.width:
        return True
    above = [other for other in table.rows[table.first :] if other.line < row.line and table.is_row(other)]
    return (not alike and table.is_typed()) or has_sum(row, above, table.kinds)


def _is_footer(row: Record, table: _Table, *, apart: bool) -> bool:
    """Whether a record is no row of the table: no cell fits its column, and it is apart or begins with a long cell."""
    alike, other = agrees(row, table.kinds)
    longest = max((len(r.cells[0]) for r in table.rows if table.is_row(r) and not _is_incomplete(r, table)), default=0)
    is_other = bool(other) or apart or len(row.cells[0]) > longest if row.cells else True
    return (apart and _is_foreign(row, table)) or (
        _is_incomplete(row, table) and (row.is_empty or (apart and not table.is_row(row)) or (not alike and is_other))
    )


def _may_end(row: Record, table: _Table, *, apart: bool) -> bool:
    """Whether a record may be one of the last ones that are no rows."""
    return _is_incomplete(row, table) or (apart and _is_foreign(row, table))


def _footers(tail: Sequence[Record], table: _Table) -> int:
    """How many of the last records are no rows of the table."""
    apart_from = max((place for place, row in enumerate(tail) if row.is_empty), default=len(tail))
    places = reversed(range(len(tail)))
    ends = takewhile(lambda place: _may_end(tail[place], table, apart=place >= apart_from), places)
    begin = min(ends, default=len(tail))
    ending, apart = tail[begin:], False
    found = 0
    for row in ending if begin else ():
        apart = apart or row.is_empty or _is_title(row, table.kinds)
        if not row.is_empty:
            found = found + 1 if _is_footer(row, table, apart=apart) else 0
    incomplete = sum(_is_incomplete(row, table) for row in table.rows[table.first :])
    usual = incomplete - found > RARE * len(table.rows)
    return 0 if usual or found > _MOST_FOOTERS else found


def _is_title(row: Record, kinds: Sequence[str]) -> bool:
    """Whether a row has only a first cell, of no kind, where a table has more than two columns."""
    return len(row.cells) == 1 and len(kinds) > 2 and not agrees(row, kinds)[0]  # noqa: PLR2004 -- of two, one may well be empty


def _are_shortened(body: Sequence[Record], width: int, kinds: Sequence[str]) -> bool:
    """Whether short rows lack empty cells at their end: most of their cells are of their columns' kinds.

    Short rows after all full ones are another table if they are fewer or stand behind an empty line.
    """
    short = [row for row in body if len(row.cells) < width and not _is_title(row, kinds)]
    if len(short) < min(FEWEST_SHORT, len(body)):
        return False
    full = [row.line + row.lines for row in body if len(row.cells) >= width]
    if full and short[0].line >= full[-1] and (len(full) > len(short) or short[0].line > full[-1]):
        return False
    found = [agrees(row, kinds) for row in short]
    alike, other = (sum(counts) for counts in zip(*found, strict=True)) if found else (0, 1)
    return other <= (1 - MOST) * (alike + other)
