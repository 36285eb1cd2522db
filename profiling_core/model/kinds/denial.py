"""Denial constraints; functional dependencies and keys are special cases of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

from profiling_core.model.identity import Kind, fingerprint
from profiling_core.model.kinds.constraint import About, ColumnList, Nouns, Renames, RowConstraint, Subject
from profiling_core.model.kinds.functional import FunctionalDependency
from profiling_core.model.kinds.unique import UniqueColumnCombination
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.texts import listed

_VERB = {
    Operator.EQ: "equals",
    Operator.NE: "differs from",
    Operator.LT: "is less than",
    Operator.LE: "is at most",
    Operator.GT: "is greater than",
    Operator.GE: "is at least",
}
_BETWEEN_ROWS = {
    Operator.EQ: "the same",
    Operator.NE: "a different",
    Operator.LT: "a smaller",
    Operator.LE: "a smaller or equal",
    Operator.GT: "a greater",
    Operator.GE: "a greater or equal",
}
_WITHIN_ROW = {
    Operator.EQ: "equal to",
    Operator.NE: "different from",
    Operator.LT: "less than",
    Operator.LE: "at most",
    Operator.GT: "greater than",
    Operator.GE: "at least",
}

# The behaviour of the second column as the first rises, by the denied operator.
_NEVER = {
    Operator.GT: "never falls",
    Operator.GE: "always rises",
    Operator.LT: "never rises",
    Operator.LE: "always falls",
}
_ARROWS = {"never falls": "↑", "never rises": "↓"}
_STRICT = (Operator.LT, Operator.GT)


class Sequence(NamedTuple):
    """Among rows that agree on ``alike``, ``value`` moves with ``by`` as ``does`` says: "never falls"."""

    alike: tuple[str, ...]
    by: str
    value: str
    does: str


def in_sequence(table: str, told: Iterable[Sequence]) -> str:
    """Orders between the same rows, by the same column, as a sentence."""
    does: dict[str, list[str]] = {}
    for one in told:
        does.setdefault(one.does, []).append(one.value)
    verbs = {verb: verb if len(values) == 1 else verb.removesuffix("s") for verb, values in does.items()}
    said = listed([f"{listed(values)} {verbs[verb]}" for verb, values in does.items()])
    where = f"Of rows of {table} with the same {listed(one.alike)}" if one.alike else f"In {table}"
    return f"{where}, {said} as {one.by} rises."


@dataclass(frozen=True)
class DenialConstraint(RowConstraint):
    """``¬(p₁ ∧ … ∧ p_k)``: no ordered pair of different rows satisfies all predicates.

    ``predicates`` stand in the order of the predicate space, in the canonical one of the two mirrored forms.
    """

    table: str
    predicates: tuple[Predicate, ...]
    kind = Kind.DC
    nouns: ClassVar[Nouns] = Nouns("denial constraint", "denial constraints", "denial")

    @property
    def tables(self) -> tuple[str, ...]:
        """The table of the constraint."""
        return (self.table,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in the predicates, each once, in order of appearance."""
        names = (o.column for p in self.predicates for o in (p.left, p.right))
        return tuple(dict.fromkeys(names))

    @property
    def measuring(self) -> tuple[str, ...]:
        """The two columns, if the constraint is a comparison within a row."""
        return self.columns if self.is_single_row and len(self.predicates) == 1 else ()

    @property
    def denied(self) -> tuple[Predicate, ...]:
        """The predicates."""
        return self.predicates

    @property
    def telling(self) -> tuple[str, ...]:
        """The telling columns of its familiar form."""
        return self.columns if self.familiar is self else self.familiar.telling

    @property
    def determinant(self) -> tuple[str, ...]:
        """The determinant of its familiar form."""
        return () if self.familiar is self else self.familiar.determinant

    @property
    def about(self) -> tuple[str, ...]:
        """The determinant, or of an order between rows the columns of its groups."""
        return self.sequence.alike if self.sequence else self.determinant

    @property
    def naming(self) -> tuple[str, ...]:
        """Those of its familiar form."""
        return () if self.familiar is self else self.familiar.naming

    @property
    def reads_plainly(self) -> bool:
        """Whether it is a key, a dependency, an order between rows, or one comparison within a row.

        People do not state other forms, such as: rows that differ in one column are never in order in two others.
        """
        plain = self.is_single_row and len(self.predicates) == 1
        return plain or self.familiar is not self or self.sequence is not None

    @property
    def size(self) -> int:
        """How many predicates it has."""
        return len(self.predicates)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the constraint within its dataset."""
        return fingerprint(self.kind, self.table, sorted(str(p) for p in self.predicates))

    @cached_property
    def familiar(self) -> RowConstraint:
        """The equivalent UCC or FD, if there is one; else the constraint itself."""
        if not all(p.is_same_column for p in self.predicates):
            return self
        equal = tuple(p.left.column for p in self.predicates if p.op is Operator.EQ)
        other = [p for p in self.predicates if p.op is not Operator.EQ]
        if not other:
            return UniqueColumnCombination(ColumnList(self.table, equal))
        if len(other) == 1 and other[0].op is Operator.NE:
            return FunctionalDependency(ColumnList(self.table, equal), ColumnList(self.table, (other[0].left.column,)))
        return self

    @property
    def text(self) -> str:
        """The constraint in its most familiar form."""
        if self.familiar is not self:
            return self.familiar.text
        if self.is_single_row and len(self.predicates) == 1:
            return _asked(self.predicates[0])
        if self.sequence is not None and (arrow := _ARROWS.get(self.sequence.does)):
            group = f"{{{', '.join(self.sequence.alike)}}}: " if self.sequence.alike else ""
            return f"{group}{self.sequence.by} ↑ {self.sequence.value} {arrow}"
        return f"¬({' ∧ '.join(str(p) for p in self.predicates)})"

    def fault(self, rows: str, *, one: bool) -> str:
        """The fault in its most familiar form: ``2 new rows have ordered greater than shipped``."""
        if self.familiar is not self:
            return self.familiar.fault(rows, one=one)
        if rows and self.is_single_row:
            return f"{rows} {'has' if one else 'have'} {' while '.join(_single(p) for p in self.predicates)}"
        if rows and (order := self._between_rows) is not None:
            alike, first, second = order
            said = f"of two{alike}, the one with {first} has {second}"
            return f"{rows} {'is' if one else 'are'} out of order: {said}"
        return super().fault(rows, one=one)

    @property
    def _between_rows(self) -> tuple[str, str, str] | None:
        """For an order between rows: the rows in words, and the two denied comparisons; None for other constraints."""
        alike = [p.left.column for p in self.predicates if p.op is Operator.EQ]
        ordered = [p for p in self.predicates if p.op not in (Operator.EQ, Operator.NE)]
        if not all(p.is_same_column for p in self.predicates) or len(ordered) != 2:  # noqa: PLR2004 - a pair
            return None
        if len(alike) + len(ordered) < len(self.predicates):
            return None
        first, second = (f"{_BETWEEN_ROWS[p.op]} {p.left.column}" for p in ordered)
        return f" with the same {listed(alike)}" if alike else "", first, second

    @property
    def sequence(self) -> Sequence | None:
        """The equivalent order between rows, if there is one: as one column rises, another never falls."""
        if self._between_rows is None:
            return None
        alike = tuple(p.left.column for p in self.predicates if p.op is Operator.EQ)
        ordered = sorted((p for p in self.predicates if p.op in _NEVER), key=lambda p: p.op not in _STRICT)
        (by, op), (value, denied) = ((p.left.column, p.op) for p in ordered)
        if op not in _STRICT:
            return None
        return Sequence(alike, by, value, _NEVER[denied if op is Operator.LT else denied.flipped])

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """For an order between rows: the grouping columns, and the column that rises."""
        return ((About.AS_IT_RISES, self.table, *self.sequence[:2]),) if self.sequence else ()

    @property
    def words(self) -> str:
        """The constraint in its most familiar form, as a sentence."""
        if self.familiar is not self:
            return self.familiar.words
        if self.sequence is not None:
            return in_sequence(self.table, [self.sequence])
        if self.is_single_row and len(self.predicates) == 1:
            (denied,) = self.predicates
            return f"In {self.table}, {denied.left.words} is never {_WITHIN_ROW[denied.op]} {denied.right.words}."
        if self.is_single_row:
            return f"No row of {self.table} has {' while '.join(_single(p) for p in self.predicates)}."
        if all(p.is_same_column for p in self.predicates):
            parts = [f"{_BETWEEN_ROWS[p.op]} {p.left.column}" for p in self.predicates]
            return f"No row of {self.table} has {listed(parts)} compared with another row."
        return f"No two rows t and s of {self.table} exist where {' and '.join(_cross(p) for p in self.predicates)}."

    def renamed(self, renames: Renames) -> Self:
        """The same constraint under the names that its columns have now."""
        names = renames.get(self.table, {})

        def called(operand: Operand) -> Operand:
            return replace(operand, column=names.get(operand.column, operand.column))

        return type(self)(self.table, tuple(Predicate(called(p.left), p.op, called(p.right)) for p in self.predicates))


def as_denial_constraint(constraint: RowConstraint) -> DenialConstraint:
    """The denial constraint equivalent to an FD, ¬(X= ∧ A≠), or a UCC, ¬(X=)."""
    if isinstance(constraint, DenialConstraint):
        return constraint
    return DenialConstraint(constraint.tables[0], constraint.denied)


def _asked(denied: Predicate) -> str:
    """The required order within a row, the lesser column first: ``ordered ≤ shipped``."""
    left, asked, right = denied.left.text, denied.op.inverse, denied.right.text
    if asked in {Operator.GT, Operator.GE}:
        left, asked, right = right, asked.flipped, left
    return f"{left} {asked} {right}"


def _single(predicate: Predicate) -> str:
    return f"{predicate.left.words} {_WITHIN_ROW[predicate.op]} {predicate.right.words}"


def _cross(predicate: Predicate) -> str:
    return f"{_operand(predicate.left)} {_VERB[predicate.op]} {_operand(predicate.right)}"


def _operand(operand: Operand) -> str:
    return f"{operand.column} of {operand.tuple}"
