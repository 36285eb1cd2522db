"""Predicates over a pair of rows, and the predicate space that a table's constraints draw from.

A *group* is one pair of operands, such as ``t.A ? s.A``; its predicates differ in the operator alone, so that a pair of
rows has exactly one of four outcomes per group. The space fixes the order of groups and predicates, which every
bit mask, evidence key and canonical form refers to. It is fixed at bootstrap and stored with the table's state.
Source: Bleifuß et al., "Efficient Denial Constraint Discovery with Hydra", section 1.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

from profiling_core.model.stored import Sparse, Stored
from profiling_core.model.types import NullSemantics


class Operator(StrEnum):
    """The six comparison operators, in the fixed order that predicates of one group take."""

    EQ = "="
    NE = "≠"
    LT = "<"
    LE = "≤"
    GT = ">"
    GE = "≥"

    @property
    def inverse(self) -> "Operator":
        """The operator that holds between two non-null values exactly when this one does not."""
        return _INVERSE[self]

    @property
    def flipped(self) -> "Operator":
        """The operator with its operands exchanged: ``a op b`` is ``b op.flipped a``."""
        return _FLIPPED[self]


_INVERSE = {
    Operator.EQ: Operator.NE,
    Operator.NE: Operator.EQ,
    Operator.LT: Operator.GE,
    Operator.LE: Operator.GT,
    Operator.GT: Operator.LE,
    Operator.GE: Operator.LT,
}
_FLIPPED = {
    Operator.EQ: Operator.EQ,
    Operator.NE: Operator.NE,
    Operator.LT: Operator.GT,
    Operator.LE: Operator.GE,
    Operator.GT: Operator.LT,
    Operator.GE: Operator.LE,
}
UNORDERED = (Operator.EQ, Operator.NE)
ORDERED = tuple(Operator)


@dataclass(frozen=True, slots=True, order=True)
class Operand(Stored):
    """A column of one of the two rows, ``t`` or ``s``; or, ``by_day``, the day of a moment in it."""

    tuple: str
    column: str
    by_day: Sparse[bool] = False

    def __str__(self) -> str:
        return f"{self.tuple}.{self.text}"

    @property
    def text(self) -> str:
        """``visited``, ``date(visited)``."""
        return f"date({self.column})" if self.by_day else self.column

    @property
    def words(self) -> str:
        """``visited``, ``the day of visited``."""
        return f"the day of {self.column}" if self.by_day else self.column

    @property
    def swapped(self) -> "Operand":
        """The same column of the other row."""
        return replace(self, tuple="s" if self.tuple == "t" else "t")


@dataclass(frozen=True, slots=True)
class Predicate(Stored):
    """``left op right``; ``left`` is always of row t, ``right`` of row s, or of t in a single-row predicate."""

    left: Operand
    op: Operator
    right: Operand

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    @property
    def is_single_row(self) -> bool:
        """Whether both operands are of the same row."""
        return self.left.tuple == self.right.tuple

    @property
    def is_same_column(self) -> bool:
        """Whether the predicate compares one column between the two rows."""
        return not self.is_single_row and self.left.column == self.right.column


def same_column(column: str, op: Operator) -> Predicate:
    """The predicate that compares a column with itself: ``t.A op s.A``."""
    return Predicate(Operand("t", column), op, Operand("s", column))


# Groups are many: each operand is written as its row and its column.
_Short = Annotated[
    Operand,
    BeforeValidator(lambda pair: Operand(*pair)),
    PlainSerializer(lambda operand: [operand.tuple, operand.column]),
]


@dataclass(frozen=True, slots=True)
class PredicateGroup(Stored):
    """Two operands and whether they are compared by order or by equality alone."""

    left: _Short
    right: _Short
    ordered: bool

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators that predicates of this group take, in fixed order."""
        return ORDERED if self.ordered else UNORDERED

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates of this group, in fixed order."""
        return tuple(Predicate(self.left, op, self.right) for op in self.operators)


@dataclass(frozen=True)
class PredicateSpace(Stored):
    """The predicate groups of one table, in fixed order, under one null semantics.

    Same-column groups come first in column order, then cross-column groups ``t.A ? s.B`` (both ``(A, B)`` and
    ``(B, A)``), then single-row groups ``t.A ? t.B`` with A before B.
    """

    table: str
    nulls: NullSemantics
    groups: tuple[PredicateGroup, ...]

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        """All predicates, in fixed order: bit i of a predicate mask is ``predicates[i]``."""
        return tuple(predicate for group in self.groups for predicate in group.predicates)

    @cached_property
    def index(self) -> dict[Predicate, int]:
        """Position of each predicate in :attr:`predicates`."""
        return {predicate: i for i, predicate in enumerate(self.predicates)}

    @cached_property
    def group_of(self) -> tuple[int, ...]:
        """For each predicate, the index of its group."""
        return tuple(g for g, group in enumerate(self.groups) for _ in group.operators)

    @cached_property
    def is_same_column(self) -> bool:
        """Whether all predicates compare a column with itself."""
        return all(predicate.is_same_column for predicate in self.predicates)
