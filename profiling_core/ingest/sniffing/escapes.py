"""The character that stands before quotes within cells in place of a second quote, found by what explains a file.

A reading explains a file if a program that writes by it could have written each cell: a quote closes a cell only before
a delimiter or a line's end, none stands within a cell that is not quoted, an escape stands only before what needs one,
rows have one number of cells, and no line is empty. The reading with the fewest contradictions is chosen; of two alike,
the one with the usual escape, and that is said. Some programs escape within quoted cells alone, which is a reading of
its own.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation

_USUAL = "\\"
"""The escape of most programs; another one has to explain a file without any contradiction."""
_NULL = "N"
"""The letter that makes a cell null if it stands alone behind an escape, as databases write it."""


@dataclass(frozen=True, slots=True)
class _Explained:
    """What a reading makes of a text: its rows, and how many places contradict it."""

    escape: str
    everywhere: bool
    """Whether an escape counts in cells without quotes, too."""
    rows: Sequence[Sequence[str]]
    contradictions: int
    unneeded: int
    """The contradictions that are an escape before what needs none."""
    is_within: bool
    """Whether an escape stands within a quoted cell."""


def escape_of(text: str, delimiter: str, quote: str) -> tuple[str, list[str]]:
    """The escape, empty if there is none, and a doubt where another reading explains the text as well.

    Args:
        text: the first lines of a file.
        delimiter: what stands between cells.
        quote: what stands around them.
    """
    found = _readings(text, delimiter, quote)
    chosen = _likeliest(found)
    least = min(reading.contradictions for reading in found)
    for other in found:
        if other.contradictions == least and other.rows != chosen.rows:
            return chosen.escape, [_doubt(chosen, other)]
    if chosen.escape and chosen.unneeded:
        return chosen.escape, [f"{chosen.escape} stands before characters that need no escape, too; it is kept there"]
    return chosen.escape, []


def _likeliest(found: Sequence[_Explained]) -> _Explained:
    """The reading that the fewest places contradict, of two alike the one with the usual escape if it changes a cell.

    An unusual escape has to stand within a quoted cell.
    """
    likely = (r for r in found if r.everywhere and (r.escape in ("", _USUAL) or r.is_within))
    return min(likely, key=lambda r: (r.contradictions, r.escape != _USUAL or r.rows == found[0].rows))


def _readings(text: str, delimiter: str, quote: str) -> list[_Explained]:
    """The readings with no escape, the usual one, or others that nothing contradicts; in all cells or quoted ones."""
    bare = _explained(text, _Grammar(delimiter, quote, ""))
    marks = [*[_USUAL] * (_USUAL in text), *_unusual(text, delimiter, quote, bare)]
    each = (_explained(text, _Grammar(delimiter, quote, mark, where)) for where in (True, False) for mark in marks)
    return [bare, *(reading for reading in each if reading.escape == _USUAL or not reading.contradictions)]


def _unusual(text: str, delimiter: str, quote: str, bare: _Explained) -> list[str]:
    """The signs that stand as escapes do, and as no others: twice in a cell with words, or before a quote.

    A sign that stands before delimiters or line ends alone is one if the reading without an escape is contradicted.
    """
    words = "\n".join(cell for row in bare.rows for cell in row if re.search(r"\w", cell))
    ends = (delimiter, "\r", "\n") if bare.contradictions else ()
    return [
        mark
        for mark in sorted({*punctuation} - {delimiter, quote, _USUAL})
        if 2 * mark in words or mark + quote in words or any(mark + end in text for end in ends)
    ]


def _doubt(chosen: _Explained, other: _Explained) -> str:
    rows = zip(chosen.rows, other.rows, strict=False)
    pairs = (pair for row, also in rows for pair in zip(row, also, strict=False))
    read, instead = next(((cell, also) for cell, also in pairs if cell != also), ("", ""))
    mark = chosen.escape or other.escape
    return (
        f"{mark} may be an escape or a part of the text: a cell is read as {read[:40]!r}, and may be {instead[:40]!r}"
    )


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How cells are written; ``everywhere``: an escape counts in cells without quotes, too."""

    delimiter: str
    quote: str
    escape: str
    everywhere: bool = True

    def cells(self) -> re.Pattern[str]:
        """Cells as three groups, within quotes, without, and against the rules; the fourth is what ends them."""
        d, q, e = map(re.escape, (self.delimiter, self.quote, self.escape))
        escaped = rf"|{e}[\s\S]" if e else ""
        quoted = rf"{q}((?:[^{q}{e}]|{q}{q}{escaped})*+){q}"
        kept = (e, escaped) if self.everywhere else ("", "")
        unquoted, any_text = (rf"((?:[^{mark}{d}{kept[0]}\r\n]{kept[1]})*+)" for mark in (q, ""))
        return re.compile(rf"(?:(?:{quoted}|{unquoted})(?={d}|[\r\n]|\Z)|{any_text})({d}|\r\n|[\r\n]|\Z)")

    def unescaped(self, cell: str) -> tuple[str, int]:
        """A cell without escapes, and how many stand before what needs none; one that is null by an escape has none."""
        d, q, e = map(re.escape, (self.delimiter, self.quote, self.escape))
        if cell == self.escape + _NULL:
            return cell, 0
        text, needed = re.subn(rf"{e}([{q}{d}{e}\r\n])", r"\1", cell)
        return text, len(re.findall(rf"{e}[\s\S]", cell)) - needed


def _explained(text: str, grammar: _Grammar) -> _Explained:
    """What a grammar makes of a text; no program writes empty lines between rows."""
    rows: list[list[str]] = [[]]
    broken, unneeded, is_within = 0, 0, False
    for within, bare, odd, end in grammar.cells().findall(text):
        cell = within.replace(2 * grammar.quote, grammar.quote) or bare or odd
        broken += bool(odd)
        if grammar.escape and grammar.escape in cell and (grammar.everywhere or within):
            cell, more = grammar.unescaped(cell)
            unneeded, is_within = unneeded + more, is_within or bool(within)
        rows[-1].append(cell)
        if end != grammar.delimiter:
            rows.append([])
    written = [row for row in rows if row not in ([], [""])]
    uneven = rows[:-2].count([""]) + len(written) - max(Counter(map(len, written)).values(), default=0)
    return _Explained(grammar.escape, grammar.everywhere, written, broken + unneeded + uneven, unneeded, is_within)
