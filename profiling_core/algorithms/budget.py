"""How long a search may take: what is asked between one candidate and the next."""

import time
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Budget:
    """Time by the clock that ends at ``until``, in seconds of :func:`time.monotonic`."""

    until: float

    @classmethod
    def of(cls, seconds: float) -> Self:
        """A budget of so many seconds from now on."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds that are left, never below zero."""
        return max(0.0, self.until - time.monotonic())

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return time.monotonic() >= self.until

    def share(self, fraction: float) -> Self:
        """A part of what is left."""
        return type(self)(min(self.until, time.monotonic() + fraction * self.left))
