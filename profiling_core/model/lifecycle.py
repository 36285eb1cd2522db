"""A tracked constraint: one that was ranked high enough to be shown, followed from then on through every version."""

from dataclasses import dataclass, replace

from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import Measured
from profiling_core.model.stored import Stored

# From this factor on an error has jumped, and a break is not like an earlier one.
ALIKE = 5
# The rows of this many breaks are kept: at 50 deltas per break, more than 20 alike are a habit for 1,000 deltas.
_KEPT = 20


@dataclass(frozen=True, slots=True)
class Tracked(Stored):
    """A constraint's standing in one version.

    ``since`` is the label of the version since which the present state of affairs (holding or violated) lasts;
    ``held_deltas`` counts the deltas it has held for (while violated: those since more rows violated it). ``rank`` is
    its place in its table's presented list (1: first; None: not presented now), ``score`` what the rank goes by.
    ``age`` counts all deltas in which it held, and ``breaks`` how often it broke: deltas that violate it one after the
    other are one break; ``broken_rows`` has the rows of the latest of them. ``threshold`` is the error it may have: 0
    for one that is followed as exact. ``ancestor`` is the fingerprint of the constraint that it replaced by refining or
    generalising it; empty where it replaced none.
    """

    measured: Measured
    table: str
    state: LifecycleState
    since: str
    held_deltas: int
    rank: int | None
    score: float
    version: int
    threshold: float = 0.0
    ancestor: str = ""
    age: int = 0
    breaks: int = 0
    broken_rows: tuple[int, ...] = ()

    def holds_once_in(self, deltas: int) -> bool:
        """Whether it has broken no more often than once in ``deltas`` deltas in which it held, or never in as many."""
        return self.age >= deltas * max(1, self.breaks)

    def breaks_so(self, rows: int, deltas: int) -> bool:
        """Whether it breaks by about as many rows (a factor of 5 either way) more often than once in ``deltas``."""
        alike = sum(some <= ALIKE * rows and rows <= ALIKE * some for some in self.broken_rows)
        return self.age < deltas * alike

    def broken(self, rows: int) -> "Tracked":
        """It after one more break."""
        return replace(self, held_deltas=0, breaks=self.breaks + 1, broken_rows=(*self.broken_rows, rows)[-_KEPT:])

    @property
    def fingerprint(self) -> str:
        """The constraint's identity."""
        return self.measured.constraint.fingerprint
