"""Functional dependencies."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import About, ColumnList, Nouns, Renames, RowConstraint, Subject
from profiling_core.model.predicate import Operator, Predicate, same_column
from profiling_core.model.texts import listed

if TYPE_CHECKING:
    from profiling_core.model.dataset import Thresholds


@dataclass(frozen=True)
class FunctionalDependency(RowConstraint):
    """``{X} → A``: rows that agree on X agree on A. X may be empty: then A is constant."""

    lhs: ColumnList
    rhs: ColumnList
    kind = Kind.FD
    nouns: ClassVar[Nouns] = Nouns("functional dependency", "functional dependencies", "functional")

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the constraint speaks of."""
        return (self.lhs.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the constraint speaks of."""
        return self.lhs.columns + self.rhs.columns

    @property
    def denied(self) -> tuple[Predicate, ...]:
        """¬(X= ∧ A≠)."""
        equal = (same_column(column, Operator.EQ) for column in self.lhs.columns)
        return (*equal, *(same_column(column, Operator.NE) for column in self.rhs.columns))

    @property
    def telling(self) -> tuple[str, ...]:
        """The right side, which should have been the same."""
        return self.rhs.columns

    @property
    def determinant(self) -> tuple[str, ...]:
        """The left side."""
        return self.lhs.columns

    @property
    def naming(self) -> tuple[str, ...]:
        """Both sides."""
        return self.columns

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Its subject: the determination by its left side."""
        return ((About.DETERMINED, self.lhs),)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        return fingerprint(self.kind, self.lhs.table, sorted(self.lhs.columns), self.rhs.columns)

    @property
    def text(self) -> str:
        """``{X} → A``."""
        return f"{{{', '.join(self.lhs.columns)}}} → {self.rhs.columns[0]}"

    @property
    def words(self) -> str:
        """``Rows of flights that agree on origin and dest have the same distance.``."""
        (rhs,) = self.rhs.columns
        if not self.lhs.columns:
            return f"All rows of {self.lhs.table} have the same {rhs}."
        return f"Rows of {self.lhs.table} that agree on {listed(self.lhs.columns)} have the same {rhs}."

    def fault(self, rows: str, *, one: bool) -> str:
        """``3 new rows have another distance than others with the same origin and dest``."""
        (rhs,), verb = self.rhs.columns, "has" if one else "have"
        others = f"others with the same {listed(self.lhs.columns)}" if self.lhs.columns else "all others"
        return f"{rows or 'some rows'} {verb} another {rhs} than {others}"

    def threshold(self, errors: "Thresholds") -> float:
        """The configured g1 of FDs."""
        return errors.fd

    def renamed(self, renames: Renames) -> Self:
        """The same dependency under the names that its columns have now."""
        return type(self)(self.lhs.renamed(renames), self.rhs.renamed(renames))
