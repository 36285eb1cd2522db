"""PostgreSQL as a source, through psycopg."""

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from profiling_core.algorithms.values.arrow_types import MAX_DIGITS
from profiling_core.ingest.sources import extracts, postgresql_parts
from profiling_core.ingest.sources.arrow_rows import is_open, open_field, told_field
from profiling_core.ingest.sources.database import LONGEST_QUERY, Database
from profiling_core.ingest.sources.queries import Extent, extent_of
from profiling_core.ingest.sources.session import Session
from profiling_core.model.errors import ConfigurationError, HoldfastError, UnreachableError
from profiling_core.state.urls import USER, without_secrets

if TYPE_CHECKING:
    import psycopg

_NUMERIC = 1700
_OPEN = pa.decimal256(76, 0)  # numbers whose length only their values tell
# By the types' numbers in PostgreSQL's catalog; other types are read as text.
_TYPES = {
    16: pa.bool_(),
    17: pa.binary(),
    20: pa.int64(),
    21: pa.int64(),
    23: pa.int64(),
    700: pa.float64(),
    701: pa.float64(),
    1082: pa.date32(),
    1083: pa.time64("us"),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", tz="UTC"),
}
# Types whose order differs from that of their texts.
_MONEY, _INTERVAL, _TIME_WITH_ZONE = 790, 1186, 1266
# Reasons by patterns in libpq's error; the error itself is shown to nobody.
_FULL = "too many clients|connection slots|too many connections"
_MOMENT = 0.5  # seconds; a server ends the process of a closed connection within milliseconds
_REFUSALS = {
    r"password authentication failed|no password supplied": "the server refuses the password",
    r"could not translate|[Nn]ame or service not known|resolve": "the host is not known",
    r"Connection refused": "nothing listens there",
    r"timeout|timed out": "nothing answers there within 10 seconds",
    r"server does not support SSL": "sslmode asks for TLS, which the server does not speak",
    r"root certificate|certificate verify": "its certificate cannot be proven (sslmode, sslrootcert)",
    r"database .* does not exist": "there is no such database",
    r"no pg_hba.conf entry": "the server's pg_hba.conf does not admit this user from here",
    _FULL: "the server takes no further connections",
}
_INFINITE = ("Infinity", "-Infinity")
_FIRST_DAY, _DAY_AFTER_LAST = "0001-01-01", "10000-01-01"
_MIDNIGHT_AT_END = "24:00:00"  # a valid time only in PostgreSQL


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
        except psycopg.Error as error:
            if not re.search(_FULL, str(error)):
                raise self._unreachable(str(error)) from None  # the text may contain the address with its secrets
            connection = self._once_there_is_room()
        with connection:
            yield _begun(connection, self)

    def _once_there_is_room(self) -> "psycopg.Connection[tuple[Any, ...]]":
        """Connects at a second try: a server frees the place of a connection a moment after it was closed."""
        import psycopg

        time.sleep(_MOMENT)
        try:
            return psycopg.connect(self.url, connect_timeout=10)
        except psycopg.Error as error:
            raise self._unreachable(str(error)) from None

    def told(self, error: Exception) -> HoldfastError | None:
        """Tells errors of the configuration from those of the connection."""
        import psycopg

        if not isinstance(error, psycopg.Error):
            return None
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        if isinstance(error, psycopg.errors.QueryCanceled):
            return UnreachableError(
                f"the database ended the query: {said}",
                where=self.where,
                remedy="follow a table or view that is faster to read, or give the URL another statement_timeout "
                "(?options=-c%20statement_timeout%3D4h)",
            )
        if isinstance(error, psycopg.ProgrammingError | psycopg.NotSupportedError | psycopg.DataError):
            return ConfigurationError(
                f"the database refused the query: {said}",
                where=self.where,
                remedy="correct source.table, watermark or change_table (A is not a), or grant the user SELECT on them",
            )
        return UnreachableError(
            f"the connection to the database broke off: {said}", where=self.where, remedy="run again"
        )

    def _unreachable(self, said: str) -> UnreachableError:
        # Not by libpq's parse of the address: an unescaped secret makes it take parts of the secret for host or port.
        user = USER.search(self.url)
        why = next((why for sign, why in _REFUSALS.items() if re.search(sign, said)), "")
        return UnreachableError(
            f"no connection to PostgreSQL as {f'user {user[1]!r}' if user else 'the login user'}{why and f': {why}'}",
            where=self.where,
            remedy="check that the server runs, and user, password and database in the URL",
        )


def _begun(connection: "psycopg.Connection[Any]", source: PostgreSql | None, snapshot: str = "") -> "_PostgresSession":
    """A transaction that reads one state: that of a named snapshot, which another transaction exported, or its own."""
    import psycopg
    from psycopg import sql

    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    if snapshot:
        connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(snapshot))
    connection.execute("SET LOCAL TIME ZONE 'UTC'")
    if connection.execute("SHOW statement_timeout").fetchone() == ("0",):
        connection.execute(f"SET LOCAL statement_timeout = '{LONGEST_QUERY}s'")
    return _PostgresSession(connection, source)


def read_part() -> None:
    """Reads the part that standard input describes, and prints the files: a program of its own.

    Its standard output is ``{"paths": […]}``, or ``{"refused": true}`` if the server admits no connection, or
    ``{"broke": …}`` if it ended the query.
    """
    import psycopg

    part = postgresql_parts.BlockRange(**json.load(sys.stdin))
    answer: dict[str, Any]
    try:
        with psycopg.connect(part.url, connect_timeout=10) as connection:
            try:
                session = _begun(connection, None, part.snapshot)
                batches = session.fetched(part.query.encode(), part.columns, part.at_once)
                paths = extracts.write(Path(part.folder), part.number, batches, part.columns)
                answer = {"paths": list(map(str, paths))}
            except psycopg.Error as error:
                answer = {"broke": str(error).splitlines()[0] if str(error) else type(error).__name__}
    except psycopg.Error:  # the text may contain the address with its secrets
        answer = {"refused": True}
    sys.stdout.write(json.dumps(answer))


class _PostgresSession:
    def __init__(self, connection: "psycopg.Connection[Any]", source: PostgreSql | None) -> None:
        self._connection = connection
        self._source = source
        ((self.snapshot,),) = self.rows(exp.select(exp.cast(exp.func("txid_current_snapshot"), "text")))

    def schema(self, table: exp.Table, rows: exp.Condition | None = None) -> pa.Schema:
        columns = self._columns(table)
        types = {c.name: _type(c) for c in columns}
        open_ = {name for name, type_ in types.items() if type_ == _OPEN}
        asked = [name for name, type_ in types.items() if name in open_ or _is_time(type_)]
        if asked:
            measures = [m for name in asked for m in _measures(exp.column(name, quoted=True), types[name])]
            query = exp.select(*measures).from_(table)
            (values,) = self.rows(query if rows is None else query.where(rows))
            for place, name in enumerate(asked):
                whole, scale, beyond = values[3 * place : 3 * place + 3]
                types[name] = _measured(whole, scale, types[name], beyond=beyond)
        return pa.schema([_field(c, types[c.name], is_open=c.name in open_) for c in columns])

    def names(self, table: exp.Table) -> list[str]:
        return [column.name for column in self._columns(table)]

    def _columns(self, table: exp.Table) -> "list[psycopg.Column]":
        return self._connection.execute(_sql(exp.select("*").from_(table).limit(0))).description or []

    def size(self) -> int:
        ((found,),) = self.rows(exp.select(exp.func("pg_database_size", exp.func("current_database"))))
        return int(found)

    def extent(self, table: exp.Table, schema: pa.Schema, rows: exp.Condition | None = None) -> Extent:
        return extent_of(self, table, schema, rows, _bytes)

    def batches(self, query: exp.Select, schema: pa.Schema, at_once: int) -> Iterator[pa.RecordBatch]:
        return self.fetched(_sql(query), schema, at_once)

    def fetched(self, query: Any, schema: pa.Schema, at_once: int) -> Iterator[pa.RecordBatch]:
        with self._connection.cursor("holdfast") as cursor:
            cursor.execute(query)
            while rows := cursor.fetchmany(at_once):
                columns = zip(*rows, strict=True)
                arrays = [
                    pa.array(map(_number if is_open(field) else _value, cells), field.type)
                    for cells, field in zip(columns, schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def read_apart(
        self, query: exp.Select, table: exp.Table, schema: pa.Schema, at_once: int, folder: Path
    ) -> list[Path] | None:
        ranges = postgresql_parts.ranges(self._connection, table)
        if not ranges or self._source is None:
            return None
        ((exported,),) = self.rows(exp.select(exp.func("pg_export_snapshot")))
        asked = [_sql(query.where(rows)).decode() for rows in ranges]
        columns = postgresql_parts.schema_text(schema)
        parts = [
            postgresql_parts.BlockRange(self._source.url, exported, text, columns, at_once, str(folder), number)
            for number, text in enumerate(asked)
        ]
        return postgresql_parts.read(parts, self._source.where)

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return self._connection.execute(_sql(query)).fetchall()

    def row_digest(self, alias: str) -> exp.Expression:
        whole = exp.cast(exp.column(alias, quoted=True), "text")
        return exp.Sum(this=exp.cast(exp.func("hashtextextended", whole, exp.Literal.number(0)), "numeric"))


def _bytes(column: exp.Column, type_: pa.DataType) -> exp.Expr:
    """The length of a value; for texts PostgreSQL knows it without reading the value."""
    return exp.func("octet_length", column if pa.types.is_binary(type_) else exp.cast(column, "text"))


def _type(column: Any) -> pa.DataType:
    """The type of a column by its declaration; ``_OPEN`` for numbers whose declaration does not bound their length."""
    if column.type_code != _NUMERIC:
        return _TYPES.get(column.type_code, pa.string())
    precision, scale = column.precision, column.scale or 0
    return pa.decimal128(precision, scale) if precision and 0 <= scale <= precision <= MAX_DIGITS else _OPEN


def _field(column: Any, type_: pa.DataType, *, is_open: bool) -> pa.Field:
    """The field of a column; for times, and types read as texts with another order, with the source's type."""
    if is_open:
        return open_field(column.name, type_)
    if pa.types.is_time(type_):
        return told_field(column.name, pa.string(), str(type_))
    is_odd = pa.types.is_string(type_) and column.type_code in {_MONEY, _INTERVAL, _TIME_WITH_ZONE, *_TYPES}
    return told_field(column.name, type_, column.type_display if is_odd else "")


def _is_time(type_: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(type_))


def _measures(column: exp.Column, type_: pa.DataType) -> list[exp.Expr]:
    """Measures of a column's values: most digits before the point, most after it, and whether any exceeds all types."""
    nothing = exp.Literal.number(0)
    if pa.types.is_time(type_):
        return [nothing, nothing, exp.func("bool_or", column.eq(exp.Literal.string(_MIDNIGHT_AT_END)))]
    if type_ != _OPEN:
        beyond = exp.or_(column < exp.Literal.string(_FIRST_DAY), column >= exp.Literal.string(_DAY_AFTER_LAST))
        return [nothing, nothing, exp.func("bool_or", beyond)]
    text = exp.cast(column, "text")
    whole = exp.func("length", exp.cast(exp.func("trunc", exp.func("abs", column)), "text"))
    infinite = exp.func("bool_or", text.isin(*_INFINITE))
    return [exp.Max(this=whole), exp.Max(this=exp.func("scale", column)), infinite]


def _measured(whole: int | None, scale: int | None, type_: pa.DataType, *, beyond: bool | None) -> pa.DataType:
    """The type that holds values of these measures; decimals keep room for longer ones."""
    if beyond or (whole or 1) + (scale or 0) > MAX_DIGITS:
        return pa.string()
    return pa.decimal128(MAX_DIGITS, scale or 0) if type_ == _OPEN else type_


def _sql(query: exp.Expression) -> Any:
    return query.sql("postgres").encode()


def _value(value: Any) -> Any:
    return None if isinstance(value, Decimal) and not value.is_finite() else value


def _number(value: Any) -> Any:
    """A number, or its text in a column with values beyond all types; NaN is null in both."""
    return None if value == "NaN" else _value(value)
