"""How a source writes its numbers: what begins a fraction, and what parts thousands."""

from dataclasses import dataclass

DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'")


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands in numbers beside digits.

    Attributes:
        decimal: what begins the fraction, one of :data:`DECIMALS`.
        thousands: what parts thousands, one of :data:`THOUSANDS`; empty: nothing does. A blank stands for blanks of any
            width, a straight apostrophe for a curved one, too.

    Raises:
        ValueError: one mark is to be both.
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        """Two meanings of one mark could not be told apart."""
        if self.decimal == self.thousands:
            raise ValueError(f"decimal and thousands are both {self.decimal!r}: one mark cannot be both")

    @property
    def words(self) -> str:
        """What the marks are, as in: numbers are read ``with ',' before fractions``."""
        parted = f" and {self.thousands!r} between thousands" if self.thousands else ""
        return f"with {self.decimal!r} before fractions{parted}"


PLAIN = Marks()
"""Numbers as programs write them: 1234.5."""
