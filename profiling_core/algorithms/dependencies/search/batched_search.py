"""The search for minimal dependencies where counts come in batches (Pyro, section 6; Toivonen 1996 for the sample).

What is known of a part of the rows, or was true before a delta, is a frontier of presumed non-dependencies. One batch
tells which of them are any. The least column sets that none of these contains are asked for in the next batch; those
that fail are non-dependencies themselves, so the search ends after at most as many batches as a left side has columns,
and one. What decides is an exact count throughout.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from profiling_core.algorithms.dependencies.position_lists.pair_counts import BatchedCounts
from profiling_core.algorithms.dependencies.search.search_space import Candidates, SearchSpace


@dataclass(frozen=True, slots=True)
class Task:
    """A search space with the most columns of a left side, and the most unordered pairs that may violate it."""

    space: SearchSpace
    longest: int
    limit: int


def search(tasks: Sequence[Task], pairs: BatchedCounts, *, certain: bool = False) -> None:
    """Finds all minimal dependencies of each space, going on from its presumed non-dependencies.

    Args:
        tasks: the spaces; what they know as dependencies is not looked at.
        pairs: the table's counts.
        certain: the non-dependencies are known to be such, and are not counted again.
    """
    searches = [_Search(task, pairs.columns) for task in tasks]
    if not certain:
        _ask(searches, [search.presumed for search in searches], pairs)
    else:
        for search in searches:
            search.exclude(search.presumed)
    while True:
        asked = [search.unconfirmed() for search in searches]
        if not any(asked):
            break
        _ask(searches, asked, pairs)
    for search in searches:
        search.finish()


def _ask(searches: Sequence["_Search"], asked: Sequence[list[int]], pairs: BatchedCounts) -> None:
    asked_for = [(lhs, search.task.space.rhs) for search, sets in zip(searches, asked, strict=True) for lhs in sets]
    counts = iter(pairs.violations_of_each(asked_for))
    for search, sets in zip(searches, asked, strict=True):
        search.learn({lhs: next(counts) for lhs in sets})


class _Search:
    def __init__(self, task: Task, columns: int) -> None:
        self.task = task
        self._candidates = Candidates(task.space.rhs, columns, task.longest)
        self._confirmed: set[int] = set()
        self._excluded: list[int] = []
        self.presumed = _maximal(task.space.non_dependencies)

    def unconfirmed(self) -> list[int]:
        return [lhs for lhs in self._candidates.sets() if lhs not in self._confirmed]

    def learn(self, violations: dict[int, int]) -> None:
        self._confirmed |= {lhs for lhs, count in violations.items() if count <= self.task.limit}
        self.exclude([lhs for lhs in violations if lhs not in self._confirmed])

    def exclude(self, non_dependencies: list[int]) -> None:
        self._candidates.exclude(_maximal(non_dependencies))
        self._excluded += non_dependencies

    def finish(self) -> None:
        self.task.space.dependencies = self._candidates.sets()
        self.task.space.non_dependencies = _maximal(self._excluded)


def _maximal(sets: Sequence[int]) -> list[int]:
    """The sets that are not part of another."""
    kept: list[int] = []
    for columns in sorted(set(sets), key=lambda s: -s.bit_count()):
        if not any(columns & other == columns for other in kept):
            kept.append(columns)
    return kept
