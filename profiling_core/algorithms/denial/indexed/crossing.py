"""Checks many conjunctions on all pairs of given rows and others, 64 given rows a machine word.

The given rows' values in a column, sorted, say for any other value which of the given rows lie below it and which are
equal to it: one bit set per place in that order, so that no pair is compared. A conjunction is the intersection of its
comparisons' bit sets; conjunctions that ask the same first share a branch of one tree, and a branch is left as soon as
no pair of a block is in it. Where many constraints are held against few thousand rows, that costs less than to look up
each constraint's pairs.
Source: Bleifuß et al., Hydra, section 6 (many constraints checked in one tree); bit sets in place of clusters our own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.checks import WantedPairs, shares_of, wanted
from profiling_core.algorithms.denial.indexed.outcomes import outcome
from profiling_core.algorithms.denial.indexed.pair_groups import ANY, BETWEEN, GIVEN, Conjunction, PairGroups
from profiling_core.algorithms.denial.indexed.segments import IndexedSide, Rows, Segment, side
from profiling_core.algorithms.ground.arrays import Words, fixed
from profiling_core.algorithms.ground.bit_words import WORD, flags, lowest
from profiling_core.algorithms.ground.kernel import kernel

# Given rows that are checked together, and the words of a block of pairs: what all steps' bit sets of a block take
# then stays in a processor's second cache.
_TOGETHER, _BLOCK = 512, 256
# Pairs that are sampled to see which comparisons they pass.
_SAMPLED = 512
# Blocks that are looked at to tell what all take.
_LOOKED_AT = 8
# Seconds of a core, fitted to 50 deltas of 7 tables by a program that is not kept (docs/tried/engines.md): for a node
# of a block, for the bit sets of a step there, and for each row that stands in these.
_COSTS = np.array([50e-9, 600e-9, 15e-9])


class StepTree(NamedTuple):
    """What conjunctions ask, as a tree in preorder.

    Attributes:
        asked: int64[steps, 2], a comparison, and the set of outcomes that pass.
        sides: int64[comparisons, 3], as of :class:`PairGroups`.
        kinds: int64[comparisons].
        nodes: int64[n, 4]: a step, where to go on if no pair passes, the conjunction that ends here (−1: none), and how
            many nodes lead here.
        conjunctions: how many there are.
    """

    asked: Rows
    sides: Rows
    kinds: Rows
    nodes: Rows
    conjunctions: int


def steps_of(groups: PairGroups, conjunctions: Sequence[Conjunction], shares: NDArray[np.float64]) -> StepTree:
    """The tree of conjunctions, what few pairs pass first.

    Args:
        groups: the space's comparisons.
        conjunctions: at least one.
        shares: float64[comparisons, outcomes], the share of the pairs that each outcome has.
    """
    asked, step_of = _asked(groups, shares)
    sizes = np.fromiter((len(dc) for _, dc in conjunctions), np.int64, len(conjunctions))
    bits = np.fromiter(chain.from_iterable(dc for _, dc in conjunctions), np.int64, int(sizes.sum()))
    bits += groups.predicates * np.repeat([given == "s" for given, _ in conjunctions], sizes)
    rows = np.full((len(sizes), int(sizes.max()) + 1), len(asked), np.int64)
    own, begins = np.repeat(np.arange(len(sizes)), sizes), np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows[own, np.arange(len(bits)) - begins] = step_of[bits]
    rows.sort(axis=1)
    rows[rows == len(asked)] = -1  # what begins as another one does comes before it
    order = np.lexsort(rows.T[::-1])
    nodes = _nodes(rows[order], order)
    return StepTree(fixed(asked), fixed(groups.sides), fixed(groups.kinds), fixed(nodes), len(conjunctions))


def _asked(groups: PairGroups, shares: NDArray[np.float64]) -> tuple[Rows, Rows]:
    """The different steps, those that few pairs pass first; and each predicate's, in both roles of the given row."""
    outcomes = np.array([1 << one for one in range(ANY.bit_length())])
    satisfied = flags(groups.bits[:, outcomes])[:, :, : 2 * groups.predicates].astype(np.bool_)
    comparison = satisfied.any(axis=1).argmax(axis=0)
    passing = satisfied[comparison, :, np.arange(len(comparison))]
    asked, first, number = np.unique(
        np.column_stack([comparison, passing @ outcomes]), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort((shares[comparison] * passing).sum(axis=1)[first], kind="stable")
    return asked[order], np.argsort(order)[number.ravel()]


@kernel
def _nodes(rows: Rows, order: Rows) -> Rows:
    """The nodes of sorted conjunctions, each a row of steps, −1 behind the last one."""
    nodes = np.empty((rows.size, 4), np.int64)
    path = np.empty(rows.shape[1] + 1, np.int64)
    used = depth = 0
    for r in range(rows.shape[0]):
        shared = 0
        while r > 0 and rows[r, shared] == rows[r - 1, shared] and rows[r, shared] >= 0:
            shared += 1
        if r > 0 and rows[r, shared] < 0 and rows[r - 1, shared] < 0:
            continue
        while depth > shared:
            depth -= 1
            nodes[path[depth], 1] = used
        while rows[r, depth] >= 0:
            path[depth] = used
            nodes[used] = (rows[r, depth], 0, -1, depth)
            used += 1
            depth += 1
        nodes[used - 1, 2] = order[r]
    while depth > 0:
        depth -= 1
        nodes[path[depth], 1] = used
    return nodes[:used]


class Others(NamedTuple):
    """``places``: int64[n] of rows in a segment; ``itself``: int64[n], which of the given rows each one is, or −1."""

    places: Rows
    itself: Rows


class _Sorted(NamedTuple):
    """The given rows by their values in each column, as bit sets.

    Attributes:
        counts: int64[m], how many values each column has.
        values: int64[m, d], these, ascending.
        below: uint64[m, d + 1, words], per place among them the rows that have a value before it.
        equal: uint64[m, d + 1, words], those that have the value at the place.
        null: uint64[m, words], those that have none.
    """

    counts: Rows
    values: Rows
    below: Words
    equal: Words
    null: Words


def _sorted(labels: Rows) -> _Sorted:
    columns, rows = labels.shape
    words = _words(rows)
    found = _Sorted(
        np.zeros(columns, np.int64),
        np.zeros((columns, rows), np.int64),
        np.zeros((columns, rows + 1, words), np.uint64),
        np.zeros((columns, rows + 1, words), np.uint64),
        np.zeros((columns, words), np.uint64),
    )
    _sort(fixed(labels), np.argsort(labels, axis=1), found)
    return found


@kernel
def _sort(labels: Rows, orders: Rows, found: _Sorted) -> None:
    for column in range(labels.shape[0]):
        last = -1
        for i in orders[column]:
            bit, word, value = np.uint64(1) << np.uint64(i & 63), i >> 6, labels[column, i]
            if value < 0:
                found.null[column, word] |= bit
                continue
            if last < 0 or found.values[column, last] != value:
                last += 1
                found.values[column, last] = value
                found.below[column, last + 1] = found.below[column, last]
            found.equal[column, last, word] |= bit
            found.below[column, last + 1, word] |= bit
        found.counts[column] = last + 1


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Given rows, int64[m, d] labels and int64[d] ids, at least one, and what each of their pairs is asked."""

    labels: Rows
    ids: Rows
    steps: StepTree

    @classmethod
    def of(
        cls, labels: Rows, ids: Rows, segment: Segment, groups: PairGroups, conjunctions: Sequence[Conjunction]
    ) -> "Crossing":
        """The crossing for at least one conjunction; some pairs with a segment tell what to ask first."""
        own, random = side(labels, ids), np.random.default_rng(0)
        some = (random.integers(0, size, _SAMPLED) for size in (len(ids), len(segment.ids)))
        shares = shares_of(groups, own, next(some), segment.side, next(some))
        return cls(labels, ids, steps_of(groups, conjunctions, shares))

    def seconds(self, segment: Segment) -> float:
        """About what it takes to meet a segment's rows, by some of its blocks."""
        alive = np.flatnonzero(segment.alive)
        if not len(alive):
            return 0.0
        few = slice(0, _TOGETHER)
        size = max(1, _BLOCK // _words(len(self.ids[few])))
        starts = np.linspace(0, max(0, len(alive) - size), _LOOKED_AT).astype(np.int64)
        some = np.unique(np.minimum(starts[:, None] + np.arange(size), len(alive) - 1))
        work = self._crossed(few, segment, alive[some], wanted(self.steps.conjunctions, 0, 1))
        parts = _words(len(self.ids)) / _words(len(self.ids[few]))
        return float(work @ _COSTS) * parts * len(alive) / len(some)

    def pairs(self, segment: Segment, most: int) -> Rows:
        """Some pairs that satisfy a conjunction, at least one of each that has any, ``most`` of each.

        Returns:
            int64[p, 2]: places in the given rows and in the segment; a row is never paired with itself.
        """
        alive, count = np.flatnonzero(segment.alive), self.steps.conjunctions
        found = wanted(count, most, count * min(most, len(self.ids) * len(alive)))
        for first in range(0, len(self.ids), _TOGETHER):
            before = int(found.used[0])
            self._crossed(slice(first, first + _TOGETHER), segment, alive, found)
            found.out[before : found.used[0], 0] += first
        return found.out[: found.used[0]]

    def _crossed(self, part: slice, segment: Segment, places: Rows, found: WantedPairs) -> Rows:
        """Meets some given rows with a segment's rows at some places; counts the work."""
        labels, ids, own = fixed(self.labels[:, part]), fixed(self.ids[part]), segment.ids[places]
        by_id = np.argsort(ids)
        at = by_id[np.minimum(np.searchsorted(ids, own, sorter=by_id), len(ids) - 1)]
        against, work = Others(places, np.where(ids[at] == own, at, -1)), np.zeros(len(_COSTS), np.int64)
        _cross(self.steps, _sorted(labels), side(labels, ids), segment.side, against, found, work)
        return work


def _words(rows: int) -> int:
    return -(-rows // WORD)


@kernel
def _place(values: Rows, count: int, value: int) -> int:
    """The first of some ascending values that is at least this one."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _if(passing: int, kind: int, a: int, b: int) -> np.uint64:
    """All bits where what comparing two labels comes to passes, else none."""
    return ~np.uint64(0) if passing & outcome(a, b, kind) else np.uint64(0)


@kernel
def _fill(
    steps: StepTree, s: int, by: _Sorted, given: IndexedSide, segment: IndexedSide, others: Rows, bits: Words
) -> None:
    """The given rows that pass a step with each of some others, ``bits``: uint64[others × words]."""
    comparison, passing = steps.asked[s, 0], steps.asked[s, 1]
    which, x, y = steps.sides[comparison, 0], steps.sides[comparison, 1], steps.sides[comparison, 2]
    kind, words = steps.kinds[comparison], by.null.shape[1]
    if which == BETWEEN:
        _fill_between(passing, kind, by, x, segment.codes[y], others, bits)
    elif which == GIVEN:
        bits[:words] = 0
        for i in range(given.ids.size):
            own = _if(passing, kind, given.codes[x, i], given.codes[y, i])
            bits[i >> 6] |= own & (np.uint64(1) << np.uint64(i & 63))
        for at in range(words, others.size * words):
            bits[at] = bits[at - words]
    else:
        for r in range(others.size):
            own = _if(passing, kind, segment.codes[x, others[r]], segment.codes[y, others[r]])
            bits[r * words : (r + 1) * words] = own


@kernel
def _fill_between(passing: int, kind: int, by: _Sorted, x: int, codes: Rows, others: Rows, bits: Words) -> None:
    """The given rows whose column x compares as asked with each of some others' labels ``codes``."""
    null, words = by.null[x], by.null.shape[1]
    less, same, more = _if(passing, kind, 0, 1), _if(passing, kind, 0, 0), _if(passing, kind, 1, 0)
    unknown, lone, both = _if(passing, kind, -1, 0), _if(passing, kind, 0, -1), _if(passing, kind, -1, -1)
    for r in range(others.size):
        value, at = codes[others[r]], r * words
        if value < 0:
            for w in range(words):
                bits[at + w] = (null[w] & both) | (~null[w] & lone)
            continue
        place = _place(by.values[x], by.counts[x], value)
        has = place < by.counts[x] and by.values[x, place] == value
        for w in range(words):
            below = by.below[x, place, w]
            equal = by.equal[x, place, w] if has else np.uint64(0)
            bits[at + w] = (below & less) | (equal & same) | (null[w] & unknown) | (~(below | equal | null[w]) & more)


@kernel
def _collect(wanted: WantedPairs, c: int, passed: Words, words: int, others: Rows) -> None:
    for at in range(passed.size):
        word = passed[at]
        while word != 0 and wanted.counts[c] < wanted.most:
            wanted.out[wanted.used[0], 0] = WORD * (at % words) + lowest(word)
            wanted.out[wanted.used[0], 1] = others[at // words]
            wanted.used[0] += 1
            wanted.counts[c] += 1
            word &= word - np.uint64(1)


@kernel
def _cross(
    steps: StepTree,
    by: _Sorted,
    given: IndexedSide,
    segment: IndexedSide,
    against: Others,
    wanted: WantedPairs,
    work: Rows,
) -> None:
    """Writes the pairs that are wanted, block by block; ``work`` counts what :data:`_COSTS` are of."""
    others, itself = against
    words, nodes = by.null.shape[1], steps.nodes
    together = max(1, _BLOCK // words)
    bits = np.empty((steps.asked.shape[0], together * words), np.uint64)
    passing = np.empty((nodes[:, 3].max() + 2, together * words), np.uint64)
    known = np.empty(steps.asked.shape[0], np.bool_)
    for first in range(0, others.size, together):
        some = others[first : first + together]
        size = some.size * words
        known[:] = False
        passing[0] = ~np.uint64(0)
        for r in range(some.size):
            if given.ids.size & 63:
                passing[0, (r + 1) * words - 1] = (np.uint64(1) << np.uint64(given.ids.size & 63)) - np.uint64(1)
            i = itself[first + r]
            if i >= 0:
                passing[0, r * words + (i >> 6)] &= ~(np.uint64(1) << np.uint64(i & 63))
        node = 0
        while node < nodes.shape[0]:
            s, depth = nodes[node, 0], nodes[node, 3]
            if not known[s]:
                known[s] = True
                work[1] += 1
                work[2] += some.size
                _fill(steps, s, by, given, segment, some, bits[s])
            work[0] += 1
            before, after, own = passing[depth], passing[depth + 1], bits[s]
            left = np.uint64(0)
            for at in range(size):
                after[at] = before[at] & own[at]
                left |= after[at]
            if left == 0:
                node = nodes[node, 1]
                continue
            c = nodes[node, 2]
            if c >= 0 and wanted.counts[c] < wanted.most:
                _collect(wanted, c, after[:size], words, some)
            node += 1
