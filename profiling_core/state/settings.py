"""Where a project's files are: found from the working directory, overridden by the environment.

Stands lowest in ``state`` and imports nothing heavy, because DAG files, the plugin and the command line all begin here.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from profiling_core.model.errors import ConfigurationError
from profiling_core.state.urls import without_secrets

if TYPE_CHECKING:
    from profiling_core.state.catalog import Catalog
    from profiling_core.state.objects import Place
    from profiling_core.state.store import Store

ROOT_VARIABLE = "HOLDFAST_ROOT"
HOME_VARIABLE = "HOLDFAST_HOME"
CATALOG_VARIABLE = "HOLDFAST_CATALOG"
DATASETS_VARIABLE = "HOLDFAST_DATASETS"
COPIES_VARIABLE = "HOLDFAST_COPIES"
SCHEME = "s3://"
DATASETS = Path("dags", "datasets")
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Settings:
    """The places of one project, all absolute.

    ``root`` is what relative source paths refer to, ``home`` holds state and artifacts, ``catalog_url`` is an
    SQLAlchemy URL, and ``datasets_dir`` holds the datasets' YAML files. With a ``bucket`` (``s3://…``) state and
    artifacts are there, and ``home`` holds copies, which may be gone at any time.
    """

    root: Path
    home: Path
    catalog_url: str
    datasets_dir: Path
    bucket: str = ""

    @classmethod
    def discover(cls, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> "Settings":
        """The settings of the project that ``cwd`` (default: the working directory) lies in.

        The root is ``$HOLDFAST_ROOT`` or the nearest directory, from ``cwd`` upwards, that holds ``dags/datasets``.
        ``HOLDFAST_HOME`` and ``HOLDFAST_DATASETS`` are paths, ``HOLDFAST_CATALOG`` a URL; relative ones are taken from
        the root, so that a task's working directory does not matter. ``HOLDFAST_HOME`` may be on an object store,
        ``s3://…``, and ``HOLDFAST_COPIES`` says then where copies are. Empty variables count as absent. Within
        :func:`using`, the settings given there.

        Raises:
            ConfigurationError: there is no root, or a variable does not name what it should.
        """
        if cwd is None and environment is None and (given := _given.get()):
            return given
        environment = os.environ if environment is None else environment
        start = (cwd or Path.cwd()).absolute()
        root = _root(start, environment.get(ROOT_VARIABLE, ""))
        said, bucket = environment.get(HOME_VARIABLE) or ".holdfast", ""
        if said.startswith(SCHEME):
            bucket = _place_on_a_store(said)
            said = environment.get(COPIES_VARIABLE) or _copies_of(bucket)
        home = _home(root, said)
        catalog = _catalog_url(root, home, environment.get(CATALOG_VARIABLE, ""), bucket)
        return cls(root, home, catalog, _datasets_dir(root, environment.get(DATASETS_VARIABLE, "")), bucket)

    @classmethod
    def of_new(cls) -> "Settings":
        """The places of a project that may be there or not: a first configuration is written into it.

        The root is the one that :meth:`discover` finds, else the working directory.

        Raises:
            ConfigurationError: the environment names dataset files, and no root is found, which commands need beside.
        """
        start, named = Path.cwd(), os.environ.get(DATASETS_VARIABLE, "")
        above = next((p for p in (start, *start.parents) if (p / DATASETS).is_dir()), None)
        given = os.environ.get(ROOT_VARIABLE, "")
        root = _below(start, given) if given else above or start
        if named and not given and above is None:
            raise _no_root(start)
        home = root / ".holdfast"
        return cls(root, home, f"sqlite:///{home / 'catalog.db'}", _below(root, named or DATASETS))

    def resolve(self, path: str | Path) -> Path:
        """A path of the configuration, such as a source's: relative ones are taken from the root."""
        return _below(self.root, path)

    def artifacts(self, dataset: str) -> Path:
        """The directory of a dataset's derived files (suites, changes, reports, alerts); it may not exist yet."""
        return self.home / "artifacts" / dataset

    def on_disk(self, what: str) -> "Settings":
        """These settings; raises ``ConfigurationError`` where the home is on an object store, which is not for this."""
        if self.bucket:
            raise ConfigurationError(
                f"{what} needs a home on a file system, and this one is on an object store",
                where=self.bucket,
                remedy=f"set {HOME_VARIABLE} to a directory for it",
            )
        return self

    @property
    def place(self) -> "Place":
        """Where state and artifacts are: the home, or its place on an object store."""
        if not self.bucket:
            return self.home
        from profiling_core.state.objects import StatePath, objects_at

        return StatePath(objects_at(self.bucket), PurePosixPath())

    def store(self, dataset: str) -> "Store":
        """The store of a dataset's immutable files."""
        if self.bucket:
            from profiling_core.state.bucket_store import BucketStore
            from profiling_core.state.objects import objects_at

            return BucketStore(self.home, dataset, objects_at(self.bucket))
        from profiling_core.state.store import Store

        return Store(self.home, dataset)

    def catalog(self) -> "Catalog":
        """The catalog, created or migrated where that is needed."""
        from profiling_core.state.catalog import Catalog

        catalog = Catalog(self.catalog_url, self.place)
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
    """A path or ``file:///`` URL that a command is given; raises ``ConfigurationError`` for others, and for none."""
    if not path:
        raise ConfigurationError(
            "the path is empty",
            remedy="name a file or directory, or `.` for this one; is a variable of the shell unset?",
        )
    return _below(Path.cwd(), path)


def _below(root: Path, path: str | Path) -> Path:
    scheme, separator, rest = str(path).partition("://")
    if separator and scheme != "file":
        raise ConfigurationError(
            f"{scheme}:// is not supported here: this has to be a file or directory of this machine",
            where=without_secrets(str(path)),
            remedy="write a path or file:///<path>, or mount the store; s3://<bucket>/<path> may be a source's path, "
            f"{HOME_VARIABLE}, and the place of a backup",
        )
    path = unquote(rest) if separator else path
    return Path(os.path.normpath(root / Path(path).expanduser()))


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
    raise _no_root(start)


def _no_root(start: Path) -> ConfigurationError:
    return ConfigurationError(
        f"no project was found: neither this directory nor one above it holds {DATASETS}",
        where=str(start),
        remedy=f"begin one here with holdfast init WHAT, change into its directory, or set {ROOT_VARIABLE} to it",
    )


def _home(root: Path, path: str) -> Path:
    home = _below(root, path)
    if os.path.lexists(home) and not home.is_dir():
        raise ConfigurationError(
            "the state directory's path names something else: neither a directory nor a link to one",
            where=str(home),
            remedy=f"move it away, or let {HOME_VARIABLE} name another directory",
        )
    return home


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


def _place_on_a_store(url: str) -> str:
    from profiling_core.state.objects import Objects

    return Objects(url).where


def _copies_of(bucket: str) -> str:
    """Where this machine keeps its copies of a home on an object store."""
    name = Path("holdfast", "homes", hashlib.sha256(bucket.encode()).hexdigest()[:16])
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111 - as kept_code.py
    there = next(place for place in (cache, *cache.parents) if place.exists())
    if cache.is_absolute() and os.access(there, os.W_OK):
        return str(cache / name)
    return str(Path(tempfile.gettempdir(), f"holdfast-{os.getuid()}", name))


def _catalog_url(root: Path, home: Path, override: str, bucket: str) -> str:
    if not override and bucket:
        raise ConfigurationError(
            "the catalog cannot be on an object store, where the state is",
            where=f"environment variable {CATALOG_VARIABLE}",
            remedy="set it to postgresql://<user>@<host>/<database>, or, for one machine, to sqlite:///<path>",
        )
    if not override:
        return f"{_SQLITE}{home / 'catalog.db'}"
    if "://" not in override:
        raise ConfigurationError(
            "the catalog's address is not a URL",
            where=f"environment variable {CATALOG_VARIABLE}",
            remedy="write sqlite:///<path>, or postgresql://<user>@<host>/<database>",
        )
    if override.startswith((SCHEME, "file://")):
        raise ConfigurationError(
            "the catalog's address names a plain file or a bucket, but the catalog is a database",
            where=f"environment variable {CATALOG_VARIABLE}",
            remedy="write sqlite:///<path>, or postgresql://<user>@<host>/<database>",
        )
    if override.startswith(_SQLITE):
        return f"{_SQLITE}{_below(root, override.removeprefix(_SQLITE))}"
    return override
