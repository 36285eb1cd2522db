"""What comparing two codes comes to, and the predicates that this satisfies, pair by pair.

Whole tables are compared column by column (:mod:`tile_kernel`); here are the few pairs that a search looks at.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.ground.arrays import Codes, Flags
from profiling_core.algorithms.ground.bit_words import Masks
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.model.evidence import EQUAL, GREATER, INCOMPARABLE, LESS
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

Labels = NDArray[np.int64]


class SpaceGroups(NamedTuple):
    """The groups of a space.

    Attributes:
        sides: int64[g, 3], both columns and whether they are of one row.
        ordered: bool[g].
        bits: uint64[g, 4, words], the predicates that each outcome satisfies.
        nulls_equal: whether nulls agree with each other.
    """

    sides: Labels
    ordered: Flags
    bits: Masks
    nulls_equal: bool


def groups_of(space: PredicateSpace) -> SpaceGroups:
    """The groups of a space, over columns in the order in which rows are encoded for it."""
    number = {name: i for i, name in enumerate(columns_of(space))}
    sides = [(number[g.left.column], number[g.right.column], g.left.tuple == g.right.tuple) for g in space.groups]
    ordered = np.array([g.ordered for g in space.groups], np.bool_)
    bits = KeyLayout(space).predicate_bits()
    return SpaceGroups(np.array(sides, np.int64).reshape(-1, 3), ordered, bits, space.nulls is NullSemantics.EQUAL)


@kernel
def outcome(a: int, b: int, ordered: bool, nulls_equal: bool) -> int:  # noqa: FBT001 -- kernels take no keyword arguments
    """The outcome of comparing two codes or labels; below zero are nulls."""
    if a < 0 or b < 0:
        if not nulls_equal:
            return INCOMPARABLE
        if a == b:
            return EQUAL
        return INCOMPARABLE if ordered else LESS
    if a == b:
        return EQUAL
    return LESS if a < b or not ordered else GREATER


@kernel
def write_mask(t: Codes | Labels, s: Codes | Labels, groups: SpaceGroups, mask: Masks) -> None:
    """Writes the predicates that a pair of rows satisfies, from their codes or labels."""
    mask[:] = 0
    for g in range(groups.ordered.size):
        other = t if groups.sides[g, 2] else s
        found = outcome(t[groups.sides[g, 0]], other[groups.sides[g, 1]], groups.ordered[g], groups.nulls_equal)
        for k in range(mask.size):
            mask[k] |= groups.bits[g, found, k]


@kernel
def pair_masks(left: Codes | Labels, right: Codes | Labels, groups: SpaceGroups) -> Masks:
    """uint64[2·p, words]: what pairs satisfy, by labels or codes [m, p] each; each pair beside its mirror."""
    masks = np.empty((2 * left.shape[1], groups.bits.shape[2]), np.uint64)
    for p in range(left.shape[1]):
        write_mask(left[:, p], right[:, p], groups, masks[2 * p])
        write_mask(right[:, p], left[:, p], groups, masks[2 * p + 1])
    return masks
