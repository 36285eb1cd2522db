"""The order in which people see a table's constraints: by score, without what others say already, and of all kinds.

What follows from constraints that stand before it is moved to the end and not left out, so that nothing that is
followed is lost when another constraint comes in front of it.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from profiling_core.algorithms.denial.ranking.implication import KnownConstraints
from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.model.constraint import (
    DenialConstraint,
    InclusionDependency,
    Kind,
    Measured,
    RowConstraint,
    as_denial_constraint,
)
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import Operator

# Of so many places in a row one goes to a rule of a single column, while there are any.
RULE_EVERY = 4
# A set of values says more than a bound, and a bound more than that a value is there.
_SAYS = {Rule.VALUES: 2.0, Rule.PATTERN: 2.0, Rule.RISING: 2.0, Rule.RANGE: 1.0}


def rank_rules(rules: Sequence[Measured[ColumnRule]]) -> list[Ranked]:
    """Rules of single columns by falling score: how many rows (or deltas) have obeyed each, and how much it says."""
    ranked = [Ranked(m, math.log10(1 + m.support) + _SAYS.get(m.constraint.rule, 0.0)) for m in rules]
    return sorted(ranked, key=lambda r: (-r.score, r.measured.constraint.text))


def in_order(
    rows: Sequence[Ranked[RowConstraint]],
    rules: Sequence[Ranked],
    unrepeated: Collection[str] = (),
    of_rows: Sequence[Ranked] = (),
) -> tuple[Ranked, ...]:
    """Row constraints and rules of single columns as one list, best first.

    Args:
        rows: row constraints by falling score.
        rules: rules of single columns by falling score.
        unrepeated: columns that two rows of different deltas have never agreed on; what speaks of rows that do has not
            been put to the test, and scores nothing.
        of_rows: equations and conditional rules, best first.
    """
    tested = [ranked for ranked in rows if not _needs(ranked, unrepeated)]
    untested = [replace(ranked, score=0.0) for ranked in rows if _needs(ranked, unrepeated)]
    telling, said = _parted([*tested, *untested])
    return (*_blended(list(_blended(telling, of_rows)), rules), *said)


def _needs(ranked: Ranked[RowConstraint], columns: Collection[str]) -> bool:
    """Whether a constraint speaks of pairs of rows that agree on one of the columns."""
    denied = ranked.measured.constraint.denied
    return any(p.op is Operator.EQ and p.is_same_column and p.left.column in columns for p in denied)


def _blended(rows: Sequence[Ranked], rules: Sequence[Ranked]) -> Iterator[Ranked]:
    left = iter(rules)
    for place, ranked in enumerate(rows, start=1):
        yield ranked
        if place % (RULE_EVERY - 1) == 0:
            yield from _next(left)
    yield from left


def with_rules(ranked: Sequence[Ranked], rules: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """The dataset's inclusions, and among them rules along references, both best first."""
    return tuple(_blended(ranked, rules))


def _next(left: Iterator[Ranked]) -> Iterable[Ranked]:
    found = next(left, None)
    return () if found is None else (found,)


def _parted(
    rows: Sequence[Ranked[RowConstraint]],
) -> tuple[list[Ranked[RowConstraint]], list[Ranked[RowConstraint]]]:
    """What says something of its own, and what the exact ones of those before it imply (FDs: of keys anywhere)."""
    telling: list[Ranked[RowConstraint]] = []
    said: list[Ranked[RowConstraint]] = []
    known, keys = KnownConstraints(), KnownConstraints()
    for ranked in rows:
        if ranked.measured.constraint.kind is Kind.UCC and ranked.measured.holds:
            keys.add(_denied(ranked))
    for ranked in rows:
        denied = _denied(ranked)
        is_fd = ranked.measured.constraint.kind is Kind.FD
        redundant = known.imply(denied) or (is_fd and keys.imply(denied))
        (said if redundant else telling).append(ranked)
        if ranked.measured.holds and not redundant:
            known.add(denied)
    return telling, said


def _denied(ranked: Ranked[RowConstraint]) -> DenialConstraint:
    return as_denial_constraint(ranked.measured.constraint)


def inclusions_in_order(inclusions: Sequence[Ranked[InclusionDependency]]) -> list[Ranked]:
    """INDs by falling score, those that follow from others before them by transitivity last."""
    telling: list[Ranked] = []
    said: list[Ranked] = []
    edges: dict[object, set[object]] = {}
    for ranked in inclusions:
        ind = ranked.measured.constraint
        known = ind.rhs in _reachable(edges, ind.lhs)
        (said if known else telling).append(ranked)
        if ranked.measured.holds:
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
