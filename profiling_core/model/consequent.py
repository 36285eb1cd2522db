"""The consequents of conditional rules: requirements on the rows that meet the condition (docs/semantics.md)."""

from dataclasses import dataclass
from typing import ClassVar

from profiling_core.model.of_columns import OfColumns
from profiling_core.model.predicate import Operator
from profiling_core.model.texts import listed

_SHOWN_VALUES = 12


class Consequent(OfColumns):
    """A requirement on the rows that meet a condition."""

    __tag__ = "asks"
    __forgotten__ = frozenset({"determines", "calculated"})
    asks: ClassVar[str]


@dataclass(frozen=True)
class Present(Consequent):
    """The column has a value (``there``), or it is missing."""

    column: str
    there: bool
    asks = "present"
    naming = ("column",)

    @property
    def text(self) -> str:
        """``reason is there``."""
        return f"{self.column} is {'there' if self.there else 'missing'}"

    @property
    def words(self) -> str:
        """``reason is there``."""
        return self.text


@dataclass(frozen=True)
class Bounded(Consequent):
    """The column's numbers lie between two bounds, inclusive unless ``strict``; None: no bound on that side."""

    column: str
    low: str | None = None
    high: str | None = None
    strict: bool = False
    asks = "bounded"
    naming = ("column",)

    @property
    def is_sign(self) -> bool:
        """Whether the only bound is zero."""
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        return len(bounds) == 1 and not bounds[0].strip("-0.")

    @property
    def text(self) -> str:
        """``0 ≤ amount ≤ 100``."""
        if self.low == self.high:
            return f"{self.column} = {self.low}"
        at_most, at_least = ("<", ">") if self.strict else ("≤", "≥")
        if self.low is None:
            return f"{self.column} {at_most} {self.high}"
        if self.high is None:
            return f"{self.column} {at_least} {self.low}"
        return f"{self.low} {at_most} {self.column} {at_most} {self.high}"

    @property
    def words(self) -> str:
        """``amount is below 0``."""
        if self.low == self.high:
            return f"{self.column} is {self.low}"
        below, above = ("below", "above") if self.strict else ("at most", "at least")
        bounds = ((above, self.low), (below, self.high))
        return f"{self.column} is {listed([f'{how} {bound}' for how, bound in bounds if bound is not None])}"


@dataclass(frozen=True)
class OneOf(Consequent):
    """The column has one of these values, as text, sorted."""

    column: str
    values: tuple[str, ...]
    asks = "one of"
    naming = ("column",)

    @property
    def text(self) -> str:
        """``currency = EUR``, ``currency ∈ {CHF, EUR}``."""
        return among(self.column, self.values)

    @property
    def words(self) -> str:
        """``currency is EUR or CHF``."""
        return f"{self.column} is {listed(self.values, 'or')}"


def among(column: str, values: tuple[str, ...]) -> str:
    """``column = a`` or ``column ∈ {a, b}``; without values, ``column is there``."""
    if not values:
        return f"{column} is there"
    if len(values) == 1:
        return f"{column} = {values[0]}"
    more = len(values) - _SHOWN_VALUES
    return f"{column} ∈ {{{', '.join(values[:_SHOWN_VALUES])}{f' and {more} more' if more > 0 else ''}}}"


_SAID = {
    Operator.EQ: "is the same as",
    Operator.NE: "differs from",
    Operator.LT: "is below",
    Operator.LE: "is at most",
    Operator.GT: "is above",
    Operator.GE: "is at least",
}


@dataclass(frozen=True)
class Ordered(Consequent):
    """Two columns of the row compare as ``op`` says, an operator as written."""

    left: str
    op: str
    right: str
    asks = "ordered"
    naming = ("left", "right")

    @property
    def text(self) -> str:
        """``paid ≤ due``."""
        return f"{self.left} {self.op} {self.right}"

    @property
    def words(self) -> str:
        """``paid is at most due``."""
        return f"{self.left} {_SAID[Operator(self.op)]} {self.right}"
