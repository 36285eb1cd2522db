"""How a row stands to another one: to its parent, its children, or the row before it (docs/semantics.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, Self

from profiling_core.model.consequent import Consequent
from profiling_core.model.expression import Expression, Precision
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.predicate import Operator
from profiling_core.model.stored import Sparse, Stored

VERBS = {
    Operator.EQ: "is",
    Operator.NE: "is never",
    Operator.LT: "is below",
    Operator.LE: "is at most",
    Operator.GT: "is above",
    Operator.GE: "is at least",
}


# What stands before the names of a parent's columns.
OF_PARENT = "↑"
# What stands before the names of the columns that a child has from the row that its first reference leads to.
ON_THE_WAY = "→"


class Aggregate(StrEnum):
    """The aggregate of all children's values."""

    SUM = "sum"
    COUNT = "count"
    FIRST = "first"
    LAST = "last"


class Related(Stored):
    """The family of relations, by which JSON tells them apart."""

    __tag__ = "form"
    form: ClassVar[str]


@dataclass(frozen=True)
class Beside(Related):
    """A child's ``column`` stands so to its parent's ``other``; ``op`` is an operator as written.

    ``day_of`` is the one of the two that is a moment whose day is meant, the parent's with :data:`OF_PARENT` before it.
    """

    column: str
    op: str
    other: str
    day_of: Sparse[str] = ""
    form = "beside"

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the rule's own table."""
        return (self.column,)

    @property
    def others(self) -> tuple[str, ...]:
        """Those of the other table."""
        return (self.other,)

    def renamed(self, own: Mapping[str, str], far: Mapping[str, str]) -> Self:
        """The same where columns of either table are called otherwise."""
        column, other = own.get(self.column, self.column), far.get(self.other, self.other)
        day_of = {self.column: column, OF_PARENT + self.other: OF_PARENT + other}.get(self.day_of, "")
        return replace(self, column=column, other=other, day_of=day_of)

    @property
    def by_day(self) -> tuple[bool, bool]:
        """Whether the child's, and the parent's, is a moment whose day is meant."""
        return self.day_of == self.column, self.day_of == OF_PARENT + self.other

    @property
    def gives_column(self) -> bool:
        """Whether a parent gives its children's column: it is the same, and not only of the same day."""
        return self.op == Operator.EQ and not self.by_day[0]


@dataclass(frozen=True)
class ComputedBeside(Related):
    """A child's ``column`` is computed of its own columns and of its parent's.

    In ``value`` the names of the parent's columns have :data:`OF_PARENT` before them.
    """

    column: str
    value: Expression
    decimals: int | None = None
    digits: int | None = None
    halves: int | None = None
    form = "computed"

    @property
    def precision(self) -> Precision:
        """How far the two may be apart."""
        return Precision(self.decimals, self.digits, self.halves)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the rule's own table."""
        own = (name for name in self.value.columns if not name.startswith(OF_PARENT))
        return tuple(dict.fromkeys((self.column, *own)))

    @property
    def others(self) -> tuple[str, ...]:
        """Those of the other table."""
        theirs = (name.removeprefix(OF_PARENT) for name in self.value.columns if name.startswith(OF_PARENT))
        return tuple(dict.fromkeys(theirs))

    def renamed(self, own: Mapping[str, str], far: Mapping[str, str]) -> Self:
        """The same where columns of either table are called otherwise."""
        theirs = {OF_PARENT + name: OF_PARENT + new for name, new in far.items()}
        return replace(self, column=own.get(self.column, self.column), value=self.value.renamed({**own, **theirs}))


@dataclass(frozen=True)
class ConditionalBeside(Related):
    """A child and its parent, taken as one row, obey a conditional rule, which has columns of both.

    In it the names of the parent's columns have :data:`OF_PARENT` before them.
    """

    condition: str
    values: tuple[str, ...]
    then: Consequent
    both_ways: bool = False
    form = "conditional"

    @property
    def rule(self) -> Conditional:
        """The rule of one row."""
        return Conditional("", self.condition, self.values, self.then, self.both_ways)

    @property
    def column(self) -> str:
        """The child's column that the rule is about: one that the rule asks for, if there is one."""
        return next(n for n in (*self.then.columns, self.condition) if not n.startswith(OF_PARENT))

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the rule's own table."""
        return tuple(name for name in self.rule.columns if not name.startswith(OF_PARENT))

    @property
    def others(self) -> tuple[str, ...]:
        """Those of the other table."""
        return tuple(n.removeprefix(OF_PARENT) for n in self.rule.columns if n.startswith(OF_PARENT))

    def renamed(self, own: Mapping[str, str], far: Mapping[str, str]) -> Self:
        """The same where columns of either table are called otherwise."""
        names = {**own, **{OF_PARENT + name: OF_PARENT + new for name, new in far.items()}}
        return replace(self, condition=names.get(self.condition, self.condition), then=self.then.renamed(names))


@dataclass(frozen=True)
class Summary(Related):
    """A parent's ``column`` is the aggregate of its children's ``other`` (empty: of the children themselves).

    Of these only the children count whose column ``among`` has one of some ``values``, if there is one.
    """

    column: str
    aggregate: str
    other: str
    decimals: int | None = None
    digits: int | None = None
    among: Sparse[str] = ""
    values: Sparse[tuple[str, ...]] = ()
    form = "summary"

    @property
    def precision(self) -> Precision:
        """How far the two may be apart."""
        return Precision(self.decimals, self.digits)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the rule's own table."""
        return (self.column,)

    @property
    def others(self) -> tuple[str, ...]:
        """Those of the other table."""
        return tuple(dict.fromkeys(filter(None, (self.other, self.among))))

    def renamed(self, own: Mapping[str, str], far: Mapping[str, str]) -> Self:
        """The same where columns of either table are called otherwise."""
        column, other = own.get(self.column, self.column), far.get(self.other, self.other)
        return replace(self, column=column, other=other, among=far.get(self.among, self.among))


BesideRow = Beside | ComputedBeside | ConditionalBeside
"""The relations of a row to one other row."""
