"""Computes once the plans that Great Expectations asks for several times.

It runs a query of rows to count them and again to show them, and the window function behind a key, a sort of the whole
table, to count, to show and to name rows. Here the same plans are marked to be kept before a checkpoint runs: Spark
then takes the answers from what the first of these jobs left, which are the violating rows alone. Spark knows a plan
again by what it computes, so a version of GX that asked in other words would be answered as if nothing were kept.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from profiling_core.emit.dialects import GX_VIEW

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Expectation = Mapping[str, Any]

QUERY = "unexpected_rows_expectation"
_KEY = "expect_column_values_to_be_unique"
_KEYS = (_KEY, "expect_compound_columns_to_be_unique")


def key_columns(expectation: Expectation) -> tuple[str, ...]:
    """The columns that a built-in expectation asks to be unique; none of any other."""
    kwargs = expectation["kwargs"]
    if expectation["type"] not in _KEYS:
        return ()
    return (kwargs["column"],) if expectation["type"] == _KEY else tuple(kwargs["column_list"])


@contextmanager
def computed_once(frame: "DataFrame", expectations: Iterable[Expectation]) -> Iterator[None]:
    """Keeps, while a checkpoint runs over the DataFrame, the rows that its queries and keys find."""
    from profiling_core.spark.kept import kept

    frame.createOrReplaceTempView(GX_VIEW)
    try:
        with kept(_plans(frame, expectations)):
            yield
    finally:
        frame.sparkSession.catalog.dropTempView(GX_VIEW)


def _plans(frame: "DataFrame", expectations: Iterable[Expectation]) -> Iterator[Callable[[], "DataFrame"]]:
    from profiling_core.spark.kept import repeated

    for expectation in expectations:
        kwargs, columns = expectation["kwargs"], key_columns(expectation)
        if expectation["type"] == QUERY:
            yield partial(frame.sparkSession.sql, kwargs["unexpected_rows_query"].format(batch=GX_VIEW))
        elif columns:
            yield partial(repeated, frame, columns, kwargs.get("ignore_row_if"))
