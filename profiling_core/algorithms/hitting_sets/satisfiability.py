"""What follows from a set of predicates, and whether any values satisfy them: path consistency on operand pairs.

Two operands are ``<``, ``=`` or ``>`` to each other; an operator allows some of the three (its bits below), and
chains ``a ? b ? c`` narrow what ``a`` and ``c`` can be. The fixpoint is the closure that docs/semantics.md defines:
operator implication (a narrower set of outcomes), mirrored form, transitivity of equalities and orders, ≠∧≤ ⇒ <, ≤∧≥
⇒ = (intersections). Over dense unbounded orders it is also a decision: no outcome left for some pair means that no
values can do it, and then only.
A null never makes satisfiable what values cannot: it equals itself at best, as any value does.
Source: Bleifuß et al., Hydra, section 5, rules (i) to (v).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, lowest, popcount, word_count
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.model.predicate import Operand, Operator, PredicateSpace

_LESS, _EQUAL, _GREATER = 1, 2, 4
# The outcomes that an operator allows, as bits.
ALLOWED = {
    Operator.EQ: _EQUAL,
    Operator.NE: _LESS | _GREATER,
    Operator.LT: _LESS,
    Operator.LE: _LESS | _EQUAL,
    Operator.GT: _GREATER,
    Operator.GE: _GREATER | _EQUAL,
}


def _chained(first: int, second: int) -> int:
    """What ``a`` can be to ``c`` when it is one of ``first`` to ``b``, and ``b`` one of ``second`` to ``c``."""
    allowed = 0
    for x in (_LESS, _EQUAL, _GREATER):
        for y in (_LESS, _EQUAL, _GREATER):
            if first & x and second & y:
                allowed |= y if x == _EQUAL else x if y in (_EQUAL, x) else 7
    return allowed


# uint8[8, 8]: what a chain of two relations allows.
CHAIN = np.array([[_chained(a, b) for b in range(8)] for a in range(8)], dtype=np.uint8)


@dataclass(frozen=True)
class Relations:
    """A predicate space as relations between numbered operands.

    ``left`` and ``right`` (int32[p]) are each predicate's operands, ``allowed`` (uint8[p]) the outcomes it allows;
    ``chain`` (uint8[8, 8]) is the composition of two relations.
    """

    operands: int
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    allowed: NDArray[np.uint8]
    chain: NDArray[np.uint8]


def relations(space: PredicateSpace) -> Relations:
    """Number the operands of a space."""
    number: dict[Operand, int] = {}
    for group in space.groups:
        number.setdefault(group.left, len(number))
        number.setdefault(group.right, len(number))
    return Relations(
        len(number),
        np.array([number[p.left] for p in space.predicates], dtype=np.int32),
        np.array([number[p.right] for p in space.predicates], dtype=np.int32),
        np.array([ALLOWED[p.op] for p in space.predicates], dtype=np.uint8),
        CHAIN,
    )


@kernel
def flip(outcomes: np.uint8) -> np.uint8:
    """What ``b`` can be to ``a`` when ``a`` can be that to ``b``."""
    return np.uint8((outcomes & 2) | (outcomes & 1) << 2 | (outcomes & 4) >> 2)


@kernel
def narrow(known: NDArray[np.uint8], size: int, chain: NDArray[np.uint8]) -> bool:
    """Narrow the relations of ``size`` operands to their path-consistent fixpoint; False on a contradiction."""
    changed = True
    while changed:
        changed = False
        for b in range(size):
            for a in range(size):
                if known[a, b] == 7:
                    continue
                for c in range(a + 1, size):
                    narrower = known[a, c] & chain[known[a, b], known[b, c]]
                    if narrower != known[a, c]:
                        if narrower == 0:
                            return False
                        known[a, c] = narrower
                        known[c, a] = flip(narrower)
                        changed = True
    return True


@kernel
def close(
    mask: Masks,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    allowed: NDArray[np.uint8],
    chain: NDArray[np.uint8],
    known: NDArray[np.uint8],
    local: NDArray[np.int32],
) -> int:
    """Relations between the operands of one DC in ``known``; how many operands, −1 on a contradiction.

    ``local`` gives each operand's row in ``known`` (−1: the DC does not speak of it).
    """
    size = 0
    local[:] = -1
    shared = False
    for k in range(mask.size):
        word = mask[k]
        while word != 0:
            predicate = 64 * k + lowest(word)
            word &= word - np.uint64(1)
            for operand in (left[predicate], right[predicate]):
                if local[operand] < 0:
                    known[size, : size + 1] = 7
                    known[: size + 1, size] = 7
                    known[size, size] = 2
                    local[operand] = size
                    size += 1
                else:
                    shared = True
            a, b = local[left[predicate]], local[right[predicate]]
            known[a, b] &= allowed[predicate]
            if known[a, b] == 0:
                return -1
            known[b, a] = flip(known[a, b])
    if shared and not narrow(known, size, chain):
        return -1
    return size


@kernel
def _satisfiable(
    masks: Masks,
    operands: int,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    allowed: NDArray[np.uint8],
    chain: NDArray[np.uint8],
) -> NDArray[np.bool_]:
    known = np.empty((operands, operands), dtype=np.uint8)
    local = np.empty(operands, dtype=np.int32)
    result = np.empty(masks.shape[0], dtype=np.bool_)
    for row in range(masks.shape[0]):
        result[row] = close(masks[row], left, right, allowed, chain, known, local) >= 0
    return result


@kernel
def _closures(
    masks: Masks,
    words: int,
    operands: int,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    allowed: NDArray[np.uint8],
    chain: NDArray[np.uint8],
) -> tuple[Masks, NDArray[np.int64]]:
    known = np.empty((operands, operands), dtype=np.uint8)
    local = np.empty(operands, dtype=np.int32)
    closed = np.zeros((masks.shape[0], words), dtype=np.uint64)
    sizes = np.full(masks.shape[0], -1, dtype=np.int64)
    for row in range(masks.shape[0]):
        if close(masks[row], left, right, allowed, chain, known, local) < 0:
            continue
        for predicate in range(left.size):
            a, b = local[left[predicate]], local[right[predicate]]
            if a >= 0 and b >= 0 and known[a, b] & ~allowed[predicate] == 0:
                closed[row, predicate >> 6] |= np.uint64(1) << np.uint64(predicate & 63)
        sizes[row] = 0
        for k in range(words):
            sizes[row] += popcount(closed[row, k])
    return closed, sizes


def satisfiable(masks: Masks, space: PredicateSpace) -> NDArray[np.bool_]:
    """For each set of predicates, whether some values satisfy all of them: whether the DC is not trivial."""
    r = relations(space)
    return _satisfiable(masks, r.operands, r.left, r.right, r.allowed, r.chain)


def closures(masks: Masks, space: PredicateSpace) -> tuple[Masks, NDArray[np.int64]]:
    """All predicates of the space that follow from each set of predicates, and their number (−1: contradiction)."""
    r = relations(space)
    return _closures(masks, word_count(len(space.predicates)), r.operands, r.left, r.right, r.allowed, r.chain)
