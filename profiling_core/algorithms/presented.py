"""The order of all constraints of one kind, and of rules of single columns: by score, what others say already last."""

import math
from collections.abc import Sequence

from profiling_core.algorithms.denial.ranking.implication import KnownConstraints
from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.model.constraint import DenialConstraint, Kind, Measured, RowConstraint, as_denial_constraint
from profiling_core.model.kinds.column import ColumnRule, Rule

# A set of values says more than a bound, and a bound more than that a value is there.
_SAYS = {Rule.VALUES: 2.0, Rule.PATTERN: 2.0, Rule.RISING: 2.0, Rule.RANGE: 1.0}


def rank_rules(rules: Sequence[Measured[ColumnRule]]) -> list[Ranked]:
    """Rules of single columns by falling score: how many rows (or deltas) have obeyed each, and how much it says."""
    ranked = [Ranked(m, math.log10(1 + m.support) + _SAYS.get(m.constraint.rule, 0.0)) for m in rules]
    return sorted(ranked, key=lambda r: (-r.score, r.measured.constraint.text))


def in_order(rows: Sequence[Ranked[RowConstraint]]) -> list[Ranked[RowConstraint]]:
    """Row constraints by falling score, those last that the exact ones before them imply (FDs: keys anywhere)."""
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
    return telling + said


def _denied(ranked: Ranked[RowConstraint]) -> DenialConstraint:
    return as_denial_constraint(ranked.measured.constraint)
