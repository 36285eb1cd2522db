"""Columns that have numbered the deltas so far and may start again: the day of a month before the month is over.

Two rows agree on such a column only if they came together, so that what it takes part in has been put to the test
within deltas and never between them. A key over the hour and the day of the month holds for a month.
"""

from profiling_core.algorithms.columns.figures import Number
from profiling_core.algorithms.columns.history import ColumnHistory, TableHistory
from profiling_core.model.types import LogicalType

# The greatest number of a part of a date: the day of the year.
_GREATEST_PART = 366


def unrepeated(history: TableHistory) -> frozenset[str]:
    """The columns of small whole numbers of which each delta has had one, and no two deltas the same."""
    return frozenset(name for name, column in history.columns.items() if _numbers_deltas(column))


def _numbers_deltas(column: ColumnHistory) -> bool:
    deltas = [d for d in column.deltas if d.rows]
    if column.type is not LogicalType.INTEGER or not deltas or any(d.low != d.high for d in deltas):
        return False
    numbers: set[Number] = {d.low for d in deltas}
    return len(numbers) == len(deltas) and min(numbers) >= 0 and max(numbers) <= _GREATEST_PART
