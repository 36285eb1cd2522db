"""Constraints looked up row by row in what the rows so far say: what a replay has in place of an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from profiling_core.model.constraint import (
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    UniqueColumnCombination,
)

Columns = Mapping[str, Sequence[object]]
Key = tuple[object, ...]
_TAKEN = object()


@dataclass(frozen=True)
class Found:
    """The rows of a batch that violate a constraint, and what the batch adds to what is known."""

    rows: Sequence[int]
    fresh: Mapping[Key, object]


@dataclass
class Lookup:
    """A constraint with what the rows so far say: the value that goes with each key, and how many rows violate it."""

    constraint: Constraint
    allowed: frozenset[str] = frozenset()
    seen: dict[Key, object] = field(default_factory=dict)
    violations: int = 0

    def look(self, columns: Columns) -> Found:
        """What a batch, column by column, says to the constraint."""
        constraint = self.constraint
        if isinstance(constraint, InclusionDependency):
            values = columns[constraint.lhs.columns[0]]
            return Found([i for i, v in enumerate(values) if v is not None and v not in self.allowed], {})
        if isinstance(constraint, DenialConstraint):
            return Found(_greater(constraint, columns), {})
        if isinstance(constraint, (FunctionalDependency, UniqueColumnCombination)):
            return self._by_key(constraint, columns)
        raise TypeError(constraint)

    def learn(self, found: Found) -> None:
        """Takes a batch over into what is known."""
        self.seen.update(found.fresh)
        self.violations += len(found.rows)

    def _by_key(self, constraint: FunctionalDependency | UniqueColumnCombination, columns: Columns) -> Found:
        rows_in_all = len(next(iter(columns.values())))
        keys = [tuple(columns[name][i] for name in constraint.lhs.columns) for i in range(rows_in_all)]
        rhs = constraint.rhs.columns[0] if isinstance(constraint, FunctionalDependency) else ""
        values = columns[rhs] if rhs else [_TAKEN] * len(keys)
        fresh: dict[Key, object] = {}
        rows = []
        for i, (key, value) in enumerate(zip(keys, values, strict=True)):
            if value is None or None in key:
                continue
            known = self.seen.get(key, fresh.get(key))
            if known is None:
                fresh[key] = value
            elif known != value or not rhs:
                rows.append(i)
        return Found(rows, fresh)


def _greater(constraint: DenialConstraint, columns: Columns) -> list[int]:
    """The rows that ``¬(t.A > t.B)`` denies."""
    (predicate,) = constraint.predicates
    pairs = zip(columns[predicate.left.column], columns[predicate.right.column], strict=True)
    return [i for i, (a, b) in enumerate(pairs) if a is not None and b is not None and a > b]  # type: ignore[operator]
