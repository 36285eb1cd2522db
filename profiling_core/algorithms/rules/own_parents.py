"""Implications for references within a table: rows that agree with their parent agree on what that determines."""

from collections import defaultdict

from profiling_core.model.constraint import Constraint, FunctionalDependency
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import Beside, ReferenceRule
from profiling_core.model.predicate import Operator

_Reference = tuple[object, object]


class OwnParents:
    """The columns in which rows equal their parents in the same table, and the dependencies of that table."""

    def __init__(self) -> None:
        self._agreed: defaultdict[_Reference, set[str]] = defaultdict(set)
        self._dependencies: defaultdict[str, list[tuple[frozenset[str], frozenset[str]]]] = defaultdict(list)

    def add(self, rule: Constraint) -> None:
        """Adds a rule that holds."""
        if isinstance(rule, FunctionalDependency):
            self._dependencies[rule.tables[0]].append((frozenset(rule.lhs.columns), frozenset(rule.rhs.columns)))
        if isinstance(rule, Equation) and not rule.precision.is_loose:
            self._dependencies[rule.table].append((frozenset(rule.value.columns), frozenset([rule.column])))
        if isinstance(rule, ReferenceRule) and (column := _agreed(rule)):
            self._agreed[rule.child, rule.parent].add(column)

    def imply(self, rule: Constraint) -> bool:
        """Whether a row equals its parent in a column because both agree on columns that determine it."""
        if not isinstance(rule, ReferenceRule) or not (column := _agreed(rule)):
            return False
        known = set(self._agreed.get((rule.child, rule.parent), ()))
        grown = True
        while grown and column not in known:
            more = {name for lhs, rhs in self._dependencies[rule.child.table] if lhs <= known for name in rhs}
            grown = not more <= known
            known |= more
        return column in known


def _agreed(rule: ReferenceRule) -> str:
    """The column in which a rule makes rows equal to their parents in the same table; empty if none."""
    relation = rule.relation
    same = isinstance(relation, Beside) and relation.op == Operator.EQ and relation.column == relation.other
    return relation.column if same and rule.child.table == rule.parent.table else ""
