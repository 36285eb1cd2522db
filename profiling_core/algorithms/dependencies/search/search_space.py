"""One search space: the minimal left sides of one right side, or the minimal keys (Pyro, section 6).

Known non-dependencies bound the search. The *escape* takes the least column sets that none of them contains, the
minimal hitting sets of their complements: such a candidate is a minimal dependency if it is one at all. If it is not,
the search *ascends* from it to a great non-dependency, led by a sample of its violating pairs, and *trickles down*
where the sample promised too much. It ends when every candidate is a dependency. Whatever decides is an exact count;
samples choose what to count, so they cost time when they are wrong, never the result.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.position_lists.violating_pairs import AgreeSetSamples, ascent
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_masks, smallest_first
from profiling_core.algorithms.hitting_sets.refinement import berge
from profiling_core.algorithms.hitting_sets.universe import plain_universe


@dataclass
class SearchSpace:
    """The knowledge about one right side (:data:`NO_RHS`: about keys).

    ``dependencies`` are minimal; ``non_dependencies`` are such that no other set of at most the searched length is a
    dependency: together they are the frontier, which is empty before the first search alone.
    """

    rhs: int
    dependencies: list[int] = field(default_factory=list)
    non_dependencies: list[int] = field(default_factory=list)

    def holds(self, violations: Callable[[int, int], int], limit: int) -> bool:
        """Whether no set of the frontier has crossed the limit of violating pairs; one that has is taken out of it."""
        before = len(self.dependencies) + len(self.non_dependencies)
        self.dependencies = [lhs for lhs in self.dependencies if violations(lhs, self.rhs) <= limit]
        self.non_dependencies = [lhs for lhs in self.non_dependencies if violations(lhs, self.rhs) > limit]
        return 0 < before == len(self.dependencies) + len(self.non_dependencies)


@dataclass(frozen=True, slots=True)
class Task:
    """A search space with the most columns of a left side, and the most unordered pairs that may violate it."""

    space: SearchSpace
    longest: int
    limit: int


class Findings:
    """The findings of a search of one space so far.

    ``confirmed`` are dependencies, ``excluded`` non-dependencies, in the order in which they were found. ``universe``
    has the columns that a left side may have. Candidates are the least column sets that no known non-dependency
    contains: minimal dependencies, if they are any at all.
    """

    def __init__(self, task: Task, columns: int) -> None:
        self.confirmed: set[int] = set()
        self.excluded: list[int] = []
        self.universe = (1 << columns) - 1
        if task.space.rhs != NO_RHS:
            self.universe &= ~(1 << task.space.rhs)
        self._space, self._columns = task.space, columns
        self._elements = plain_universe(columns, task.longest)
        self._candidates: Words = np.zeros((1, self._elements.words), np.uint64)

    def unconfirmed(self) -> list[int]:
        """The candidates that nothing is known of; when there are none, all that are left are dependencies."""
        return [lhs for lhs in smallest_first(self._candidates) if lhs not in self.confirmed]

    def exclude(self, non_dependencies: Sequence[int]) -> None:
        """Takes in what is no dependency, nor any part of it."""
        self.excluded += non_dependencies
        edges = as_masks([self.universe & ~known for known in maximal(non_dependencies)], self._columns)
        if len(edges) and len(self._candidates) == 1 and not self._candidates.any():
            singles = self._elements.members[(self._elements.members & edges[0]).any(axis=1)]
            self._candidates, edges = singles[: len(singles) if self._elements.limit else 0], edges[1:]
        self._candidates = berge(self._candidates, edges, self._elements)

    def keep(self) -> None:
        """Makes what was found the space's frontier."""
        self._space.dependencies = smallest_first(self._candidates)
        self._space.non_dependencies = maximal(self.excluded)


def maximal(sets: Sequence[int]) -> list[int]:
    """The sets that are not part of another."""
    kept: list[int] = []
    for columns in sorted(set(sets), key=lambda s: -s.bit_count()):
        if not any(columns & other == columns for other in kept):
            kept.append(columns)
    return kept


def search_all(tasks: Sequence[Task], pairs: AgreeingPairs) -> None:
    """Finds all minimal dependencies of spaces, side by side; they share counts and indexes.

    Each search goes on from what its space knows, which must be true.
    """
    samples = AgreeSetSamples(pairs)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda task: _search(task, pairs, samples), tasks))


def _search(task: Task, pairs: AgreeingPairs, samples: AgreeSetSamples) -> None:
    found = Findings(task, pairs.columns)
    found.exclude(task.space.non_dependencies)
    found.confirmed.update(task.space.dependencies)
    while asked := found.unconfirmed():
        escaping: list[int] = []
        for candidate in asked:
            if any(candidate & known == candidate for known in escaping):
                continue
            violations = pairs.violations(candidate, task.space.rhs)
            if violations <= task.limit:
                found.confirmed.add(candidate)
            else:
                escaping.append(_ascended(task, pairs, samples, candidate, found, violations))
        found.exclude(escaping)
    found.keep()


def _ascended(
    task: Task, pairs: AgreeingPairs, samples: AgreeSetSamples, start: int, found: Findings, violations: int
) -> int:
    """A non-dependency that contains a given one."""
    while start != found.universe:
        drawn = samples.violating(start, task.space.rhs)
        if not drawn.size:
            return start
        added, left = ascent(drawn, start, found.universe, violations, task.limit)
        if not len(added):
            return start
        if task.limit == 0 and left[-1]:
            # A pair that agrees on all of it and violates it was seen.
            return start | sum(1 << int(column) for column in added)
        start, violations, promised = _trickled(task, pairs, start, violations, added.tolist())
        if not promised:
            return start
    return start


def _trickled(task: Task, pairs: AgreeingPairs, start: int, violations: int, added: list[int]) -> tuple[int, int, bool]:
    """The last non-dependency of a chain, its violations, and whether it is the chain's end."""
    chain = [start]
    for column in added:
        chain.append(chain[-1] | 1 << column)
    low, high = 0, len(chain)
    probe = len(chain) - 1
    while low + 1 < high:
        count = pairs.violations(chain[probe], task.space.rhs)
        if count > task.limit:
            low, violations = probe, count
        else:
            high = probe
        probe = (low + high) // 2
    return chain[low], violations, low == len(chain) - 1
