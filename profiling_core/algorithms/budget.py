"""How long a search may take: what is asked between one step and the next."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Budget:
    """Seconds by a clock, counted since ``began``; ``is_cut``: whether steps were left out.

    What is looked for in steps ends with the last that has time, so that it depends on the clock what is found: where
    nothing is cut, never.
    """

    seconds: float
    clock: Callable[[], float]
    began: float
    is_cut: bool = False

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Self:
        """A budget of ``seconds`` from now on."""
        return cls(seconds, clock, clock())

    @property
    def used(self) -> float:
        """The seconds that have gone."""
        return self.clock() - self.began

    @property
    def left(self) -> float:
        """The seconds that are left, never below zero."""
        return max(0.0, self.seconds - self.used)

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.used >= self.seconds

    def share(self, fraction: float) -> Self:
        """A part of what is left."""
        used = self.used
        return replace(self, seconds=min(self.seconds, used + fraction * max(0.0, self.seconds - used)), is_cut=False)

    def steps(self, items: Iterable[T]) -> Iterator[T]:
        """The items, each while there is time for what is done with one: as much as it has taken so far on average.

        The longest would tell too much: where the machine pauses once, a search would end that has all its work to do.
        """
        begun, worked = 0, 0.0
        for item in items:
            before = self.used
            if before + worked / max(1, begun) >= self.seconds:
                self.is_cut = True
                return
            yield item
            begun, worked = begun + 1, worked + self.used - before


ENDLESS = Budget.of(math.inf)
