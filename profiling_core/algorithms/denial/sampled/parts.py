"""Which of many unchecked constraints to check next, and among how many rows first.

Wrong constraints resemble each other: the evidences that a part of them brings refute most
of the rest, unchecked. In a large table some of the rows already violate most wrong constraints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, takewhile

import numpy as np
from numpy.typing import NDArray

DC = tuple[int, ...]
# An eighth of many constraints is checked at a time, as long as it brings evidences; 256 or fewer are checked at once.
_PARTS, _FEW = 8, 256
# Of large tables 8,192 rows are checked first, then 4 times as many, and so on.
_SOME, _GROWING = 8_192, 4


def samples_of(rows: int) -> list[NDArray[np.int64]]:
    """The places of the rows among which to check first, one sample after the other, each ascending; none of few rows.

    Each sample is a part of the next one.
    """
    order = np.random.default_rng(0).permutation(rows)
    sizes = takewhile(lambda size: size * _GROWING <= rows, (_SOME * _GROWING**step for step in count()))
    return [np.sort(order[:size]) for size in sizes]


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
