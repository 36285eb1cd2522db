"""The mirror of a DC: the same constraint with the rows t and s exchanged.

``t.A < s.B`` becomes ``t.B > s.A``. Mirrors of single-row predicates speak of row s, which a predicate space never
does, so the *mirrored space* adds what is missing: closures are computed over it, while canonical forms stay within P.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, permuted, precedes
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.model.predicate import ORDERED, UNORDERED, Operator, Predicate, PredicateGroup, PredicateSpace

# The places of a group's operators with their operands exchanged, of unordered and of ordered groups.
_FLIPPED = tuple(tuple(operators.index(op.flipped) for op in operators) for operators in (UNORDERED, ORDERED))


def mirror_of(predicate: Predicate) -> Predicate:
    """The predicate with t and s exchanged, its operand of row t first; of a single-row one, both are of row s."""
    left, op, right = predicate.left.swapped, predicate.op, predicate.right.swapped
    if left.tuple == "s" and right.tuple == "t":
        return Predicate(right, op.flipped, left)
    return Predicate(left, op, right)


def mirrored_space(space: PredicateSpace) -> PredicateSpace:
    """The space with the groups appended that mirrors of its predicates need; positions in P stay what they are."""
    operands = {(g.left, g.right) for g in space.groups}
    missing = []
    for group in space.groups:
        mirrored = mirror_of(group.predicates[0])
        if (mirrored.left, mirrored.right) not in operands:
            missing.append(PredicateGroup(mirrored.left, mirrored.right, group.ordered))
    return PredicateSpace(space.table, space.nulls, space.groups + tuple(missing))


def mirror_positions(space: PredicateSpace) -> NDArray[np.int32]:
    """For each predicate, its mirror's position; −1 where the mirror is not in the space."""
    sizes = [len(group.operators) for group in space.groups]
    starts = list(accumulate(sizes, initial=0))
    crossed = {group: start for group, start in zip(space.groups, starts, strict=False) if not _is_own_mirror(group)}
    positions: list[int] = []
    for group, start in zip(space.groups, starts, strict=False):
        if _is_own_mirror(group):
            positions += [start + at for at in _FLIPPED[group.ordered]]
            continue
        mirrored = mirror_of(Predicate(group.left, Operator.LT, group.right))
        found = crossed.get(PredicateGroup(mirrored.left, mirrored.right, group.ordered), -1)
        flips = _FLIPPED[group.ordered] if mirrored.op is not Operator.LT else range(len(group.operators))
        positions += [-1 if found < 0 else found + at for at in flips]
    return np.array(positions, dtype=np.int32)


def _is_own_mirror(group: PredicateGroup) -> bool:
    return group.left.column == group.right.column and group.left.tuple != group.right.tuple


@kernel
def _is_canonical(masks: Masks, mirrored: Masks, leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    keep = np.ones(masks.shape[0], dtype=np.bool_)
    for row in range(masks.shape[0]):
        keep[row] = leaves[row] or not precedes(mirrored[row], masks[row])
    return keep


def canonical(masks: Masks, space: PredicateSpace) -> Masks:
    """Of DCs that stand beside their mirrors, the lexicographically smaller ones; uint64[fewer, words]."""
    target = mirror_positions(space)
    return masks[_is_canonical(masks, permuted(masks, target, masks.shape[1]), _leaves(masks, target))]


def with_mirrors(masks: Masks, space: PredicateSpace) -> Masks:
    """The DCs and their mirrors as far as these are in the space, each once; uint64[more, words]."""
    target = mirror_positions(space)
    mirrored = permuted(masks, target, masks.shape[1])
    added = ~_leaves(masks, target) & (mirrored != masks).any(axis=1)
    return np.concatenate([masks, mirrored[added]])


def _leaves(masks: Masks, target: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which DCs have a predicate whose mirror is not in the space."""
    leaves = np.zeros(len(masks), dtype=np.bool_)
    for position in np.flatnonzero(target < 0).tolist():
        leaves |= (masks[:, position >> 6] >> np.uint64(position & 63)) & np.uint64(1) != 0
    return leaves
