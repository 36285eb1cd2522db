"""The ordered evidences of a multiset as a cover's update asks for them, without turning all keys into masks."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.evidence.masks import masks_of_keys, ordered_masks
from profiling_core.algorithms.ground.bit_words import Masks, vertical
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace


@dataclass(frozen=True, eq=False)
class KeyedEvidences:
    """Evidences by their keys: a :class:`denial.evidences.Evidences`.

    The keys of all pairs in one direction are followed by their mirrors.
    """

    evidence: EvidenceSet
    space: PredicateSpace

    def __len__(self) -> int:
        return 2 * len(self.evidence)

    @cached_property
    def masks(self) -> Masks:
        """The predicates that hold for each, uint64[e, words], each once."""
        return ordered_masks(self.evidence, self.space)[0]

    def at(self, rows: NDArray[np.int64]) -> Masks:
        """The predicates that hold for some of them, by their places."""
        return masks_of_keys(self._keys[rows], self._layout.predicate_bits())

    def hits(self, wanted: Masks) -> Masks:
        """The transpose, uint64[predicates, ⌈e / 64⌉]: per predicate of ``wanted`` the places where it holds."""
        bits = vertical(self._keys, 2 * len(self.space.groups))
        group_of = np.array(self.space.group_of, np.int64)
        return _predicate_hits(bits, group_of, self._layout.predicate_bits(), wanted, len(self))

    @cached_property
    def _layout(self) -> KeyLayout:
        return KeyLayout(self.space)

    @cached_property
    def _keys(self) -> Masks:
        return np.concatenate([self.evidence.keys, self._layout.mirrored(self.evidence.keys)])


@kernel
def _predicate_hits(
    bits: Masks, group_of: NDArray[np.int64], predicate_bits: Masks, wanted: Masks, evidences: int
) -> Masks:
    """From the bit sets of keys whose lower, and whose upper, bit of each slot is set, those of predicates."""
    hits = np.zeros((group_of.size, bits.shape[1]), np.uint64)
    all_ones = ~np.uint64(0)
    none = np.uint64(0)
    last = evidences - 64 * (bits.shape[1] - 1)
    for predicate in range(group_of.size):
        word, shift = predicate >> 6, np.uint64(predicate & 63)
        if (wanted[word] >> shift) & np.uint64(1) == 0:
            continue
        holds = predicate_bits[group_of[predicate], :, word] >> shift
        at_0 = all_ones if holds[0] & np.uint64(1) else none
        at_1 = all_ones if holds[1] & np.uint64(1) else none
        at_2 = all_ones if holds[2] & np.uint64(1) else none
        at_3 = all_ones if holds[3] & np.uint64(1) else none
        lower, upper = bits[2 * group_of[predicate]], bits[2 * group_of[predicate] + 1]
        for at in range(bits.shape[1]):
            low, high = lower[at], upper[at]
            hits[predicate, at] = (high & ((low & at_3) | (~low & at_2))) | (~high & ((low & at_1) | (~low & at_0)))
        if last < 64:
            hits[predicate, -1] &= (np.uint64(1) << np.uint64(last)) - np.uint64(1)
    return hits
