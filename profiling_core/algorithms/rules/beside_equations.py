"""What orders say beside sums: that a rest is left, or no more than the sums do.

That what is taken is no more than the whole is worth a line where there is room.
"""

from collections.abc import Iterator, Sequence

from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operator

_UNITS = frozenset({"1", "-1"})
_LESS = (Operator.LT, Operator.LE)


def bounds_a_rest(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether it is the order of what a sum takes from: what was paid of what is due, beside the balance.

    What is computed stands last. That it is no more than what it is computed from, or no less than its parts, says
    little; that what is taken is no more than what there is says that something is left.
    """
    if candidate.family is not Family.ORDER:
        return False
    (predicate,) = candidate.constraint.predicates
    whole, part = predicate.left.column, predicate.right.column
    return predicate.op in _LESS and any(_takes(c, part, whole) for c in others)


def _takes(equation: Candidate, part: str, whole: str) -> bool:
    sides = _sides(equation)
    if not sides or {whole, part} <= sides[0] or {whole, part} <= sides[1] or not {whole, part} <= sides[0] | sides[1]:
        return False
    return part not in (equation.constraint.column, equation.constraint.value.columns[-1]) or part in _taken(equation)


def is_part_of_a_part(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether it is the order of a whole and a part of one of its parts, which two sums tell."""
    pair = {*candidate.constraint.columns}
    parted = [(whole, parts) for c in others if (sides := _sides(c)) for whole, parts in _wholes(*sides)]
    deep = ({whole, *_with_their_parts(parts, parted)} for whole, parts in parted if whole in pair)
    return candidate.family is Family.ORDER and any(pair <= columns for columns in deep)


def _with_their_parts(parts: set[str], parted: Sequence[tuple[str, set[str]]]) -> set[str]:
    found = {*parts}
    while more := set().union(*(own for whole, own in parted if whole in found)) - found:
        found |= more
    return found


def _sides(candidate: Candidate) -> tuple[set[str], set[str]] | None:
    """The columns on either side of a plain sum, none of them subtracted."""
    rule = candidate.constraint
    value = rule.value if isinstance(rule, Equation) else None
    if not isinstance(value, Linear) or value.constant != "0" or len(value.terms) < len(_UNITS):
        return None
    if not {factor for factor, _ in value.terms} <= _UNITS:
        return None
    taken = _taken(candidate)
    return {rule.column, *taken}, {*value.columns} - taken


def _taken(equation: Candidate) -> set[str]:
    """The columns that a sum subtracts."""
    return {column for factor, column in equation.constraint.value.terms if factor == "-1"}


def _wholes(left: set[str], right: set[str]) -> Iterator[tuple[str, set[str]]]:
    """A whole and its parts, where a side of the sum is one column."""
    yield from ((min(one), other) for one, other in ((left, right), (right, left)) if len(one) == 1)
