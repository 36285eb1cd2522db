"""DuckDB files as a source."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from sqlglot import exp

from profiling_core.ingest.sources.database import Database, Session
from profiling_core.model.errors import ConfigurationError, UnreachableError

_SCHEME = "duckdb://"


class DuckDb(Database):
    """A table of a DuckDB file; ``url`` is ``duckdb:///<path>``."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A connection that reads one state."""
        try:
            import duckdb
        except ImportError as error:
            raise ConfigurationError(
                "DuckDB files need a further package", where=self.where, remedy="pip install 'holdfast[duckdb]'"
            ) from error
        path = self._settings.resolve(self.url.removeprefix(_SCHEME))
        if not Path(path).exists():
            raise ConfigurationError("there is no DuckDB file", where=str(path), remedy="write duckdb:///<path>")
        try:
            connection = duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            raise UnreachableError(
                f"the file cannot be opened: {str(error).splitlines()[0]}",
                where=str(path),
                remedy="end the program that writes to it, and run again",
            ) from error
        with connection:
            connection.begin()
            yield _DuckDbSession(connection, self.where)


class _DuckDbSession:
    def __init__(self, connection: Any, where: str) -> None:
        self._connection = connection
        self._where = where

    def schema(self, table: exp.Table) -> pa.Schema:
        import duckdb

        try:
            return self._reader(exp.select("*").from_(table).limit(0)).schema
        except duckdb.CatalogException as error:
            raise ConfigurationError(
                f"there is no table {table.sql('duckdb')}", where=self._where, remedy="correct source.table"
            ) from error

    def _reader(self, query: exp.Expression) -> pa.RecordBatchReader:
        return self._connection.sql(query.sql("duckdb")).to_arrow_reader()

    def batches(self, query: exp.Select, schema: pa.Schema) -> Iterator[pa.RecordBatch]:  # noqa: ARG002 -- the query's own types
        yield from self._reader(query)

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.execute(query.sql("duckdb")).fetchall()
        return found

    def row_digest(self, table: exp.Table) -> exp.Expression:
        return exp.Sum(this=exp.func("hash", exp.column(table.name, quoted=True)))
