"""The searches of one discovery, each with its part of the time, and again with what the others have left.

No search knows beforehand what it needs. In the first round each has a share of what is left. If a search was cut and
the time suffices to repeat all, they begin anew: what each takes is known by then, and those that were cut share the
rest.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from profiling_core.algorithms.budget import Budget


class _Search(NamedTuple):
    """The n-th search for something in a table (empty: in all together)."""

    what: str
    table: str
    place: int


@dataclass
class Searches:
    """One round of searches.

    ``before``: the seconds of each in the round before. ``starved``: those that were cut in it. ``took``: the seconds
    of each so far. ``cut``: those that are cut in this round.
    """

    before: Mapping[_Search, float] = field(default_factory=dict)
    starved: frozenset[_Search] = frozenset()
    took: dict[_Search, float] = field(default_factory=dict)
    cut: list[_Search] = field(default_factory=list)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter)

    def cut_of(self, table: str) -> list[str]:
        """The names of the searches that were cut, in a table or in all together."""
        return list(dict.fromkeys(one.what for one in self.cut if one.table in ("", table)))

    def again(self, budget: Budget) -> "Searches | None":
        """The next round; None: nothing was cut, or there is no time to repeat what was done."""
        worth = self.cut and budget.left > sum(self.took.values())
        return Searches(self.took, frozenset(self.cut)) if worth else None

    def share(self, one: _Search, budget: Budget, fraction: float) -> float:
        """The share of what is left of a budget that a search has; ``fraction``: that of the first round."""
        if one not in self.starved or not budget.left:
            return 1.0 if self.before else fraction
        waiting = {other: seconds for other, seconds in self.before.items() if other not in self.took}
        rest = max(0.0, budget.left - sum(waiting.values()))
        return min(1.0, (self.before[one] + rest / len(self.starved.intersection(waiting))) / budget.left)


@contextmanager
def part(budget: Budget, fraction: float, what: str, searches: Searches, table: str = "") -> Iterator[Budget]:
    """A search's part of the budget; notes what it takes, and whether it takes all of it."""
    one = _Search(what, table, searches.begun[what, table])
    searches.begun[what, table] += 1
    own, began = budget.share(searches.share(one, budget, fraction)), budget.used
    yield own
    searches.took[one] = budget.used - began
    if own.is_cut or own.spent:
        searches.cut.append(one)
