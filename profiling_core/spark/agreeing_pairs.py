"""Counts of pairs of rows that agree, of many column sets at once, for tables that no process holds.

A position list index is a grouping: each partition groups its own rows, the clusters are merged by value, and a cluster
of k rows has k·(k−1)/2 pairs (TANE, section 2, for partitions; here spread over tasks by Spark's aggregation). The
groups themselves never leave the tasks. Small sets are counted first: where no pair agrees on a set, none agrees on a
larger one, which is not counted.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from profiling_core.algorithms.dependencies.position_lists.pair_counts import BatchedCounts
from profiling_core.algorithms.ground.column_sets import columns_in
from profiling_core.model.types import NullSemantics
from profiling_core.spark.names import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Column sets of one job: each row travels to the shuffle once for each of them, less what its partition merges.
SETS_PER_JOB = 32
# Spark tells grouping sets apart by a number with a bit for each column that any of them has.
_COLUMNS_PER_JOB = 60


def counts_of(rows: "DataFrame", columns: Sequence[str], nulls: NullSemantics, size: int) -> BatchedCounts:
    """The counts of a table's rows, for columns in this order.

    Args:
        rows: the rows.
        columns: the columns that count.
        nulls: the meaning of nulls.
        size: the number of rows.
    """
    unique: list[int] = []

    def count(sets: Sequence[int]) -> list[int]:
        return agreeing_pairs(rows, columns, nulls, sets, unique)

    nullable = _nullable(rows, columns) if nulls is NullSemantics.SQL else 0
    return BatchedCounts(len(columns), size, nullable, count)


def agreeing_pairs(
    rows: "DataFrame", columns: Sequence[str], nulls: NullSemantics, sets: Sequence[int], unique: list[int]
) -> list[int]:
    """The unordered pairs of rows that agree on each set of columns, exactly.

    Args:
        rows: the rows.
        columns: the columns that sets speak of: bit i for the column i, bit i + their number for its presence.
        nulls: whether rows with a null agree on it.
        sets: distinct, not empty.
        unique: sets on which no pair agrees, as far as they are known; those that are found are added.
    """
    found: dict[int, int] = {}
    for part in _jobs(sets, unique):
        counted = _counted(rows, columns, nulls, part)
        unique += [columns_of_set for columns_of_set, pairs in counted.items() if not pairs]
        found.update(counted)
    return [found.get(columns_of_set, 0) for columns_of_set in sets]


def _nullable(rows: "DataFrame", columns: Sequence[str]) -> int:
    """The columns that have a null, as a set."""
    from pyspark.sql import functions as f

    if not columns:
        return 0
    some = [f.max(f.col(quoted(name)).isNull()).alias(f"c{i}") for i, name in enumerate(columns)]
    row = rows.agg(*some).collect()[0]
    return sum(1 << i for i in range(len(columns)) if row[i])


def _jobs(sets: Sequence[int], unique: Sequence[int]) -> Iterator[list[int]]:
    """Small sets first, as many at a time as one job takes, without those that contain one which is unique by then."""
    waiting: list[int] = []
    together = 0
    for columns in sorted(sets, key=lambda columns: (columns.bit_count(), columns)):
        if waiting and (len(waiting) == SETS_PER_JOB or (together | columns).bit_count() > _COLUMNS_PER_JOB):
            yield waiting
            waiting, together = [], 0
        if any(known & columns == known for known in unique):
            continue
        waiting.append(columns)
        together |= columns
    if waiting:
        yield waiting


def _counted(rows: "DataFrame", columns: Sequence[str], nulls: NullSemantics, sets: list[int]) -> dict[int, int]:
    from pyspark.sql import functions as f

    used = list(columns_in(reduce(int.__or__, sets)))
    at = {column: f"g{i}" for i, column in enumerate(used)}
    values = rows.select(*(_value(columns, column).alias(name) for column, name in at.items()))
    if len(sets) == 1:
        groups = values.groupBy(*at.values()).agg(f.count(f.lit(1)).alias("n")).withColumn("which", f.lit(0))
        which = [0]
    else:
        chosen = [[f.col(at[column]) for column in columns_in(own)] for own in sets]
        grouped = values.groupingSets(chosen, *(f.col(name) for name in at.values()))
        groups = grouped.agg(f.count(f.lit(1)).alias("n"), f.grouping_id().alias("which"))
        which = [sum(1 << i for i, column in enumerate(reversed(used)) if not own >> column & 1) for own in sets]
    groups = groups.where(f.col("n") > 1)
    if nulls is NullSemantics.SQL:
        groups = groups.where(~_some_null(list(at.values()), several=len(sets) > 1))
    pairs = f.sum(f.expr("n * (n - 1) DIV 2")).alias("pairs")
    totals = {row["which"]: row["pairs"] for row in groups.groupBy("which").agg(pairs).collect()}
    return {own: totals.get(number, 0) for own, number in zip(sets, which, strict=True)}


def _value(columns: Sequence[str], column: int) -> "Column":
    """The grouping of rows: by a column's value, or by whether there is one."""
    from pyspark.sql import functions as f

    if column < len(columns):
        return f.col(quoted(columns[column]))
    return f.when(f.col(quoted(columns[column - len(columns)])).isNotNull(), f.lit(1))


def _some_null(names: Sequence[str], *, several: bool) -> "Column":
    """Whether a group has a null in a column that it is a group of."""
    from pyspark.sql import functions as f

    nulls = []
    for place, name in enumerate(reversed(names)):
        null = f.col(name).isNull()
        own = f.getbit(f.col("which").cast("bigint"), f.lit(place)) == 0
        nulls.append(null & own if several else null)
    return reduce(lambda one, other: one | other, nulls)
