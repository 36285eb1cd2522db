"""Both ways in which suites are run over Arrow tables: by Spark, and by DuckDB and pandas in the test's process."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager

import pyarrow as pa
import pytest

from profiling_core.validate.in_duckdb import LocalTables
from profiling_core.validate.in_spark import SparkTables
from profiling_core.validate.tables import Tables

WAYS = ("spark", "duckdb")


@contextmanager
def tables_by(way: str, request: pytest.FixtureRequest) -> Iterator[Callable[[Mapping[str, pa.Table]], Tables]]:
    """What makes tables of Arrow tables, one way."""
    if way == "spark":
        session = request.getfixturevalue("spark")
        yield lambda rows: SparkTables({name: session.createDataFrame(table) for name, table in rows.items()})
        return
    with ExitStack() as stack:
        yield lambda rows: stack.enter_context(closing(LocalTables(rows)))
