"""Addresses with secrets that a dataset's file only names: kept in an environment variable or as a connection.

A connection is Airflow's. Inside Airflow it is looked up wherever Airflow keeps it (``profiling_core.airflow`` sees to
that); elsewhere it is the environment variable ``AIRFLOW_CONN_<ID>``, which Airflow reads, too.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol
from urllib.parse import quote

from profiling_core.model.errors import ConfigurationError

PREFIX = "AIRFLOW_CONN_"
URL_IN_EXTRA = "apprise_url"
Lookup = Callable[[str], str | None]


class Addressed(Protocol):
    """A part of the configuration that says where something is: a source or an alert route."""

    @property
    def url(self) -> str | None:
        """The address itself."""

    @property
    def url_env(self) -> str | None:
        """The environment variable that holds it."""

    @property
    def url_connection(self) -> str | None:
        """The connection that holds it."""


def address(of: Addressed) -> str:
    """The address, with its secrets.

    Raises:
        ConfigurationError: the variable or connection that should hold it does not exist.
    """
    if of.url is not None:
        return of.url
    if of.url_env is not None:
        if found := os.environ.get(of.url_env):
            return found
        raise ConfigurationError(
            f"the environment variable {of.url_env} is not set",
            where="url_env in the dataset's file",
            remedy="set it to the URL, such as postgresql://user:password@host/database",
        )
    name = of.url_connection or ""
    if found := _lookup.get()(name):
        return found
    raise ConfigurationError(
        f"there is no connection {name!r}",
        where="url_connection in the dataset's file",
        remedy=f"add it to Airflow, or set the environment variable {PREFIX}{name.upper()} to its URL",
    )


@contextmanager
def looked_up_by(lookup: Lookup) -> Iterator[None]:
    """While it lasts, connections are what ``lookup`` says: the URL of an id, or None."""
    token = _lookup.set(lookup)
    try:
        yield
    finally:
        _lookup.reset(token)


def url_of(uri: str, extra: dict[str, Any]) -> str:
    """The URL that a connection stands for: the one in its extra, or its own, with PostgreSQL by its usual name."""
    return str(extra.get(URL_IN_EXTRA) or uri.replace("postgres://", "postgresql://", 1))


def _from_environment(name: str) -> str | None:
    text = os.environ.get(f"{PREFIX}{name.upper()}", "")
    if not text.startswith("{"):
        return url_of(text, {}) or None
    try:
        parts = json.loads(text)
    except json.JSONDecodeError:
        raise ConfigurationError(
            "the connection is neither a URL nor JSON",
            where=f"environment variable {PREFIX}{name.upper()}",
            remedy="write it as a URL, such as postgresql://user:password@host/database",
        ) from None
    extra = parts.get("extra") or {}
    return url_of(_uri(parts), json.loads(extra) if isinstance(extra, str) else extra)


def _uri(parts: dict[str, Any]) -> str:
    login, password = (quote(str(parts.get(name) or ""), safe="") for name in ("login", "password"))
    user = f"{login}{':' if password else ''}{password}@" if login or password else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"{parts.get('conn_type', '')}://{user}{parts.get('host') or ''}{port}/{parts.get('schema') or ''}"


_lookup: ContextVar[Lookup] = ContextVar("connections", default=_from_environment)
