"""Many conjunctions checked on a pair of rows at once: a tree of what they ask, what few pairs satisfy first.

Conjunctions that ask the same first share a branch; a branch is left at the first comparison that fails, and two
columns are compared at most once per pair. What two conjunctions ask alike, as a symmetric one does in both roles of
the given row, is one path.
Source: Bleifuß et al., Hydra, section 6 (many constraints checked in one tree), for pairs of rows in place of clusters.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks
from profiling_core.algorithms.incdc.outcomes import outcome
from profiling_core.algorithms.incdc.pair_groups import ANY, BETWEEN, GIVEN, ONLY_EQUAL, OTHER, Conjunction, PairGroups
from profiling_core.algorithms.incdc.segments import Flags, Rows
from profiling_core.algorithms.kernel import kernel

# The share of pairs that pass, so that the least come first; a comparison; the outcomes that pass.
Step = tuple[float, int, int]
# Columns of the tree's nodes.
COMPARISON, PASSING, ELSE, ENDS = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class Checks:
    """Conjunctions to be checked.

    ``groups``: the comparisons that they speak of; ``masks`` uint64[k, words]; ``settled``: columns of the given and of
    the other row that are equal in all pairs to be checked.
    """

    groups: PairGroups
    masks: Masks
    settled: frozenset[tuple[int, int]]
    _grown: list[Rows] = field(default_factory=list)

    @classmethod
    def of(
        cls, groups: PairGroups, conjunctions: Sequence[Conjunction], settled: Iterable[tuple[int, int]] = ()
    ) -> "Checks":
        """The checks of some conjunctions, at least one, over a space's comparisons."""
        masks = groups.masks_of(conjunctions)
        return cls(groups.about(masks), masks, frozenset(settled))

    def tree(self, labels: Rows, given: Rows, codes: Rows, others: Rows) -> Rows:
        """The tree of the comparisons, ordered by what some pairs come to: the first ones that are given.

        Args:
            labels: int64[m, d], the given rows.
            given: the given rows of the pairs.
            codes: int64[m, n], the other rows.
            others: the other rows of the pairs.

        Returns:
            int64[n, 4], the nodes in preorder: a comparison, the set of outcomes that pass, where to go on if it fails,
            and the conjunction that ends here, −1: none.
        """
        if not self._grown:
            self._grown.append(self._nodes(self._shares(labels, given, codes, others)))
        return self._grown[0]

    def _nodes(self, shares: NDArray[np.float64]) -> Rows:
        nodes: list[list[int]] = []
        path: list[int] = []
        before: tuple[Step, ...] = ()
        for steps, number in sorted(self._paths(shares)):
            shared = len(list(takewhile(lambda both: both[0] == both[1], zip(steps, before, strict=False))))
            if shared == len(steps):
                continue
            while len(path) > shared:
                nodes[path.pop()][ELSE] = len(nodes)
            for _, comparison, passing in steps[shared:]:
                path.append(len(nodes))
                nodes.append([comparison, passing, 0, -1])
            nodes[-1][ENDS] = number
            before = steps
        for at in path:
            nodes[at][ELSE] = len(nodes)
        return np.array(nodes, np.int64)

    def _shares(self, labels: Rows, given: Rows, codes: Rows, others: Rows) -> NDArray[np.float64]:
        """float64[comparisons, 4]: which share of the pairs each outcome has."""
        groups = self.groups
        counts = np.zeros((len(groups.sides), ANY.bit_length()), np.int64)
        _count(groups.sides, groups.ordered, groups.nulls_equal, labels, given, codes, others, counts)
        return counts / max(1, len(given))

    def _paths(self, shares: NDArray[np.float64]) -> Iterator[tuple[tuple[Step, ...], int]]:
        """Per conjunction its comparisons, those that few pairs pass first, and its number."""
        bits, sides = self.groups.bits, self.groups.sides.tolist()
        asked = self.masks[:, None] & bits[None, :, ANY]
        passing = np.zeros(asked.shape[:2], np.int64)
        share = np.zeros(asked.shape[:2])
        for one in range(ANY.bit_length()):
            passes = (asked & ~bits[None, :, 1 << one] == 0).all(axis=2)
            passing |= passes.astype(np.int64) << one
            share += passes * shares[:, one]
        settles = np.array([kind == BETWEEN and (own, other) in self.settled for kind, own, other in sides])
        open_ = asked.any(axis=2)
        left = open_ & ~(settles & (passing & ONLY_EQUAL != 0))
        # A conjunction that is settled whole keeps its comparisons.
        left = np.where(left.any(axis=1, keepdims=True), left, open_)
        steps: list[list[Step]] = [[] for _ in range(len(self.masks))]
        for number, comparison in np.argwhere(left).tolist():
            steps[number].append((float(share[number, comparison]), comparison, int(passing[number, comparison])))
        return ((tuple(sorted(own)), number) for number, own in enumerate(steps))


@kernel
def _count(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    sides: Rows,
    ordered: Flags,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    labels: Rows,
    given: Rows,
    codes: Rows,
    others: Rows,
    counts: Rows,
) -> None:
    """Counts what comparing pairs comes to, int64[comparisons, outcomes]; ``labels`` int64[d, m]."""
    for p in range(given.size):
        for g in range(sides.shape[0]):
            left = labels[sides[g, 1], given[p]] if sides[g, 0] != OTHER else codes[sides[g, 1], others[p]]
            right = labels[sides[g, 2], given[p]] if sides[g, 0] == GIVEN else codes[sides[g, 2], others[p]]
            found = outcome(left, right, ordered[g], nulls_equal)
            for one in range(counts.shape[1]):
                counts[g, one] += found >> one & 1


@kernel
def passed(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    nodes: Rows,
    sides: Rows,
    ordered: Flags,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    labels: Rows,
    i: int,
    codes: Rows,
    j: int,
    most: int,
    counts: Rows,
    known: Rows,
) -> bool:
    """Whether a given row and another one satisfy a conjunction that fewer than ``most`` pairs have satisfied.

    ``nodes``: a tree of checks; ``labels`` int64[m, d], ``codes`` int64[m, n]; ``counts`` int64[k], grows by the pairs
    of each conjunction; ``known`` int64[comparisons], scratch.
    """
    known[:] = 0
    wanted = False
    node = 0
    while node < nodes.shape[0]:
        g = nodes[node, COMPARISON]
        if known[g] == 0:
            left = labels[sides[g, 1], i] if sides[g, 0] != OTHER else codes[sides[g, 1], j]
            right = labels[sides[g, 2], i] if sides[g, 0] == GIVEN else codes[sides[g, 2], j]
            known[g] = outcome(left, right, ordered[g], nulls_equal)
        if known[g] & nodes[node, PASSING] == 0:
            node = nodes[node, ELSE]
            continue
        c = nodes[node, ENDS]
        if c >= 0 and counts[c] < most:
            counts[c] += 1
            wanted = True
        node += 1
    return wanted
