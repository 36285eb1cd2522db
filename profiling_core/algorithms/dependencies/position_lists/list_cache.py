"""The cache of position list indexes, from which the smallest index of a part of a column set is found.

Column sets stand as bit words beside each other and are passed as a whole: at 15,000 indexes of a table of 109 columns
that takes some hundredths of the time of a trie over them (docs/tried/engines.md, 19). When memory is used up, any half
of the indexes goes: those needed often come back soonest (Pyro, section 5.1).
"""

import threading

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.partitions import Classes

# The share of intermediate indexes that is kept; of few rows none, since they are made again at once.
KEPT_BY_CHANCE = 0.5
FEWEST_ROWS = 4096
_FIRST = 256


class ListCache:
    """Indexes by column set, an int with bit i for column i; that of no columns is always there."""

    def __init__(self, whole: Classes, columns: int, memory: int) -> None:
        """Takes the index of no columns, how many columns there are, and the bytes that the other indexes may take."""
        self._whole = whole
        self._words = word_count(columns)
        self._memory = memory
        self._lock = threading.Lock()
        self._drawn = np.random.default_rng(0)
        self._clear()

    def _clear(self) -> None:
        self._known = {0: self._whole}
        self._order = [0]
        self._masks = np.zeros((_FIRST, self._words), np.uint64)
        self._sizes = np.full(_FIRST, len(self._whole.members), np.int64)
        self._bytes = 0

    def get(self, columns: int) -> Classes | None:
        """The index of exactly these columns, if it is there."""
        return self._known.get(columns)

    def smallest_part(self, columns: int) -> tuple[int, Classes]:
        """The columns of the index with the fewest rows among those of the set's parts, and that index."""
        with self._lock:
            at = _smallest_part(self._masks, self._sizes, len(self._order), self._mask(columns))
            part = self._order[at]
            return part, self._known[part]

    def keep(self, columns: int, lists: Classes, *, always: bool) -> None:
        """Takes an index in; one that is not ``always`` wanted only by chance."""
        with self._lock:
            if columns in self._known or not (always or self._is_lucky(lists)):
                return
            if self._bytes + lists.nbytes > self._memory:
                self._drop_half()
            if self._bytes + lists.nbytes <= self._memory:
                self._insert(columns, lists)

    def _is_lucky(self, lists: Classes) -> bool:
        return len(lists.members) >= FEWEST_ROWS and self._drawn.random() < KEPT_BY_CHANCE

    def _drop_half(self) -> None:
        others = [(columns, lists) for columns, lists in self._known.items() if columns]
        self._clear()
        for columns, lists in others:
            if self._drawn.random() < KEPT_BY_CHANCE:
                self._insert(columns, lists)

    def _insert(self, columns: int, lists: Classes) -> None:
        at = len(self._order)
        if at == len(self._sizes):
            self._masks = np.concatenate([self._masks, np.zeros_like(self._masks)])
            self._sizes = np.concatenate([self._sizes, np.zeros_like(self._sizes)])
        self._masks[at] = self._mask(columns)
        self._sizes[at] = len(lists.members)
        self._order.append(columns)
        self._known[columns] = lists
        self._bytes += lists.nbytes

    def _mask(self, columns: int) -> NDArray[np.uint64]:
        return np.frombuffer(columns.to_bytes(8 * self._words, "little"), np.uint64)


@kernel
def _smallest_part(
    masks: NDArray[np.uint64], sizes: NDArray[np.int64], many: int, columns: NDArray[np.uint64]
) -> np.int64:
    best = np.int64(0)
    for k in range(1, many):
        if sizes[k] >= sizes[best]:
            continue
        inside = True
        for w in range(columns.size):
            inside &= masks[k, w] & ~columns[w] == 0
        if inside:
            best = np.int64(k)
    return best
