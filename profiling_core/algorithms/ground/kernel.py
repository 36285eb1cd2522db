"""The one way in which this package compiles: Numba, without the interpreter lock, kept on disk between runs.

Numba has no type information of its own; the decorator here keeps that of the function, so that callers are checked.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import TypeVar, cast

import numpy as np
from numba import njit

F = TypeVar("F", bound=Callable[..., object])
# By what Numba tells whether code on disk is of the sources at hand; it has no public name.
_STAMP = "_source_stamp"
# What compiled code keeps of another module as it was.
_CONSTANTS = (bool, int, float, str, tuple, np.generic)


def kernel(function: F) -> F:
    """The function as machine code, compiled at its first call and cached beside its module.

    Cached code holds what it calls. Numba compiles it anew when its own module changes; here also when a module does
    that it has kernels or constants from, as when part of an installation is brought up to date.
    """
    compiled = njit(cache=True, nogil=True)(function)
    kept = _kept(compiled)
    if kept is not None:
        used = repr(sorted(_used(function.__globals__, function.__module__.partition(".")[0])))
        kept[_STAMP] = (kept[_STAMP], hashlib.sha256(used.encode()).hexdigest())
    return cast("F", compiled)


def _kept(value: object) -> dict[str, object] | None:
    """What Numba knows of where it keeps the code of a kernel on disk; None: nowhere, or it is no kernel."""
    cache_file = getattr(getattr(value, "_cache", None), "_cache_file", None)
    known: dict[str, object] | None = getattr(cache_file, "__dict__", None)
    return known if known is not None and _STAMP in known else None


def _used(names: Mapping[str, object], package: str) -> Iterator[tuple[str, str]]:
    """The kernels and constants that a module's code may use, by name: a kernel as the stamp of its sources."""
    for name, value in names.items():
        kept = _kept(value)
        if kept is not None:
            yield name, repr(kept[_STAMP])
        elif isinstance(value, _CONSTANTS) and not name.startswith("__"):
            yield name, repr(value)
        elif isinstance(value, ModuleType) and value.__name__.partition(".")[0] == package:
            yield from ((f"{name}.{inner}", stamp) for inner, stamp in _used(vars(value), ""))
