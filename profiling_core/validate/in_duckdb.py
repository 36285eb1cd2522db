"""Tables that one process validates, without Java: Great Expectations over pandas, its queries answered by DuckDB.

The suites are those that Spark runs. What Great Expectations has of its own runs over a DataFrame with Arrow's types,
which are those of the stored rows; a query is read as Spark's SQL and written as DuckDB's. Both find what they find on
Spark, but for columns whose names differ in upper and lower case alone, which DuckDB takes for one.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from profiling_core.emit.dialects import END_IN_JAVA
from profiling_core.validate.duckdb_sql import add_java_functions, in_duckdb
from profiling_core.validate.tables import Expectation, SuitePart, parts_over

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The end of a text in Python's regular expressions.
END_IN_PYTHON = r"\Z"


def tells_apart(columns: Collection[str]) -> bool:
    """Whether DuckDB tells columns apart by their names."""
    return len({name.lower() for name in columns}) == len(columns)


class LocalTables:
    """An Arrow table with ``_row_id`` per table; to be closed."""

    def __init__(self, rows: Mapping[str, pa.Table]) -> None:
        self._rows = {name: _by_the_clock(table) for name, table in rows.items()}

    @cached_property
    def connection(self) -> "DuckDBPyConnection":
        """The connection to DuckDB that answers queries over the tables."""
        import duckdb

        connection = duckdb.connect()
        add_java_functions(connection)
        return connection

    def close(self) -> None:
        """Closes the connection, if there is one."""
        if "connection" in vars(self):
            self.connection.close()

    def add_source(self, context: Any) -> Any:
        """The data source of pandas, which knows from here on how to answer queries."""
        from profiling_core.validate.queries_in_duckdb import register

        register()
        return context.data_sources.add_pandas("pandas")

    def columns(self, table: str) -> Collection[str] | None:
        """The names of a table's columns."""
        return self._rows[table].column_names if table in self._rows else None

    def parts(self, stored: Sequence[Expectation], table: str, max_rows: int) -> Generator[SuitePart]:
        """Queries, and all others."""
        from profiling_core.validate.queries_in_duckdb import ArrowBatch

        batch = ArrowBatch.of(self._rows[table], self.connection)
        yield from parts_over(batch, [_in_python(expectation) for expectation in stored], max_rows)

    @contextmanager
    def readable(self, names: Iterable[str]) -> Iterator[None]:
        """Views of the tables."""
        present = [name for name in names if name in self._rows]
        for name in present:
            self.connection.from_arrow(self._rows[name]).create_view(name, replace=True)
        try:
            yield
        finally:
            for name in present:
                self.connection.unregister(name)

    def count(self, query: exp.Select, names: Iterable[str]) -> int:
        """The first cell of a query's answer."""
        with self.readable(names):
            return int(self.connection.sql(in_duckdb(query.sql("spark"))).fetchall()[0][0])


def _in_python(expectation: Expectation) -> Expectation:
    """The expectation with a regular expression that Python reads as Java reads the one that is stored."""
    pattern = expectation["kwargs"].get("regex")
    if pattern is None:
        return expectation
    own = pattern.removesuffix(END_IN_JAVA) + END_IN_PYTHON
    return {**expectation, "kwargs": {**expectation["kwargs"], "regex": own}}


def _by_the_clock(table: pa.Table) -> pa.Table:
    """The rows with moments as a clock in UTC shows them."""
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            plain = pc.cast(table[field.name], pa.timestamp(field.type.unit))
            table = table.set_column(number, pa.field(field.name, plain.type), plain)
    return table
