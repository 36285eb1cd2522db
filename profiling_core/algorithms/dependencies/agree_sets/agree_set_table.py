"""The multiset of agree sets with the occurrences of each, under signed changes (DynASt, section 3, property 1).

A key is the set of columns that a pair agrees on, and, where nulls are incomparable, the set of columns where it has a
null beside it. The empty key says nothing and is not stored: its pairs are all the others (section 3). Entries keep
their numbers for as long as the table lives, so that the AS-tree can refer to them; one whose count falls to zero stays
until the table is cleaned (section 7.5).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.pair_comparison import (
    BLOCK,
    Halves,
    LeftRows,
    RightRows,
    compare,
    lane_bits,
    lane_count,
)
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.hashing import binary_logarithm, search_starts
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.mask_table import MaskIndex, MaskTable, enter

LANES_PER_WORD = 4
# Fewer entries than this are never worth cleaning.
_CLEAN_FROM = 4096
# Left rows that pass a block at once: their pairs may all have agree sets not met before. Fewer, if rows have so
# many patterns of nulls that their counts would take more than this.
_ROWS, _MOST_COUNTS = 64, 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class AgreeSetChanges:
    """Entries that a batch touched, with their counts before it and after it; int64[n] each.

    ``empty``: by how much the pairs grew that agree on nothing, and have no entry.
    """

    entries: Counts
    before: Counts
    after: Counts
    empty: int = 0

    @property
    def new(self) -> Counts:
        """The entries that came into being."""
        new: Counts = self.entries[(self.before == 0) & (self.after > 0)]
        return new

    @property
    def gone(self) -> Counts:
        """The entries that no pair has any more."""
        gone: Counts = self.entries[(self.before > 0) & (self.after == 0)]
        return gone


class _Entries(NamedTuple):
    """Beside each agree set its count, the last batch that touched it, and its count before that; int64[room] each.

    ``touched``: int64[room], the entries that this batch has touched; ``state``: int64[3], how many entries there are,
    how many are touched, and the batch; ``apart``: int64[rows, patterns], pairs that agree on nothing, not entered yet.
    """

    counts: Counts
    stamps: Counts
    before: Counts
    touched: Counts
    state: Counts
    apart: Counts


class AgreeSetTable:
    """Keys uint64[entries, words] with counts of unordered pairs int64[entries]."""

    def __init__(self, words: int) -> None:
        self.words = words
        none = np.zeros(0, np.int64)
        self._masks = MaskTable(np.zeros((0, words), np.uint64), counts=none, stamps=none, before=none, touched=none)
        self._state = np.array([0, 0, 1], np.int64)

    @property
    def keys(self) -> Words:
        """uint64[entries, words], in the order in which they were first met."""
        return self._masks.masks

    @property
    def counts(self) -> Counts:
        """int64[entries]; zero for an agree set that no pair has any more."""
        return self._masks["counts"]

    def add(self, keys: Words, counts: Counts) -> None:
        """Adds signed counts of distinct or repeated keys, none of them empty."""
        _add_all(*self._with_room(len(keys)), np.ascontiguousarray(keys.T), counts)
        self._masks.used = int(self._state[0])

    def count_pairs(self, right: RightRows, patterns: Words, left: LeftRows, end: int) -> None:
        """Adds the pairs of left rows with the positions before ``end``.

        Pairs that agree on nothing and have nulls are most pairs of some tables: they are counted by the right row's
        pattern of nulls, uint64[patterns, words], and looked up together. Without patterns each is looked up.
        """
        many = max(1, min(_ROWS, _MOST_COUNTS // max(1, len(patterns))))
        for first in range(0, len(left.low), many):
            part = left.part(slice(first, first + many))
            apart = np.zeros((len(part.low), len(patterns)), np.int64)
            for start in range(0, end, BLOCK):
                index, entries = self._with_room(BLOCK * many)
                count_keys(
                    index, entries._replace(apart=apart), right, part, start, min(start + BLOCK, end), lane_bits()
                )
                self._masks.used = int(self._state[0])
            if apart.any():
                rows, found = np.nonzero(apart)
                keys = np.zeros((len(rows), self.words), np.uint64)
                keys[:, self.words - patterns.shape[1] :] = part.nulls[rows] | patterns[found]
                self.add(keys, apart[rows, found])

    def _with_room(self, more: int) -> tuple[MaskIndex, _Entries]:
        index, beside = self._masks.with_room(more)
        counts, stamps, before, touched = (beside[name] for name in ("counts", "stamps", "before", "touched"))
        return index, _Entries(counts, stamps, before, touched, self._state, np.zeros((0, 0), np.int64))

    def take_changes(self) -> AgreeSetChanges:
        """The changes since the last call; entries whose counts are as before are left out."""
        touched = self._masks["touched"][: int(self._state[1])].copy()
        before = self._masks["before"][touched]
        after = self.counts[touched]
        self._state[1:] = 0, self._state[2] + 1
        changed = before != after
        return AgreeSetChanges(touched[changed], before[changed], after[changed])

    @property
    def worth_cleaning(self) -> bool:
        """Whether most entries count zero."""
        return len(self.counts) > _CLEAN_FROM and 2 * int(np.count_nonzero(self.counts)) < len(self.counts)

    def cleaned(self) -> "AgreeSetTable":
        """A table without the entries that count zero; the others get new numbers, in their order."""
        fresh = AgreeSetTable(self.words)
        kept = self.counts != 0
        fresh.add(self.keys[kept], self.counts[kept])
        fresh.take_changes()
        return fresh


@kernel
def _add_block(index: MaskIndex, entries: _Entries, block: Words, starts: Words, weights: Counts) -> None:
    """Adds to the counts of the first keys of uint64[words, n], as many as there are weights.

    Neither the empty key nor a weight of zero adds anything.
    """
    counts, stamps, before, touched, state, _ = entries
    numbers = np.empty(weights.size, np.int64)
    for j in range(weights.size):
        some = np.uint64(0)
        for w in range(block.shape[0]):
            some |= block[w, j]
        numbers[j] = -1 if some == 0 or weights[j] == 0 else 0
    state[0] = enter(index, block.T, starts, state[0], numbers)
    many, batch = state[1], state[2]
    for j in range(weights.size):
        entry = numbers[j]
        if entry < 0:
            continue
        if stamps[entry] != batch:
            stamps[entry] = batch
            before[entry] = counts[entry]
            touched[many] = entry
            many += 1
        counts[entry] += weights[j]
    state[1] = many


@kernel
def _add_all(index: MaskIndex, entries: _Entries, keys: Words, changes: Counts) -> None:
    starts = np.empty(changes.size, np.uint64)
    search_starts(keys, binary_logarithm(index.places), starts)
    _add_block(index, entries, keys, starts, changes)


@kernel
def count_keys(
    index: MaskIndex, entries: _Entries, right: RightRows, left: LeftRows, start: int, end: int, bits: Halves
) -> None:
    """As :func:`pair_comparison.count_direct`, into the table of agree sets; it must have room for all pairs."""
    apart = entries.apart
    words, null_words = index.masks.shape[1], right.nulls.shape[0]
    equal_words = words - null_words
    lanes = np.zeros((max(lane_count(right.low.shape[0]), LANES_PER_WORD * equal_words), BLOCK), np.uint16)
    wide = np.empty((words, BLOCK), np.uint64)
    starts = np.empty(BLOCK, np.uint64)
    products = np.empty(BLOCK, np.int64)
    index_bits = binary_logarithm(index.places)
    for block in range(start, end, BLOCK):
        for row in range(left.low.shape[0]):
            size = min(BLOCK, end - block, left.before[row] - block)
            if size <= 0:
                continue
            compare(lanes, right, left, row, block, size, bits)
            for w in range(equal_words):
                _join(wide[w, :size], lanes, LANES_PER_WORD * w)
            for w in range(null_words):
                mine = left.nulls[row, w]
                for j in range(size):
                    wide[equal_words + w, j] = mine | right.nulls[w, block + j]
            for j in range(size):
                products[j] = left.weights[row] * right.weights[block + j]
            some = size
            if apart.shape[1] > 0 or null_words == 0:
                pattern = right.pattern[block : block + size]
                some = _keep_agreeing(wide, equal_words, products[:size], pattern, apart[row])
            search_starts(wide, index_bits, starts[:some])
            _add_block(index, entries, wide, starts, products[:some])


@kernel
def _keep_agreeing(wide: Words, equal_words: int, products: Counts, pattern: NDArray[np.int32], apart: Counts) -> int:
    """Closes the gaps of pairs that agree on nothing, which count by pattern; returns how many others there are."""
    many = 0
    for j in range(products.size):
        some = np.uint64(0)
        for w in range(equal_words):
            some |= wide[w, j]
        if some != 0:
            if many < j:
                for w in range(wide.shape[0]):
                    wide[w, many] = wide[w, j]
                products[many] = products[j]
            many += 1
        elif apart.size > 0:
            apart[pattern[j]] += products[j]
    return many


@kernel
def _join(words: Words, lanes: Halves, first: int) -> None:
    for j in range(words.size):
        lower = np.uint64(lanes[first, j]) | np.uint64(lanes[first + 1, j]) << np.uint64(16)
        upper = np.uint64(lanes[first + 2, j]) | np.uint64(lanes[first + 3, j]) << np.uint64(16)
        words[j] = lower | upper << np.uint64(32)
