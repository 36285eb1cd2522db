"""How long a search may take: what is asked between one candidate and the next."""

import time
from dataclasses import dataclass, field, replace
from typing import Self

# Where the machine is so busy that a second of work takes longer, the clock ends the search.
_MOST_WAITED = 3.0


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds of work, of which some are spent since ``began``, the clock's and the process's own time back then.

    Work is time by the clock, but for the time in which the machine did something else: what a search finds is not to
    depend on what else runs. So a second by the clock counts as much as the process computed meanwhile, on all cores,
    at most a second, and at least a third of one.
    """

    seconds: float
    began: tuple[float, float] = field(default_factory=lambda: (time.monotonic(), time.process_time()))

    @classmethod
    def of(cls, seconds: float) -> Self:
        """A budget of so many seconds from now on."""
        return cls(seconds)

    @property
    def used(self) -> float:
        """The seconds that have been worked."""
        clock, computed = time.monotonic() - self.began[0], time.process_time() - self.began[1]
        return max(min(clock, computed), clock / _MOST_WAITED)

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
        return replace(self, seconds=min(self.seconds, used + fraction * max(0.0, self.seconds - used)))
