"""What the search for DCs leaves out because no values satisfy it: candidates that contradict the chosen predicates.

A DC with a contradiction is trivial, and so is every DC that contains it. So the relations between the operands of the
chosen predicates (:mod:`satisfiability`) rule out candidates for a whole branch. Relations that are path consistent may
still allow an outcome that no values have (≠ between more than three operands), so that the rare candidate stays whose
contradiction shows only once it is chosen: whole DCs are decided, parts of them are cut as far as they tell.
Source: Bleifuß et al., Hydra, section 5; van Beek, Reasoning about qualitative temporal information (1992).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, masks_of, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.hitting_sets.satisfiability import close, relations
from profiling_core.model.predicate import Operand, PredicateSpace


class Contradictions(NamedTuple):
    """The relations of a predicate space, for kernels; without operands where nothing can contradict.

    ``left``, ``right`` (int32[p]), ``allowed`` (uint8[p]) and ``chain`` (uint8[8, 8]) as in ``Relations``;
    ``group_left``, ``group_right`` (int32[g]): the operands of each group; ``excluded`` (uint64[g, 8, words]): the
    group's predicates that do not hold when its operands are in a relation; ``touching`` (uint64[p, words]): the
    predicates of other groups that share an operand with each predicate.
    """

    operands: int
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    allowed: NDArray[np.uint8]
    chain: NDArray[np.uint8]
    group_left: NDArray[np.int32]
    group_right: NDArray[np.int32]
    excluded: NDArray[np.uint64]
    touching: Masks


def can_contradict(space: PredicateSpace) -> bool:
    """Whether an operand is in two groups: predicates of one group exclude each other anyhow."""
    operands = [operand for group in space.groups for operand in (group.left, group.right)]
    return len(set(operands)) < len(operands)


def contradictions(space: PredicateSpace) -> Contradictions:
    """The contradictions among a space's predicates; there are none over same-column predicates."""
    words = word_count(len(space.predicates))
    if not can_contradict(space):
        return none(words)
    r = relations(space)
    first = np.cumsum([0, *(len(group.operators) for group in space.groups)])[:-1]
    excluded = [
        [start + i for i in range(len(group.operators)) if not r.allowed[start + i] & relation]
        for start, group in zip(first.tolist(), space.groups, strict=True)
        for relation in range(8)
    ]
    masks = masks_of(excluded, words).reshape(len(first), 8, words)
    groups = r.left[first], r.right[first]
    return Contradictions(r.operands, r.left, r.right, r.allowed, r.chain, *groups, masks, _touching(space, words))


def _touching(space: PredicateSpace, words: int) -> Masks:
    having: dict[Operand, set[int]] = {}
    for position, predicate in enumerate(space.predicates):
        having.setdefault(predicate.left, set()).add(position)
        having.setdefault(predicate.right, set()).add(position)
    own = [{i for i, group in enumerate(space.group_of) if group == g} for g in range(len(space.groups))]
    shared = [
        sorted((having[predicate.left] | having[predicate.right]) - own[group])
        for predicate, group in zip(space.predicates, space.group_of, strict=True)
    ]
    return masks_of(shared, words)


def none(words: int) -> Contradictions:
    """No contradictions, among elements of ``words`` words."""
    no, nothing, chain = np.empty(0, np.int32), np.empty(0, np.uint8), np.empty((0, 0), np.uint8)
    excluded, touching = np.empty((0, 8, words), np.uint64), np.empty((0, words), np.uint64)
    return Contradictions(0, no, no, nothing, chain, no, no, excluded, touching)


@kernel
def keep_consistent(
    space: Contradictions,
    newest: np.int64,
    chosen: Masks,
    mask: Masks,
    known: NDArray[np.uint8],
    local: NDArray[np.int32],
) -> bool:
    """Take the elements from ``mask`` that contradict the ``chosen`` ones; whether those agree among themselves.

    Those that contradict the chosen ones without the ``newest`` have been taken before: where it shares no operand with
    them, it tells nothing new. ``known`` (uint8[operands, operands]) and ``local`` (int32[operands]) are scratch.
    """
    connected = False
    for k in range(mask.size):
        connected |= chosen[k] & space.touching[newest, k] != 0
    if not connected:
        return True
    if close(chosen, space.left, space.right, space.allowed, space.chain, known, local) < 0:
        return False
    for group in range(space.group_left.size):
        a, b = local[space.group_left[group]], local[space.group_right[group]]
        if a >= 0 and b >= 0:
            for k in range(mask.size):
                mask[k] &= ~space.excluded[group, known[a, b], k]
    return True
