"""Columns that have numbered the deltas so far and may start again: the day of a month before the month is over.

Two rows agree on such a column only if they came together, so rules with it were tested within deltas and never
between them. A key over the hour and the day of the month holds for a month.

A key may also consist only of columns whose values repeat, or that count up from a small number (the teams of a match,
the rounds of a season). Then each combination comes one day, and later again.
"""

from dataclasses import dataclass
from itertools import pairwise

from profiling_core.algorithms.columns.figures import Number
from profiling_core.algorithms.columns.history import ColumnHistory, TableHistory
from profiling_core.algorithms.columns.learning import rises
from profiling_core.model.types import LogicalType

# At most one in this many known values may have come with one delta only; and a count may fall in one of this many
# steps.
_ONE_IN = 10
# The greatest number of a part of a date: the day of the year.
_GREATEST_PART = 366


@dataclass(frozen=True)
class Untested:
    """Columns in which two rows of different deltas have rarely agreed so far, but will one day.

    ``unrepeated``: they never agreed on such a column. ``returning``: each combination of these columns will come
    again;
    a key over them, or their determining a ``rising`` column, only means that none has so far.
    """

    unrepeated: frozenset[str] = frozenset()
    returning: frozenset[str] = frozenset()
    rising: frozenset[str] = frozenset()


def untested(history: TableHistory) -> Untested:
    """The columns that deltas have not tested so far."""
    further = frozenset(name for name, column in history.columns.items() if rises(column))
    return Untested(unrepeated(history), returning(history), further)


def unrepeated(history: TableHistory) -> frozenset[str]:
    """The columns of small whole numbers with one value per delta, and never the same in two deltas."""
    return frozenset(name for name, column in history.columns.items() if _numbers_deltas(column))


def _numbers_deltas(column: ColumnHistory) -> bool:
    deltas = [d for d in column.deltas if d.rows]
    if column.type is not LogicalType.INTEGER or not deltas or any(d.low != d.high for d in deltas):
        return False
    numbers: set[Number] = {d.low for d in deltas}
    return len(numbers) == len(deltas) and min(numbers) >= 0 and max(numbers) <= _GREATEST_PART


def returning(history: TableHistory) -> frozenset[str]:
    """The columns whose values all repeat, none of them new for half the history, and those that count from few."""
    names = history.columns.items()
    return frozenset(name for name, column in names if _comes_again(column, history.count) or _counts_up(column))


def _comes_again(column: ColumnHistory, deltas: int) -> bool:
    known = list((column.values or {}).values())
    once = sum(seen.first == seen.last for seen in known)
    settled = all(2 * seen.first <= deltas for seen in known)
    return len(known) > 1 and settled and _ONE_IN * once <= len(known)


def _counts_up(column: ColumnHistory) -> bool:
    """Whether it is a small whole number that rises from delta to delta: the month, the round of a season."""
    extremes = [(d.low, d.high) for d in column.deltas if isinstance(d.low, int) and isinstance(d.high, int)]
    if column.type is not LogicalType.INTEGER or len(extremes) < 2:
        return False
    falls = sum(low < before or high < above for (before, above), (low, high) in pairwise(extremes))
    within = min(low for low, _ in extremes) >= 0 and max(high for _, high in extremes) <= _GREATEST_PART
    return within and extremes[0][1] < extremes[-1][0] and _ONE_IN * falls <= len(extremes)
