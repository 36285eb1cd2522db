"""Approximate covers of wide tables: level by level where that takes seconds, else by frontiers that are kept.

A threshold counts pairs, so a batch moves it and most errors at once. Where left sides are short, all column sets that
matter are counted again in a second or so (:mod:`levelwise`). Where they are too many, a *frontier* is kept per right
side: the minimal dependencies and some great non-dependencies, between which every column set lies. Only right sides of
which a set has crossed the threshold are searched again, each from the part of its frontier that still holds (Pyro's
search, which may begin with what is known).
"""

from collections.abc import Sequence

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agree_set_counts import counts_of
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.position_lists.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.dependencies.search import levelwise
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, Task, search_all
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import flags, with_bit
from profiling_core.algorithms.ground.column_sets import NO_RHS, as_sides
from profiling_core.algorithms.values.column_dictionary import NULL_CODE
from profiling_core.algorithms.values.encoding import NULL, Encoded

# Seconds of a core that levels may take at most.
MOST_SECONDS = 10.0


class ApproximateCovers:
    """Covers of the given right sides within one threshold; ``longest`` bounds their left sides."""

    def __init__(self, rights: Sequence[int], longest: int) -> None:
        self._rights, self._longest = rights, longest
        self._spaces = [SearchSpace(right) for right in rights]

    def find(self, state: AgreeSetState, limit: int) -> tuple[Words, Counts]:
        """The minimal dependencies of a table with at most ``limit`` violating unordered pairs.

        Returns:
            Left sides uint64[n, words] and right sides int64[n].
        """
        agree = state.agree_sets()
        sets = levelwise.most_sets(len(agree.columns), self._longest)
        if levelwise.seconds(sets, len(self._rights), len(agree)) <= MOST_SECONDS:
            return by_levels(agree, self._rights, self._longest, limit)
        if crossed := self._crossed(agree, limit):
            rows = Encoded(state.columns, state.relation.every_row() - np.int32(NULL_CODE - NULL))
            pairs = AgreeingPairs(rows, state.space.nulls)
            search_all([Task(space, self._longest, limit) for space in crossed], pairs)
        found = [(lhs, space.rhs) for space in self._spaces for lhs in space.dependencies]
        return as_sides(found, len(agree.columns))

    def _crossed(self, agree: AgreeSets, limit: int) -> list[SearchSpace]:
        """The right sides that are to be searched; what has crossed the threshold is out of their frontiers."""
        known = [(lhs, s.rhs) for s in self._spaces for lhs in (*s.dependencies, *s.non_dependencies)]
        _, violations = counts_of(agree, *as_sides(known, len(agree.columns)))
        now = dict(zip(known, violations.tolist(), strict=True))
        return [space for space in self._spaces if not space.holds(lambda *asked: now[asked], limit)]


def by_levels(agree: AgreeSets, rights: Sequence[int], longest: int, limit: int) -> tuple[Words, Counts]:
    """The minimal dependencies of right sides with at most ``limit`` violating pairs, in the order of levels.

    Returns:
        Left sides uint64[n, words] and right sides int64[n].
    """
    found = [as_sides([], len(agree.columns))]
    for sets, satisfied in levelwise.levels(agree, rights, longest, limit) if rights else ():
        members, bits = np.nonzero(flags(satisfied))
        lhs = np.zeros((len(members), agree.equal.shape[1]), np.uint64)
        for column in sets[members].T:
            lhs = with_bit(lhs, column)
        found.append((lhs, np.where(bits == len(agree.columns), NO_RHS, bits)))
    return np.concatenate([lhs for lhs, _ in found]), np.concatenate([rhs for _, rhs in found])
