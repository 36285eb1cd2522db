"""Covers of narrow tables: the pairs that agree on X, for each of the 2^m column sets X, kept current by the changes.

A changed agree set changes the sums of its subsets; many at once are cheaper transformed together. Which right sides a
set determines is one bit each, and a set is minimal for those that none of its immediate generalisations determines: so
one pass over 2^m words finds all covers at once, exact and approximate alike.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import Changes
from profiling_core.algorithms.dependencies.agree_sets.superset_sums import superset_sums
from profiling_core.algorithms.dependencies.upkeep.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.upkeep.dependency_cover import UNIQUE, Cover, in_order
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import popcount
from profiling_core.algorithms.ground.kernel import kernel

# A subset visited one by one costs as much as so many steps of the transform, which goes along memory.
STEPS_PER_SUBSET = 4


class NarrowCovers:
    """Sums over column sets, and the covers that they give.

    ``together``: int64[2^m], the pairs that agree on X. ``apart``: for a column with incomparable nulls, those of them
    that differ in it; for the others that is a difference of two sums.
    """

    def __init__(self, state: AgreeSetState, bounds: CoverBounds) -> None:
        self.columns = len(state.columns)
        self.together = np.zeros(1 << self.columns, np.int64)
        self.apart: dict[int, Counts] = {}
        self._state = state
        self._bounds = bounds
        self._empty_pairs = 0
        counts = state.table.counts
        self.update(Changes(np.arange(len(counts)), np.zeros(len(counts), np.int64), counts))

    def update(self, changes: Changes) -> None:
        """Takes in what a batch changed."""
        empty = self._state.empty_pairs
        equal, nulls = self._masks(changes.entries)
        self._take(equal, nulls, np.append(changes.after - changes.before, empty - self._empty_pairs))
        self._empty_pairs = empty
        new = [column for column in self._state.relation.nullable_columns().tolist() if column not in self.apart]
        if new:
            counts = self._state.table.counts
            equal, nulls = self._masks(np.arange(len(counts)))
            for column in new:
                self._watch(column, equal, nulls, np.append(counts, empty))

    def _masks(self, entries: Counts) -> tuple[Words, Words]:
        """The agree sets of entries and of the empty one, and their nulls."""
        keys = np.concatenate([self._state.table.keys[entries], np.zeros((1, self._state.table.words), np.uint64)])
        return keys[:, 0], keys[:, 1] if self._state.relation.nullable else np.zeros(len(keys), np.uint64)

    def _take(self, equal: Words, nulls: Words, changes: Counts) -> None:
        self._add(self.together, equal, changes)
        for column, sums in self.apart.items():
            chosen = _differ(equal, nulls, column)
            self._add(sums, equal[chosen], changes[chosen])

    def _watch(self, column: int, equal: Words, nulls: Words, counts: Counts) -> None:
        """Begins to count apart for a column that got its first null, from all agree sets."""
        chosen = _differ(equal, nulls, column)
        self.apart[column] = superset_sums(equal[chosen], counts[chosen], self.columns)

    def _add(self, sums: Counts, equal: Words, changes: Counts) -> None:
        subsets = int(np.left_shift(1, np.bitwise_count(equal).astype(np.int64)).sum())
        if 2 * STEPS_PER_SUBSET * subsets < self.columns << self.columns:
            _add_to_subsets(sums, equal, changes)
        else:
            sums += superset_sums(equal, changes, self.columns)

    def renumbered(self, kept: NDArray[np.bool_]) -> None:
        """The table's entries got new numbers, which nothing here goes by."""

    def cover(self) -> Cover:
        """The minimal FDs and UCCs within the bounds."""
        bounds = self._bounds
        limits = bounds.limits(self._state.pairs)
        satisfied = np.zeros(self.together.size, np.uint32)
        for column in range(self.columns):
            if column in self.apart:
                _mark(satisfied, self.apart[column], column, limits[0])
        plain = np.array([c for c in range(self.columns) if c not in self.apart], np.int64)
        _mark_plain(satisfied, self.together, plain, limits[0])
        _mark(satisfied, self.together, self.columns, limits[1])
        lhs, rhs = _minimal(satisfied, self.columns, *bounds.longest(self.columns))
        rhs[rhs == self.columns] = UNIQUE
        order = in_order(lhs.view(np.uint64)[:, None], rhs)
        return self.measured(lhs[order].view(np.uint64)[:, None], rhs[order])

    def measured(self, sets: Words, rhs: Counts) -> Cover:
        """Figures of given dependencies: uint64[n, 1] column sets, and right sides."""
        lhs = sets[:, 0].view(np.int64)
        together = self.together[lhs]
        unique = rhs == UNIQUE
        violations = together.copy()
        plain = ~unique
        violations[plain] -= self.together[lhs[plain] | np.left_shift(1, rhs[plain])]
        for column, sums in self.apart.items():
            own = rhs == column
            violations[own] = sums[lhs[own]]
        # What is on the left agrees, whether counted apart or not.
        violations[plain & (np.right_shift(lhs, np.maximum(rhs, 0)) & 1 == 1)] = 0
        support = together.copy()
        support[unique] = _near_misses(self.together, lhs[unique])
        return Cover(sets, rhs, violations, support)


def _differ(equal: Words, nulls: Words, column: int) -> NDArray[np.bool_]:
    differs: NDArray[np.bool_] = (equal | nulls) >> np.uint64(column) & np.uint64(1) == 0
    return differs


@kernel
def _add_to_subsets(sums: Counts, equal: Words, changes: Counts) -> None:
    for e in range(equal.size):
        whole = np.int64(equal[e])
        chosen = whole
        while True:
            sums[chosen] += changes[e]
            if chosen == 0:
                break
            chosen = (chosen - 1) & whole


@kernel
def _mark(satisfied: NDArray[np.uint32], violations: Counts, column: int, limit: int) -> None:
    """Sets a right side's bit for the column sets without it that violate it in no more than ``limit`` pairs."""
    bit = np.uint32(1) << np.uint32(column)
    for chosen in range(satisfied.size):
        if violations[chosen] <= limit and not chosen >> column & 1:
            satisfied[chosen] |= bit


@kernel
def _mark_plain(satisfied: NDArray[np.uint32], together: Counts, columns: Counts, limit: int) -> None:
    """The same for columns in which pairs agree or differ."""
    for column in columns:
        half = 1 << column
        bit = np.uint32(1) << np.uint32(column)
        for base in range(0, together.size, 2 * half):
            for chosen in range(base, base + half):
                if together[chosen] - together[chosen + half] <= limit:
                    satisfied[chosen] |= bit


@kernel
def _minimal(
    satisfied: NDArray[np.uint32], columns: int, longest_lhs: int, longest_unique: int
) -> tuple[Counts, Counts]:
    """Column sets and right sides that are satisfied, where no set of one column less satisfies them."""
    generalised = np.zeros_like(satisfied)
    for column in range(columns):
        half = 1 << column
        for base in range(0, satisfied.size, 2 * half):
            for chosen in range(base, base + half):
                generalised[chosen + half] |= satisfied[chosen]
    lhs, rhs = np.empty(1024, np.int64), np.empty(1024, np.int64)
    many = 0
    for chosen in range(satisfied.size):
        found = satisfied[chosen] & ~generalised[chosen]
        if found == 0:
            continue
        size = popcount(np.uint64(chosen))
        for right in range(columns + 1):
            if not found >> np.uint32(right) & np.uint32(1):
                continue
            if size > (longest_unique if right == columns else longest_lhs):
                continue
            if many == lhs.size:
                lhs = np.concatenate((lhs, np.empty(many, np.int64)))
                rhs = np.concatenate((rhs, np.empty(many, np.int64)))
            lhs[many] = chosen
            rhs[many] = right
            many += 1
    return lhs[:many].copy(), rhs[:many].copy()


@kernel
def _near_misses(together: Counts, lhs: Counts) -> Counts:
    """Per column set the least number of pairs that agree on all of its columns but one; 0 for no columns."""
    found = np.zeros(lhs.size, np.int64)
    for i in range(lhs.size):
        rest = lhs[i]
        if rest != 0:
            found[i] = together[0]
        while rest != 0:
            column = rest & -rest
            rest ^= column
            found[i] = min(found[i], together[lhs[i] ^ column])
    return found
