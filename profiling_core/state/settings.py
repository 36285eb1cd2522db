"""Where a project's files are: found from the working directory, overridden by the environment.

Stands lowest in ``state`` and imports nothing heavy, because DAG files, the plugin and the command line all begin here.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from profiling_core.model.errors import ConfigurationError

if TYPE_CHECKING:
    from profiling_core.state.catalog import Catalog
    from profiling_core.state.store import Store

ROOT_VARIABLE = "HOLDFAST_ROOT"
HOME_VARIABLE = "HOLDFAST_HOME"
CATALOG_VARIABLE = "HOLDFAST_CATALOG"
DATASETS_VARIABLE = "HOLDFAST_DATASETS"
_SECRET = re.compile(r"(?<=://).*@|\?.*$")
DATASETS = Path("dags", "datasets")
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Settings:
    """The places of one project, all absolute.

    ``root`` is what relative source paths refer to, ``home`` holds state and artifacts, ``catalog_url`` is an
    SQLAlchemy URL, and ``datasets_dir`` holds the datasets' YAML files.
    """

    root: Path
    home: Path
    catalog_url: str
    datasets_dir: Path

    @classmethod
    def discover(cls, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> "Settings":
        """The settings of the project that ``cwd`` (default: the working directory) lies in.

        The root is ``$HOLDFAST_ROOT`` or the nearest directory, from ``cwd`` upwards, that holds ``dags/datasets``.
        ``HOLDFAST_HOME`` and ``HOLDFAST_DATASETS`` are paths, ``HOLDFAST_CATALOG`` a URL; relative ones are taken from
        the root, so that a task's working directory does not matter. Empty variables count as absent. Within
        :func:`using`, the settings given there.

        Raises:
            ConfigurationError: there is no root, or a variable does not name what it should.
        """
        if cwd is None and environment is None and (given := _given.get()):
            return given
        environment = os.environ if environment is None else environment
        start = (cwd or Path.cwd()).absolute()
        root = _root(start, environment.get(ROOT_VARIABLE, ""))
        home = _below(root, environment.get(HOME_VARIABLE) or ".holdfast")
        catalog = _catalog_url(root, home, environment.get(CATALOG_VARIABLE, ""))
        return cls(root, home, catalog, _datasets_dir(root, environment.get(DATASETS_VARIABLE, "")))

    def resolve(self, path: str | Path) -> Path:
        """A path of the configuration, such as a source's: relative ones are taken from the root."""
        return _below(self.root, path)

    def artifacts(self, dataset: str) -> Path:
        """The directory of a dataset's derived files (suites, changes, reports, alerts); it may not exist yet."""
        return self.home / "artifacts" / dataset

    def store(self, dataset: str) -> "Store":
        """The store of a dataset's immutable files."""
        from profiling_core.state.store import Store

        return Store(self.home, dataset)

    def catalog(self) -> "Catalog":
        """The catalog, created or migrated where that is needed."""
        from profiling_core.state.catalog import Catalog

        catalog = Catalog(self.catalog_url, self.home)
        catalog.migrate()
        return catalog


_given: ContextVar[Settings | None] = ContextVar("settings", default=None)


@contextmanager
def using(settings: Settings) -> Iterator[None]:
    """While it lasts, these are the settings that are discovered."""
    token = _given.set(settings)
    try:
        yield
    finally:
        _given.reset(token)


def discover(cwd: Path | None = None) -> Settings:
    """:meth:`Settings.discover` with the process's environment."""
    return Settings.discover(cwd)


def local_path(path: str) -> Path:
    """A path or ``file:///`` URL that a command is given; raises ``ConfigurationError`` for other URLs."""
    return _below(Path.cwd(), path)


def _below(root: Path, path: str | Path) -> Path:
    scheme, separator, rest = str(path).partition("://")
    if separator and scheme != "file":
        raise ConfigurationError(
            f"{scheme}:// is not supported here: files and state are read and written on mounted file systems",
            where=without_secrets(str(path)),
            remedy="write a path or file:///<path> (source.path may be s3://<bucket>/<path>, too), or mount the store",
        )
    path = unquote(rest) if separator else path
    return Path(os.path.normpath(root / Path(path).expanduser()))


def without_secrets(url: str) -> str:
    """A URL for people: without user, password and parameters, any of which may be secret."""
    return _SECRET.sub("", url)


def _root(start: Path, override: str) -> Path:
    if override:
        root = _below(start, override)
        if not root.is_dir():
            raise ConfigurationError(
                f"the project root {str(root)!r} is not a directory",
                where=f"environment variable {ROOT_VARIABLE}",
                remedy=f"set {ROOT_VARIABLE} to the directory that holds {DATASETS}, or unset it",
            )
        return root
    for candidate in (start, *start.parents):
        if (candidate / DATASETS).is_dir():
            return candidate
    raise ConfigurationError(
        f"no project was found: neither this directory nor one above it holds {DATASETS}",
        where=str(start),
        remedy=f"change into the project's directory, or set {ROOT_VARIABLE} to it",
    )


def _datasets_dir(root: Path, override: str) -> Path:
    if not override:
        return root / DATASETS
    directory = _below(root, override)
    if not directory.is_dir():
        raise ConfigurationError(
            f"the directory of dataset files {str(directory)!r} does not exist",
            where=f"environment variable {DATASETS_VARIABLE}",
            remedy=f"create it, or set {DATASETS_VARIABLE} to the directory that holds the datasets' YAML files",
        )
    return directory


def _catalog_url(root: Path, home: Path, override: str) -> str:
    if not override:
        return f"{_SQLITE}{home / 'catalog.db'}"
    if "://" not in override:
        raise ConfigurationError(
            "the catalog's address is not a URL",
            where=f"environment variable {CATALOG_VARIABLE}",
            remedy="write sqlite:///<path>, or postgresql://<user>@<host>/<database>",
        )
    if override.startswith(_SQLITE):
        return f"{_SQLITE}{_below(root, override.removeprefix(_SQLITE))}"
    return override
