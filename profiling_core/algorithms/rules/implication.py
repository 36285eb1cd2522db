"""What follows from rules of all kinds together, and so need not be said beside them.

Each rule entails some denial constraints on the rows of its table: a key and an FD one, an equation that its columns
tell the one on its left, ``a ≤ b`` the same whether it was found between columns or learnt of one. What is said of rows
follows where these leave no two rows that violate it; inclusions follow by transitivity. Nulls are left out of account
(:mod:`profiling_core.algorithms.denial.ranking.implication`): it decides on what is shown, never on what holds.
"""

from collections import defaultdict
from collections.abc import Iterable

from profiling_core.algorithms.denial.ranking.implication import KnownConstraints
from profiling_core.model.constraint import ColumnList, Constraint, DenialConstraint, InclusionDependency


class KnownRules:
    """Rules of a dataset that hold, of all kinds, and what follows from them."""

    def __init__(self, rules: Iterable[Constraint] = ()) -> None:
        self._rows: defaultdict[str, KnownConstraints] = defaultdict(KnownConstraints)
        self._within: defaultdict[ColumnList, set[ColumnList]] = defaultdict(set)
        self._said: set[str] = set()
        for rule in rules:
            self.add(rule)

    def add(self, rule: Constraint) -> None:
        """Takes up a rule that holds."""
        self._said.add(rule.fingerprint)
        if isinstance(rule, InclusionDependency):
            self._within[rule.lhs].add(rule.rhs)
        for denied in rule.entails:
            self._rows[rule.tables[0]].add(DenialConstraint(rule.tables[0], denied))

    def imply(self, rule: Constraint) -> bool:
        """Whether a rule follows from the known ones."""
        if rule.fingerprint in self._said:
            return True
        if isinstance(rule, InclusionDependency):
            return rule.rhs in self._reachable(rule.lhs)
        said_by_rows = self._rows[rule.tables[0]]
        return bool(rule.denied) and said_by_rows.imply(DenialConstraint(rule.tables[0], rule.denied))

    def _reachable(self, start: ColumnList) -> set[ColumnList]:
        found: set[ColumnList] = set()
        waiting = [start]
        while waiting:
            fresh = self._within[waiting.pop()] - found
            found |= fresh
            waiting += fresh
        return found
