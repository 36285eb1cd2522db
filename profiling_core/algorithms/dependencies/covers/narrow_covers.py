"""Covers of narrow tables: the pairs that agree on X, for each of the 2^m column sets X, kept current by the changes.

A superset sum (the zeta transform of the subset lattice) turns counts of agree sets into these pairs. A changed agree
set changes the sums of its subsets; many at once are cheaper transformed together. Which right sides a set determines
is one bit each, and a set is minimal for those that none of its immediate generalisations determines: so one pass over
2^m words finds all covers at once, exact and approximate alike.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetChanges
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover, in_order
from profiling_core.algorithms.dependencies.covers.figures import near_misses
from profiling_core.algorithms.ground.arrays import Counts, Flags, Words
from profiling_core.algorithms.ground.bit_words import popcount
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.ground.kernel import kernel

# Up to 20 columns all 2^m column sets have their sums: 8 MB each for 20, in about 20 ms.
WIDEST = 20
# A subset visited one by one costs as much as 4 steps of the transform, which goes along memory.
STEPS_PER_SUBSET = 4


class NarrowCovers:
    """Sums over column sets, and the covers that they give.

    ``together``: int64[2^m], the pairs that agree on X. ``apart``: for a column in which pairs are incomparable, those
    of them that differ in it; for the others that is a difference of two sums.
    """

    def __init__(self, agree: AgreeSets) -> None:
        self.columns = len(agree.columns)
        self.together = np.zeros(1 << self.columns, np.int64)
        self.apart: dict[int, Counts] = {}
        self._take(agree, lambda: agree)

    def update(self, state: AgreeSetState, changes: AgreeSetChanges) -> None:
        """Takes in what a batch changed."""
        self._take(state.masks_of_changes(changes), state.agree_sets)

    def _take(self, changed: AgreeSets, whole: Callable[[], AgreeSets]) -> None:
        """Adds agree sets; a column that got its first incomparable pairs is counted apart from the whole table's."""
        self._add(self.together, changed.equal[:, 0], changed.counts)
        for column, sums in self.apart.items():
            chosen = _differ(changed, column)
            self._add(sums, changed.equal[chosen, 0], changed.counts[chosen])
        for column in _incomparable(changed):
            if column not in self.apart:
                agree = whole()
                chosen = _differ(agree, column)
                self.apart[column] = superset_sums(agree.equal[chosen, 0], agree.counts[chosen], self.columns)

    def _add(self, sums: Counts, equal: Words, changes: Counts) -> None:
        subsets = int(np.left_shift(1, np.bitwise_count(equal).astype(np.int64)).sum())
        if 2 * STEPS_PER_SUBSET * subsets < self.columns << self.columns:
            _add_to_subsets(sums, equal, changes)
        else:
            sums += superset_sums(equal, changes, self.columns)

    def cover(self, bounds: CoverBounds, rights: Sequence[int] | None = None) -> DependencyCover:
        """The minimal FDs and UCCs within the bounds; ``rights``: of these right sides alone."""
        fd_limit, ucc_limit = bounds.limits(int(self.together[0]))
        satisfied = np.zeros(self.together.size, np.uint32)
        for column in range(NO_RHS, self.columns) if rights is None else rights:
            if column == NO_RHS:
                satisfied |= (self.together <= ucc_limit).astype(np.uint32) << np.uint32(self.columns)
            else:
                _mark(satisfied, self.apart.get(column, self.together), column, fd_limit)
        lhs, rhs = _minimal(satisfied, self.columns, *bounds.longest(self.columns))
        rhs[rhs == self.columns] = NO_RHS
        order = in_order(lhs.view(np.uint64)[:, None], rhs)
        return self._measured(lhs[order], rhs[order])

    def _measured(self, lhs: Counts, rhs: Counts) -> DependencyCover:
        sets, together, unique = lhs.view(np.uint64)[:, None], self.together[lhs], rhs == NO_RHS
        violations, support = together.copy(), together
        violations[~unique] -= self.together[lhs[~unique] | np.left_shift(1, rhs[~unique])]
        for column, sums in self.apart.items():
            own = rhs == column
            violations[own] = sums[lhs[own]]
        support[unique] = near_misses(sets[unique], lambda parts: self.together[parts[:, 0].view(np.int64)])
        return DependencyCover(sets, rhs, violations, support)


def _differ(agree: AgreeSets, column: int) -> Flags:
    differs: Flags = agree.different[:, 0] >> np.uint64(column) & np.uint64(1) == 1
    return differs


def _incomparable(agree: AgreeSets) -> list[int]:
    """The columns in which some pairs are neither equal nor different."""
    told = np.bitwise_and.reduce(agree.equal | agree.different, axis=0, initial=~np.uint64(0))
    return [column for column in range(len(agree.columns)) if not int(told[0]) >> column & 1]


@kernel
def superset_sums(masks: Words, counts: Counts, columns: int) -> Counts:
    """int64[2^columns]: for each column set the sum of counts over the masks that contain it."""
    sums = np.zeros(1 << columns, np.int64)
    for e in range(masks.size):
        sums[np.int64(masks[e])] += counts[e]
    for column in range(columns):
        half = 1 << column
        for base in range(0, sums.size, 2 * half):
            for i in range(base, base + half):
                sums[i] += sums[i + half]
    return sums


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
def _mark(satisfied: NDArray[np.uint32], sums: Counts, column: int, limit: int) -> None:
    """Sets a right side's bit for the column sets without it that violate it in no more than ``limit`` pairs.

    If pairs agree or differ in the column, sums of all pairs tell; else sums of those that differ; none of these
    agrees on it.
    """
    half = 1 << column
    bit = np.uint32(1) << np.uint32(column)
    for base in range(0, sums.size, 2 * half):
        for chosen in range(base, base + half):
            if sums[chosen] - sums[chosen + half] <= limit:
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
