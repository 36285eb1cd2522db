"""Rows that are sums or means of others: totals below or above the rows of a table."""

import contextlib
import re
from collections.abc import Sequence
from math import isfinite
from os.path import commonprefix

from profiling_core.ingest.sniffing.records import FEWEST_SHORT, NOTHING, NUMBER, TEXT, Record, kind_of

_THOUSANDS = 3
"""Digits between thousands marks."""
_ROUNDED = 0.01
"""How far a total may be from its column's sum, as a share of it: totals are computed before rounding."""
_FEWEST_DIGITS = 3
"""Digits of a sum that is no chance, without zeros at its ends: chance makes one in 1,000."""
_LEVELS = 2
"""Levels of sums: with sums of groups among them, rows sum up to twice their total."""


def has_sum(row: Record, rows: Sequence[Record], kinds: Sequence[str]) -> bool:
    """Whether a row has the sum of other rows in a column."""
    return any(_is_sum(row, rows, place) for place, kind in enumerate(kinds) if kind == NUMBER)


def totals_below(rows: Sequence[Record], kinds: Sequence[str]) -> int:
    """How many of the last rows are totals of all rows above them beyond doubt."""
    counts = range(min(FEWEST_SHORT, len(rows) - FEWEST_SHORT), 0, -1)
    return next((n for n in counts if all(_is_total(row, rows[:-n], kinds) for row in rows[-n:])), 0)


def beginning_of(totals: Sequence[Record], others: Sequence[Record], delimiter: str) -> str:
    """How the lines of totals begin, labels included, and no other line; empty: there is no beginning of this kind."""
    begins = []
    for row in totals:
        before, label, after = row.begins.partition(_label(row))
        begins.append(before + label + after[: after.find(delimiter) + len(delimiter)])
    begin = commonprefix(begins)  # noqa: RUF071 -- lines have characters in common
    is_own = any(map(str.isalnum, begin)) and not any(row.begins.startswith(begin) for row in others)
    return begin if is_own else ""


def _label(row: Record) -> str:
    """The only text of a row, or its first one."""
    return next((cell for cell in row.cells if kind_of(cell) == TEXT), "")


def _is_total(row: Record, rows: Sequence[Record], kinds: Sequence[str]) -> bool:
    """Whether a row has one text, which no other row has, and numbers: exact means, or exact sums and some between."""
    found = [kind_of(cell) for cell in row.cells]
    is_labelled = found.count(TEXT) == 1 and {*found} <= {TEXT, NUMBER, NOTHING}
    if not is_labelled or any(_label(row) in other.cells for other in rows):
        return False
    places = [place for place, kind in enumerate(kinds) if kind == NUMBER and found[place : place + 1] == [NUMBER]]
    if len(places) != found.count(NUMBER) or not places:
        return False
    return all(_is_mean(row, rows, place) for place in places) or _are_sums(row, rows, places)


def _are_sums(row: Record, rows: Sequence[Record], places: Sequence[int]) -> bool:
    """Whether a row's numbers are exact sums, at least one of them, and the others between those of the rows."""
    rest = [place for place in places if not _is_sum(row, rows, place, exact=True)]
    return len(rest) < len(places) and all(_is_within(row, rows, place) for place in rest)


def _is_mean(row: Record, rows: Sequence[Record], place: int) -> bool:
    """Whether a record's number in a column is the mean of the rows' numbers in all of its digits, if these differ."""
    value, *values = _numbers([row, *rows], place)
    digits = re.sub(r"\D", "", row.cells[place]).strip("0")
    count = sum(kind_of(other.cells[place]) == NUMBER for other in rows if place < len(other.cells))
    is_near = count > 0 and abs(sum(values) / count - value) <= _unit(row.cells[place]) * (1 + _ROUNDED) / 2
    return len(digits) >= _FEWEST_DIGITS and is_near and min(values) < max(values)


def _is_within(row: Record, rows: Sequence[Record], place: int) -> bool:
    """Whether a record's number in a column is between others, as the rates and averages beside totals are."""
    value, *values = _numbers([row, *rows], place)
    return min(values, default=value) <= value <= max(values, default=value)


def _is_sum(row: Record, rows: Sequence[Record], place: int, *, exact: bool = False) -> bool:
    """Whether a record's number in a column is the sum of the rows, some of them perhaps sums, and the greatest.

    A sum is exact if it has all digits of the sum of the rows, none of them sums, or is as near to it as what is added
    up before each row is rounded, and has enough digits beside that.
    """
    if place >= len(row.cells) or not row.cells[place].strip():
        return False
    value, *values = _numbers([row, *rows], place)
    total = sum(values)
    levels = round(total / value) if value else 0
    gap, digits = abs(total - levels * value), re.sub(r"\D", "", row.cells[place])
    is_greatest = abs(value) > max(map(abs, values), default=0.0)
    rounding = min(_unit(row.cells[place]) * len(values) / 2, abs(value) / 10**_FEWEST_DIGITS)
    is_exact = len(digits.strip("0")) >= _FEWEST_DIGITS and gap < max(abs(value) * 10.0 ** -len(digits), rounding)
    if exact:
        return is_greatest and is_exact and levels == 1
    return gap <= _ROUNDED * abs(total) and 0 < levels <= _LEVELS and (is_greatest or is_exact)


def _unit(cell: str) -> float:
    """The place value of a number's last digit; what parts thousands counts as a decimal mark."""
    decimals = re.search(r"(?:[.,](\d+))?\D*$", cell)
    return 10.0 ** -len((decimals and decimals[1]) or "")


def _numbers(rows: Sequence[Record], place: int) -> list[float]:
    """The approximate numbers of a column; a mark that a cell has twice parts thousands in all of them."""
    cells = [row.cells[place] for row in rows if place < len(row.cells)]
    thousands = next((mark for mark in ".," if any(cell.count(mark) > 1 for cell in cells)), "")
    return [_number(cell.replace(thousands, "")) for cell in cells]


def _number(cell: str) -> float:
    """The approximate number that a cell seems to be."""
    with contextlib.suppress(ValueError):
        return float(cell) if isfinite(float(cell)) else 0.0
    digits = re.sub(r"[^-0-9.,]", "", cell)
    whole, mark, fraction = max(digits.rpartition("."), digits.rpartition(","), key=lambda parts: len(parts[0]))
    if not mark or len(fraction) == _THOUSANDS:
        whole, fraction = digits, ""
    number = re.sub(r"[.,]", "", whole)
    is_number = re.fullmatch("-?[0-9]*", number) and number != "-" and re.fullmatch("[0-9]*", fraction)
    return float(f"{number or 0}.{fraction or 0}") if is_number else 0.0
