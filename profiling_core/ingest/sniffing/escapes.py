"""The character that stands before quotes within cells in place of a second quote, found by what explains a file.

A reading explains a file if a program that writes by it could have written each cell: a quote closes a cell only before
a delimiter or a line's end, none stands within a cell that is not quoted, an escape stands only before what needs one,
and rows have one number of cells. The reading with the fewest contradictions is chosen; of two alike,
the one with an escape, and that is said. Some programs escape within
quoted cells alone, which is a reading of its own.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_USUAL = "\\"
"""The escape of most programs; another one is looked for only in a file that contradicts all readings without one."""
_NULL = "N"
"""The letter that makes a cell null if it stands alone behind an escape, as databases write it."""


@dataclass(frozen=True, slots=True)
class _Explained:
    """What a reading makes of a text: its rows, and how many places contradict it."""

    escape: str
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
    if not re.search(rf"[^\w\s]{re.escape(quote)}", text) and _USUAL not in text:
        return "", []
    found = [_explained(text, delimiter, quote, mark) for mark in (_USUAL, "") if mark in text]
    bare = found[-1]
    if all(reading.contradictions for reading in found):
        before = re.findall(rf"[^\w\s{re.escape(delimiter + quote + _USUAL)}](?={re.escape(quote)})", text)
        unusual = [_explained(text, delimiter, quote, mark) for mark in sorted({*before})]
        found += [reading for reading in unusual if not reading.contradictions]
    likely = (r for r in found if r.escape in ("", _USUAL) or r.is_within)
    chosen = min(likely, key=lambda r: (r.contradictions, r.rows == bare.rows and r is not bare))
    others = [*found, *(_explained(text, delimiter, quote, r.escape, outside=False) for r in found if r.escape)]
    least = min(reading.contradictions for reading in others)
    if any(reading.contradictions == least and reading.rows != chosen.rows for reading in others):
        return chosen.escape, [_doubt(chosen, others, least)]
    if chosen.escape and chosen.unneeded:
        return chosen.escape, [f"{chosen.escape} stands before characters that need no escape, too; it is kept there"]
    return chosen.escape, []


def _doubt(chosen: _Explained, others: Sequence[_Explained], least: int) -> str:
    other = next(r for r in others if r.contradictions == least and r.rows != chosen.rows)
    pairs = (
        (a, b) for row, also in zip(chosen.rows, other.rows, strict=False) for a, b in zip(row, also, strict=False)
    )
    read, instead = next(((a, b) for a, b in pairs if a != b), ("", ""))
    mark = chosen.escape or other.escape
    return (
        f"{mark} may be an escape or a part of the text: a cell is read as {read[:40]!r}, and may be {instead[:40]!r}"
    )


def _explained(text: str, delimiter: str, quote: str, escape: str, *, outside: bool = True) -> _Explained:
    """A text by one reading; ``outside``: an escape counts in cells without quotes, too."""
    d, q, e = map(re.escape, (delimiter, quote, escape))
    escaped = rf"|{e}[\s\S]" if escape else ""
    quoted = rf"{q}((?:[^{q}{e}]|{q}{q}{escaped})*+){q}"
    unquoted, any_text = (
        rf"((?:[^{mark}{d}{e}\r\n]{escaped})*+)" if outside else rf"([^{mark}{d}\r\n]*+)" for mark in (q, "")
    )
    cells = re.compile(rf"(?:(?:{quoted}|{unquoted})(?={d}|[\r\n]|\Z)|{any_text})({d}|\r\n|[\r\n]|\Z)")
    unescaping = re.compile(rf"{e}([{q}{d}{e}\r\n])")
    rows: list[list[str]] = [[]]
    broken, unneeded, is_within = 0, 0, False
    for within, bare, odd, end in cells.findall(text):
        cell = within.replace(2 * quote, quote) or bare or odd
        broken += bool(odd)
        if escape and escape in cell and (outside or within) and cell != escape + _NULL:
            unneeded += len(re.findall(rf"{e}[\s\S]", cell)) - len(unescaping.findall(cell))
            cell, is_within = unescaping.sub(r"\1", cell), is_within or bool(within)
        rows[-1].append(cell)
        if end != delimiter:
            rows.append([])
    rows = [row for row in rows if row != [""] and row]
    widths = Counter(map(len, rows))
    uneven = len(rows) - max(widths.values(), default=0)
    return _Explained(escape, rows, broken + unneeded + uneven, unneeded, is_within)
