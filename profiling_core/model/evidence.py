"""Evidence multisets: for each distinct combination of group outcomes, the number of pairs that have it.

A key holds two bits per slot. Slots are the groups of the predicate space in order, followed by one slot per
single-row group for the other row (``s.A ? s.B``): with it the key of (s, t) follows from the key of (t, s), so one
canonical key (the smaller of the two, words compared from the first) stands for an unordered pair.
Outcomes: 0 incomparable (a null is involved), 1 less (in unordered groups: different), 2 equal, 3 greater.
Sources: DynASt, section 3 (multiset of tuple evidences); Pena et al., FastADC (clues of two bits per group).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

INCOMPARABLE, LESS, EQUAL, GREATER = range(4)
SLOTS_PER_WORD = 32


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceSet:
    """``keys``: uint64[e, w], slot i in bits 2·(i mod 32) of word i div 32; ``counts``: int64[e] of unordered pairs.

    Keys are distinct, canonical and sorted by words. Counts are positive in a state, of either sign in a difference.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)
