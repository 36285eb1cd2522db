"""Inclusion dependencies."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from profiling_core.model.identity import DATASET, Kind, fingerprint
from profiling_core.model.kinds.constraint import (
    MISSING_VALUES,
    About,
    ColumnList,
    Constraint,
    Nouns,
    Renames,
    Subject,
    Unit,
)
from profiling_core.model.texts import listed, with_article

if TYPE_CHECKING:
    from profiling_core.model.dataset import Thresholds


@dataclass(frozen=True)
class InclusionDependency(Constraint):
    """``R.A ⊆ S.B``: every non-null value (combination) of the left side occurs on the right side."""

    lhs: ColumnList
    rhs: ColumnList
    kind = Kind.IND
    nouns: ClassVar[Nouns] = Nouns("inclusion dependency", "inclusion dependencies", "inclusion")

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the constraint speaks of, the including one last."""
        return tuple(dict.fromkeys((self.lhs.table, self.rhs.table)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the included side."""
        return self.lhs.columns

    @property
    def sides(self) -> tuple[ColumnList, ...]:
        """The included side and the including one."""
        return (self.lhs, self.rhs)

    @property
    def naming(self) -> tuple[str, ...]:
        """Those of the included side."""
        return self.columns

    @property
    def kept_with(self) -> str:
        """The dataset, since both tables' deltas change it."""
        return DATASET

    @property
    def unit(self) -> Unit:
        """Distinct values that are missing on the right side."""
        return MISSING_VALUES

    @property
    def can_set_aside(self) -> bool:
        """Not: which rows violate it depends on the other table's delta too."""
        return False

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """What refers to the same column."""
        return ((About.REFERRING, self.lhs.table, self.rhs),) if len(self.lhs.columns) == 1 else ()

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        pairs = sorted(zip(self.lhs.columns, self.rhs.columns, strict=True))
        return fingerprint(self.kind, self.lhs.table, self.rhs.table, pairs)

    @property
    def text(self) -> str:
        """``R.A ⊆ S.B``."""
        return f"{_side(self.lhs)} ⊆ {_side(self.rhs)}"

    @property
    def words(self) -> str:
        """``Every dest in flights occurs as faa in airports.``."""
        left, right = listed(self.lhs.columns), listed(self.rhs.columns)
        every = "Every" if len(self.lhs.columns) == 1 else "Every combination of"
        there = f"in {self.rhs.table}, too" if left == right else f"as {right} in {self.rhs.table}"
        return f"{every} {left} in {self.lhs.table} occurs {there}."

    def fault(self, rows: str, *, one: bool) -> str:
        """``4 new rows have a dest that is no faa of airports``; ``a customer that is not in customers``."""
        left, right = listed(self.lhs.columns), listed(self.rhs.columns)
        missing = f"not in {self.rhs.table}" if left == right else f"no {right} of {self.rhs.table}"
        return f"{rows or 'some rows'} {'has' if one else 'have'} {with_article(left)} that is {missing}"

    def worth(self, score: float, support: int, *, partial: bool) -> str:  # noqa: ARG002 - read as a key, not counted
        """Nothing of its own: how it reads as a foreign key is kept with the dataset's results."""
        return ""

    def threshold(self, errors: "Thresholds") -> float:
        """The share of values that may be missing."""
        return 1 - errors.ind_coverage

    def renamed(self, renames: Renames) -> Self:
        """The same inclusion under the names that its columns have now."""
        return type(self)(self.lhs.renamed(renames), self.rhs.renamed(renames))


def _side(side: ColumnList) -> str:
    if len(side.columns) == 1:
        return f"{side.table}.{side.columns[0]}"
    return f"{side.table}.({', '.join(side.columns)})"
