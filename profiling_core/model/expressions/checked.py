"""Codes with check digits."""

from dataclasses import dataclass

from profiling_core.model.expressions.expression import Expression
from profiling_core.model.texts import listed


@dataclass(frozen=True)
class CheckDigits(Expression):
    """A code with the check digits that its other digits give.

    Each digit is multiplied by its weight, and the products are added to ``plus``; a character whose weight is 0 may be
    anything. The check digits, ``size`` of them from ``start`` on, are right if they leave the same rest by the
    ``modulus`` as the last ``size`` digits of the sum's rest do. As Luhn does, if ``doubled``, the last digit with a
    weight and every second one before it is doubled first, and of a double of two digits these are added.
    """

    code: str
    weights: tuple[int, ...]
    plus: int
    modulus: int
    start: int
    size: int
    doubled: bool = False
    form = "check_digits"
    naming = ("code",)

    @property
    def places(self) -> tuple[int, ...]:
        """The places of the characters that have to be digits."""
        check = range(self.start, self.start + self.size)
        return tuple(place for place, weight in enumerate(self.weights) if weight or place in check)

    @property
    def doubled_places(self) -> tuple[int, ...]:
        """The places of the digits that are doubled."""
        return tuple(place for place, weight in enumerate(self.weights) if weight)[::-2] if self.doubled else ()

    @property
    def text(self) -> str:
        """``7 characters + check digit modulo 11 + …``, ``15 characters + check digit by Luhn``."""
        before = f"{self.start} character{'s' if self.start > 1 else ''} + " if self.start else ""
        behind = " + …" if self.start + self.size < len(self.weights) else ""
        return f"{before}{self._digits} {self._modulus}{behind}"

    @property
    def words(self) -> str:
        """``a code of 5 characters that ends with a check digit modulo 11, the digits before times 5, 4, 3 and 2``."""
        ends = self.start + self.size == len(self.weights)
        place = "that ends with" if ends else f"with, after {self.start} characters,"
        digits = f"{'' if self.size > 1 else 'a '}{self._digits} {self._modulus}{self._weights}"
        return f"a code of {len(self.weights)} characters {place} {digits}"

    @property
    def _digits(self) -> str:
        return "check digits" if self.size > 1 else "check digit"

    @property
    def _modulus(self) -> str:
        return "by Luhn" if self.doubled else f"modulo {self.modulus}"

    @property
    def _weights(self) -> str:
        """The weights of Luhn's digits are all the same."""
        if self.doubled:
            return ""
        weights = listed([str(weight) for weight in self.weights if weight])
        return f", the digits before times {weights}{f', plus {self.plus}' if self.plus else ''}"
