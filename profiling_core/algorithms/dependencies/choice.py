"""Which way finds a table's FDs and UCCs from scratch: agree sets of its pairs of rows, or partitions of its rows."""

from dataclasses import dataclass
from enum import StrEnum

from profiling_core.algorithms.dependencies import superset_sums

# A core compares some 5·10⁸ pairs of 15 columns in a second. Pyro took 2.3 s of CPU for such a table (32,561 rows, all
# 1,619 FDs at ε = 0.01), and 3.0 s for 336,776 rows of 19 columns, whose pairs would take minutes.
MOST_PAIRS = 2_000_000_000
# The lattice of all column sets is as cheap as Pyro up to here: 0.3 s for 101,985 rows of 10 columns.
FEW_COLUMNS = 10


class Way(StrEnum):
    """``agree_sets``: all pairs, or the lattice of all column sets, and sums over all sets of columns.

    ``maintained``: the engine that keeps wide tables' agree sets (DynASt). ``partitions``: Pyro.
    """

    AGREE_SETS = "agree sets"
    MAINTAINED = "agree sets of wide tables"
    PARTITIONS = "partitions"


@dataclass(frozen=True, slots=True)
class Choice:
    """A way and, in words, why."""

    way: Way
    reason: str


def choose(rows: int, columns: int) -> Choice:
    """The way for a table of that shape."""
    pairs = rows * (rows - 1) // 2
    shape = f"{rows:,} rows by {columns} columns"
    if pairs > MOST_PAIRS and columns > FEW_COLUMNS:
        return Choice(Way.PARTITIONS, f"{shape}: {pairs:,} pairs of rows are too many to compare")
    if columns > superset_sums.WIDEST:
        return Choice(Way.MAINTAINED, f"{shape}: 2^{columns} sets of columns are too many to count all")
    if pairs > MOST_PAIRS:
        return Choice(Way.AGREE_SETS, f"{shape}: {2**columns:,} sets of columns are few enough to count all")
    return Choice(Way.AGREE_SETS, f"{shape}: {pairs:,} pairs of rows are few enough to compare")
