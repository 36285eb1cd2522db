"""The one way in which this package compiles: Numba, without the interpreter lock, kept on disk between runs.

Numba has no type information of its own; the decorator here keeps that of the function, so that callers are checked.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """The function as machine code, compiled at its first call and cached beside its module."""
    return cast("F", njit(cache=True, nogil=True)(function))
