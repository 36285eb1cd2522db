"""The orders that follow from an equation: a part is at most the whole, and a price at most the price of several."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from math import prod

from profiling_core.model.constraint import Constraint
from profiling_core.model.expression import Linear, Product
from profiling_core.model.kinds.equation import Equation

Least = Mapping[str, float]
"""By column its least value, where it is not below zero."""


def orders_of(rule: Constraint, least: Least) -> Iterator[tuple[str, str]]:
    """Pairs of columns whose order follows from an equation and from the columns' least values, the lesser first."""
    if not isinstance(rule, Equation) or rule.precision.is_loose:
        return
    if isinstance(rule.value, Linear):
        yield from _of_sum(rule.column, rule.value, least)
    elif isinstance(rule.value, Product) and not rule.value.under and not rule.value.rate:
        yield from _of_product(rule.column, rule.value, least)


def _of_sum(column: str, value: Linear, least: Least) -> Iterator[tuple[str, str]]:
    """The pairs whose difference is, by the sum, a sum of columns that are never below zero.

    One of the two is what the equation gives: that a rest is never below zero is what the order of the others says.
    """
    zero = {column: Fraction(-1), **{name: Fraction(factor) for factor, name in value.terms}}
    for low, high in ((low, high) for low, high in permutations(zero, 2) if column in (low, high)):
        rest = {name: -factor / zero[high] - (name == low) for name, factor in zero.items() if name != high}
        constant = -Fraction(value.constant) / zero[high]
        if constant >= 0 and all(not factor or (factor > 0 and name in least) for name, factor in rest.items()):
            yield low, high


def _of_product(column: str, value: Product, least: Least) -> Iterator[tuple[str, str]]:
    """Each factor with the product, if the other factors come to one at least."""
    for place, name in enumerate(value.over):
        others = prod(least.get(other, 0.0) for other in (*value.over[:place], *value.over[place + 1 :]))
        if name in least and float(Fraction(value.factor)) * others >= 1:
            yield name, column
