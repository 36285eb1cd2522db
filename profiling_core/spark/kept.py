"""Rows that are kept while they are asked for again; Spark finds them wherever a plan computes the same."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from pyspark import StorageLevel
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f


@contextmanager
def kept(plans: Iterable[Callable[[], DataFrame]]) -> Iterator[None]:
    """Keeps what the plans find when it is first asked for, on disk where memory does not do.

    A plan that cannot be made, as for a column that is not there, is left to whoever asks.
    """
    found: list[DataFrame] = []
    try:
        for plan in plans:
            try:
                found.append(plan().persist(StorageLevel.MEMORY_AND_DISK))
            except AnalysisException:
                continue
        yield
    finally:
        for frame in found:
            frame.unpersist()


def repeated(frame: DataFrame, columns: Sequence[str], ignored: str | None) -> DataFrame:
    """The rows whose combination of values occurs more than once, as Great Expectations asks for them.

    Args:
        frame: the batch.
        columns: the combination.
        ignored: what ``ignore_row_if`` says of nulls; None for the expectation of one column, which leaves them out.
    """
    missing = [f.col(column).isNull() for column in columns]
    key: Column | str = columns[0]
    if ignored is None:
        frame = frame.where(f.col(columns[0]).isNotNull())
    else:
        key = f.struct(*columns)
        if ignored == "any_value_is_missing":
            frame = frame.where(~reduce(lambda a, b: a | b, missing))
    several = ~(f.count(f.lit(1)).over(Window.partitionBy(key)) <= 1)
    # compared with True as well, or the plan would be another one
    marked = frame.withColumn("__unexpected", several).where(f.col("__unexpected") == True)  # noqa: E712
    return marked.drop("__unexpected")
