"""What a given row and another one are compared by, for constraints in which the given row is t or s.

Predicate p of a constraint stands at bit p where the given row is t, and at bit P + p of P predicates where it is s: so
that one comparison of two columns tells both roles' predicates, and one mask is held against all conjunctions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import satisfied
from profiling_core.algorithms.ground.bit_words import Masks, masks_of, word_count
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.model.evidence import EQUAL, GREATER, INCOMPARABLE, LESS
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

GIVEN, OTHER, BETWEEN = 0, 1, 2
# Sets of outcomes.
ONLY_EQUAL, ONLY_LESS, ONLY_GREATER, ONLY_INCOMPARABLE = 1 << EQUAL, 1 << LESS, 1 << GREATER, 1 << INCOMPARABLE
ANY = 15
# How two columns compare: whether values are ordered, and whether nulls agree with each other.
ORDERED, NULLS_EQUAL = 1, 2
_FLIPPED = {LESS: GREATER, GREATER: LESS}
# The role of the given row, ``t`` or ``s``, and a constraint's predicates.
Conjunction = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class PairGroups:
    """Comparisons of two columns.

    Attributes:
        sides: int64[g, 3], whose columns (:data:`GIVEN`, :data:`OTHER`, or one of each: :data:`BETWEEN`) and which.
        kinds: int64[g], :data:`ORDERED` and :data:`NULLS_EQUAL`.
        bits: uint64[g, 16, words], what some of a set of outcomes satisfies.
        nulls_equal: whether nulls agree with each other.
        predicates: P.
    """

    sides: NDArray[np.int64]
    kinds: NDArray[np.int64]
    bits: Masks
    nulls_equal: bool
    predicates: int

    @classmethod
    @lru_cache(maxsize=4)  # a delta asks for them in each state of its rows
    def of(cls, space: PredicateSpace) -> "PairGroups":
        """The comparisons that a space's predicates ask for."""
        count = len(space.predicates)
        words, nulls_equal = word_count(2 * count), space.nulls is NullSemantics.EQUAL
        position = {name: i for i, name in enumerate(columns_of(space))}
        found: dict[tuple[int, int, int], tuple[bool, Masks]] = {}
        for number, (p, group) in enumerate(zip(space.predicates, space.group_of, strict=True)):
            left, right, ordered = position[p.left.column], position[p.right.column], space.groups[group].ordered
            single = p.is_single_row
            as_t = (GIVEN if single else BETWEEN, left, right)
            as_s = (OTHER, left, right) if single else (BETWEEN, right, left)
            for key, bit, exchanged in ((as_t, number, False), (as_s, count + number, ordered and not single)):
                _, bits = found.setdefault(key, (ordered, np.zeros((16, words), np.uint64)))
                for outcome in range(4):
                    if satisfied(_FLIPPED.get(outcome, outcome) if exchanged else outcome, p.op, space.nulls):
                        some = [outcomes for outcomes in range(16) if outcomes >> outcome & 1]
                        bits[some, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
        return cls(
            np.array(list(found), np.int64).reshape(-1, 3),
            np.array([ORDERED * ordered + NULLS_EQUAL * nulls_equal for ordered, _ in found.values()], np.int64),
            np.array([bits for _, bits in found.values()], np.uint64).reshape(-1, 16, words),
            nulls_equal,
            count,
        )

    def masks_of(self, conjunctions: Sequence[Conjunction]) -> Masks:
        """The masks of conjunctions, uint64[k, words]."""
        sets = [[p + self.predicates * (role == "s") for p in dc] for role, dc in conjunctions]
        return masks_of(sets, word_count(2 * self.predicates))

    def about(self, masks: Masks) -> "PairGroups":
        """Only the comparisons that these conjunctions speak of."""
        spoken = (self.bits[:, ANY] & np.bitwise_or.reduce(masks, axis=0)).any(axis=1)
        return PairGroups(self.sides[spoken], self.kinds[spoken], self.bits[spoken], self.nulls_equal, self.predicates)
