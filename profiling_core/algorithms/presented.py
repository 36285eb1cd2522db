"""The order in which people see a table's constraints: by score, without what others say already, and of all kinds.

What follows from constraints that stand before it is moved to the end and not left out, so that nothing that is
followed is lost when another constraint comes in front of it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from profiling_core.algorithms.denial.ranking import Ranked
from profiling_core.model.column_rule import ColumnRule, Rule
from profiling_core.model.constraint import (
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
    as_denial_constraint,
)
from profiling_core.model.predicate import Operator, Predicate

# Of so many places in a row one goes to a rule of a single column, while there are any.
RULE_EVERY = 4
# A set of values says more than a bound, and a bound more than that a value is there.
_SAYS = {Rule.VALUES: 2.0, Rule.PATTERN: 2.0, Rule.RISING: 2.0, Rule.RANGE: 1.0, Rule.ROW_COUNT: 1.0}

_IMPLIES = {
    Operator.EQ: {Operator.EQ, Operator.LE, Operator.GE},
    Operator.NE: {Operator.NE},
    Operator.LT: {Operator.LT, Operator.LE, Operator.NE},
    Operator.GT: {Operator.GT, Operator.GE, Operator.NE},
    Operator.LE: {Operator.LE},
    Operator.GE: {Operator.GE},
}
Denied = frozenset[Predicate]


def rank_rules(rules: Sequence[Measured]) -> list[Ranked]:
    """Rules of single columns by falling score: how many rows (or deltas) have obeyed each, and how much it says."""
    ranked = [
        Ranked(m, math.log10(1 + m.support) + _SAYS.get(m.constraint.rule, 0.0))
        for m in rules
        if isinstance(m.constraint, ColumnRule)
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.measured.constraint.text))


def in_order(rows: Sequence[Ranked], rules: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Row constraints and rules of single columns as one list, best first.

    Args:
        rows: row constraints by falling score.
        rules: rules of single columns by falling score.
    """
    telling, said = _parted(rows)
    return (*_blended(telling, rules), *said)


def _blended(rows: Sequence[Ranked], rules: Sequence[Ranked]) -> Iterator[Ranked]:
    left = iter(rules)
    for place, ranked in enumerate(rows, start=1):
        yield ranked
        if place % (RULE_EVERY - 1) == 0:
            yield from _next(left)
    yield from left


def _next(left: Iterator[Ranked]) -> Iterable[Ranked]:
    found = next(left, None)
    return () if found is None else (found,)


def _parted(rows: Sequence[Ranked]) -> tuple[list[Ranked], list[Ranked]]:
    """What says something of its own, and what the exact ones of those before it imply."""
    telling: list[Ranked] = []
    said: list[Ranked] = []
    keys: list[frozenset[str]] = [
        frozenset(r.measured.constraint.columns)
        for r in rows
        if isinstance(r.measured.constraint, UniqueColumnCombination) and r.measured.holds
    ]
    closure = _Closure()
    known: list[Denied] = []
    for ranked in rows:
        constraint = ranked.measured.constraint
        if isinstance(constraint, FunctionalDependency):
            lhs, (rhs,) = frozenset(constraint.lhs.columns), constraint.rhs.columns
            redundant = any(key <= lhs for key in keys) or rhs in closure.of(lhs)
        else:
            redundant = any(_implies(a, b) for a in known for b in _both_forms(_denied(ranked)))
        (said if redundant else telling).append(ranked)
        if ranked.measured.holds and not redundant:
            known.append(_denied(ranked))
            closure.add(constraint)
    return telling, said


class _Closure:
    """Functional dependencies, and what they give together (Armstrong's axioms)."""

    def __init__(self) -> None:
        self._known: list[tuple[frozenset[str], str]] = []

    def add(self, constraint: object) -> None:
        if isinstance(constraint, FunctionalDependency):
            self._known.append((frozenset(constraint.lhs.columns), constraint.rhs.columns[0]))

    def of(self, columns: frozenset[str]) -> set[str]:
        """All columns that these determine."""
        found = set(columns)
        while more := {rhs for lhs, rhs in self._known if lhs <= found} - found:
            found |= more
        return found


def _denied(ranked: Ranked) -> Denied:
    return frozenset(as_denial_constraint(ranked.measured.constraint).predicates)  # type: ignore[arg-type]  # rows only


def _both_forms(denied: Denied) -> tuple[Denied, Denied]:
    return denied, frozenset(Predicate(p.left.swapped, p.op, p.right.swapped) for p in denied)


def _implies(stronger: Denied, weaker: Denied) -> bool:
    """Whether each predicate that the one denies follows from one that the other denies."""
    return all(any(_follows(p, q) for q in weaker) for p in stronger)


def _follows(p: Predicate, q: Predicate) -> bool:
    if (p.left, p.right) == (q.left, q.right):
        return p.op in _IMPLIES[q.op]
    return (p.left, p.right) == (q.right, q.left) and p.op in _IMPLIES[q.op.flipped]


def inclusions_in_order(inclusions: Sequence[Ranked]) -> list[Ranked]:
    """INDs by falling score, those that follow from others before them by transitivity last."""
    telling: list[Ranked] = []
    said: list[Ranked] = []
    edges: dict[object, set[object]] = {}
    for ranked in inclusions:
        ind = ranked.measured.constraint
        known = isinstance(ind, InclusionDependency) and ind.rhs in _reachable(edges, ind.lhs)
        (said if known else telling).append(ranked)
        if isinstance(ind, InclusionDependency) and ranked.measured.holds:
            edges.setdefault(ind.lhs, set()).add(ind.rhs)
    return telling + said


def _reachable(edges: dict[object, set[object]], start: object) -> set[object]:
    found: set[object] = set()
    waiting = [start]
    while waiting:
        fresh = edges.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found
