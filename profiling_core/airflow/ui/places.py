"""The sources of the pages: the project's catalog, opened once, and the workspace of a dataset."""

from functools import cache

from profiling_core.airflow.places import settings
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.catalog import Catalog
from profiling_core.state.settings import Settings


def catalog() -> Catalog:
    """The catalog of the project that this Airflow runs."""
    return _opened(settings())


def workspace(dataset: str) -> Workspace:
    """The workspace of a dataset; raises ``ConfigurationError`` if no file names it."""
    return Workspace.open(dataset, settings())


@cache
def _opened(of: Settings) -> Catalog:
    return of.catalog()
