"""Holdfast: discovers the constraints that tables live by, and keeps them current from each delta.

:func:`discover` gives the rules of DataFrames, and :class:`Dataset` keeps them current. They are imported when they are
asked for, since DAG files come by here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from profiling_core.pipeline.library.data_frames import discover
    from profiling_core.pipeline.library.dataset import Dataset

__all__ = ["Dataset", "discover"]

_PLACES = {"Dataset": "dataset", "discover": "data_frames"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("holdfast")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.pipeline.library.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
