"""What rules say beside equations, and conditions beside others: less than these, or something of their own.

That the part is no more than the whole is worth a line where there is room; that a part of one sum is less than a part
of another sum of the same whole is an accident; so is what two equations say together, said a third time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.model.consequent import Bounded, Ordered, Present
from profiling_core.model.expression import Linear, Product
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operator

_UNITS = frozenset({"1", "-1"})
_EQUAL = "="
_LESS = (Operator.LT, Operator.LE)


def shares(equations: Sequence[Candidate]) -> set[frozenset[str]]:
    """The pairs of columns of which one is given as a percentage of the other."""
    values = (c.constraint.value for c in equations if isinstance(c.constraint, Equation))
    products = (v for v in values if isinstance(v, Product) and v.factor == "100" and not v.rate)
    return {frozenset((p.over[0], p.under)) for p in products if p.under and len(p.over) == 1}


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


def are_parts_of_one(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether it is an order of two parts of one whole, or of parts of these, which several sums part differently."""
    pair = {*candidate.constraint.columns}
    if candidate.family is not Family.ORDER or any(pair <= {*c.constraint.columns} for c in _equations(others)):
        return False
    parted = [(whole, parts) for c in others if (sides := _sides(c)) for whole, parts in _wholes(*sides)]
    deep = [(whole, _with_their_parts(parts, parted)) for whole, parts in parted]
    return any(a == b and pair & one and pair & other for (a, one), (b, other) in combinations(deep, 2)) and not any(
        {whole, other} == pair for whole, parts in deep for other in parts
    )


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


def is_eliminated(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether two equations say it together: they share a column that it lacks, and are of its columns otherwise."""
    if not isinstance(candidate.constraint, Equation) or not isinstance(candidate.constraint.value, Product):
        return False  # what follows by adding is not found at all
    own = {*candidate.constraint.columns}
    plain = [{*c.constraint.columns} for c in _equations(others) if isinstance(c.constraint.value, Linear | Product)]
    return any(
        len((one | other) - own) == 1 and (one | other) - own <= one & other and own <= one | other
        for one, other in combinations(plain, 2)
    )


def compares_what_is_told(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether a condition compares a column of which it says already what it is, or on which side of nought it lies.

    That an invoice's amount is above the rate of exchange follows from its sign, or nearly so.
    """
    rule = candidate.constraint
    if not isinstance(rule, Conditional) or not rule.both_ways or not isinstance(rule.then, Ordered):
        return False
    alike = (c.constraint for c in others if isinstance(c.constraint, Conditional) and c.constraint.both_ways)
    return rule.then.op != _EQUAL and any(_tells(other, rule) for other in alike if other.column == rule.column)


def comes_with_its_like(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether a column is said to be there where another one of its equation is: a tax, and what is taxed."""
    rule = candidate.constraint
    if not isinstance(rule, Conditional) or not isinstance(rule.then, Present):
        return False
    equations = [{*c.constraint.columns} for c in others if c.family is Family.EQUATION]
    alike = (c.constraint for c in others if isinstance(c.constraint, Conditional))
    others_there = {o.then.column for o in alike if isinstance(o.then, Present) and _asks_the_same(o, rule)}
    there = others_there - {rule.then.column}
    return any(rule.then.column in columns and columns & there for columns in equations)


def _asks_the_same(other: Conditional, rule: Conditional) -> bool:
    """Whether two rules say under one condition that columns are there, or both that they are not."""
    asked = (other.then.to_json(), rule.then.to_json())
    one, same = ({name: value for name, value in then.items() if name != "column"} for then in asked)
    return replace(other, then=rule.then) == rule and one == same


def is_multiplied_by_one(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether a condition tells when two columns are the same, of which one is the other times a third: it is one."""
    rule = candidate.constraint
    if not isinstance(rule, Conditional) or not isinstance(rule.then, Ordered) or rule.then.op != _EQUAL:
        return False
    products = (c.constraint for c in _equations(others) if isinstance(c.constraint.value, Product))
    return any({*rule.then.columns} <= {*product.columns} for product in products)


def _tells(other: Conditional, rule: Conditional) -> bool:
    if {*rule.then.columns}.isdisjoint(other.then.columns):
        return False
    same, apart = {*other.values} == {*rule.values}, {*other.values}.isdisjoint(rule.values)
    if isinstance(other.then, Ordered):
        return same and other.then.op == _EQUAL
    if not isinstance(other.then, Bounded) or "0" not in (other.then.low, other.then.high):
        return False
    return same or (apart and None in (other.then.low, other.then.high))


def _equations(others: Sequence[Candidate]) -> Iterator[Candidate]:
    return (c for c in others if isinstance(c.constraint, Equation))


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
