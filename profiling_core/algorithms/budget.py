"""How much a search may do, counted in work and not by a clock, so that what it finds depends on the rows alone.

The unit is a cell: one value that is looked at. A step between two looks at the budget costs a fixed number of cells
and those that it says it looks at. Two searches of the same rows with the same budget end at the same step, on whatever
machine and beside whatever other programs.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Self, TypeVar

T = TypeVar("T")
# Cells that the searches look at per second of one core, and the cells that a step costs by itself; a user's seconds
# become work by the first. Two runs of ``make fit-work`` gave 7.3e7 and 1.8e3, 1.2e8 and 6.4e3: of each the figure by
# which a search ends sooner.
CELLS_PER_SECOND, STEP = 7e7, 6e3


@dataclass(slots=True)
class _Meter:
    """The steps and cells that a budget and all of its parts have counted together."""

    steps: int = 0
    cells: float = 0.0

    @property
    def used(self) -> float:
        """All work, in cells."""
        return self.steps * STEP + self.cells


@dataclass(slots=True)
class Budget:
    """Cells that may be looked at after the ``began``-th; ``is_cut``: whether steps were left out."""

    cells: float
    meter: _Meter = field(default_factory=_Meter)
    began: float = 0.0
    is_cut: bool = False

    @classmethod
    def of(cls, seconds: float) -> Self:
        """The work that takes about ``seconds`` of one core."""
        return cls(seconds * CELLS_PER_SECOND)

    @property
    def seconds(self) -> float:
        """About how long all of the work takes one core."""
        return self.cells / CELLS_PER_SECOND

    @property
    def used(self) -> float:
        """The cells that were looked at since this budget began."""
        return self.meter.used - self.began

    @property
    def left(self) -> float:
        """The cells that are left, never below zero."""
        return max(0.0, self.cells - self.used)

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.used >= self.cells

    def part(self, cells: float) -> Self:
        """A budget of at most ``cells`` of what is left here; what it spends counts here, too."""
        return type(self)(min(cells, self.left), self.meter, self.meter.used)

    def reserve(self, cells: float) -> None:
        """Keeps work back for a later step, which this budget's owner does: a proposal is worth nothing unchecked."""
        self.cells -= STEP + cells

    @contextmanager
    def portion(self, share: float) -> Iterator[Self]:
        """Yields a budget with a share of what is left; the whole counts as cut if the part was."""
        own = self.part(share * self.left)
        yield own
        self.is_cut |= own.is_cut

    def shares(self, items: Sequence[T], work: Callable[[T], float] = lambda _: 1.0) -> Iterator[tuple[T, Self]]:
        """Yields each item with its budget: what is left, divided among this item and those after it by their work."""
        rest = [*accumulate(map(work, reversed(items)))][::-1]
        for item, waiting in zip(items, rest, strict=True):
            with self.portion(work(item) / waiting) as own:
                yield item, own

    def spend(self, cells: float) -> None:
        """Counts work that a step turns out to need beyond what it costs in any case."""
        self.meter.cells += cells

    def steps(self, items: Iterable[T], cells: float | Callable[[T], float] = 0.0) -> Iterator[T]:
        """The items, each while something is left for it.

        Args:
            items: what the steps are made with.
            cells: how many values each step looks at, or a function that tells it of an item.
        """
        for item in items:
            cost = cells(item) if callable(cells) else cells
            if self.used + STEP + cost > self.cells:
                self.is_cut = True
                return
            self.meter.steps += 1
            self.meter.cells += cost
            yield item


ENDLESS = Budget(math.inf)
