"""Independent pieces of work: this process runs them, its threads, or a cluster that reaches the same arrays."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Runner(Protocol):
    """Runs one function on many items, wherever; what it gives depends on the items alone."""

    def __call__(self, work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """The results of the work, in the order of the items; ``work`` and the items can be pickled."""


def in_turn(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """One after the other, in this process."""
    return list(map(work, items))


def in_threads(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """In threads of this process, one per processor; a single one needs none."""
    if len(items) < 2:
        return in_turn(work, items)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))
