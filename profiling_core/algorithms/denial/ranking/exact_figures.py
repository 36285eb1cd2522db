"""Exact violations and support of given constraints by checking each, where no evidence multiset has been counted.

The figures are those of :func:`profiling_core.algorithms.evidence.masks.measure`, which reads them off the counts of
all pairs. Support asks for every constraint without one of its predicates; what several constraints ask is counted
once, by :mod:`agreement_counts` where it can tell, else by :mod:`~profiling_core.algorithms.denial.checking.check`.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from profiling_core.algorithms.denial.checking.check import check
from profiling_core.algorithms.denial.ranking.agreement_counts import AgreementCounts
from profiling_core.algorithms.hitting_sets.mirror import mirror_of
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import DenialConstraint, Measured, RowConstraint
from profiling_core.model.predicate import Predicate
from profiling_core.model.types import NullSemantics

_Asked = tuple[Predicate, ...]


def measure_by_checking(
    rows: Encoded,
    constraints: Sequence[DenialConstraint],
    nulls: NullSemantics,
    *,
    hold: bool = False,
    threads: int = 0,
) -> list[Measured[RowConstraint]]:
    """Exact figures of denial constraints over encoded rows.

    Violations and support count ordered pairs of n·(n−1), those of single-row constraints rows of n; support is the
    least number of pairs that satisfy all predicates but one.

    Args:
        rows: the rows; all columns that the constraints speak of are encoded.
        constraints: what to measure.
        nulls: the null semantics of their predicates.
        hold: whether all of them are known to have no violation.
        threads: threads to use; 0: one per processor.
    """
    asked = {_either_way(p) for c in constraints for p in (*(() if hold else (c.predicates,)), *_all_but_one(c))}
    # Short ones leave indexes that longer ones begin with.
    ordered = sorted(asked, key=lambda predicates: (len(predicates), str(predicates)))
    agreement = AgreementCounts(rows, nulls)

    def pairs_of(predicates: _Asked) -> int:
        count = agreement.of(predicates)
        return satisfying_pairs_of(rows, predicates, nulls) if count is None else count

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        counts = dict(zip(ordered, pool.map(pairs_of, ordered), strict=True))
    measured: list[Measured[RowConstraint]] = []
    for constraint in constraints:
        violations = 0 if hold else counts[_either_way(constraint.predicates)]
        support = min(counts[_either_way(rest)] for rest in _all_but_one(constraint))
        population, others = rows.rows * (rows.rows - 1), rows.rows - 1
        if constraint.is_single_row and others > 0:
            violations, support, population = violations // others, support // others, rows.rows
        measured.append(Measured(constraint, violations, population, support))
    return measured


def _all_but_one(constraint: DenialConstraint) -> list[_Asked]:
    predicates = constraint.predicates
    return [(*predicates[:i], *predicates[i + 1 :]) for i in range(len(predicates))]


def _either_way(predicates: Sequence[Predicate]) -> _Asked:
    """The one of two mirrored conjunctions that stands for both: as many pairs satisfy either."""
    ways = [tuple(sorted(way, key=str)) for way in (predicates, map(mirror_of, predicates))]
    return min(ways, key=str)


def satisfying_pairs_of(rows: Encoded, predicates: Sequence[Predicate], nulls: NullSemantics) -> int:
    """The ordered pairs of different rows that satisfy all predicates."""
    if not predicates:
        return rows.rows * (rows.rows - 1)
    constraint = DenialConstraint("", tuple(predicates))
    if constraint.is_single_row:
        return check(rows, constraint, nulls).pairs * max(0, rows.rows - 1)
    return check(rows, constraint, nulls).pairs
