"""Shares in the form that people use: a tax is 20 % of the net, rather than the gross six times its tax."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from profiling_core.algorithms.equations.constants import written_digits
from profiling_core.algorithms.equations.sample import Written
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.roles.vocabulary import TAXES
from profiling_core.model.expression import Linear, Precision, constant_text
from profiling_core.model.kinds.equation import Equation

# Digits of a rate that people set, at most.
_MOST_DIGITS = 4


class _Rate(NamedTuple):
    """A part, and its share of the sum of other columns."""

    part: str
    share: Fraction
    of: tuple[str, ...]


def rates_of_the_rest(
    equation: Equation, known: Sequence[Equation], forms: Mapping[str, Written]
) -> Iterator[Equation]:
    """A part of a sum as a rate of its other parts, or of the whole, if an equation makes two of them proportional.

    Args:
        equation: one that may say that a column is a constant times another.
        known: equations that hold, sums among them.
        forms: how the columns' numbers are written.
    """
    if not _is_multiple(equation):
        return
    (factor, other), *_ = equation.value.terms  # type: ignore[attr-defined]  # it is linear
    factor = Fraction(factor)
    both = {equation.column, other}
    for whole, parts in _sums(known):
        if not both <= {whole, *parts}:
            continue
        part = other if equation.column == whole else equation.column
        share = factor if equation.column == part else 1 / factor
        rest = tuple(name for name in parts if name != part)
        for rate in _plainest(share, whole, part, rest) if whole in both else _of_the_larger(factor, part, other):
            form = forms.get(rate.part)
            value = Linear(tuple((constant_text(rate.share), name) for name in rate.of))
            yield Equation(equation.table, rate.part, value, form.precision if form else Precision())


def _of_the_larger(times: Fraction, part: str, other: str) -> list[_Rate]:
    """The smaller of two parts of a sum as a rate of the larger: the tax is 0.05 times the net."""
    rate = _Rate(other, 1 / times, (part,))
    return [rate] if rate.share > 0 and _is_plain(rate.share) else []


def _is_multiple(equation: Equation) -> bool:
    value = equation.value
    return isinstance(value, Linear) and len(value.terms) == 1 and value.constant == "0"


def _plainest(share: Fraction, whole: str, part: str, rest: tuple[str, ...]) -> list[_Rate]:
    """The short decimal rates for a part with this ``share`` of the whole: fewer digits first, then the smaller rate.

    The part is a rate of the whole or of the rest. If the rest is one column, that is a rate of the whole or of the
    part.
    """
    if not 0 < share < 1:
        return []
    said = [_Rate(part, share, (whole,)), _Rate(part, share / (1 - share), rest)]
    if len(rest) == 1:
        said += [_Rate(rest[0], (1 - share) / share, (part,)), _Rate(rest[0], 1 - share, (whole,))]
    taxed = {name for name in (part, *rest) if not TAXES.isdisjoint(words(name))}
    plain = [rate for rate in said if _is_plain(rate.share)]
    return sorted(
        plain,
        key=lambda rate: (
            rate.part in taxed and whole in rate.of,
            len(rate.of),
            written_digits(constant_text(rate.share)),
            rate.share,
        ),
    )


def _sums(known: Sequence[Equation]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Wholes and their parts."""
    for equation in known:
        value = equation.value
        if (
            isinstance(value, Linear)
            and value.constant == "0"
            and len(value.terms) > 1
            and {f for f, _ in value.terms} == {"1"}
        ):
            yield equation.column, value.columns


def _is_plain(rate: Fraction) -> bool:
    """Whether it is below 1 and a decimal of few digits."""
    return rate < 1 and "/" not in constant_text(rate) and written_digits(constant_text(rate)) <= _MOST_DIGITS
