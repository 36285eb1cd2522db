"""Connections to the catalog's database: SQLite or PostgreSQL, with one way to read and one way to write.

Every transaction opens its own connection: Airflow forks its tasks, and a connection must not cross a fork. SQLite runs
in WAL mode with full synchronisation; writers take the lock at the beginning (``BEGIN IMMEDIATE``), so that two runs
queue up and neither fails half way through.
"""

import errno
import importlib
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import NullPool

from profiling_core.model.errors import ConfigurationError, StateError, UnreachableError
from profiling_core.state.atomic import make_private
from profiling_core.state.row_checksums import REMEDY, THE_CATALOG

WRITES = "holdfast_writes"
_BUSY_SECONDS = 30
# Operational failures that last until a person acts, by the words of the drivers' messages.
_LASTING = re.compile("no such|does not exist|authentication|unable to open|readonly|permission|decode|malformed")
_SQLITE = "sqlite:///"
BESIDE = ("-wal", "-shm")
"""How the names of the files end that SQLite keeps beside its own."""
_LOOK = "check that the database can be reached and written by this user, and that HOLDFAST_CATALOG names it"
_REMEDIES = {
    ("no such table", "relation"): f"a table of the catalog is gone, unless no command was to migrate it yet: {REMEDY}",
    ("does not exist",): "create the database or the user that it names, or let HOLDFAST_CATALOG name others",
    ("locked",): "another process has been writing for long: wait for it to end and run this again",
    (
        "disk is full",
        "No space left",
    ): "make room where the database is; what was committed stays; then run the same again",
    ("disk I/O error",): "its disk is full, or fails: make room, or look at the system's log; then run the same again",
    ("malformed", "not a database", "decode"): f"the catalog is damaged: {REMEDY}",
    (
        "unable to open",
        "readonly",
    ): "let this user write there: SQLite writes beside its file, also where it only reads",
}
_FORMS = "write sqlite:///<path>, or postgresql://<user>@<host>/<database>"


def _parsed(text: str) -> URL:
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


@lru_cache(maxsize=8)
def open_engine(text: str) -> Engine:
    """The process's engine for a URL, which keeps the statements that it has compiled; connects to nothing yet.

    Raises:
        ConfigurationError: it is no URL of a catalog, or the driver is missing.
    """
    url = _parsed(text)
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
    try:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
    except UnicodeDecodeError as error:
        raise _undecodable(error) from error


def _undecodable(error: UnicodeDecodeError) -> sqlite3.DatabaseError:
    """The error for damage in the schema: SQLite quotes it in a message that is no valid text."""
    return sqlite3.DatabaseError(f"malformed database schema: {error}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: Engine, *, write: bool) -> Iterator[Connection]:
    """One transaction: committed at the end of the block, rolled back on an exception.

    Raises:
        UnreachableError: the database cannot be reached, or is busy for too long.
        StateError: it does not hold the catalog's tables, or is no file.
    """
    if engine.url.get_backend_name() == "sqlite":
        path = Path(engine.url.database or "")
        require_file(path)
        if write:
            make_private(path.parent)
            if not path.exists():
                path.touch(0o600)  # what is beside it takes its rights on
    try:
        with engine.connect().execution_options(**{WRITES: write}) as connection, connection.begin():
            yield connection
    except StateError as error:
        if error.where == THE_CATALOG:
            error.where = engine.url.render_as_string()
        raise
    except sqlite3.Error as error:  # while the connection was prepared
        raise _refused(engine, error, isinstance(error, sqlite3.OperationalError)) from error
    except DBAPIError as error:
        raise _refused(engine, error.orig or error, isinstance(error, OperationalError)) from error


def require_file(path: Path) -> None:
    """Raises ``StateError`` where something other than a file stands in a catalog's place.

    SQLite would wait for a pipe, and would take a device for an empty database.
    """
    what = ""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            what = "is not a file"
    except FileNotFoundError:
        if path.is_symlink() and not path.resolve().parent.is_dir():
            what = "is a link that leads nowhere"
    except OSError as error:
        what = "is a link that leads to itself" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
    if what:
        raise StateError(
            f"the catalog's path {what}",
            where=str(path),
            remedy="let HOLDFAST_CATALOG name a file, or move what stands there away; where the catalog is lost, "
            "holdfast fsck --rebuild-catalog makes it again",
        )


def insert_of(connection: Connection, table: Table) -> Any:
    """The database's own insert, which can pass over rows that are there; only that database's dialect is loaded."""
    return importlib.import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)


def _refused(engine: Engine, error: BaseException, operational: bool) -> StateError:  # noqa: FBT001 - as it says
    text = str(error).strip()
    # Drivers call operational what passes, and what stays until a person does something.
    passing = operational and not _LASTING.search(text)
    return (UnreachableError if passing else StateError)(
        f"the catalog's database refused: {text}",
        where=", ".join([engine.url.render_as_string(), *_shut(engine)]),
        remedy=_remedy(text),
    )


def _shut(engine: Engine) -> list[str]:
    """The files of an SQLite catalog, beside the database itself, that this user may not write."""
    if engine.url.get_backend_name() != "sqlite" or not engine.url.database:
        return []
    path = Path(engine.url.database)
    beside = (path.parent, *(path.with_name(f"{path.name}{ending}") for ending in BESIDE))
    return [f"{place} (not to be written)" for place in beside if place.exists() and not os.access(place, os.W_OK)]


def check_integrity(connection: Connection) -> None:
    """Looks through an SQLite database for damage, unless it is as it was when this process last looked.

    Raises:
        StateError: its structure is damaged.
    """
    path = connection.engine.url.database
    if connection.dialect.name == "sqlite" and path and Path(path).is_file():
        found = Path(path).stat()
        said = _integrity(path, found.st_size, found.st_mtime_ns, found.st_ino)
        if said != "ok":
            raise StateError(f"the catalog is damaged: {said}", where=path, remedy=REMEDY)


@lru_cache(maxsize=8)
def _integrity(path: str, _size: int, _mtime_ns: int, _inode: int) -> str:
    try:
        with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection:
            return str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except UnicodeDecodeError as error:
        return str(_undecodable(error))
    except sqlite3.Error as error:
        return str(error)


def _remedy(text: str) -> str:
    return next((remedy for signs, remedy in _REMEDIES.items() if any(sign in text for sign in signs)), _LOOK)
