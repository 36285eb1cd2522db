"""Covers of narrow tables: the pairs that agree on X, for each of the 2^m column sets X, kept current by the changes.

A changed agree set changes the sums of its subsets; many at once are cheaper transformed together. Which right sides a
set determines is one bit each, and a set is minimal for those that none of its immediate generalisations determines: so
one pass over 2^m words finds all covers at once, exact and approximate alike.
"""

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import popcount
from profiling_core.algorithms.dependencies.superset_sums import superset_sums
from profiling_core.algorithms.dynast.dependency_cover import UNIQUE, Cover, in_order
from profiling_core.algorithms.kernel import kernel

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
# A subset visited one by one costs as much as so many steps of the transform, which goes along memory.
STEPS_PER_SUBSET = 4


class NarrowCovers:
    """Sums over column sets, and the covers that they give.

    ``together``: int64[2^m], the pairs that agree on X. ``apart``: for a column with incomparable nulls, those of them
    that differ in it; for the others that is a difference of two sums.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.together = np.zeros(1 << columns, np.int64)
        self.apart: dict[int, Counts] = {}

    def update(self, equal: Words, nulls: Words, changes: Counts) -> None:
        """Takes in changed counts of agree sets.

        Args:
            equal: uint64[n], the columns that the pairs agree on; the empty set too.
            nulls: uint64[n], those that are null in one of the rows, where that is incomparable.
            changes: int64[n], how much their counts changed.
        """
        self._add(self.together, equal, changes)
        for column, sums in self.apart.items():
            chosen = _differ(equal, nulls, column)
            self._add(sums, equal[chosen], changes[chosen])

    def watch(self, column: int, equal: Words, nulls: Words, counts: Counts) -> None:
        """Begins to count apart for a column that got its first null, from all agree sets."""
        chosen = _differ(equal, nulls, column)
        self.apart[column] = superset_sums(equal[chosen], counts[chosen], self.columns)

    def _add(self, sums: Counts, equal: Words, changes: Counts) -> None:
        subsets = int(np.left_shift(1, np.bitwise_count(equal).astype(np.int64)).sum())
        if STEPS_PER_SUBSET * subsets < self.columns << (self.columns - 1):
            _add_to_subsets(sums, equal, changes)
        else:
            sums += superset_sums(equal, changes, self.columns)

    def cover(self, limits: tuple[int, int], longest: tuple[int, int]) -> Cover:
        """The minimal FDs and UCCs.

        Args:
            limits: the greatest number of violating unordered pairs of an FD, and of a UCC.
            longest: the greatest number of columns on an FD's left side, and of a UCC.
        """
        satisfied = np.zeros(self.together.size, np.uint32)
        for column in range(self.columns):
            if column in self.apart:
                _mark(satisfied, self.apart[column], column, limits[0])
        plain = np.array([c for c in range(self.columns) if c not in self.apart], np.int64)
        _mark_plain(satisfied, self.together, plain, limits[0])
        _mark(satisfied, self.together, self.columns, limits[1])
        lhs, rhs = _minimal(satisfied, self.columns, *longest)
        rhs[rhs == self.columns] = UNIQUE
        order = in_order(lhs.view(np.uint64)[:, None], rhs)
        return self.measured(lhs[order], rhs[order])

    def measured(self, lhs: Counts, rhs: Counts) -> Cover:
        """Figures of given dependencies; int64 column sets, and right sides."""
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
        return Cover(lhs.view(np.uint64)[:, None], rhs, violations, support)


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
