"""The evidences that a cover is to hold against, in the forms that inversion and updating ask for."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.bit_words import Masks, vertical


class Evidences(Protocol):
    """Evidences of ordered pairs, both directions; where few of them decide, the others need not be made masks."""

    def __len__(self) -> int:
        """How many there are; one may be there twice."""

    @property
    def masks(self) -> Masks:
        """The predicates that hold for each, uint64[e, words], each once."""

    def at(self, rows: NDArray[np.int64]) -> Masks:
        """The predicates that hold for some of them, by their places."""

    def hits(self, wanted: Masks) -> Masks:
        """The transpose, uint64[predicates, ⌈e / 64⌉]: per predicate of ``wanted`` the places where it holds."""


@dataclass(frozen=True)
class MaskedEvidences:
    """Evidences that are at hand as masks of predicates."""

    masks: Masks
    predicates: int

    def __len__(self) -> int:
        return len(self.masks)

    def at(self, rows: NDArray[np.int64]) -> Masks:
        """See :class:`Evidences`."""
        return self.masks[rows]

    def hits(self, wanted: Masks) -> Masks:
        """See :class:`Evidences`."""
        return vertical(self.masks & wanted, self.predicates)
