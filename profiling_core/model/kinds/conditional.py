"""Rules that hold where a column has certain values (docs/semantics.md, "Conditional rules")."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present, among
from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import ROWS, About, Constraint, Nouns, Renames, Subject
from profiling_core.model.predicate import Operator, Predicate, same_column
from profiling_core.model.texts import listed


@dataclass(frozen=True)
class Conditional(Constraint):
    """``column ∈ values ⇒ then``, or ``⇔`` where it goes ``both_ways``.

    ``values`` are texts, sorted; none stand for any value, so that a row without one is among the others.
    """

    table: str
    column: str
    values: tuple[str, ...]
    then: Consequent
    both_ways: bool = False
    kind = Kind.CONDITIONAL
    nouns: ClassVar[Nouns] = Nouns("conditional rule", "conditional rules", "conditional")

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the rule speaks of."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The condition's column, and those of what follows from it."""
        return tuple(dict.fromkeys((self.column, *self.then.columns)))

    @property
    def asks_for_any(self) -> bool:
        """Whether the condition is that its column has a value."""
        return not self.values

    @property
    def telling(self) -> tuple[str, ...]:
        """The columns that are not as the condition wants them."""
        return self.then.columns

    @property
    def measuring(self) -> tuple[str, ...]:
        """Those that are bounded or compared within the category."""
        return self.then.columns if isinstance(self.then, Bounded | Ordered) else ()

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Its condition, and bands of the same columns; of columns that are there together, each."""
        if self.asks_for_any and self.both_ways and isinstance(self.then, Present):
            return tuple((About.THERE, name) for name in self.columns) if self.then.there else ()
        where = (About.WHERE, self.column, self.values, self.both_ways)
        if isinstance(self.then, Bounded | OneOf):
            return where, (About.BANDS, self.column, self.then.columns, self.both_ways, self.then.asks)
        return (where,)

    @property
    def entails(self) -> tuple[tuple[Predicate, ...], ...]:
        """Where a column has a value in one category alone, rows that have it are of that category."""
        if not (self.both_ways and len(self.values) == 1 and isinstance(self.then, Present) and self.then.there):
            return ()
        return ((same_column(self.then.column, Operator.EQ), same_column(self.column, Operator.NE)),)

    @property
    def may_hold_by_accident(self) -> bool:
        """A limit or a set of some categories may, but not what is one value, nor a sign."""
        then = self.then
        if self.both_ways or self.asks_for_any or not isinstance(then, Bounded | OneOf):
            return False
        return isinstance(then, OneOf) or not (then.low == then.high or then.is_sign)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the rule within its dataset."""
        said = (self.column, list(self.values), self.then.to_json(), self.both_ways)
        return fingerprint(self.kind, self.table, *said)

    @property
    def text(self) -> str:
        """``status = cancelled ⇔ reason is there``."""
        return f"{among(self.column, self.values)} {'⇔' if self.both_ways else '⇒'} {self.then.text}"

    @property
    def words(self) -> str:
        """``Where status is cancelled, reason is there, and nowhere else.``."""
        if self.asks_for_any and self.both_ways and isinstance(self.then, Present):
            if self.then.there:
                return f"{self.column} and {self.then.column} are both there, or neither is."
            return f"Either {self.column} or {self.then.column} is there, and never both."
        elsewhere = ", and nowhere else" if self.both_ways else ""
        condition = "there" if self.asks_for_any else listed(self.values, "or")
        return f"Where {self.column} is {condition}, {self.then.words}{elsewhere}."

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - the same for all
        """How many cases put it to the test."""
        return f"{support:,} {ROWS.of(support)} tested it; without the condition it does not hold."

    def renamed(self, renames: Renames) -> Self:
        """The same rule under the names that its columns have now."""
        names = renames.get(self.table, {})
        return replace(self, column=names.get(self.column, self.column), then=self.then.renamed(names))
