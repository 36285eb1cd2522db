"""Rules along references: a row beside its parent, a parent beside its children (docs/semantics.md)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Self

from profiling_core.model.expression import Precision
from profiling_core.model.identity import DATASET, Kind, fingerprint
from profiling_core.model.kinds.constraint import ColumnList, Constraint, Nouns, Renames
from profiling_core.model.predicate import Operator, Predicate, same_column
from profiling_core.model.texts import listed

_SAID = {
    Operator.EQ: "is",
    Operator.NE: "is never",
    Operator.LT: "is below",
    Operator.LE: "is at most",
    Operator.GT: "is above",
    Operator.GE: "is at least",
}


class Aggregate(StrEnum):
    """What is made of all children's values."""

    SUM = "sum"
    COUNT = "count"
    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True)
class Beside:
    """A child's ``column`` stands so to its parent's ``other``; ``op`` is an operator as written."""

    column: str
    op: str
    other: str


@dataclass(frozen=True)
class Summary:
    """A parent's ``column`` is the aggregate of its children's ``other`` (empty: of the children themselves)."""

    column: str
    aggregate: str
    other: str
    decimals: int | None = None
    digits: int | None = None

    @property
    def precision(self) -> Precision:
        """How far the two may be apart."""
        return Precision(self.decimals, self.digits)


@dataclass(frozen=True)
class ReferenceRule(Constraint):
    """A rule along the reference of ``child`` columns to ``parent`` columns."""

    child: ColumnList
    parent: ColumnList
    relation: Beside | Summary
    kind = Kind.REFERENCE
    nouns: ClassVar[Nouns] = Nouns("rule along a reference", "rules along references", "reference")
    needs_surprise = False

    @property
    def own(self) -> ColumnList:
        """The side whose rows violate it: the child beside its parent, the parent beside its children."""
        return self.child if isinstance(self.relation, Beside) else self.parent

    @property
    def far(self) -> ColumnList:
        """The side that rows are compared with."""
        return self.parent if isinstance(self.relation, Beside) else self.child

    @property
    def other(self) -> ColumnList:
        """All columns of the other side that the rule speaks of."""
        columns = (*self.far.columns, self.relation.other) if self.relation.other else self.far.columns
        return ColumnList(self.far.table, tuple(dict.fromkeys(columns)))

    @property
    def tables(self) -> tuple[str, ...]:
        """Its own table, then the other one."""
        return tuple(dict.fromkeys((self.own.table, self.far.table)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its own table."""
        return tuple(dict.fromkeys((*self.own.columns, self.relation.column)))

    @property
    def sides(self) -> tuple[ColumnList, ...]:
        """Its own columns, and those of the other side."""
        return (ColumnList(self.own.table, self.columns), self.other)

    @property
    def kept_with(self) -> str:
        """The dataset, since both tables' deltas change it."""
        return DATASET

    @property
    def telling(self) -> tuple[str, ...]:
        """The column that is not as the other side wants it."""
        return (self.relation.column,)

    @property
    def can_set_aside(self) -> bool:
        """Not: which rows violate it depends on the other table's delta too."""
        return False

    @property
    def entails(self) -> tuple[tuple[Predicate, ...], ...]:
        """Children of one parent agree on what is the same as the parent's; parents are unique."""
        if not isinstance(self.relation, Beside) or self.relation.op != Operator.EQ:
            return ()
        agree = (same_column(name, Operator.EQ) for name in self.child.columns)
        return ((*agree, same_column(self.relation.column, Operator.NE)),)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        pairs = sorted(zip(self.child.columns, self.parent.columns, strict=True))
        tables = (self.child.table, self.parent.table)
        return fingerprint(self.kind, *tables, pairs, sorted(asdict(self.relation).items()))

    @property
    def text(self) -> str:
        """``payments.paid ≥ orders.ordered``, ``orders.total = sum(items.price)``."""
        left, right = f"{self.own.table}.{self.relation.column}", self.far.table
        if isinstance(self.relation, Beside):
            return f"{left} {self.relation.op} {right}.{self.relation.other} (by {', '.join(self.child.columns)})"
        of = f"{right}.{self.relation.other}" if self.relation.other else right
        return f"{left} = {self.relation.aggregate}({of}) (by {', '.join(self.child.columns)})"

    @property
    def words(self) -> str:
        """``Each total in orders is the sum of price of its rows in items.``."""
        column, far = f"{self.relation.column} in {self.own.table}", self.far.table
        if isinstance(self.relation, Beside):
            return self.words_with(_SAID[Operator(self.relation.op)])
        if self.relation.aggregate == Aggregate.COUNT:
            return f"Each {column} is the number of its rows in {far}."
        joint = "of" if self.relation.aggregate == Aggregate.SUM else ""
        summed = " ".join(filter(None, (self.relation.aggregate, joint, self.relation.other)))
        return f"Each {column} is the {summed} of its rows in {far}."

    def words_with(self, verb: str) -> str:
        """How a row stands to its parent: ``Each paid in payments is at least the ordered of its row in orders.``."""
        beside = f"its row in {self.far.table}"
        if self.far.table == self.own.table:
            beside = f"the row that its {listed(self.child.columns)} names"
        return f"Each {self.relation.column} in {self.own.table} {verb} the {self.relation.other} of {beside}."

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - the same for all
        """How many rows put it to the test."""
        return f"{support:,} rows of {self.own.table} tested it."

    def renamed(self, renames: Renames) -> Self:
        """The same rule under the names that its columns have now."""
        own, far = (renames.get(side.table, {}) for side in (self.own, self.far))
        column, other = self.relation.column, self.relation.other
        relation = replace(self.relation, column=own.get(column, column), other=far.get(other, other))
        return replace(self, child=self.child.renamed(renames), parent=self.parent.renamed(renames), relation=relation)

    def to_json(self) -> dict[str, Any]:
        """The rule as plain JSON data; ``other`` has the columns of the other table."""
        form = "beside" if isinstance(self.relation, Beside) else "summary"
        return {
            "kind": self.kind.value,
            "child": self.child.to_json(),
            "parent": self.parent.to_json(),
            "relation": {"form": form, **asdict(self.relation)},
            "other": self.other.to_json(),
            "text": self.text,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        said = dict(data["relation"])
        relation = (Beside if said.pop("form") == "beside" else Summary)(**said)
        return cls(ColumnList.from_json(data["child"]), ColumnList.from_json(data["parent"]), relation)
