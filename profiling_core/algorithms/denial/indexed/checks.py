"""Many conjunctions checked on a pair of rows at once: a tree of what they ask, what few pairs satisfy first.

Conjunctions that ask the same first share a branch; a branch is left at the first comparison that fails, and two
columns are compared at most once per pair. What two conjunctions ask alike, as a symmetric one does in both roles of
the given row, is one path.
Source: Bleifuß et al., Hydra, section 6 (many constraints checked in one tree), for pairs of rows in place of clusters.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

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
    ORDERED,
    OTHER,
    Conjunction,
    PairGroups,
)
from profiling_core.algorithms.denial.indexed.segments import IndexedSide, Places, Rows
from profiling_core.algorithms.ground.arrays import Flags, fixed
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.kernel import kernel

# The share of pairs that pass, so that the least come first; a comparison; the outcomes that pass.
Step = tuple[float, int, int]
# Columns of the tree's nodes.
COMPARISON, PASSING, ELSE, ENDS, DEPTH = range(5)
# Rows that are compared at once.
STRETCH = 256
Bytes = NDArray[np.uint8]


class Tree(NamedTuple):
    """The tree of what conjunctions ask, as kernels take it.

    Attributes:
        nodes: int64[n, 5], in preorder: a comparison, the set of outcomes that pass, where to go on if it fails, the
            conjunction that ends here, −1: none, and how many nodes lead here.
        sides: int64[comparisons, 3], as of :class:`PairGroups`.
        kinds: int64[comparisons].
        known: bool[comparisons], scratch.
        found: uint8[comparisons, STRETCH], scratch.
        passing: uint8[depth, STRETCH], scratch.
    """

    nodes: Rows
    sides: Rows
    kinds: Rows
    known: Flags
    found: Bytes
    passing: Bytes


class WantedPairs(NamedTuple):
    """The pairs that satisfy a conjunction.

    Attributes:
        most: the most pairs of each that are written.
        counts: int64[k], how many each has so far.
        out: int64[room, 2], places of the given and of the other row; empty: the counts alone are asked for.
        used: int64[1], how many pairs are written.
    """

    most: int
    counts: Rows
    out: Rows
    used: Rows


def wanted(conjunctions: int, most: int, room: int) -> WantedPairs:
    """Nothing found so far."""
    return WantedPairs(most, np.zeros(conjunctions, np.int64), np.empty((room, 2), np.int64), np.zeros(1, np.int64))


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

    def tree(self, rows: IndexedSide, given: Rows, segment: IndexedSide, others: Rows) -> Tree:
        """The tree of the comparisons, ordered by what some pairs come to: the first ones that are given.

        Args:
            rows: the given rows.
            given: those of the pairs.
            segment: the other rows.
            others: those of the pairs.
        """
        if not self._grown:
            self._grown.append(self._nodes(shares_of(self.groups, rows, given, segment, others)))
        nodes, sides, kinds = self._grown[0], fixed(self.groups.sides), fixed(self.groups.kinds)
        size, depth = len(sides), int(nodes[:, DEPTH].max()) + 2
        found, passing = np.empty((size, STRETCH), np.uint8), np.empty((depth, STRETCH), np.uint8)
        return Tree(fixed(nodes), sides, kinds, np.empty(size, np.bool_), found, passing)

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
        """The comparisons that each conjunction speaks of: few conjunctions, each of few predicates."""
        about = _bits_of(self.groups.bits[:, ANY])
        numbers, predicates = np.nonzero(_bits_of(self.masks))
        pairs = np.unique(numbers * len(about) + about.argmax(axis=0)[predicates])
        return pairs // len(about), pairs % len(about)


def shares_of(
    groups: PairGroups, rows: IndexedSide, given: Rows, segment: IndexedSide, others: Rows
) -> NDArray[np.float64]:
    """float64[comparisons, 4]: which share of some pairs each outcome of a comparison has."""
    counts = np.zeros((len(groups.sides), ANY.bit_length()), np.int64)
    _count(fixed(groups.sides), fixed(groups.kinds), rows, given, segment, others, counts)
    return counts / max(1, len(given))


def _bits_of(masks: Masks) -> Flags:
    """bool[n, 64·words], the bits of uint64[n, words]."""
    little = np.ascontiguousarray(masks, "<u8").view(np.uint8)
    return np.unpackbits(little, axis=1, bitorder="little").astype(np.bool_)


@kernel
def _count(
    sides: Rows, kinds: Rows, rows: IndexedSide, given: Rows, segment: IndexedSide, others: Rows, counts: Rows
) -> None:
    """Counts what comparing pairs comes to, int64[comparisons, outcomes]."""
    labels, codes = rows.codes, segment.codes
    for p in range(given.size):
        for g in range(sides.shape[0]):
            left = labels[sides[g, 1], given[p]] if sides[g, 0] != OTHER else codes[sides[g, 1], others[p]]
            right = labels[sides[g, 2], given[p]] if sides[g, 0] == GIVEN else codes[sides[g, 2], others[p]]
            found = outcome(left, right, kinds[g])
            for one in range(counts.shape[1]):
                counts[g, one] += found >> one & 1


@kernel
def _compare(tree: Tree, g: int, rows: IndexedSide, i: int, segment: IndexedSide, places: Places) -> None:
    """The outcomes of a comparison of a given row with each of some others."""
    kind, x, y = tree.sides[g, 0], tree.sides[g, 1], tree.sides[g, 2]
    labels, codes, outcomes = rows.codes, segment.codes, tree.found[g]
    left = labels[x, i]
    if kind == BETWEEN and left >= 0:
        null = outcome(left, -1, tree.kinds[g])
        greater = ONLY_GREATER if tree.kinds[g] & ORDERED else ONLY_LESS
        for r in range(places.size):
            right = codes[y, places[r]]
            compared = ONLY_LESS if left < right else (ONLY_EQUAL if left == right else greater)
            outcomes[r] = null if right < 0 else compared
        return
    for r in range(places.size):
        j = places[r]
        left = labels[x, i] if kind != OTHER else codes[x, j]
        right = labels[y, i] if kind == GIVEN else codes[y, j]
        outcomes[r] = outcome(left, right, tree.kinds[g])


@kernel
def _collect(
    wanted: WantedPairs, c: int, rows: IndexedSide, i: int, segment: IndexedSide, places: Places, passed: Bytes
) -> None:
    """Counts and writes the pairs that satisfy a conjunction, as far as they are wanted."""
    for r in range(places.size):
        j = places[r]
        if passed[r] == 0 or wanted.counts[c] >= wanted.most or not segment.alive[j]:
            continue
        if wanted.out.shape[0] == 0:
            wanted.counts[c] += 1
        elif segment.ids[j] != rows.ids[i]:
            wanted.counts[c] += 1
            wanted.out[wanted.used[0], 0] = i
            wanted.out[wanted.used[0], 1] = j
            wanted.used[0] += 1


@kernel
def meet(tree: Tree, rows: IndexedSide, i: int, segment: IndexedSide, others: Places, wanted: WantedPairs) -> None:
    """Compares a given row with others, all of them at once per comparison; a row meets itself where pairs are counted.

    Args:
        tree: the conjunctions.
        rows: the given rows.
        i: the one to compare.
        segment: the other rows.
        others: int32[n], those to compare it with.
        wanted: where pairs are counted and written to.
    """
    if others.size == 1 and segment.ids[others[0]] == rows.ids[i] and wanted.out.shape[0]:
        return
    nodes = tree.nodes
    for first in range(0, others.size, STRETCH):
        places = others[first : first + STRETCH]
        tree.known[:] = False
        tree.passing[0, : places.size] = 1
        node = 0
        while node < nodes.shape[0]:
            g = nodes[node, COMPARISON]
            if not tree.known[g]:
                tree.known[g] = True
                _compare(tree, g, rows, i, segment, places)
            depth = nodes[node, DEPTH]
            bits = np.uint8(nodes[node, PASSING])
            before, after, outcomes = tree.passing[depth], tree.passing[depth + 1], tree.found[g]
            some = np.uint8(0)
            for r in range(places.size):
                after[r] = before[r] if outcomes[r] & bits else np.uint8(0)
                some |= after[r]
            if some == 0:
                node = nodes[node, ELSE]
                continue
            if nodes[node, ENDS] >= 0:
                _collect(wanted, nodes[node, ENDS], rows, i, segment, places, after)
            node += 1
