"""Whether things have one date per period: a meter its readings, a contract its bills.

If no two rows of one meter have the same day, that is weak evidence when days are many: by chance none would. That none
lie within three weeks of each other is stronger. The evidence is the number of neighbouring days that would lie closer
than the two closest do, if the days were exchanged at random.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.rules.coded_table import CodedTable

# Shuffles that the number by chance is averaged over.
_SHUFFLES = 3
_DAY = 86_400e6  # in microseconds
Days = NDArray[np.float64]


def closer_by_chance(table: CodedTable, name: str, day: str, size: int) -> float:
    """How many neighbouring days of one thing would be closer than the closest two are, if they were shuffled.

    Args:
        table: the table.
        name: the column that identifies the things.
        day: the column of their days, without nulls; the result is 0 if they are no dates, or a day apart.
        size: about this many rows, all rows of some things, are looked at.
    """
    rows = table.sharing(name, size)
    days = table.rows[day].take(pa.array(rows))
    if not pa.types.is_temporal(days.type):
        return 0.0
    things, at = table.codes[name][rows], _numbers(days)
    closest = float(_gaps(things, at).min(initial=np.inf))
    if not 1 < closest < np.inf:
        return 0.0
    random = np.random.default_rng(0)
    return float(np.mean([(_gaps(things, random.permutation(at)) < closest).sum() for _ in range(_SHUFFLES)]))


def _numbers(days: pa.ChunkedArray) -> Days:
    found: Days = days.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy().astype(np.float64) / _DAY
    return found


def _gaps(things: NDArray[np.int32], at: Days) -> Days:
    """float64[m]: the distance of each day from the one before of the same thing."""
    order = np.lexsort((at, things))
    found: Days = np.diff(at[order])[np.diff(things[order]) == 0]
    return found
