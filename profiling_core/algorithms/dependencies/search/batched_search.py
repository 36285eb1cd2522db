"""The search for minimal dependencies where counts come in batches (Pyro, section 6; Toivonen 1996 for the sample).

What is known of a part of the rows, or was true before a delta, is a frontier of presumed non-dependencies. One batch
tells which of them are any. The least column sets that none of these contains are asked for in the next batch; those
that fail are non-dependencies themselves, so the search ends after at most as many batches as a left side has columns,
and one. What decides is an exact count throughout.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import NO_RHS
from profiling_core.algorithms.dependencies.position_lists.counted_sets import CountedSets
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, escaped
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.bit_words import word_count
from profiling_core.algorithms.ground.column_sets import as_mask, smallest_first


@dataclass(frozen=True, slots=True)
class Question:
    """A search space with the most columns of a left side, and the most unordered pairs that may violate it."""

    space: SearchSpace
    longest: int
    limit: int


def search(questions: Sequence[Question], pairs: CountedSets, *, certain: bool = False) -> None:
    """Finds all minimal dependencies of each space, going on from its presumed non-dependencies.

    Args:
        questions: the spaces; what they know as dependencies is not looked at.
        pairs: the table's counts.
        certain: the non-dependencies are known to be such, and are not counted again.
    """
    searches = [_Search(question, pairs.columns) for question in questions]
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


def _ask(searches: Sequence["_Search"], asked: Sequence[list[int]], pairs: CountedSets) -> None:
    questions = [(lhs, search.question.space.rhs) for search, sets in zip(searches, asked, strict=True) for lhs in sets]
    counts = iter(pairs.violations(questions))
    for search, sets in zip(searches, asked, strict=True):
        search.learn({lhs: next(counts) for lhs in sets})


class _Search:
    def __init__(self, question: Question, columns: int) -> None:
        self.question = question
        self._words = word_count(columns)
        self._universe = (1 << columns) - 1
        if question.space.rhs != NO_RHS:
            self._universe &= ~(1 << question.space.rhs)
        self._candidates: Words = np.zeros((1, self._words), np.uint64)
        self._confirmed: set[int] = set()
        self._excluded: list[int] = []
        self.presumed = _maximal(question.space.non_dependencies)

    def unconfirmed(self) -> list[int]:
        return [lhs for lhs in smallest_first(self._candidates) if lhs not in self._confirmed]

    def learn(self, violations: dict[int, int]) -> None:
        self._confirmed |= {lhs for lhs, count in violations.items() if count <= self.question.limit}
        self.exclude([lhs for lhs in violations if lhs not in self._confirmed])

    def exclude(self, non_dependencies: list[int]) -> None:
        for known in _maximal(non_dependencies):
            edge = as_mask(self._universe & ~known, self._words)
            self._candidates = escaped(self._candidates, edge, self.question.longest)
        self._excluded += non_dependencies

    def finish(self) -> None:
        self.question.space.dependencies = smallest_first(self._candidates)
        self.question.space.non_dependencies = _maximal(self._excluded)


def _maximal(sets: Sequence[int]) -> list[int]:
    """The sets that are not part of another."""
    kept: list[int] = []
    for columns in sorted(set(sets), key=lambda s: -s.bit_count()):
        if not any(columns & other == columns for other in kept):
            kept.append(columns)
    return kept
