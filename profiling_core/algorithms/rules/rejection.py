"""Rejections teach what not to show: the same rule again, and rules of the same kind on the same columns.

Someone who rejects ``¬(hired > born)`` does not want ``¬(hired ≥ born)`` either, nor what follows from it alone. Two
rules are *alike* if they have the same columns and are of the same kind: orders whether they were found between columns
or learnt, equations over the same columns, conditions of one column on another, the inclusion of the same columns. A
dependency is alike only with the same left side, since it matters which side determines the other.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.model.constraint import Constraint, Kind
from profiling_core.model.kept_away import KeptAway


class _Says(Protocol):
    @property
    def constraint(self) -> Any: ...


S = TypeVar("S", bound=_Says)


class Rejections:
    """The constraints that people have rejected."""

    def __init__(self, rejected: Iterable[Constraint]) -> None:
        self._rejected = list(rejected)
        self._known = [KnownRules([constraint]) for constraint in self._rejected]

    def reason(self, constraint: Constraint) -> Constraint | None:
        """The rejected constraint that keeps another one away; None: there is none."""
        for rejected, known in zip(self._rejected, self._known, strict=True):
            if constraint.question == rejected.question or way(constraint) == way(rejected):
                return rejected
            if set(constraint.tables) == set(rejected.tables) and known.imply(constraint):
                return rejected
        return None

    def parted(self, among: Sequence[S]) -> tuple[list[S], tuple[KeptAway, ...]]:
        """The constraints that may be shown, and those kept away."""
        there, away = [], []
        for one in among:
            because = self.reason(one.constraint) if self._rejected else None
            if because is None:
                there.append(one)
            elif because != one.constraint:  # its own rejection is listed among the decisions
                away.append(KeptAway(one.constraint, because))
        return there, tuple(away)


def way(constraint: Constraint) -> Hashable:
    """The kind and columns of a constraint, as its key for alike ones; a constraint of one column has none alike."""
    columns = frozenset((side.table, name) for side in constraint.sides for name in side.columns)
    if len(columns) < 2:
        return constraint.fingerprint
    denied = constraint.denied
    if len(denied) == 1 and denied[0].is_single_row:
        return "order within a row", columns
    if constraint.kind in (Kind.FD, Kind.UCC, Kind.DC):
        return constraint.kind, frozenset(denied)
    return constraint.kind, columns, frozenset(constraint.columns)
