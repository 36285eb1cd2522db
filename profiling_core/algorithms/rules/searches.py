"""The searches of one discovery, which share its budget, and again with what the others have left.

A search cannot tell beforehand what it needs. In the first round each may use its share of the work that is left
for it and the later ones; the later ones get what it does not use. If a search was cut, and the budget suffices to
repeat it and what depends on it, a second round follows, which repeats no other: what each uses is known by then, and
the cut ones share the rest.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from profiling_core.algorithms.budget import Budget

T = TypeVar("T")


class _Search(NamedTuple):
    """The n-th search for something in a table (empty: in all together)."""

    what: str
    table: str
    place: int


@dataclass
class Searches:
    """One round of searches.

    ``budget``: what all of them share. ``waiting``: the shares of all kinds of searches that are still to come, of what
    is left. ``shares``: those that are not 1, by kind. ``before``: by search what it used in the round before.
    ``starved``: those that were cut in it. ``known``: by search what it found in the round before, as far as it
    depends on none that was cut. ``last``: the kinds of searches on which no other one depends.
    """

    budget: Budget
    waiting: float
    shares: Mapping[str, float] = field(default_factory=dict)
    last: Collection[str] = ()
    before: Mapping[_Search, float] = field(default_factory=dict)
    starved: frozenset[_Search] = frozenset()
    known: Mapping[_Search, Any] = field(default_factory=dict)
    took: dict[_Search, float] = field(default_factory=dict)
    found: dict[_Search, Any] = field(default_factory=dict)
    cut: list[_Search] = field(default_factory=list)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter)

    def run(self, what: str, search: Callable[[Budget], T], table: str = "", part: float = 1.0) -> T:
        """What a search finds with its part of the budget.

        Args:
            what: what is looked for, in words.
            search: the search, which ends with what it has found when its budget is spent.
            table: the table in which it looks; empty: in all together.
            part: its part of the searches of its kind.
        """
        one = _Search(what, table, self.begun[what, table])
        self.begun[what, table] += 1
        part *= self.shares.get(what, 1.0)
        own = self.budget.part(self._share(one, part))
        self.waiting -= part
        found: T = self.known[one] if one in self.known else search(own)
        self.found[one] = found
        self.took[one] = self.before[one] if one in self.known else own.used
        if own.is_cut or own.spent:
            self.cut.append(one)
        return found

    def cut_of(self, table: str) -> list[str]:
        """The names of the searches that were cut, in a table or in all together."""
        return list(dict.fromkeys(one.what for one in self.cut if one.table in ("", table)))

    def again(self) -> "Searches | None":
        """The next round. None if no search was cut, or if the rest does not pay for those and the later ones."""
        if not self.cut:
            return None
        known = {one: self.found[one] for one in self.took if not self._repeats(one)}
        repeated = sum(used for one, used in self.took.items() if one not in known)
        if self.budget.left <= repeated:
            return None
        return Searches(self.budget, 0.0, {}, self.last, self.took, frozenset(self.cut), known)

    def _repeats(self, one: _Search) -> bool:
        """Whether a search was cut, or depends on an earlier one that was: on any of its table, or of all together."""
        place = {search: i for i, search in enumerate(self.took)}
        earlier = (cut for cut in self.cut if cut.what not in self.last and place[cut] < place[one])
        return one in self.cut or any("" in (cut.table, one.table) or cut.table == one.table for cut in earlier)

    def _share(self, one: _Search, part: float) -> float:
        """How much of what is left a search may use."""
        if not self.before:
            return self.budget.left * min(1.0, part / max(part, self.waiting))
        if one not in self.starved:
            return self.budget.left
        waiting = {o: used for o, used in self.before.items() if o not in self.took and o not in self.known}
        rest = max(0.0, self.budget.left - sum(waiting.values()))
        return self.before[one] + rest / len(self.starved.intersection(waiting))
