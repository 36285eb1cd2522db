"""Constraints of all kinds, from the module of each, and their figures on one version of the data."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Generic, cast

from typing_extensions import TypeVar

from profiling_core.model.identity import DATASET, Kind
from profiling_core.model.kinds.column import ColumnRule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.constraint import ColumnList, Constraint, Renames, RowConstraint
from profiling_core.model.kinds.denial import DenialConstraint, as_denial_constraint
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.functional import FunctionalDependency
from profiling_core.model.kinds.inclusion import InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.registry import renamed
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.kinds.unique import UniqueColumnCombination
from profiling_core.model.stored import Stated, Stored

__all__ = [
    "DATASET",
    "ColumnList",
    "ColumnRule",
    "Conditional",
    "Constraint",
    "DenialConstraint",
    "Equation",
    "FunctionalDependency",
    "InclusionDependency",
    "Kind",
    "Measured",
    "ReferenceRule",
    "Renames",
    "RowConstraint",
    "SequenceRule",
    "UniqueColumnCombination",
    "as_denial_constraint",
    "measured_of",
    "renamed",
]


C_co = TypeVar("C_co", bound=Constraint, covariant=True, default=Constraint)
C = TypeVar("C", bound=Constraint)


@dataclass(frozen=True, slots=True)
class Measured(Stored, Generic[C_co]):
    """A constraint with its exact figures on one version of the data.

    ``violations`` counts ordered pairs (DC, FD, UCC), rows (single-row DC, rule of a column's rows), distinct missing
    values (IND) or deltas of this version (rule of deltas); ``population`` is what they are counted among: n·(n−1), n,
    the distinct values of the included side, the rows with a value, or the deltas.
    ``support`` counts the pairs that satisfy all predicates but the most telling one (docs/semantics.md gives the
    error; support is what ranking goes by), or the included values for an IND. ``row_coverage`` is set for INDs only.
    ``Measured[RowConstraint]`` has a constraint of that kind.
    """

    constraint: C_co
    violations: int
    population: int
    support: int = 0
    row_coverage: Stated[float] = None
    __flat__: ClassVar[tuple[str, ...]] = ("constraint",)
    __derived__: ClassVar[tuple[str, ...]] = ("fingerprint", "error", "coverage")

    @property
    def fingerprint(self) -> str:
        """The constraint's identity."""
        return self.constraint.fingerprint

    @property
    def coverage(self) -> float | None:
        """The share of an IND's values that are covered; None for all other kinds."""
        return None if self.row_coverage is None else 1.0 - self.error

    @property
    def error(self) -> float:
        """g1 for DC, FD and UCC; 1 − coverage for an IND. Zero means exact."""
        return self.violations / self.population if self.population else 0.0

    @property
    def holds(self) -> bool:
        """Whether nothing violates the constraint."""
        return self.violations == 0


def measured_of(kind: type[C], among: Iterable[Measured]) -> list[Measured[C]]:
    """Those of one kind, or of one family of kinds such as :class:`RowConstraint`."""
    return [cast("Measured[C]", m) for m in among if isinstance(m.constraint, kind)]
