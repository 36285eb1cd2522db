"""Which of many unchecked constraints to check next, and among how many rows first.

Wrong constraints resemble each other: the evidences that a part of them brings refute most
of the rest, unchecked. In a large table some of the rows already violate most wrong constraints.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DC = tuple[int, ...]
# An eighth of many constraints is checked at a time, as long as it brings evidences; 256 or fewer are checked at once.
_PARTS, _FEW = 8, 256
# If a table has at least 4 times 8,192 rows, 8,192 of them are checked first.
_SOME, _TWICE = 8_192, 4


def some_of(rows: int) -> NDArray[np.int64] | None:
    """The places of the rows among which to check first, ascending; None: so few rows are checked at once."""
    if rows < _TWICE * _SOME:
        return None
    return np.sort(np.random.default_rng(0).choice(rows, _SOME, replace=False))


@dataclass
class Parts:
    """How many parts unchecked constraints are taken in: fewer once few evidences come."""

    parts: int = _PARTS

    def of(self, unchecked: Sequence[DC]) -> list[DC]:
        """The constraints to check next."""
        return list(unchecked[:: min(self.parts, -(-len(unchecked) // _FEW))])

    def brought(self, evidences: int, checked: Sequence[DC]) -> None:
        """Learns how many new evidences the check of these constraints brought."""
        if evidences <= len(checked) // _PARTS:
            self.parts = 1
