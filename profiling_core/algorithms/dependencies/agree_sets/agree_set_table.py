"""The multiset of agree sets with the occurrences of each, under signed changes (DynASt, section 3, property 1).

A key is the set of columns that a pair agrees on, and, where nulls are incomparable, the set of columns where it has a
null beside it. The empty key says nothing and is not stored: its pairs are all the others (section 3). Entries keep
their numbers for as long as the table lives, so that the AS-tree can refer to them; one whose count falls to zero stays
until the table is cleaned (section 7.5).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.dependencies.agree_sets.pair_comparison import BLOCK, Halves, compare, lane_count
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.counting_table import search_starts
from profiling_core.algorithms.ground.kernel import kernel

LANES_PER_WORD = 4
_FIRST_BITS = 10
# Fewer entries than this are never worth cleaning.
_CLEAN_FROM = 4096
# Left rows that pass a block at once: so many pairs may all have agree sets not met before.
_ROWS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Entries that a batch touched, with their counts before it and after it; int64[n] each."""

    entries: Counts
    before: Counts
    after: Counts

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


class AgreeSetTable:
    """Keys uint64[entries, words] with counts of unordered pairs int64[entries], and a hash index over them."""

    def __init__(self, words: int) -> None:
        self.words = words
        self.used = 0
        self._keys = np.zeros((1 << _FIRST_BITS, words), np.uint64)
        self._counts = np.zeros(1 << _FIRST_BITS, np.int64)
        self._stamps = np.zeros(1 << _FIRST_BITS, np.int64)
        self._before = np.zeros(1 << _FIRST_BITS, np.int64)
        self._touched = np.zeros(1 << _FIRST_BITS, np.int64)
        self._index = np.zeros(1 << (_FIRST_BITS + 1), np.int32)
        self._batch = 1
        self._state = np.zeros(2, np.int64)

    @property
    def keys(self) -> Words:
        """uint64[entries, words], in the order in which they were first met."""
        return self._keys[: self.used]

    @property
    def counts(self) -> Counts:
        """int64[entries]; zero for an agree set that no pair has any more."""
        return self._counts[: self.used]

    def reserve(self, more: int) -> None:
        """Makes room for that many new entries."""
        if self.used + more <= self._counts.size:
            return
        size = 1 << int(self.used + more - 1).bit_length()
        for name in ("_keys", "_counts", "_stamps", "_before", "_touched"):
            old = getattr(self, name)
            grown = np.zeros((size, *old.shape[1:]), old.dtype)
            grown[: self.used] = old[: self.used]
            setattr(self, name, grown)
        self._index = np.zeros(2 * size, np.int32)
        _reindex(self._keys, self.used, self._index)

    def add(self, keys: Words, counts: Counts) -> None:
        """Adds signed counts of distinct or repeated keys, none of them empty."""
        self.reserve(len(keys))
        self._enter()
        _add_all(*self._arrays, np.ascontiguousarray(keys.T), counts, self._batch, self._state)
        self._leave()

    def count_pairs(  # noqa: PLR0917 -- the kernel's arrays, one by one
        self,
        low: Halves,
        high: Halves,
        high_of: Counts,
        nulls: Words,
        weights: NDArray[np.int32],
        span: tuple[int, int],
        rows_low: Halves,
        rows_high: Halves,
        rows_nulls: Words,
        row_weights: Counts,
        before: Counts,
        bits: Halves,
    ) -> None:
        """Adds the pairs of left rows with the positions of ``span``; arguments as of :func:`count_direct`.

        ``nulls`` (uint64[words, positions]) and ``rows_nulls`` (uint64[rows, words]) are the null columns of either
        side, of no words where nulls are values.
        """
        for first in range(0, len(rows_low), _ROWS):
            part = slice(first, first + _ROWS)
            for start in range(span[0], span[1], BLOCK):
                self.reserve(BLOCK * _ROWS)
                self._enter()
                count_keys(
                    *self._arrays, low, high, high_of, nulls, weights, start, min(start + BLOCK, span[1]),
                    rows_low[part], rows_high[part], rows_nulls[part], row_weights[part], before[part], bits,
                    self._batch, self._state,
                )  # fmt: skip
                self._leave()

    @property
    def _arrays(self) -> tuple[Words, Counts, Counts, Counts, Counts, NDArray[np.int32]]:
        return self._keys, self._counts, self._stamps, self._before, self._touched, self._index

    def _enter(self) -> None:
        self._state[0] = self.used

    def _leave(self) -> None:
        self.used = int(self._state[0])

    def take_changes(self) -> Changes:
        """What happened since this was last asked; entries whose counts are as before are left out."""
        touched = self._touched[: int(self._state[1])].copy()
        before = self._before[touched]
        after = self._counts[touched]
        self._batch += 1
        self._state[1] = 0
        changed = before != after
        return Changes(touched[changed], before[changed], after[changed])

    @property
    def worth_cleaning(self) -> bool:
        """Whether most entries count zero."""
        return self.used > _CLEAN_FROM and 2 * int(np.count_nonzero(self.counts)) < self.used

    def cleaned(self) -> "AgreeSetTable":
        """A table without the entries that count zero; the others get new numbers, in their order."""
        fresh = AgreeSetTable(self.words)
        kept = self.counts != 0
        fresh.add(self.keys[kept], self.counts[kept])
        fresh.take_changes()
        return fresh


@kernel
def _add_block(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    keys: Words,
    counts: Counts,
    stamps: Counts,
    before: Counts,
    touched: Counts,
    index: NDArray[np.int32],
    block: Words,
    starts: Words,
    weights: NDArray[np.int64],
    batch: int,
    state: Counts,
) -> None:
    """Adds to the counts of the first keys of uint64[words, n], as many as there are weights.

    ``state`` holds the entries in use and the entries touched in this batch. Neither the empty key nor a weight of zero
    adds anything.
    """
    wrap = np.uint64(index.size - 1)
    words = block.shape[0]
    used, many = state[0], state[1]
    for j in range(weights.size):
        some = np.uint64(0)
        for w in range(words):
            some |= block[w, j]
        if some == 0 or weights[j] == 0:
            continue
        at = starts[j]
        entry = np.int64(-1)
        while index[at] != 0:
            found = np.int64(index[at]) - 1
            different = np.uint64(0)
            for w in range(words):
                different |= keys[found, w] ^ block[w, j]
            if different == 0:
                entry = found
                break
            at = (at + np.uint64(1)) & wrap
        if entry < 0:
            entry = used
            used += 1
            for w in range(words):
                keys[entry, w] = block[w, j]
            index[at] = entry + 1
        if stamps[entry] != batch:
            stamps[entry] = batch
            before[entry] = counts[entry]
            touched[many] = entry
            many += 1
        counts[entry] += weights[j]
    state[0], state[1] = used, many


@kernel
def _index_bits(index: NDArray[np.int32]) -> int:
    bits = 0
    while (1 << bits) < index.size:
        bits += 1
    return bits


@kernel
def _reindex(keys: Words, used: int, index: NDArray[np.int32]) -> None:
    bits = _index_bits(index)
    wrap = np.uint64(index.size - 1)
    start = np.empty(1, np.uint64)
    key = np.empty((keys.shape[1], 1), np.uint64)
    for entry in range(used):
        key[:, 0] = keys[entry]
        search_starts(key, bits, start)
        at = start[0]
        while index[at] != 0:
            at = (at + np.uint64(1)) & wrap
        index[at] = entry + 1


@kernel
def _add_all(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    keys: Words,
    counts: Counts,
    stamps: Counts,
    before: Counts,
    touched: Counts,
    index: NDArray[np.int32],
    more: Words,
    changes: Counts,
    batch: int,
    state: Counts,
) -> None:
    starts = np.empty(changes.size, np.uint64)
    search_starts(more, _index_bits(index), starts)
    _add_block(keys, counts, stamps, before, touched, index, more, starts, changes, batch, state)


@kernel
def count_keys(  # noqa: PLR0917 -- a kernel takes its arrays one by one
    keys: Words,
    counts: Counts,
    stamps: Counts,
    before: Counts,
    touched: Counts,
    index: NDArray[np.int32],
    low: Halves,
    high: Halves,
    high_of: Counts,
    nulls: Words,
    weights: NDArray[np.int32],
    start: int,
    end: int,
    rows_low: Halves,
    rows_high: Halves,
    rows_nulls: Words,
    row_weights: Counts,
    until: Counts,
    bits: Halves,
    batch: int,
    state: Counts,
) -> None:
    """As :func:`pair_comparison.count_direct`, into the table of agree sets; it must have room for all pairs."""
    equal_words = keys.shape[1] - nulls.shape[0]
    lanes = np.zeros((max(lane_count(low.shape[0]), LANES_PER_WORD * equal_words), BLOCK), np.uint16)
    wide = np.empty((keys.shape[1], BLOCK), np.uint64)
    starts = np.empty(BLOCK, np.uint64)
    products = np.empty(BLOCK, np.int64)
    index_bits = _index_bits(index)
    for block in range(start, end, BLOCK):
        for row in range(rows_low.shape[0]):
            size = min(BLOCK, end - block, until[row] - block)
            if size <= 0:
                continue
            compare(lanes, low, high, high_of, rows_low[row], rows_high[row], block, size, bits)
            for w in range(equal_words):
                _join(wide[w, :size], lanes, LANES_PER_WORD * w)
            for w in range(nulls.shape[0]):
                mine = rows_nulls[row, w]
                for j in range(size):
                    wide[equal_words + w, j] = mine | nulls[w, block + j]
            search_starts(wide, index_bits, starts[:size])
            for j in range(size):
                products[j] = row_weights[row] * weights[block + j]
            _add_block(keys, counts, stamps, before, touched, index, wide, starts, products[:size], batch, state)


@kernel
def _join(words: Words, lanes: Halves, first: int) -> None:
    for j in range(words.size):
        lower = np.uint64(lanes[first, j]) | np.uint64(lanes[first + 1, j]) << np.uint64(16)
        upper = np.uint64(lanes[first + 2, j]) | np.uint64(lanes[first + 3, j]) << np.uint64(16)
        words[j] = lower | upper << np.uint64(32)
