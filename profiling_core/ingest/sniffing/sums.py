"""Rows that are sums of others: totals below or above the rows of a table."""

import contextlib
import re
from collections.abc import Sequence
from math import isfinite

from profiling_core.ingest.sniffing.records import NUMBER, Record

_THOUSANDS = 3
"""Digits between thousands marks."""
_ROUNDED = 0.01
"""How far a total may be from its column's sum, as a share of it: totals are computed before rounding."""
_FEWEST_DIGITS = 3
"""Digits of a sum that may be smaller than a number in it, if some are negative: chance makes one in 1,000."""
_LEVELS = 2
"""Levels of sums: with sums of groups among them, rows sum up to twice their total."""


def has_sum(row: Record, rows: Sequence[Record], kinds: Sequence[str]) -> bool:
    """Whether a row has the sum of other rows in a column."""
    return any(_is_sum(row, rows, place) for place, kind in enumerate(kinds) if kind == NUMBER)


def _is_sum(row: Record, rows: Sequence[Record], place: int) -> bool:
    """Whether a record's number in a column is the sum of the rows, some of them perhaps sums, and the greatest."""
    if place >= len(row.cells) or not row.cells[place].strip():
        return False
    values = [_number(other.cells[place]) for other in rows if place < len(other.cells)]
    total, value = sum(values), _number(row.cells[place])
    levels = round(total / value) if value else 0
    gap, digits = abs(total - levels * value), sum(map(str.isdigit, row.cells[place]))
    is_no_chance = abs(value) > max(map(abs, values), default=0.0) or (
        digits >= _FEWEST_DIGITS and not round(gap, digits)
    )
    return gap <= _ROUNDED * abs(total) and 0 < levels <= _LEVELS and is_no_chance


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
