"""Numbers put together of sums and products, and days late."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Self

from profiling_core.model.expressions.expression import Expression, constant_text
from profiling_core.model.expressions.numeric import Elapsed
from profiling_core.model.of_columns import Names

Term = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Polynomial(Expression):
    """A sum of products: ``terms`` are pairs of a factor and the columns that it is multiplied by, one or two."""

    terms: tuple[Term, ...]
    form = "polynomial"
    is_numeric = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the terms, each once."""
        return tuple(dict.fromkeys(column for _, columns in self.terms for column in columns))

    @property
    def text(self) -> str:
        """``quantity·price − discount``, ``0.01·(amount − discount)·tax_pct``."""
        return self._said("·", " + ", " − ")

    @property
    def words(self) -> str:
        """``quantity times price minus discount``."""
        return self._said(" times ", " plus ", " minus ")

    def _said(self, times: str, plus: str, minus: str) -> str:
        size, shared = self._common()
        summands = []
        for factor, columns in self.terms:
            rest = list((Counter(columns) - Counter([shared])).elements()) if shared else list(columns)
            own = abs(Fraction(factor) / size)
            summands.append(times.join([*([] if own == 1 else [constant_text(own)]), *rest]))
        signs = [Fraction(factor) < 0 for factor, _ in self.terms]
        whole = ("−" if signs[0] else "") + summands[0]
        whole += "".join((minus if below else plus) + one for below, one in zip(signs[1:], summands[1:], strict=True))
        before = [] if size == 1 else [constant_text(size)]
        return times.join([*before, f"({whole})", shared]) if shared else whole

    def _common(self) -> tuple[Fraction, str]:
        """The factor and the column that all terms share, where they are taken out."""
        shared = [column for column in self.terms[0][1] if all(column in columns for _, columns in self.terms)]
        if not shared or any(len(columns) == 1 for _, columns in self.terms):
            return Fraction(1), ""
        factors = [abs(Fraction(factor)) for factor, _ in self.terms]
        size = Fraction(gcd(*(f.numerator for f in factors)), lcm(*(f.denominator for f in factors)))
        return size, shared[-1]

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, terms=tuple((f, tuple(names.get(c, c) for c in columns)) for f, columns in self.terms))


@dataclass(frozen=True)
class Late(Elapsed):
    """The time from one column to a later one, and zero if that does not come later."""

    form = "late"

    @property
    def text(self) -> str:
        """``max(0, days(paid − due))``."""
        return f"max(0, {super().text})"

    @property
    def words(self) -> str:
        """``the number of days that paid is after due, or nought``."""
        return f"{super().words}, or nought where that is less"
