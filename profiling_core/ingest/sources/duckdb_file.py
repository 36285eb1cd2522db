"""DuckDB files as a source."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from profiling_core.ingest.sources.arrow_rows import told_field
from profiling_core.ingest.sources.database import LONGEST_QUERY, Database
from profiling_core.ingest.sources.queries import Extent, extent_of
from profiling_core.ingest.sources.session import Session
from profiling_core.model.errors import ConfigurationError, HoldfastError, InputError, UnreachableError

_SCHEME = "duckdb://"
# Types that Arrow or Parquet do not have.
_AS_TEXT = frozenset({"INTERVAL", "BIGNUM", "BIT", "TIME WITH TIME ZONE", "TIME_NS"})


class DuckDb(Database):
    """A table of a DuckDB file; ``url`` is ``duckdb:///<path>``."""

    is_in_process: ClassVar[bool] = True

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
            raise ConfigurationError(
                "there is no DuckDB file",
                where=str(path),
                remedy="write duckdb:// and its path, from the root (duckdb:///data/shop.duckdb) or in the project",
            )
        try:
            connection = duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            raise UnreachableError(
                f"the file cannot be opened: {str(error).splitlines()[0]}",
                where=str(path),
                remedy="end the program that writes to it, and run again",
            ) from error
        with connection:
            connection.execute("SET enable_progress_bar = false")  # it would write to the standard output
            connection.begin()
            yield _DuckDbSession(connection, Path(path).stat().st_size)

    def told(self, error: Exception) -> HoldfastError | None:
        """Tells errors of the configuration from those of the file."""
        import duckdb

        if not isinstance(error, duckdb.Error):
            return None
        said = str(error).splitlines()[0]
        if isinstance(error, duckdb.InterruptException | duckdb.OutOfMemoryException):
            return InputError(
                f"a query took more than {LONGEST_QUERY:,} seconds, or more memory than there is: {said}",
                where=self.where,
                remedy="follow a table, or a view that is faster to read",
            )
        if isinstance(error, duckdb.ProgrammingError):
            return ConfigurationError(
                f"the file refused the query: {said}",
                where=self.where,
                remedy="correct source.table, watermark or change_table",
            )
        return UnreachableError(f"reading the file broke off: {said}", where=self.where, remedy="run again")


class _DuckDbSession:
    snapshot = ""  # nobody writes to the file meanwhile

    def __init__(self, connection: Any, size: int) -> None:
        self._connection = connection
        self._size = size

    def schema(self, table: exp.Table, rows: exp.Condition | None = None) -> pa.Schema:
        every = exp.select("*").from_(table)
        found = self._connection.sql(every.sql("duckdb"))
        types = {name: str(type_) for name, type_ in zip(found.columns, found.types, strict=True)}
        texts = {name for name, type_ in types.items() if type_ in _AS_TEXT} | self._beyond(table, rows, types)
        schema = self._reader(every.limit(0)).schema
        odd = {name: types[name] for name in texts}
        return pa.schema([told_field(f.name, pa.string(), odd[f.name]) if f.name in texts else f for f in schema])

    def _beyond(self, table: exp.Table, rows: exp.Condition | None, types: Mapping[str, str]) -> set[str]:
        """The columns with days before the year 1 or after 9999, or infinite ones."""
        names = [name for name, type_ in types.items() if type_.startswith(("DATE", "TIMESTAMP"))]
        if not names:
            return set()
        columns = [exp.column(name, quoted=True) for name in names]
        query = exp.select(*(exp.func("bool_or", _is_beyond(column)) for column in columns)).from_(table)
        (beyond,) = self.rows(query if rows is None else query.where(rows))
        return {name for name, found in zip(names, beyond, strict=True) if found}

    def _reader(self, query: exp.Expression) -> pa.RecordBatchReader:
        return self._connection.sql(query.sql("duckdb")).to_arrow_reader()

    def names(self, table: exp.Table) -> list[str]:
        return list(self._connection.sql(exp.select("*").from_(table).sql("duckdb")).columns)

    def size(self) -> int:
        return self._size

    def extent(self, table: exp.Table, schema: pa.Schema, rows: exp.Condition | None = None) -> Extent:
        return extent_of(self, table, schema, rows, _bytes)

    def batches(self, query: exp.Select, schema: pa.Schema, at_once: int) -> Iterator[pa.RecordBatch]:  # noqa: ARG002 -- the query's own types
        with self._in_time():
            yield from self._connection.sql(query.sql("duckdb")).to_arrow_reader(at_once)

    def read_apart(
        self,
        query: exp.Select,  # noqa: ARG002 -- DuckDB reads with all cores by itself
        table: exp.Table,  # noqa: ARG002
        schema: pa.Schema,  # noqa: ARG002
        at_once: int,  # noqa: ARG002
        folder: Path,  # noqa: ARG002
    ) -> None:
        return None

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        with self._in_time():
            found: list[tuple[Any, ...]] = self._connection.execute(query.sql("duckdb")).fetchall()
        return found

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        timer = Timer(LONGEST_QUERY, self._connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def row_digest(self, alias: str) -> exp.Expression:
        return exp.Sum(this=exp.func("hash", exp.column(alias, quoted=True)))


def _bytes(column: exp.Column, type_: pa.DataType) -> exp.Expr:
    return (
        exp.func("octet_length", column) if pa.types.is_binary(type_) else exp.func("strlen", exp.cast(column, "text"))
    )


def _is_beyond(column: exp.Column) -> exp.Condition:
    year = exp.func("year", column)
    return exp.or_(exp.func("isfinite", column).not_(), year < exp.Literal.number(1), year > exp.Literal.number(9999))
