"""Set-minimal, approximate and reduced covers of denial constraints, from docs/semantics.md: "Denial constraints"."""

import functools
import itertools
import operator
from collections.abc import Iterator, Sequence

from oracle.predicates import Evidence
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateSpace

DC = tuple[int, ...]
Atom = tuple[Operand, Operator, Operand]


def candidates(space: PredicateSpace, size: int) -> Iterator[DC]:
    """All operator-canonical predicate sets of a size: at most one operator per group."""
    members = [[i for i, g in enumerate(space.group_of) if g == group] for group in range(len(space.groups))]
    for groups in itertools.combinations(members, size):
        yield from itertools.product(*groups)


# An operator as the set of outcomes of a comparison at which it holds, in bits: 1 less, 2 equal, 4 greater.
OUTCOMES = {Operator.EQ: 2, Operator.NE: 5, Operator.LT: 1, Operator.LE: 3, Operator.GT: 4, Operator.GE: 6}


def outcome(x: int, y: int) -> int:
    """The outcome of comparing two values."""
    return 1 if x < y else 2 if x == y else 4


@functools.cache
def chained(first: int, second: int) -> int:
    """What x and z may be to each other when x is ``first`` to y, and y ``second`` to z."""
    return functools.reduce(
        operator.or_,
        (
            outcome(x, z)
            for x, y, z in itertools.product(range(3), repeat=3)
            if first & outcome(x, y) and second & outcome(y, z)
        ),
        0,
    )


@functools.cache
def implied(predicates: frozenset[Predicate]) -> frozenset[Atom] | None:
    """The closure (implication, mirrored form, transitivity, ≠∧≤ ⇒ <, ≤∧≥ ⇒ =), all operands; None: contradiction."""
    operands = sorted({o for p in predicates for o in (p.left, p.right)})
    known = {(a, b): 2 if a == b else 7 for a, b in itertools.product(operands, operands)}
    for p in predicates:
        known[p.left, p.right] &= OUTCOMES[p.op]
        known[p.right, p.left] &= OUTCOMES[p.op.flipped]
    before = None
    while before != known:
        before = dict(known)
        for a, b, c in itertools.product(operands, repeat=3):
            known[a, c] &= chained(known[a, b], known[b, c])
    if 0 in known.values():
        return None
    return frozenset((a, op, b) for (a, b), k in known.items() for op in Operator if a != b and not k & ~OUTCOMES[op])


def closure(dc: DC, space: PredicateSpace) -> frozenset[Atom] | None:
    """Everything that follows from the DC's predicates; None where they contradict each other."""
    return implied(frozenset(space.predicates[i] for i in dc))


def is_trivial(dc: DC, space: PredicateSpace) -> bool:
    """Whether no values could satisfy all predicates."""
    return closure(dc, space) is None


def mirror(dc: DC, space: PredicateSpace) -> DC | None:
    """The DC with t and s exchanged, None where that leaves the predicate space."""
    swapped = []
    for predicate in (space.predicates[i] for i in dc):
        left, op, right = predicate.left.swapped, predicate.op, predicate.right.swapped
        if left.tuple == "s":
            left, op, right = right, op.flipped, left
        position = space.index.get(Predicate(left, op, right))
        if position is None:
            return None
        swapped.append(position)
    return tuple(sorted(swapped))


def error(dc: DC, evidence: Evidence) -> float:
    """g1: the share of ordered pairs that satisfy all predicates (for single-row DCs the same as the share of rows)."""
    violating = sum(count for satisfied, count in evidence.items() if set(dc) <= satisfied)
    return violating / evidence.total() if evidence else 0.0


def approximate_cover(
    evidence: Evidence, space: PredicateSpace, max_predicates: int | None, max_error: float
) -> list[DC]:
    """All non-trivial canonical DCs with g1 ≤ ε whose proper non-empty subsets all have g1 > ε, one per mirror pair."""
    found: set[DC] = set()
    for size in range(1, min(max_predicates or len(space.groups), len(space.groups)) + 1):
        found |= {
            dc
            for dc in candidates(space, size)
            if not any(part in found for less in range(1, size) for part in itertools.combinations(dc, less))
            and error(dc, evidence) <= max_error
        }
    nontrivial = [dc for dc in found if not is_trivial(dc, space)]
    return sorted({min(dc, mirror(dc, space) or dc) for dc in nontrivial})


def set_minimal_cover(evidence: Evidence, space: PredicateSpace, max_predicates: int | None = None) -> list[DC]:
    """All non-trivial canonical valid DCs without a valid proper subset, one per mirror pair."""
    return approximate_cover(evidence, space, max_predicates, 0.0)


def weakest(dcs: Sequence[DC], space: PredicateSpace) -> list[DC]:
    """The members of a set-minimal cover in which no operator can be weakened: the maximal cover.

    A member goes if another one, or a mirror, has only predicates that its own imply within their groups.
    """

    def implied(strong: int) -> set[int]:
        outcomes, group = OUTCOMES[space.predicates[strong].op], space.group_of[strong]
        same = [p for p, other in enumerate(space.group_of) if other == group]
        return {p for p in same if not outcomes & ~OUTCOMES[space.predicates[p].op]}

    weaker = {p: implied(p) for p in range(len(space.predicates))}
    both = {form: frozenset().union(*(weaker[p] for p in form)) for dc in dcs for form in (dc, mirror(dc, space) or dc)}
    return [dc for dc in dcs if not any(other < both[dc] for other in both.values())]


def reduced_cover(dcs: Sequence[DC], space: PredicateSpace) -> list[DC]:
    """By growing closure, leave out each DC whose closure, or whose mirror's, contains a kept DC or its mirror.

    The closure runs over all operands, so that it may pass through ``s.A ? s.B``, which is never in P; the mirror's
    closure is the closure mirrored.
    """
    atoms = {dc: {(p.left, p.op, p.right) for p in (space.predicates[i] for i in dc)} for dc in dcs}
    closures = {dc: found for dc in dcs if (found := closure(dc, space)) is not None}
    kept: list[DC] = []
    for dc in sorted(closures, key=lambda d: (len(closures[d]), len(d), d)):
        swapped = {(a.swapped, op, b.swapped) for a, op, b in closures[dc]}
        if not any(atoms[other] <= closures[dc] or atoms[other] <= swapped for other in kept):
            kept.append(dc)
    return sorted(kept)
