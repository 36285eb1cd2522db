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

from profiling_core.algorithms.denial.indexed.outcomes import outcome
from profiling_core.algorithms.denial.indexed.pair_groups import (
    ANY,
    BETWEEN,
    GIVEN,
    ONLY_EQUAL,
    ONLY_GREATER,
    ONLY_LESS,
    OTHER,
    Conjunction,
    PairGroups,
)
from profiling_core.algorithms.denial.indexed.segments import Places, Rows, fixed
from profiling_core.algorithms.ground.arrays import Flags
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.kernel import kernel

# The share of pairs that pass, so that the least come first; a comparison; the outcomes that pass.
Step = tuple[float, int, int]
# Columns of the tree's nodes.
COMPARISON, PASSING, ELSE, ENDS, DEPTH = range(5)
# So many rows are compared at once.
STRETCH = 256
Bytes = NDArray[np.uint8]


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
            int64[n, 5], the nodes in preorder: a comparison, the set of outcomes that pass, where to go on if it fails,
            the conjunction that ends here, −1: none, and how many nodes lead here.
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
                nodes.append([comparison, passing, 0, -1, len(path) - 1])
            nodes[-1][ENDS] = number
            before = steps
        for at in path:
            nodes[at][ELSE] = len(nodes)
        return np.array(nodes, np.int64)

    def scratch(self, nodes: Rows) -> tuple[Flags, Bytes, Bytes]:
        """What :func:`meet` writes on, for a tree."""
        size, depth = len(self.groups.sides), int(nodes[:, DEPTH].max()) + 2
        return np.empty(size, np.bool_), np.empty((size, STRETCH), np.uint8), np.empty((depth, STRETCH), np.uint8)

    def _shares(self, labels: Rows, given: Rows, codes: Rows, others: Rows) -> NDArray[np.float64]:
        """float64[comparisons, 4]: which share of the pairs each outcome has."""
        groups = self.groups
        counts = np.zeros((len(groups.sides), ANY.bit_length()), np.int64)
        sides, ordered = fixed(groups.sides), fixed(groups.ordered)
        _count(sides, ordered, groups.nulls_equal, fixed(labels), given, fixed(codes), others, counts)
        return counts / max(1, len(given))

    def _paths(self, shares: NDArray[np.float64]) -> Iterator[tuple[tuple[Step, ...], int]]:
        """Per conjunction its comparisons, those that few pairs pass first, and its number."""
        bits, sides = self.groups.bits, self.groups.sides.tolist()
        number, comparison = self._asked()
        asked = self.masks[number] & bits[comparison, ANY]
        passing = np.zeros(len(number), np.int64)
        share = np.zeros(len(number))
        for one in range(ANY.bit_length()):
            passes = (asked & ~bits[comparison, 1 << one] == 0).all(axis=1)
            passing |= passes.astype(np.int64) << one
            share += passes * shares[comparison, one]
        settles = np.array([kind == BETWEEN and (own, other) in self.settled for kind, own, other in sides])
        left = ~(settles[comparison] & (passing & ONLY_EQUAL != 0))
        # A conjunction that is settled whole keeps its comparisons.
        left |= np.bincount(number, weights=left, minlength=len(self.masks))[number] == 0
        steps: list[list[Step]] = [[] for _ in range(len(self.masks))]
        for own, *step in zip(*(part[left].tolist() for part in (number, share, comparison, passing)), strict=True):
            steps[own].append((step[0], step[1], step[2]))
        return ((tuple(sorted(own)), number) for number, own in enumerate(steps))

    def _asked(self) -> tuple[Places, Places]:
        """Which conjunction speaks of which comparison, by conjunction: few of them, each of few predicates."""
        about = _bits_of(self.groups.bits[:, ANY])
        numbers, predicates = np.nonzero(_bits_of(self.masks))
        pairs = np.unique(numbers * len(about) + about.argmax(axis=0)[predicates])
        return pairs // len(about), pairs % len(about)


def _bits_of(masks: Masks) -> Flags:
    """bool[n, 64·words], the bits of uint64[n, words]."""
    little = np.ascontiguousarray(masks, "<u8").view(np.uint8)
    return np.unpackbits(little, axis=1, bitorder="little").astype(np.bool_)


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
def meet(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    nodes: Rows,
    sides: Rows,
    ordered: Flags,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    labels: Rows,
    i: int,
    given_id: int,
    codes: Rows,
    ids: Rows,
    alive: Flags,
    order: Places,
    start: int,
    stop: int,
    most: int,
    counts: Rows,
    known: Flags,
    found: Bytes,
    passing: Bytes,
    out: Rows,
    used: int,
) -> int:
    """Compares a given row with those of a stretch of an order, all of them at once per comparison.

    Pairs that satisfy a conjunction that fewer than ``most`` have satisfied are written to ``out``, from ``used`` on;
    where that ends. An empty ``out`` asks for ``counts`` alone, int64[k], which grow by the pairs of each conjunction;
    a row then meets itself. Scratch are ``known`` bool[comparisons], ``found`` uint8[comparisons, STRETCH], and
    ``passing`` uint8[depth, STRETCH].
    """
    if stop - start == 1 and ids[order[start]] == given_id and out.shape[0]:
        return used
    for first in range(start, stop, STRETCH):
        size = min(STRETCH, stop - first)
        known[:] = False
        passing[0, :size] = 1
        places = order[first : first + size]
        node = 0
        while node < nodes.shape[0]:
            g = nodes[node, COMPARISON]
            if not known[g]:
                known[g] = True
                kind = sides[g, 0]
                x = sides[g, 1]
                y = sides[g, 2]
                left = labels[x, i]
                if kind == BETWEEN and left >= 0:
                    null = outcome(left, -1, ordered[g], nulls_equal)
                    greater = ONLY_GREATER if ordered[g] else ONLY_LESS
                    for r in range(size):
                        right = codes[y, places[r]]
                        compared = ONLY_LESS if left < right else (ONLY_EQUAL if left == right else greater)
                        found[g, r] = null if right < 0 else compared
                else:
                    for r in range(size):
                        j = places[r]
                        left = labels[x, i] if kind != OTHER else codes[x, j]
                        right = labels[y, i] if kind == GIVEN else codes[y, j]
                        found[g, r] = outcome(left, right, ordered[g], nulls_equal)
            depth = nodes[node, DEPTH]
            bits = np.uint8(nodes[node, PASSING])
            before, after, outcomes = passing[depth], passing[depth + 1], found[g]
            some = np.uint8(0)
            for r in range(size):
                after[r] = before[r] if outcomes[r] & bits else np.uint8(0)
                some |= after[r]
            if some == 0:
                node = nodes[node, ELSE]
                continue
            c = nodes[node, ENDS]
            if c >= 0:
                for r in range(size):
                    j = order[first + r]
                    if passing[depth + 1, r] == 0 or counts[c] >= most or not alive[j]:
                        continue
                    if out.shape[0] == 0:
                        counts[c] += 1
                    elif ids[j] != given_id:
                        counts[c] += 1
                        out[used, 0] = i
                        out[used, 1] = j
                        used += 1
            node += 1
    return used
