"""One search space: the minimal left sides of one right side, or the minimal keys (Pyro, section 6).

Known non-dependencies bound the search. The *escape* takes the least column sets that none of them contains, the
minimal hitting sets of their complements: such a candidate is a minimal dependency if it is one at all. If it is not,
the search *ascends* from it to a great non-dependency, led by a sample of its violating pairs, and *trickles down*
where the sample promised too much. It ends when every candidate is a dependency. Whatever decides is an exact count;
samples choose what to count, so they cost time when they are wrong, never the result.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.violating_pairs import ascent, sample
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_masks, smallest_first
from profiling_core.algorithms.hitting_sets.refinement import berge
from profiling_core.algorithms.hitting_sets.universe import plain_universe


class Candidates:
    """The least column sets that no known non-dependency contains: minimal dependencies, if they are any at all.

    Args:
        rhs: the right side, which has no part in them.
        columns: the table's number of columns.
        longest: the greatest number of columns of a candidate.
    """

    def __init__(self, rhs: int, columns: int, longest: int) -> None:
        self.universe = (1 << columns) - 1
        if rhs != NO_RHS:
            self.universe &= ~(1 << rhs)
        self._columns, self._elements = columns, plain_universe(columns, longest)
        self._masks: Words = np.zeros((1, self._elements.words), np.uint64)

    def exclude(self, non_dependencies: Iterable[int]) -> None:
        """Takes in what is no dependency, nor any part of it."""
        edges = as_masks([self.universe & ~known for known in non_dependencies], self._columns)
        if len(edges) and len(self._masks) == 1 and not self._masks.any():
            singles = self._elements.members[(self._elements.members & edges[0]).any(axis=1)]
            self._masks, edges = singles[: len(singles) if self._elements.limit else 0], edges[1:]
        self._masks = berge(self._masks, edges, self._elements)

    def sets(self) -> list[int]:
        """The candidates, the smaller ones first."""
        return smallest_first(self._masks)


@dataclass
class SearchSpace:
    """What is known of one right side (:data:`NO_RHS`: of keys).

    ``dependencies`` are minimal; ``non_dependencies`` are such that no other set of at most the searched length is a
    dependency: together they are the frontier.
    """

    rhs: int
    dependencies: list[int] = field(default_factory=list)
    non_dependencies: list[int] = field(default_factory=list)

    def search(self, pairs: AgreeingPairs, longest: int, limit: int) -> None:
        """Finds all minimal dependencies, going on from what is known, which must be true.

        Args:
            pairs: the table's counts.
            longest: the greatest number of columns.
            limit: the greatest number of violating pairs that a dependency may have.
        """
        found = Findings(self, pairs.columns, longest)
        found.exclude(self.non_dependencies)
        found.confirmed.update(self.dependencies)
        while asked := found.unconfirmed():
            escaping: list[int] = []
            for candidate in asked:
                if any(candidate & known == candidate for known in escaping):
                    continue
                violations = pairs.violations(candidate, self.rhs)
                if violations <= limit:
                    found.confirmed.add(candidate)
                else:
                    escaping.append(self._ascended(pairs, candidate, found, violations, limit))
            found.exclude(escaping)
        found.keep()

    def holds(self, violations: Callable[[int], int], limit: int) -> bool:
        """Whether no set of the frontier has crossed the limit of violating pairs; one that has is taken out of it."""
        before = len(self.dependencies) + len(self.non_dependencies)
        self.dependencies = [lhs for lhs in self.dependencies if violations(lhs) <= limit]
        self.non_dependencies = [lhs for lhs in self.non_dependencies if violations(lhs) > limit]
        return before == len(self.dependencies) + len(self.non_dependencies)

    def _ascended(self, pairs: AgreeingPairs, start: int, found: "Findings", violations: int, limit: int) -> int:
        """A non-dependency that contains a given one."""
        allowed = _flags(found.universe, pairs.columns)
        while start != found.universe:
            drawn = sample(pairs.lists(start), pairs.codes, pairs.columns, self.rhs, len(found.excluded))
            if not len(drawn):
                return start
            added, left = ascent(drawn, _flags(start, pairs.columns), allowed, violations, limit)
            if not len(added):
                return start
            if limit == 0 and left[-1]:
                # A pair that agrees on all of it and violates it was seen.
                return start | sum(1 << int(column) for column in added)
            start, violations, promised = self._trickled(pairs, start, violations, added.tolist(), limit)
            if not promised:
                return start
        return start

    def _trickled(
        self, pairs: AgreeingPairs, start: int, violations: int, added: list[int], limit: int
    ) -> tuple[int, int, bool]:
        """The last non-dependency of a chain, its violations, and whether it is the chain's end."""
        chain = [start]
        for column in added:
            chain.append(chain[-1] | 1 << column)
        low, high = 0, len(chain)
        probe = len(chain) - 1
        while low + 1 < high:
            count = pairs.violations(chain[probe], self.rhs)
            if count > limit:
                low, violations = probe, count
            else:
                high = probe
            probe = (low + high) // 2
        return chain[low], violations, low == len(chain) - 1


class Findings:
    """What a search of one space has found so far.

    ``confirmed`` are dependencies, ``excluded`` non-dependencies, in the order in which they were found.
    """

    def __init__(self, space: SearchSpace, columns: int, longest: int) -> None:
        self.confirmed: set[int] = set()
        self._space = space
        self._candidates = Candidates(space.rhs, columns, longest)
        self.excluded: list[int] = []

    @property
    def universe(self) -> int:
        """The columns that a left side may have."""
        return self._candidates.universe

    def unconfirmed(self) -> list[int]:
        """The candidates that nothing is known of; when there are none, all that are left are dependencies."""
        return [lhs for lhs in self._candidates.sets() if lhs not in self.confirmed]

    def exclude(self, non_dependencies: Sequence[int]) -> None:
        """Takes in non-dependencies."""
        self._candidates.exclude(maximal(non_dependencies))
        self.excluded += non_dependencies

    def keep(self) -> None:
        """Makes what was found the space's frontier."""
        self._space.dependencies = self._candidates.sets()
        self._space.non_dependencies = maximal(self.excluded)


def maximal(sets: Sequence[int]) -> list[int]:
    """The sets that are not part of another."""
    kept: list[int] = []
    for columns in sorted(set(sets), key=lambda s: -s.bit_count()):
        if not any(columns & other == columns for other in kept):
            kept.append(columns)
    return kept


def search_all(spaces: Sequence[SearchSpace], pairs: AgreeingPairs, longest: int, limit: int, threads: int = 0) -> None:
    """Searches spaces side by side; they share counts and indexes. Threads: 0, one per processor."""
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for _ in pool.map(lambda space: space.search(pairs, longest, limit), spaces):
            pass


def _flags(members: int, columns: int) -> NDArray[np.bool_]:
    return np.array([members >> column & 1 for column in range(columns)], np.bool_)
