"""Connections to the catalog's database: SQLite or PostgreSQL, with one way to read and one way to write.

Every transaction opens its own connection: Airflow forks its tasks, and a connection must not cross a fork. SQLite runs
in WAL mode with full synchronisation; writers take the lock at the beginning (``BEGIN IMMEDIATE``), so that two runs
queue up and neither fails half way through.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import NullPool

from profiling_core.model.errors import ConfigurationError, StateError, UnreachableError

WRITES = "holdfast_writes"
_BUSY_SECONDS = 30
# Of the failures that drivers call operational, those that stay until a person does something.
_LASTING = re.compile("no such|does not exist|authentication|unable to open|readonly|permission")
_SQLITE = "sqlite:///"
_FORMS = "write sqlite:///<path>, or postgresql://<user>@<host>/<database>"


def parse_url(text: str) -> URL:
    """The catalog's URL with the driver that is used; raises ``ConfigurationError`` where it is none."""
    if text.startswith(_SQLITE):
        # Not through make_url, so that a directory's name may hold any character.
        path = text.removeprefix(_SQLITE)
        if path in ("", ":memory:"):
            raise ConfigurationError("a catalog in memory would be lost", where="catalog", remedy=_FORMS)
        return URL.create("sqlite", database=path)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise ConfigurationError("the catalog's address is not a URL", where="catalog", remedy=_FORMS) from error
    if url.get_backend_name() in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise ConfigurationError(
        f"the catalog cannot be kept in {url.get_backend_name()!r}", where=url.render_as_string(), remedy=_FORMS
    )


def open_engine(url: URL) -> Engine:
    """An engine for the URL; connects to nothing yet. Raises ``ConfigurationError`` where the driver is missing."""
    try:
        engine = create_engine(url, poolclass=NullPool, **_driver_options(url))
    except (ImportError, NoSuchModuleError) as error:
        raise ConfigurationError(
            "the driver for PostgreSQL is not installed",
            where=url.render_as_string(),
            remedy='install it with: pip install "psycopg[binary]"',
        ) from error
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _driver_options(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": _BUSY_SECONDS}}
    return {"connect_args": {"connect_timeout": 10}}


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver's own notion of transactions does not cover DDL and begins them late: BEGIN is ours, see below.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: Engine, *, write: bool) -> Iterator[Connection]:
    """One transaction: committed at the end of the block, rolled back on an exception.

    Raises:
        UnreachableError: the database cannot be reached, or is busy for too long.
        StateError: it does not hold the catalog's tables.
    """
    if write and engine.url.get_backend_name() == "sqlite":
        Path(engine.url.database or "").parent.mkdir(parents=True, exist_ok=True)
    try:
        with engine.connect().execution_options(**{WRITES: write}) as connection, connection.begin():
            yield connection
    except DBAPIError as error:
        passing = isinstance(error, OperationalError) and not _LASTING.search(str(error.orig))
        raise (UnreachableError if passing else StateError)(
            f"the catalog's database refused: {str(error.orig).strip()}",
            where=engine.url.render_as_string(),
            remedy=_remedy(error),
        ) from error


def _remedy(error: DBAPIError) -> str:
    text = str(error.orig)
    if "no such table" in text or "does not exist" in text:
        return "create or update the catalog's tables: Catalog.migrate(), which every holdfast command does"
    if "locked" in text:
        return "another process has been writing for long: wait for it to end and run this again"
    return "check that the database can be reached and written by this user, and that HOLDFAST_CATALOG names it"
