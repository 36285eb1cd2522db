"""Joins given rows with the rows that agree with them in an order's leading columns: runs of that order.

Given rows that are sorted alike meet their runs one after the other, each a few steps behind the last. Where few rows
agree, as with most constraints' equalities, this finds a given row's pairs at once; rows that many others agree with
are left to the trees of bounds.
Source: IncDC (equality indexes); the galloping search is that of Bentley and Yao, "An almost optimal algorithm for
unbounded searching" (1976).
"""

from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.denial.indexed.checks import Checks, Tree, WantedPairs, meet, wanted
from profiling_core.algorithms.denial.indexed.segments import IndexedSide, Order, Places, Rows, Segment, side
from profiling_core.algorithms.ground.arrays import Flags, fixed
from profiling_core.algorithms.ground.kernel import kernel

# Rows with longer runs are left to the trees.
_LONGEST_RUN = 512
# Pairs that are sampled to see which checks they pass.
_SAMPLED = 512


class Runs(NamedTuple):
    """Per given row, in their order, where in the segment's order those that agree with it begin and end."""

    given: Places
    starts: Rows
    stops: Rows

    @property
    def crowded(self) -> Flags:
        """bool[d]: which given rows too many others agree with."""
        flags = np.zeros(len(self.given), np.bool_)
        flags[self.given[self.stops - self.starts > _LONGEST_RUN]] = True
        return flags

    @property
    def met(self) -> Flags:
        """bool[d]: which given rows any others agree with."""
        flags = np.zeros(len(self.given), np.bool_)
        flags[self.given[self.stops > self.starts]] = True
        return flags

    @property
    def short(self) -> "Runs":
        """The runs of those that are not crowded."""
        return self._those(self.stops - self.starts <= _LONGEST_RUN)

    def only(self, flags: Flags) -> "Runs":
        """The runs of these given rows."""
        return self if flags.all() else self._those(flags[self.given])

    def _those(self, chosen: Flags) -> "Runs":
        return Runs(self.given[chosen], self.starts[chosen], self.stops[chosen])

    def some(self, most: int) -> tuple[Rows, Rows]:
        """Some of the pairs, spread over all: given rows, and places in the segment's order."""
        sizes = self.stops - self.starts
        ends = np.cumsum(sizes)
        chosen = np.arange(0, self.pairs, max(1, self.pairs // most))
        run = np.searchsorted(ends, chosen, side="right")
        return self.given[run].astype(np.int64), self.starts[run] + chosen - (ends[run] - sizes[run])

    @property
    def pairs(self) -> int:
        """How many pairs the runs have."""
        return int((self.stops - self.starts).sum())


def runs_of(
    labels: Rows, given: Places, own: Order, segment: Segment, order: Places, columns: Order, *, nulls_equal: bool
) -> Runs:
    """The rows that agree with given ones.

    Args:
        labels: int64[m, d], the given rows.
        given: int32[d], the given rows sorted by ``own``.
        own: the given rows' columns.
        segment: the other rows.
        order: int32[n], the segment's rows sorted by ``columns``, and further ones perhaps.
        columns: the segment's columns, each held against one of ``own``.
        nulls_equal: whether nulls agree with each other.
    """
    starts, stops = np.zeros((2, len(given)), np.int64)
    sides = np.array([own, columns], np.int64)
    found = Runs(fixed(given), starts, stops)
    _meet(found, fixed(labels), fixed(sides), fixed(segment.codes), fixed(order), nulls_equal)
    return found


def runs_within(segment: Segment, order: Places, columns: Order, *, nulls_equal: bool) -> Runs:
    """The rows of a segment behind each of its rows that agree with it, the segment being sorted by ``columns``."""
    stops = np.empty(len(order), np.int64)
    _stretch(fixed(segment.codes), fixed(order), fixed(np.array(columns, np.int64)), nulls_equal, stops)
    starts = np.arange(1, len(order) + 1)
    some = (stops > starts) & segment.alive[order]
    return Runs(order[some], starts[some], stops[some])


def violating(
    runs: Runs, labels: Rows, ids: Rows, segment: Segment, order: Places, checks: Checks, *, most: int
) -> Rows:
    """Some pairs within runs that satisfy a conjunction, at least one of each that has any.

    Args:
        runs: given rows, and their runs.
        labels: int64[m, d], the given rows.
        ids: int64[d], their ids; a row is never paired with itself.
        segment: the other rows.
        order: int32[n], those in the order that the runs are of.
        checks: the conjunctions.
        most: the most pairs of each.

    Returns:
        int64[p, 2]: places in the given rows and in the segment.
    """
    if not runs.pairs:
        return np.empty((0, 2), np.int64)
    given, places = runs.some(_SAMPLED)
    own, others = side(labels, ids), segment.side
    tree = checks.tree(own, given, others, order[places].astype(np.int64))
    found = wanted(len(checks.masks), most, len(checks.masks) * min(most, runs.pairs))
    _compare(Runs(fixed(runs.given), fixed(runs.starts), fixed(runs.stops)), own, others, fixed(order), tree, found)
    return found.out[: found.used[0]]


@kernel
def _sign(labels: Rows, i: int, codes: Rows, j: int, sides: Rows) -> int:
    """Whether a given row comes before (−1), with (0) or behind (1) another one."""
    for k in range(sides.shape[1]):
        own = labels[sides[0, k], i]
        other = codes[sides[1, k], j]
        if own != other:
            return -1 if own < other else 1
    return 0


@kernel
def _beyond(labels: Rows, i: int, codes: Rows, order: Places, sides: Rows, at: int, least: int) -> int:
    """The first place from ``at`` on whose row the given one is behind by less than ``least``."""
    low = at
    step = 1
    while low + step <= order.size and _sign(labels, i, codes, order[low + step - 1], sides) >= least:
        low += step
        step *= 2
    high = min(low + step - 1, order.size)
    while low < high:
        middle = (low + high) // 2
        if _sign(labels, i, codes, order[middle], sides) >= least:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _meet(runs: Runs, labels: Rows, sides: Rows, codes: Rows, order: Places, nulls_equal: bool) -> None:  # noqa: FBT001 -- kernels take no keyword arguments
    """Finds the runs of the given rows."""
    given, starts, stops = runs
    at = 0
    for place in range(given.size):
        i = given[place]
        last = given[place - 1]
        same = place > 0
        null = False
        for k in range(sides.shape[1]):
            same = same and labels[sides[0, k], i] == labels[sides[0, k], last]
            null |= labels[sides[0, k], i] < 0
        if null and not nulls_equal:
            continue
        if same:
            starts[place] = starts[place - 1]
            stops[place] = stops[place - 1]
            continue
        starts[place] = _beyond(labels, i, codes, order, sides, at, 1)
        stops[place] = _beyond(labels, i, codes, order, sides, starts[place], 0)
        at = stops[place]


@kernel
def _stretch(
    codes: Rows,
    order: Places,
    columns: Rows,
    nulls_equal: bool,  # noqa: FBT001 -- kernels take no keyword arguments
    stops: Rows,
) -> None:
    end = order.size
    for place in range(order.size - 1, -1, -1):
        null = False
        for c in columns:
            null |= codes[c, order[place]] < 0
            if place + 1 < order.size and codes[c, order[place]] != codes[c, order[place + 1]]:
                end = place + 1
        stops[place] = place + 1 if null and not nulls_equal else end


@kernel
def _compare(
    runs: Runs, rows: IndexedSide, segment: IndexedSide, order: Places, tree: Tree, wanted: WantedPairs
) -> None:
    """Compares each given row with those of its run."""
    for place in range(runs.given.size):
        others = order[runs.starts[place] : runs.stops[place]]
        meet(tree, rows, runs.given[place], segment, others, wanted)
