"""What follows from rules of all kinds together, and so need not be said beside them.

Each rule entails some denial constraints on the rows of its table: a key and an FD one, an equation that its columns
tell the one on its left, ``a ≤ b`` the same whether it was found between columns or learnt of one. What is said of rows
follows where these leave no two rows that violate it; inclusions follow by transitivity. A row and its parent are taken
for one row, so that orders go on along references; an equation follows from others whose sum it is. Nulls are left out
of account (:mod:`profiling_core.algorithms.denial.ranking.implication`): it decides on what is shown, never on what
holds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from profiling_core.algorithms.denial.ranking.implication import KnownConstraints
from profiling_core.model.constraint import ColumnList, Constraint, DenialConstraint, InclusionDependency
from profiling_core.model.expression import Linear
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import Aggregate, Beside, ReferenceRule, Summary
from profiling_core.model.predicate import Operand, Operator, Predicate

_NEGLIGIBLE = 1e-4
# A linear equation as its columns' factors, which with the constant (under no name) add up to zero.
_Factors = dict[str, float]


class KnownRules:
    """Rules of a dataset that hold, of all kinds, and what follows from them."""

    def __init__(self, rules: Iterable[Constraint] = (), given: Iterable[DenialConstraint] = ()) -> None:
        self._rows: defaultdict[str, KnownConstraints] = defaultdict(KnownConstraints)
        self._within: defaultdict[ColumnList, set[ColumnList]] = defaultdict(set)
        self._sums: defaultdict[str, list[_Factors]] = defaultdict(list)
        self._said: set[str] = set()
        for rule in rules:
            self.add(rule)
        for denied in given:
            self._rows[denied.table].add(denied)

    def add(self, rule: Constraint) -> None:
        """Takes up a rule that holds."""
        self._said.add(rule.fingerprint)
        if isinstance(rule, InclusionDependency):
            self._within[rule.lhs].add(rule.rhs)
        if factors := _factors(rule):
            self._sums[rule.tables[0]].append(factors)
        for denied in (*rule.entails, *_beside_parent(rule)):
            self._rows[rule.tables[0]].add(DenialConstraint(rule.tables[0], denied))

    def imply(self, rule: Constraint) -> bool:
        """Whether a rule follows from the known ones."""
        if rule.fingerprint in self._said or ((twin := _same_from_the_child(rule)) and twin.fingerprint in self._said):
            return True
        if isinstance(rule, InclusionDependency):
            return rule.rhs in self._reachable(rule.lhs)
        table = rule.tables[0]
        if factors := _factors(rule):
            return _is_sum(factors, self._sums[table])
        said = _beside_parent(rule) or ((rule.denied,) if rule.denied else ())
        return bool(said) and self._rows[table].imply(DenialConstraint(table, said[0]))

    def _reachable(self, start: ColumnList) -> set[ColumnList]:
        found: set[ColumnList] = set()
        waiting = [start]
        while waiting:
            fresh = self._within[waiting.pop()] - found
            found |= fresh
            waiting += fresh
        return found


def _beside_parent(rule: Constraint) -> tuple[tuple[Predicate, ...], ...]:
    """What a row beside its parent denies, the parent's columns as further columns of the row."""
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, Beside):
        return ()
    far = _far(rule.child, rule.parent, rule.relation.other)
    return ((Predicate(Operand("t", rule.relation.column), Operator(rule.relation.op).inverse, far),),)


def _far(child: ColumnList, parent: ColumnList, column: str) -> Operand:
    """A column of the row that a row refers to."""
    return Operand("t", f"{','.join(child.columns)}→{parent.table}.({','.join(parent.columns)}).{column}")


def at_parents(
    references: Iterable[InclusionDependency], orders: Mapping[str, Iterable[Constraint]]
) -> list[DenialConstraint]:
    """The orders within the rows that others refer to, as what holds of each row with its parent.

    Args:
        references: the inclusions that read as references.
        orders: the orders within a row, by table.
    """
    return [
        DenialConstraint(reference.lhs.table, (Predicate(_at(reference, p.left), p.op, _at(reference, p.right)),))
        for reference in references
        for order in orders.get(reference.rhs.table, ())
        for p in order.denied
    ]


def _at(reference: InclusionDependency, operand: Operand) -> Operand:
    return _far(reference.lhs, reference.rhs, operand.column)


def _same_from_the_child(rule: Constraint) -> ReferenceRule | None:
    """The rule on a child beside its parent that makes a parent's first or last child's value its own."""
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, Summary):
        return None
    if rule.relation.aggregate not in {Aggregate.FIRST, Aggregate.LAST}:
        return None
    beside = Beside(rule.relation.other, Operator.EQ, rule.relation.column)
    return ReferenceRule(rule.child, rule.parent, beside)


def _factors(rule: Constraint) -> _Factors:
    """The factors of a linear equation; none of another rule."""
    if not isinstance(rule, Equation) or not isinstance(rule.value, Linear):
        return {}
    right = {column: float(Fraction(factor)) for factor, column in rule.value.terms}
    return {rule.column: -1.0, "": float(Fraction(rule.value.constant)), **right}


def _is_sum(factors: _Factors, known: list[_Factors]) -> bool:
    """Whether factors are those of a sum of multiples of known equations, to what rounded constants tell."""
    columns = sorted({name for one in (factors, *known) for name in one})
    if not known:
        return False
    matrix = np.array([[one.get(name, 0.0) for name in columns] for one in known]).T
    asked = np.array([factors.get(name, 0.0) for name in columns])
    found, *_ = np.linalg.lstsq(matrix, asked)
    return bool(np.abs(matrix @ found - asked).max() <= _NEGLIGIBLE * np.abs(asked).max())
