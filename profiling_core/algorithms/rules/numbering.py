"""Whole numbers that count within something: lines of an order, instalments of a loan, starters of a race."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.values.encoding import NULL

# The most things that are numbered within something.
_MOST_NUMBERED = 200
# The share of the groups that is counted without a gap.
_MOSTLY = 0.9


def numbers_beside(table: CodedTable, name: str, key: Sequence[str]) -> bool:
    """Whether whole numbers run from 0 or 1 for nearly each combination of the key's other columns."""
    if not numbers_within(table, name):
        return False
    rows = np.flatnonzero(table.codes[name] != NULL)
    groups = table.grouped([other for other in key if other != name], rows)
    values = np.asarray(table.rows[name].drop_null().to_numpy(), np.int64)
    last = np.full(groups.count, -1, np.int64)
    np.maximum.at(last, groups.of[groups.of >= 0], values[groups.of >= 0])
    there = groups.sizes > 0
    return bool((last[there] - values.min() + 1 == groups.sizes[there]).mean() >= _MOSTLY)


def numbers_within(table: CodedTable, name: str) -> bool:
    """Whether whole numbers count from 0 or 1 without a gap, up to a limit: lines of an order, instalments."""
    if not pa.types.is_integer(table.rows[name].type) or not table.present(name):
        return False
    low, high = (int(value) for value in pc.min_max(table.rows[name]).as_py().values())
    return low in (0, 1) and high - low + 1 == table.distinct(name) <= _MOST_NUMBERED
