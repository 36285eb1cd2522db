"""Where Holdfast's files and its catalog are, as Airflow knows it: its environment, variables and connections.

What the environment does not say (``HOLDFAST_HOME`` and its kin) is asked of the Airflow variables of the same names in
small letters, and the catalog's address of the connection ``holdfast_catalog``.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from profiling_core.state.connections import looked_up_by, url_of
from profiling_core.state.settings import (
    CATALOG_VARIABLE,
    COPIES_VARIABLE,
    DATASETS_VARIABLE,
    HOME_VARIABLE,
    ROOT_VARIABLE,
    Settings,
    using,
)

CATALOG_CONNECTION = CATALOG_VARIABLE.lower()


def settings(datasets: Path | None = None) -> Settings:
    """The places of the project that this Airflow runs; its root is AIRFLOW_HOME where nothing else is said.

    Args:
        datasets: the directory of dataset files, where a DAG file names it.
    """
    catalog = os.environ.get(CATALOG_VARIABLE) or connection(CATALOG_CONNECTION) or ""
    found = _paths() | {name: _said(name) for name in (HOME_VARIABLE, COPIES_VARIABLE)} | {CATALOG_VARIABLE: catalog}
    return Settings.discover(environment=found | ({DATASETS_VARIABLE: str(datasets)} if datasets else {}))


def datasets_dir(given: str | Path | None, beside: str) -> Path:
    """The directory of dataset files: relative to the DAG file ``beside``, or that of :func:`settings`."""
    if given is not None:
        return Path(beside).absolute().parent / given
    return Settings.discover(environment=_paths()).datasets_dir  # a DAG file asks for nothing more


def _paths() -> dict[str, str]:
    return {ROOT_VARIABLE: _said(ROOT_VARIABLE) or _airflow_home(), DATASETS_VARIABLE: _said(DATASETS_VARIABLE)}


@contextmanager
def airflow_settings(datasets: Path | None = None) -> Iterator[None]:
    """While it lasts, the library finds its places and connections where this Airflow keeps them."""
    with using(settings(datasets)), looked_up_by(connection):
        yield


def connection(connection_id: str) -> str | None:
    """The URL that an Airflow connection stands for; None where there is none of that id."""
    from airflow.sdk import BaseHook

    from profiling_core.airflow.moved import AirflowNotFoundException

    try:
        found = BaseHook.get_connection(connection_id)
    except AirflowNotFoundException:
        return None
    return url_of(found.get_uri(), found.extra_dejson)


def _said(name: str) -> str:
    from airflow.sdk import Variable

    value: Any = os.environ.get(name) or Variable.get(name.lower(), default=None)
    return str(value or "")


def _airflow_home() -> str:
    from airflow.configuration import AIRFLOW_HOME

    return str(AIRFLOW_HOME)
