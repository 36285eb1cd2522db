"""Unique column combinations."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import ColumnList, Nouns, Renames, RowConstraint
from profiling_core.model.predicate import Operator, Predicate, same_column
from profiling_core.model.texts import listed

if TYPE_CHECKING:
    from profiling_core.model.dataset import Thresholds


@dataclass(frozen=True)
class UniqueColumnCombination(RowConstraint):
    """``unique {X}``: no two rows agree on X."""

    lhs: ColumnList
    kind = Kind.UCC
    nouns: ClassVar[Nouns] = Nouns("unique column combination", "unique column combinations", "unique")

    @property
    def tables(self) -> tuple[str, ...]:
        """The table that the constraint speaks of."""
        return (self.lhs.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the constraint speaks of."""
        return self.lhs.columns

    @property
    def naming(self) -> tuple[str, ...]:
        """All of them."""
        return self.columns

    @property
    def denied(self) -> tuple[Predicate, ...]:
        """¬(X=)."""
        return tuple(same_column(column, Operator.EQ) for column in self.lhs.columns)

    @property
    def is_single_row(self) -> bool:
        """Never: even without columns it speaks of two rows."""
        return False

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        return fingerprint(self.kind, self.lhs.table, sorted(self.lhs.columns))

    @property
    def text(self) -> str:
        """``unique {X}``."""
        return f"unique {{{', '.join(self.lhs.columns)}}}"

    @property
    def words(self) -> str:
        """``No two rows of airports have the same faa.``."""
        if not self.columns:
            return f"{self.lhs.table} has at most one row."
        return f"No two rows of {self.lhs.table} have the same {listed(self.columns)}."

    def fault(self, rows: str, *, one: bool) -> str:
        """``2 new rows repeat the faa of another row``."""
        what = f"the {listed(self.columns)} of another row" if self.columns else "a row that there is"
        return f"{rows or 'some rows'} {'repeats' if one else 'repeat'} {what}"

    def threshold(self, errors: "Thresholds") -> float:
        """The configured g1 of UCCs."""
        return errors.ucc

    def renamed(self, renames: Renames) -> Self:
        """The same combination under the names that its columns have now."""
        return type(self)(self.lhs.renamed(renames))
