"""The kinds of constraints, each with its text for people, its JSON for programs, and its fingerprint.

Rules of single columns stand in column_rule.py. The fingerprint is a constraint's identity through versions, suites and
alerts: it depends on what the constraint says, never on the order in which it was found or on the names' order within
a set.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from profiling_core.model.column_rule import ColumnRule
from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.predicate import Operand, Operator, Predicate

__all__ = [
    "ColumnList",
    "ColumnRule",
    "Constraint",
    "DenialConstraint",
    "FunctionalDependency",
    "InclusionDependency",
    "Kind",
    "Measured",
    "RowConstraint",
    "UniqueColumnCombination",
    "as_denial_constraint",
    "constraint_from_json",
    "renamed",
]


@dataclass(frozen=True, slots=True, order=True)
class ColumnList:
    """Columns of one table, in order: one side of a dependency."""

    table: str
    columns: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The column list as plain JSON data."""
        return {"table": self.table, "columns": list(self.columns)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ColumnList":
        """The inverse of :meth:`to_json`."""
        return cls(data["table"], tuple(data["columns"]))


@dataclass(frozen=True)
class DenialConstraint:
    """``¬(p₁ ∧ … ∧ p_k)``: no ordered pair of different rows satisfies all predicates.

    ``predicates`` stand in the order of the predicate space, in the canonical one of the two mirrored forms.
    """

    table: str
    predicates: tuple[Predicate, ...]
    kind = Kind.DC

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the constraint speaks of."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the constraint speaks of, each once, in order of appearance."""
        names = (o.column for p in self.predicates for o in (p.left, p.right))
        return tuple(dict.fromkeys(names))

    @property
    def is_single_row(self) -> bool:
        """Whether all predicates speak of one row."""
        return all(p.is_single_row for p in self.predicates)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        return fingerprint(self.kind, self.table, sorted(str(p) for p in self.predicates))

    @property
    def text(self) -> str:
        """The constraint in its most familiar form."""
        familiar = self.familiar
        if not isinstance(familiar, DenialConstraint):
            return familiar.text
        return f"¬({' ∧ '.join(str(p) for p in self.predicates)})"

    @cached_property
    def familiar(self) -> "DenialConstraint | FunctionalDependency | UniqueColumnCombination":
        """The UCC or FD that says the same, where one does; else the constraint itself."""
        if not all(p.is_same_column for p in self.predicates):
            return self
        equal = tuple(p.left.column for p in self.predicates if p.op is Operator.EQ)
        other = [p for p in self.predicates if p.op is not Operator.EQ]
        if not other:
            return UniqueColumnCombination(ColumnList(self.table, equal))
        if len(other) == 1 and other[0].op is Operator.NE:
            return FunctionalDependency(ColumnList(self.table, equal), ColumnList(self.table, (other[0].left.column,)))
        return self

    def to_json(self) -> dict[str, Any]:
        """The constraint as plain JSON data."""
        return {
            "kind": self.kind.value,
            "table": self.table,
            "predicates": [p.to_json() for p in self.predicates],
            "text": self.text,
        }


@dataclass(frozen=True)
class FunctionalDependency:
    """``{X} → A``: rows that agree on X agree on A. X may be empty: then A is constant."""

    lhs: ColumnList
    rhs: ColumnList
    kind = Kind.FD

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the constraint speaks of."""
        return (self.lhs.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the constraint speaks of."""
        return self.lhs.columns + self.rhs.columns

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        return fingerprint(self.kind, self.lhs.table, sorted(self.lhs.columns), self.rhs.columns)

    @property
    def text(self) -> str:
        """``{X} → A``."""
        return f"{{{', '.join(self.lhs.columns)}}} → {self.rhs.columns[0]}"

    def to_json(self) -> dict[str, Any]:
        """The constraint as plain JSON data."""
        return {"kind": self.kind.value, "lhs": self.lhs.to_json(), "rhs": self.rhs.to_json(), "text": self.text}


@dataclass(frozen=True)
class UniqueColumnCombination:
    """``unique {X}``: no two rows agree on X."""

    lhs: ColumnList
    kind = Kind.UCC

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the constraint speaks of."""
        return (self.lhs.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the constraint speaks of."""
        return self.lhs.columns

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        return fingerprint(self.kind, self.lhs.table, sorted(self.lhs.columns))

    @property
    def text(self) -> str:
        """``unique {X}``."""
        return f"unique {{{', '.join(self.lhs.columns)}}}"

    def to_json(self) -> dict[str, Any]:
        """The constraint as plain JSON data."""
        return {"kind": self.kind.value, "lhs": self.lhs.to_json(), "text": self.text}


@dataclass(frozen=True)
class InclusionDependency:
    """``R.A ⊆ S.B``: every non-null value (combination) of the left side occurs on the right side."""

    lhs: ColumnList
    rhs: ColumnList
    kind = Kind.IND

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the constraint speaks of, the including one last."""
        return tuple(dict.fromkeys((self.lhs.table, self.rhs.table)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the included side."""
        return self.lhs.columns

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        pairs = sorted(zip(self.lhs.columns, self.rhs.columns, strict=True))
        return fingerprint(self.kind, self.lhs.table, self.rhs.table, pairs)

    @property
    def text(self) -> str:
        """``R.A ⊆ S.B``."""
        return f"{_side(self.lhs)} ⊆ {_side(self.rhs)}"

    def to_json(self) -> dict[str, Any]:
        """The constraint as plain JSON data."""
        return {"kind": self.kind.value, "lhs": self.lhs.to_json(), "rhs": self.rhs.to_json(), "text": self.text}


def _side(side: ColumnList) -> str:
    if len(side.columns) == 1:
        return f"{side.table}.{side.columns[0]}"
    return f"{side.table}.({', '.join(side.columns)})"


RowConstraint = DenialConstraint | FunctionalDependency | UniqueColumnCombination
Constraint = RowConstraint | InclusionDependency | ColumnRule


def as_denial_constraint(constraint: RowConstraint) -> DenialConstraint:
    """The denial constraint that says the same as an FD, ¬(X= ∧ A≠), or a UCC, ¬(X=)."""
    if isinstance(constraint, DenialConstraint):
        return constraint
    predicates = [_same_column(column, Operator.EQ) for column in constraint.lhs.columns]
    if isinstance(constraint, FunctionalDependency):
        predicates += [_same_column(column, Operator.NE) for column in constraint.rhs.columns]
    return DenialConstraint(constraint.lhs.table, tuple(predicates))


def _same_column(column: str, op: Operator) -> Predicate:
    return Predicate(Operand("t", column), op, Operand("s", column))


def constraint_from_json(data: Mapping[str, Any]) -> Constraint:
    """The inverse of the constraints' ``to_json``; raises ``ValueError`` on an unknown kind."""
    kind = Kind(data["kind"])
    if kind is Kind.COLUMN:
        return ColumnRule.from_json(data)
    if kind is Kind.DC:
        return DenialConstraint(data["table"], tuple(Predicate.from_json(p) for p in data["predicates"]))
    lhs = ColumnList.from_json(data["lhs"])
    if kind is Kind.UCC:
        return UniqueColumnCombination(lhs)
    rhs = ColumnList.from_json(data["rhs"])
    return FunctionalDependency(lhs, rhs) if kind is Kind.FD else InclusionDependency(lhs, rhs)


def renamed(constraint: Constraint, renames: Mapping[str, Mapping[str, str]]) -> Constraint:
    """The same constraint where columns have been renamed.

    Args:
        constraint: a constraint under any names that its columns have had.
        renames: per table, former names of columns and what each is called now.
    """

    def side(columns: ColumnList) -> ColumnList:
        names = renames.get(columns.table, {})
        return ColumnList(columns.table, tuple(names.get(name, name) for name in columns.columns))

    if not any(renames.get(table) for table in constraint.tables):
        return constraint
    if isinstance(constraint, ColumnRule):
        return constraint.under(renames[constraint.table])
    if isinstance(constraint, DenialConstraint):
        names = renames[constraint.table]
        operands = [
            (p, [Operand(o.tuple, names.get(o.column, o.column)) for o in (p.left, p.right)])
            for p in constraint.predicates
        ]
        return DenialConstraint(constraint.table, tuple(Predicate(left, p.op, right) for p, (left, right) in operands))
    if isinstance(constraint, UniqueColumnCombination):
        return UniqueColumnCombination(side(constraint.lhs))
    return type(constraint)(side(constraint.lhs), side(constraint.rhs))


@dataclass(frozen=True, slots=True)
class Measured:
    """A constraint with its exact figures on one version of the data.

    ``violations`` counts ordered pairs (DC, FD, UCC), rows (single-row DC, rule of a column's rows), distinct missing
    values (IND) or deltas of this version (rule of deltas); ``population`` is what they are counted among: n·(n−1), n,
    the distinct values of the included side, the rows with a value, or the deltas.
    ``support`` counts the pairs that satisfy all predicates but the most telling one (SEMANTICS gives the error;
    support is what ranking goes by), or the included values for an IND. ``row_coverage`` is set for INDs only.
    """

    constraint: Constraint
    violations: int
    population: int
    support: int = 0
    row_coverage: float | None = None

    @property
    def error(self) -> float:
        """g1 for DC, FD and UCC; 1 − coverage for an IND. Zero means exact."""
        return self.violations / self.population if self.population else 0.0

    @property
    def holds(self) -> bool:
        """Whether nothing violates the constraint."""
        return self.violations == 0

    def to_json(self) -> dict[str, Any]:
        """The constraint's JSON with its figures beside it."""
        data = self.constraint.to_json() | {
            "fingerprint": self.constraint.fingerprint,
            "error": self.error,
            "violations": self.violations,
            "population": self.population,
            "support": self.support,
        }
        if isinstance(self.constraint, InclusionDependency):
            data |= {"coverage": 1.0 - self.error, "row_coverage": self.row_coverage}
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Measured":
        """The inverse of :meth:`to_json`."""
        return cls(
            constraint_from_json(data),
            data["violations"],
            data["population"],
            data["support"],
            data.get("row_coverage"),
        )
