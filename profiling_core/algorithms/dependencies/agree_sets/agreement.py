"""The multiset of agree sets: per distinct pair of column sets (equal, different) the number of row pairs.

With it the exact error of every FD and every UCC is one sum (DynASt, sections 3 and 5). Under SQL nulls a pair of rows
may be neither equal nor different in a column, so both sets are kept.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import summed
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.algorithms.ground.bit_words import WORD, permuted, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.weight_slices import WeightSlices, weight_slices
from profiling_core.model.evidence import EQUAL, INCOMPARABLE, SLOTS_PER_WORD, EvidenceSet
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateSpace
from profiling_core.model.types import NullSemantics


@dataclass(frozen=True, eq=False)
class AgreeSets:
    """``equal``, ``different``: uint64[e, w], bit i for ``columns[i]``; ``counts``: int64[e] of unordered pairs.

    The pairs of masks are distinct. A pair's columns that are in neither mask are incomparable (a null is involved).
    """

    table: str
    columns: tuple[str, ...]
    equal: Words
    different: Words
    counts: Counts

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def population(self) -> int:
        """Ordered pairs of different rows, n·(n−1)."""
        return 2 * int(self.counts.sum())

    @cached_property
    def slices(self) -> WeightSlices:
        """The sets as bits of 2·64·w positions: who agrees on column i, and, from 64·w on, who differs in it."""
        masks = np.concatenate([self.equal, self.different], axis=1)
        return weight_slices(masks, self.counts, WORD * masks.shape[1])


def agree_sets(evidence: EvidenceSet, space: PredicateSpace) -> AgreeSets:
    """The agree sets of a table over the columns that have a same-column group, from its evidence multiset."""
    same = [i for i, group in enumerate(space.groups) if group.predicates[0].is_same_column]
    columns = tuple(space.groups[i].left.column for i in same)
    slots = np.array(same, np.int64)
    incomparable_differs = np.array(
        [space.nulls is NullSemantics.EQUAL and space.groups[i].ordered for i in same], np.bool_
    )
    words = word_count(len(columns))
    masks = _masks(evidence.keys, slots, incomparable_differs, words)
    distinct, counts = summed(masks, evidence.counts)
    kept = counts != 0
    equal, different = (np.ascontiguousarray(half[kept]) for half in (distinct[:, :words], distinct[:, words:]))
    return AgreeSets(space.table, columns, equal, different, counts[kept])


def predicate_masks(agree: AgreeSets, space: PredicateSpace) -> tuple[Words, Counts]:
    """The sets of predicates that ordered pairs satisfy, in a space of same-column equality groups.

    Returns:
        uint64[e, w] masks, bit i for ``space.predicates[i]``, and int64[e] counts of ordered pairs.
    """
    words = word_count(len(space.predicates))
    masks = np.zeros((len(agree), words), np.uint64)
    for sets, operator in ((agree.equal, Operator.EQ), (agree.different, Operator.NE)):
        target = np.full(64 * sets.shape[1], -1, np.int32)
        target[: len(agree.columns)] = [
            space.index[Predicate(Operand("t", name), operator, Operand("s", name))] for name in agree.columns
        ]
        masks |= permuted(np.ascontiguousarray(sets), target, words)
    return masks, 2 * agree.counts


@kernel
def _masks(keys: Words, slots: Counts, incomparable_differs: NDArray[np.bool_], words: int) -> Words:
    """uint64[e, 2·words]: the equal mask beside the different mask."""
    masks = np.zeros((keys.shape[0], 2 * words), np.uint64)
    for e in range(keys.shape[0]):
        for column in range(slots.size):
            slot = slots[column]
            outcome = (keys[e, slot // SLOTS_PER_WORD] >> np.uint64(2 * (slot % SLOTS_PER_WORD))) & np.uint64(3)
            bit = np.uint64(1) << np.uint64(column & 63)
            if outcome == EQUAL:
                masks[e, column >> 6] |= bit
            elif outcome != INCOMPARABLE or incomparable_differs[column]:
                masks[e, words + (column >> 6)] |= bit
    return masks
