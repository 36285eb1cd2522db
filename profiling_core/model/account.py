"""What has become of all lines or records of what was read, so that none is lost without a word."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from profiling_core.model.stored import Stored

MAX_REJECT_RATIO = 0.05
"""The share of a file's lines that may be lost before it is refused: ``max_reject_ratio`` of tables by default."""


@dataclass(frozen=True, slots=True)
class Account(Stored):
    """The account of a file's lines, or of its records where it has no lines.

    Attributes:
        rows: lines that are rows, readable or not; lost: those of rows that could not be read, beyond one for each;
            within: those of other rows beyond one for each, since a cell has line ends.
        left_out: lines that are no rows, by why: the header, comments, empty ones.
        last: the numbers of those at the end that could be rows, as they have values in several columns.
    """

    rows: int = 0
    lost: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    last: tuple[int, ...] = ()
    within: int = 0

    def __add__(self, other: "Account") -> "Account":
        left_out = Counter(self.left_out) + Counter(other.left_out)
        lost, within = self.lost + other.lost, self.within + other.within
        return Account(self.rows + other.rows, lost, dict(left_out), (*self.last, *other.last), within)

    @property
    def total(self) -> int:
        """All lines."""
        return self.rows + sum(self.left_out.values())
