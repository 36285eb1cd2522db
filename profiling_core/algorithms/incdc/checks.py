"""Many conjunctions checked on a pair of rows at once: a tree of what they ask, what few pairs satisfy first.

Conjunctions that ask the same first share a branch; a branch is left at the first comparison that fails, and two
columns are compared at most once per pair. What two conjunctions ask alike, as a symmetric one does in both roles of
the given row, is one path.
Source: Bleifuß et al., Hydra, section 6 (many constraints checked in one tree), for pairs of rows in place of clusters.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.bit_words import Masks
from profiling_core.algorithms.incdc.outcomes import outcome
from profiling_core.algorithms.incdc.pair_groups import ANY, BETWEEN, GIVEN, ONLY_EQUAL, OTHER, PairGroups
from profiling_core.algorithms.incdc.segments import Flags, Rows
from profiling_core.algorithms.kernel import kernel

# The share of pairs that pass, so that the least come first; a comparison; the outcomes that pass.
Step = tuple[float, int, int]
# Columns of the tree's nodes.
COMPARISON, PASSING, ELSE, ENDS = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class Checks:
    """A tree of comparisons.

    ``nodes`` int64[n, 4], in preorder: a comparison, the set of outcomes that pass, the node to go on with where it
    fails, and the conjunction that ends here, −1: none. ``sides``, ``ordered``, ``nulls_equal``: those of
    :class:`PairGroups`.
    """

    nodes: Rows
    sides: Rows
    ordered: Flags
    nulls_equal: bool

    @classmethod
    def of(
        cls, groups: PairGroups, masks: Masks, shares: NDArray[np.float64], settled: Collection[tuple[int, int]] = ()
    ) -> "Checks":
        """The tree of some conjunctions.

        Args:
            groups: comparisons, at least those that the conjunctions speak of.
            masks: uint64[k, words], the conjunctions.
            shares: float64[comparisons, 4], about which share of the pairs each outcome has.
            settled: the columns of the given and of the other row that are equal in all pairs to be checked.
        """
        nodes: list[list[int]] = []
        path: list[int] = []
        before: tuple[Step, ...] = ()
        for steps, number in sorted(_paths(groups, masks, shares, settled)):
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
        return cls(np.array(nodes, np.int64).reshape(-1, 4), groups.sides, groups.ordered, groups.nulls_equal)


def _paths(
    groups: PairGroups, masks: Masks, shares: NDArray[np.float64], settled: Collection[tuple[int, int]]
) -> Iterator[tuple[tuple[Step, ...], int]]:
    """Per conjunction its comparisons, those that few pairs pass first, and its number."""
    asked = masks[:, None] & groups.bits[None, :, ANY]
    passing = np.zeros(asked.shape[:2], np.int64)
    passed_by = np.zeros(asked.shape[:2])
    for one in range(ANY.bit_length()):
        passes = ~(asked & ~groups.bits[None, :, 1 << one]).any(axis=2)
        passing |= passes.astype(np.int64) << one
        passed_by += passes * shares[:, one]
    settles = np.array([kind == BETWEEN and (own, other) in settled for kind, own, other in groups.sides.tolist()])
    asked_at_all = asked.any(axis=2)
    open_ = asked_at_all & ~(settles & (passing & ONLY_EQUAL != 0))
    # A conjunction that is settled whole keeps one comparison.
    none = ~open_.any(axis=1)
    open_[none] = asked_at_all[none]
    steps: list[list[Step]] = [[] for _ in masks]
    for number, comparison in np.argwhere(open_).tolist():
        steps[number].append((float(passed_by[number, comparison]), comparison, int(passing[number, comparison])))
    for number, own in enumerate(steps):
        yield tuple(sorted(own)), number


def outcome_shares(
    groups: PairGroups, labels: Rows, given: Rows, codes: Rows, others: Rows
) -> NDArray[np.float64]:
    """float64[comparisons, 4]: which share of some pairs each outcome has.

    Args:
        groups: the comparisons.
        labels: int64[d, m], the given rows; ``given``: those of the pairs.
        codes: int64[m, n], the other rows; ``others``: those of the pairs.
    """
    counts = np.zeros((len(groups.sides), ANY.bit_length()), np.int64)
    _count(groups.sides, groups.ordered, groups.nulls_equal, labels, given, codes, others, counts)
    return counts / max(1, len(given))


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
            left = labels[given[p], sides[g, 1]] if sides[g, 0] != OTHER else codes[sides[g, 1], others[p]]
            right = labels[given[p], sides[g, 2]] if sides[g, 0] == GIVEN else codes[sides[g, 2], others[p]]
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

    Args:
        labels: int64[d, m], the given rows, each one's labels side by side.
        codes: int64[m, n], the other rows.
        counts: int64[k], grows by the pairs of each conjunction.
        known: int64[comparisons], scratch.
    """
    known[:] = 0
    wanted = False
    node = 0
    while node < nodes.shape[0]:
        g = nodes[node, COMPARISON]
        if known[g] == 0:
            left = labels[i, sides[g, 1]] if sides[g, 0] != OTHER else codes[sides[g, 1], j]
            right = labels[i, sides[g, 2]] if sides[g, 0] == GIVEN else codes[sides[g, 2], j]
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
