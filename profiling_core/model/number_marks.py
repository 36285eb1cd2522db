"""How a source writes its numbers: the decimal mark, and the mark between thousands."""

from dataclasses import dataclass

DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'")


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks in numbers.

    Attributes:
        decimal: the mark before the fraction, one of :data:`DECIMALS`.
        thousands: the mark between thousands, one of :data:`THOUSANDS`; empty: there is none. A blank also matches
            blanks of other widths, and a straight apostrophe also matches a curved one.

    Raises:
        ValueError: both marks are the same.
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        """Refuses one mark with two meanings."""
        if self.decimal == self.thousands:
            raise ValueError(f"decimal and thousands are both {self.decimal!r}: one mark cannot be both")

    @property
    def words(self) -> str:
        """The marks in words, as in: numbers are read ``with ',' before fractions``."""
        parted = f" and {self.thousands!r} between thousands" if self.thousands else ""
        return f"with {self.decimal!r} before fractions{parted}"


PLAIN = Marks()
"""Numbers as programs write them: 1234.5."""
