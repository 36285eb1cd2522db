"""Approximate covers of wide tables, kept current by their frontiers.

Per right side the minimal dependencies and some great non-dependencies, between which every column set lies: as long as
the former pass the threshold and the latter do not, the cover is what it was, whatever else the counts did. So a batch
costs a new count of the frontier, and only right sides of which a set has crossed the threshold are searched again,
each from the part of its frontier that still holds (Pyro's search, which may begin with what is known).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dynast.agree_set_state import AgreeSetState
from profiling_core.algorithms.dynast.column_dictionary import NULL_CODE
from profiling_core.algorithms.dynast.dependency_cover import UNIQUE
from profiling_core.algorithms.dynast.partition_sums import agreeing_pairs, differing_pairs
from profiling_core.algorithms.pyro.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.pyro.discovery import search_all
from profiling_core.algorithms.pyro.search_space import SearchSpace
from profiling_core.algorithms.values.encoding import NULL, Encoded

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


class ApproximateCovers:
    """Covers of the given right sides within one threshold; ``longest`` bounds their left sides."""

    def __init__(self, rights: Sequence[int], longest: int) -> None:
        self._longest = longest
        self._spaces = [SearchSpace(right) for right in rights]
        self._fresh = True

    def refresh(self, state: AgreeSetState, limit: int) -> int:
        """Brings the covers up to date with the table.

        Args:
            state: the table.
            limit: the greatest number of violating unordered pairs.

        Returns:
            How many right sides were searched again.
        """
        crossed = self._spaces if self._fresh else self._crossed(state, limit)
        self._fresh = False
        if crossed:
            pairs = AgreeingPairs(_rows(state), state.space.nulls)
            search_all(crossed, pairs, self._longest, limit)
        return len(crossed)

    def _crossed(self, state: AgreeSetState, limit: int) -> list[SearchSpace]:
        """The spaces whose frontier does not hold any more, with what does hold left in them."""
        members = [known for space in self._spaces for known in (*space.dependencies, *space.non_dependencies)]
        rights = np.repeat([space.rhs for space in self._spaces], [_size(space) for space in self._spaces])
        passed = (_violations(state, _words(members, state.words), rights) <= limit).tolist()
        crossed, start = [], 0
        for space in self._spaces:
            own = passed[start : start + _size(space)]
            start += len(own)
            many = len(space.dependencies)
            if all(own[:many]) and not any(own[many:]):
                continue
            space.dependencies = [known for known, holds in zip(space.dependencies, own[:many], strict=True) if holds]
            space.non_dependencies = [
                known for known, holds in zip(space.non_dependencies, own[many:], strict=True) if not holds
            ]
            crossed.append(space)
        return crossed

    def cover(self, words: int) -> tuple[Words, Counts]:
        """The covers as column sets uint64[n, words], and right sides int64[n]."""
        found = [known for space in self._spaces for known in space.dependencies]
        rights = np.array([space.rhs for space in self._spaces], np.int64)
        return _words(found, words), np.repeat(rights, [len(space.dependencies) for space in self._spaces])


def _size(space: SearchSpace) -> int:
    return len(space.dependencies) + len(space.non_dependencies)


def _words(sets: Sequence[int], words: int) -> Words:
    raw = b"".join(columns.to_bytes(8 * words, "little") for columns in sets)
    return np.frombuffer(raw, np.uint64).reshape(len(sets), words)


def _violations(state: AgreeSetState, lhs: Words, rhs: Counts) -> Counts:
    unique = rhs == UNIQUE
    violations = np.empty(len(lhs), np.int64)
    violations[unique] = agreeing_pairs(state.relation, lhs[unique])
    violations[~unique] = differing_pairs(state.relation, lhs[~unique], rhs[~unique])
    return violations


def _rows(state: AgreeSetState) -> Encoded:
    """The table's rows, equal ones as often as they are there."""
    relation = state.relation
    codes = np.repeat(relation.codes[:, : relation.used], relation.weights[: relation.used], axis=1)
    return Encoded(state.columns, codes - np.int32(NULL_CODE - NULL))
