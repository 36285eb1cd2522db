"""Whether a constraint says anything that others do not say together.

Suppose a pair of rows violated it: all its predicates hold. If all predicates of a known constraint but one are
bound to hold, the last one does not hold; that narrows what the rows' values can be to each other, and so on until
nothing more follows, or nothing is left that they can be. Then no such pair exists, and the constraint follows from the
known ones. Armstrong's axioms, keys that make FDs redundant and orders that follow from two others are cases of it.
Nulls are left out of account, so that it decides on what people are shown first, never on what holds.
Compare: the implication test in Chu et al., "Discovering Denial Constraints" (VLDB 2013), section 4.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.hitting_sets.satisfiability import ALLOWED, CHAIN, flip, narrow
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Predicate

_ANY, _SAME = 7, 2
# Two operands by their numbers, and the outcomes of comparing them that a predicate allows.
Comparison = tuple[int, int, int]


class KnownConstraints:
    """Constraints of one table that hold, and what follows from them."""

    def __init__(self) -> None:
        self._number: dict[Operand, int] = {}
        self._known: list[list[Comparison]] = []

    def add(self, constraint: DenialConstraint) -> None:
        """Takes up a constraint: in both forms, of either row."""
        if not constraint.predicates:  # a table of one row
            return
        self._known.append(self._comparisons(constraint.predicates))
        self._known.append(
            self._comparisons([Predicate(p.left.swapped, p.op, p.right.swapped) for p in constraint.predicates])
        )

    def imply(self, constraint: DenialConstraint) -> bool:
        """Whether the constraint follows from the known ones."""
        denied = self._comparisons(constraint.predicates)
        size = len(self._number)
        can_be = np.full((size, size), _ANY, np.uint8)
        np.fill_diagonal(can_be, _SAME)
        for comparison in denied:
            _restrict(can_be, comparison)
        possible = bool(can_be.all()) and bool(narrow(can_be, size, CHAIN))
        while possible:
            found = [excluded for known in self._known if (excluded := _excluded(can_be, known)) is not None]
            if not found:
                return False
            for comparison in found:
                _restrict(can_be, comparison)
            possible = bool(can_be.all()) and bool(narrow(can_be, size, CHAIN))
        return True

    def _comparisons(self, predicates: Sequence[Predicate]) -> list[Comparison]:
        return [(self._of(p.left), self._of(p.right), ALLOWED[p.op]) for p in predicates]

    def _of(self, operand: Operand) -> int:
        return self._number.setdefault(operand, len(self._number))


def _restrict(can_be: NDArray[np.uint8], comparison: Comparison) -> None:
    a, b, allowed = comparison
    can_be[a, b] &= allowed
    can_be[b, a] = flip(can_be[a, b])


def _excluded(can_be: NDArray[np.uint8], known: Sequence[Comparison]) -> Comparison | None:
    """The last predicate of a known constraint, turned round, where all others are bound to hold; None: nothing new."""
    last: Comparison | None = None
    for a, b, allowed in known:
        outcomes = int(can_be[a, b])
        if not outcomes & allowed:
            return None
        if outcomes & ~allowed:
            if last is not None:
                return None
            last = (a, b, _ANY & ~allowed)
    a, b, allowed = known[0]
    return last or (a, b, 0)
