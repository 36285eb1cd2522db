"""What is a share of a whole, said as people do: a tax is a fifth of the net, and no gross is six times its tax."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from profiling_core.algorithms.equations.sample import Written
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.roles.vocabulary import TAXES
from profiling_core.model.expression import Linear, Precision, constant_text
from profiling_core.model.kinds.equation import Equation

_MOST_DIGITS = 4


def rates_of_the_rest(
    equation: Equation, known: Sequence[Equation], forms: Mapping[str, Written]
) -> Iterator[Equation]:
    """A part of a sum as a rate of its other parts, where the equation gives it by the whole.

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
    for whole, parts in ((whole, parts) for whole, parts in _sums(known) if whole in both and both & {*parts}):
        part = other if equation.column == whole else equation.column
        share = factor if equation.column == part else 1 / factor
        rest = tuple(name for name in parts if name != part)
        form = forms.get(part)
        precision = form.precision if form else Precision()
        for rate, of in _plainest(share, (whole,), rest, taxed=not TAXES.isdisjoint(words(part))):
            yield Equation(equation.table, part, Linear(tuple((constant_text(rate), n) for n in of)), precision)


def _is_multiple(equation: Equation) -> bool:
    value = equation.value
    line = isinstance(value, Linear) and len(value.terms) == 1 and value.constant == "0"
    return line and not equation.precision.is_loose


def _plainest(
    share: Fraction, whole: tuple[str, ...], rest: tuple[str, ...], *, taxed: bool
) -> list[tuple[Fraction, tuple[str, ...]]]:
    """The share of the whole and the rate of the rest that decimals say, the one with fewer digits first."""
    if not 0 < share < 1:
        return []
    said = [(rate, of) for rate, of in ((share, whole), (share / (1 - share), rest)) if _is_plain(rate)]
    return sorted(said, key=lambda one: (taxed and one[1] == whole, len(one[1]), _digits(one[0])))


def _sums(known: Sequence[Equation]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Wholes and their parts."""
    for equation in known:
        value = equation.value
        plain = isinstance(value, Linear) and value.constant == "0" and not equation.precision.is_loose
        if plain and isinstance(value, Linear) and len(value.terms) > 1 and {f for f, _ in value.terms} == {"1"}:
            yield equation.column, value.columns


def _is_plain(rate: Fraction) -> bool:
    """Whether it is below one, and a decimal of few digits says it."""
    return rate < 1 and "/" not in constant_text(rate) and _digits(rate) <= _MOST_DIGITS


def _digits(rate: Fraction) -> int:
    return len(constant_text(rate).replace(".", "").strip("0"))
