"""What all expressions say of themselves.

Constants are rational numbers, kept as text: ``0.19``, or ``1/60`` where no decimal says it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self

Names = Mapping[str, str]


class Precision(NamedTuple):
    """To how many ``decimals`` after the point an equation holds, and to how many significant ``digits``.

    None: as many as there are. Neither: to what doubles can tell, or the values are no numbers.
    """

    decimals: int | None = None
    digits: int | None = None


class Expression(ABC):
    """What a column is equal to: a value computed from other columns of the row."""

    form: ClassVar[str]

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it is computed from, in order."""

    @property
    @abstractmethod
    def text(self) -> str:
        """As people write it."""

    @property
    @abstractmethod
    def words(self) -> str:
        """As people say it."""

    @property
    def is_numeric(self) -> bool:
        """Whether it computes a number from numbers, so that a tolerance applies."""
        return False

    @abstractmethod
    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise: former names, and what each is called now."""

    def to_json(self) -> dict[str, Any]:
        """The expression as plain JSON data."""
        return {"form": self.form, **asdict(self)}  # type: ignore[call-overload]  # all are dataclasses

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(**{field.name: _tuples(data[field.name]) for field in fields(cls)})  # type: ignore[arg-type]


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, (list, tuple)) else value


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
