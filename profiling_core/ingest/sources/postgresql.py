"""PostgreSQL as a source, through psycopg."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from profiling_core.ingest.sources.database import Database, Session
from profiling_core.model.errors import ConfigurationError, UnreachableError
from profiling_core.state.settings import without_secrets

if TYPE_CHECKING:
    import psycopg

_USER = re.compile(r"://([^:/?@]+)(?=[:/?].*@|@)")
_CHUNK = 16_384
_MOST_DIGITS = 38
_NUMERIC = 1700
# By the types' numbers in PostgreSQL's catalog; others are read as text.
_TYPES = {
    16: pa.bool_(),
    17: pa.binary(),
    20: pa.int64(),
    21: pa.int64(),
    23: pa.int64(),
    700: pa.float64(),
    701: pa.float64(),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", tz="UTC"),
}


class PostgreSql(Database):
    """A table of a PostgreSQL database."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction that reads one state."""
        try:
            import psycopg
        except ImportError as error:
            raise ConfigurationError(
                "tables of PostgreSQL need a further package",
                where=without_secrets(self.url),
                remedy="pip install 'holdfast[postgres]'",
            ) from error
        try:
            connection = psycopg.connect(self.url, connect_timeout=10)
        except psycopg.Error:
            raise self._unreachable() from None  # whose text may hold the address with its secrets
        with connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            connection.execute("SET LOCAL TIME ZONE 'UTC'")
            try:
                yield _PostgresSession(connection, self.where)
            except psycopg.Error as error:
                raise UnreachableError(
                    f"the database ended the reading: {str(error).splitlines()[0]}",
                    where=self.where,
                    remedy="run again",
                ) from error

    def _unreachable(self) -> UnreachableError:
        # Not by libpq's reading of the address: where a secret is not escaped, it takes parts of it for host or port.
        user = _USER.search(self.url)
        return UnreachableError(
            f"PostgreSQL does not let in {f'user {user[1]!r}' if user else 'the login user'}",
            where=self.where,
            remedy="check that the server runs, and user, password and database in the URL",
        )


class _PostgresSession:
    def __init__(self, connection: "psycopg.Connection[Any]", where: str) -> None:
        self._connection = connection
        self._where = where

    def schema(self, table: exp.Table) -> pa.Schema:
        import psycopg

        try:
            found = self._connection.execute(_sql(exp.select("*").from_(table).limit(0))).description or []
        except psycopg.errors.UndefinedTable as error:
            raise ConfigurationError(
                f"there is no table {table.sql('postgres')}", where=self._where, remedy="correct source.table"
            ) from error
        return pa.schema([pa.field(c.name, self._type(c, table)) for c in found])

    def _type(self, column: Any, table: exp.Table) -> pa.DataType:
        if column.type_code != _NUMERIC:
            return _TYPES.get(column.type_code, pa.string())
        if column.precision is not None and column.precision <= _MOST_DIGITS:
            return pa.decimal128(column.precision, max(column.scale or 0, 0))
        name = exp.column(column.name, quoted=True)
        whole = exp.func("length", exp.cast(exp.func("trunc", exp.func("abs", name)), "text"))
        ((digits, scale),) = self.rows(
            exp.select(exp.Max(this=whole), exp.Max(this=exp.func("scale", name))).from_(table)
        )
        return pa.decimal128(min((digits or 1) + (scale or 0), _MOST_DIGITS), min(scale or 0, _MOST_DIGITS))

    def batches(self, query: exp.Select, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        texts = {field.name for field in schema if pa.types.is_string(field.type)}
        query = query.copy()
        query.set(
            "expressions",
            [exp.cast(c, "text").as_(c.name, quoted=True) if c.name in texts else c for c in query.expressions],
        )
        with self._connection.cursor("holdfast") as cursor:
            cursor.execute(_sql(query))
            while rows := cursor.fetchmany(_CHUNK):
                columns = zip(*rows, strict=True)
                arrays = [
                    pa.array(map(_value, cells), field.type) for cells, field in zip(columns, schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return self._connection.execute(_sql(query)).fetchall()

    def row_digest(self, table: exp.Table) -> exp.Expression:
        whole = exp.cast(exp.column(table.name, quoted=True), "text")
        return exp.Sum(this=exp.cast(exp.func("hashtextextended", whole, exp.Literal.number(0)), "numeric"))


def _sql(query: exp.Expression) -> Any:
    return query.sql("postgres").encode()


def _value(value: Any) -> Any:
    return None if isinstance(value, Decimal) and not value.is_finite() else value
