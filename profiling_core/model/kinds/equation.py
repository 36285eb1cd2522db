"""Equations within a row (docs/semantics.md, "Equations within a row")."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

from profiling_core.model.expression import Expression, Linear, Precision
from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import About, Constraint, Nouns, Renames, Subject
from profiling_core.model.predicate import Operator, Predicate, same_column

UNSTATED = Precision()


@dataclass(frozen=True)
class Equation(Constraint):
    """``column = value``: in every row that has all of its columns.

    ``precision`` says how far the two sides may be apart.
    """

    table: str
    column: str
    value: Expression
    precision: Precision = UNSTATED
    kind = Kind.EQUATION
    __flat__: ClassVar[tuple[str, ...]] = ("precision",)
    nouns: ClassVar[Nouns] = Nouns("equation", "equations", "equation")

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the equation speaks of."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that it gives, then those that give it."""
        return tuple(dict.fromkeys((self.column, *self.value.columns)))

    @property
    def is_copy(self) -> bool:
        """Whether it says that the column is the same as another one."""
        value = self.value
        return (
            isinstance(value, Linear) and len(value.terms) == 1 and value.terms[0][0] == "1" and value.constant == "0"
        )

    @property
    def measuring(self) -> tuple[str, ...]:
        """All of them where numbers are computed, and not copied."""
        return self.columns if self.value.is_numeric and not self.is_copy else ()

    @property
    def entails(self) -> tuple[tuple[Predicate, ...], ...]:
        """Rows that agree on what it is computed from agree on the column; at a half either neighbour will do."""
        if self.precision.is_loose or self.column in self.value.columns:
            return ()
        agree = (same_column(name, Operator.EQ) for name in self.value.columns)
        return ((*agree, same_column(self.column, Operator.NE)),)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The way that it computes, with a column in common or with the same constants; parts of one column."""
        value = self.value
        shape = str(value.renamed({name: str(place) for place, name in enumerate(value.columns)}).to_json())
        if len(value.columns) > 1:
            return tuple((About.ALIKE, shape, name) for name in value.columns)
        if not value.is_numeric:
            return ((About.OF_ONE, value.columns),)
        return ((About.ALIKE, shape, ""),) if isinstance(value, Linear) and not self.is_copy else ()

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the equation within its dataset."""
        return fingerprint(
            self.kind, self.table, self.column, self.value.to_json(), list(self.precision.to_json().values())
        )

    @property
    def text(self) -> str:
        """``gross = net + vat``."""
        return f"{self.column} = {self.precision.text(self.value.text)}"

    @property
    def words(self) -> str:
        """``gross is net plus vat.``."""
        return f"{self.column} is {self.value.words}{self.precision.words}."

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - the same for all
        """How many rows it was put to the test in."""
        return f"{support:,} rows have all of its columns."

    def renamed(self, renames: Renames) -> Self:
        """The same equation under the names that its columns have now."""
        names = renames.get(self.table, {})
        return replace(self, column=names.get(self.column, self.column), value=self.value.renamed(names))


def equation_of(constraint: Constraint) -> Equation | None:
    """The constraint as an equation; None: it is none."""
    return constraint if isinstance(constraint, Equation) else None
