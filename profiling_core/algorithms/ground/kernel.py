"""The one way in which this package compiles: Numba, without the interpreter lock, kept on disk between runs.

Numba has no type information of its own; the decorator here keeps that of the function, so that callers are checked.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

from profiling_core.algorithms.ground.kept_code import KeptCode
from profiling_core.algorithms.ground.processor import compile_for_common_processor

F = TypeVar("F", bound=Callable[..., object])

compile_for_common_processor()


def kernel(function: F) -> F:
    """The function as machine code, compiled at its first call and kept on disk (see :class:`KeptCode`)."""
    # Nothing takes a kernel's address, so no entry for C is compiled: 4 % of the time and of the code.
    compiled = njit(nogil=True, no_cfunc_wrapper=True)(function)
    # Numba has no way to be given a cache: `cache=True` sets this one attribute, to a cache of its own.
    compiled._cache = KeptCode(function)  # noqa: SLF001
    return cast("F", compiled)
