"""What all expressions say of themselves.

Constants are rational numbers, kept as text: ``0.19``, or ``1/60`` where no decimal says it.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from profiling_core.model.of_columns import OfColumns
from profiling_core.model.stored import Stated, Stored


@dataclass(frozen=True, slots=True)
class Precision(Stored):
    """To how many ``decimals`` after the point an equation holds, and to how many significant ``digits``.

    None: as many as there are. Neither: to what doubles can tell, or the values are no numbers. ``halves``: by how many
    half units of the last decimal the sides may be apart; None: one, and none for whole numbers. With it decimals may
    be below zero: −1 are tens.
    """

    decimals: int | None = None
    digits: int | None = None
    halves: Stated[int] = None

    @property
    def is_loose(self) -> bool:
        """Whether an equation holds of what is rounded more coarsely than the column is written."""
        return self.halves is not None

    @property
    def half_unit(self) -> Fraction:
        """How far the sides may be apart, beside what doubles cannot tell."""
        if self.halves is None:
            return Fraction(1, 2 * 10**self.decimals) if self.decimals else Fraction(0)
        return Fraction(self.halves, 2) / Fraction(10) ** (self.decimals or 0)

    def text(self, value: str) -> str:
        """A right side as it is written with what it may be away: ``a + b ± 0.01``."""
        if self.halves is None:
            return value
        return f"{value} ± {constant_text(self.half_unit)}"

    @property
    def words(self) -> str:
        """What is said of it after the right side."""
        if self.halves is None:
            return ""
        return f", give or take {constant_text(self.half_unit)}"


class Expression(OfColumns):
    """What a column is equal to: a value computed from other columns of the row.

    Attributes:
        is_numeric: whether it computes a number from numbers, so that a tolerance applies.
        dividing: the field with the column that it divides by; empty: there is none.
    """

    __tag__ = "form"
    __forgotten__ = frozenset({"extreme", "excess", "distance", "apart", "days_on", "weeks_on", "cased"})
    form: ClassVar[str]
    is_numeric: ClassVar[bool] = False
    dividing: ClassVar[str] = ""

    @property
    def divisor(self) -> str:
        """The column that it divides by, which must not be zero; empty: none."""
        return str(getattr(self, self.dividing)) if self.dividing else ""

    @property
    def optional(self) -> tuple[str, ...]:
        """The columns whose nulls count as zero, so that the row is judged all the same."""
        return ()


def constant_text(value: Fraction) -> str:
    """A rational number as text: a decimal where one says it exactly, else a fraction."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(value * 10**digits))
    number = str(whole) if not digits else f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"
    return f"-{number}" if value < 0 else number
