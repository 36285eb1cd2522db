"""Holdfast: discovers the constraints that tables live by, and keeps them current from each delta.

:func:`discover` gives the rules of DataFrames; it is imported when it is asked for, since DAG files come by here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from profiling_core.pipeline.data_frames import discover

__all__ = ["discover"]


def __getattr__(name: str) -> Any:
    if name == "discover":
        from profiling_core.pipeline.data_frames import discover

        return discover
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
