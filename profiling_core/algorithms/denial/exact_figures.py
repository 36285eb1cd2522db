"""Exact violations and support of given constraints by checking each, where no evidence multiset has been counted.

The figures are those of :func:`profiling_core.algorithms.evidence.masks.measure`, which reads them off the counts of
all pairs. Support asks for every constraint without one of its predicates; what several constraints ask is counted
once. Equalities and ≠ of columns with themselves come from position list indexes by inclusion and exclusion, and so
does one order: two rows that differ in a value are in order one way round. What else there is, :mod:`checking` counts.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

from profiling_core.algorithms.denial.checking import check
from profiling_core.algorithms.denial.mirror import mirror_of
from profiling_core.algorithms.pyro.agreeing_pairs import AgreeingPairs
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.constraint import DenialConstraint, Measured
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.types import NullSemantics

_Asked = tuple[Predicate, ...]
# Bytes of position list indexes kept for other counts, and the most ≠ that are counted by them: each doubles the work.
_MEMORY = 1 << 28
_EXCLUDED = 6


def measure_by_checking(
    rows: Encoded, constraints: Sequence[DenialConstraint], nulls: NullSemantics, *, threads: int = 0
) -> list[Measured]:
    """Exact figures of denial constraints over encoded rows.

    Violations and support count ordered pairs of n·(n−1), those of single-row constraints rows of n; support is the
    least number of pairs that satisfy all predicates but one.

    Args:
        rows: the rows; all columns that the constraints speak of are encoded.
        constraints: what to measure.
        nulls: the null semantics of their predicates.
        threads: threads to use; 0: one per processor.
    """
    asked = {_either_way(p) for c in constraints for p in (c.predicates, *_all_but_one(c))}
    # Short ones leave indexes that longer ones begin with.
    ordered = sorted(asked, key=lambda predicates: (len(predicates), str(predicates)))
    counting = _Counting(rows, nulls)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        counts = dict(zip(ordered, pool.map(counting.of, ordered), strict=True))
    measured = []
    for constraint in constraints:
        violations = counts[_either_way(constraint.predicates)]
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


class _Counting:
    """Counts of the ordered pairs that satisfy conjunctions over one table."""

    def __init__(self, rows: Encoded, nulls: NullSemantics) -> None:
        self._rows, self._nulls = rows, nulls
        self._number = {name: i for i, name in enumerate(rows.columns)}
        self._agreeing = AgreeingPairs(rows, nulls, _MEMORY)
        self._nullable = (rows.codes == NULL).any(axis=1)

    def of(self, predicates: _Asked) -> int:
        """The ordered pairs of different rows that satisfy all predicates."""
        count = self._by_agreement(predicates)
        return satisfying_pairs_of(self._rows, predicates, self._nulls) if count is None else count

    def _by_agreement(self, predicates: _Asked) -> int | None:
        """The same by position list indexes; None where they do not tell, or not soon."""
        columns = {p.left.column for p in predicates}
        if len(columns) < len(predicates) or not all(p.is_same_column for p in predicates):
            return None
        agreeing, different, ordered = 0, [], None
        for p in predicates:
            column = self._number[p.left.column]
            if p.op is Operator.EQ:
                agreeing |= 1 << column
            elif p.op is Operator.NE:
                different.append(column)
            # Null = null is no order, whatever the columns beside it say.
            elif ordered is not None or (self._nulls is NullSemantics.EQUAL and self._nullable[column]):
                return None
            else:
                ordered = column, p.op
        if len(different) > _EXCLUDED:
            return None
        if ordered is None:
            return 2 * self._differing(agreeing, different)
        column, op = ordered
        # Of two rows that differ, one comes first: one ordered pair of the two.
        count = self._differing(agreeing, [*different, column])
        if op in {Operator.LE, Operator.GE}:
            count += 2 * self._differing(agreeing | 1 << column, different)
        return count

    def _differing(self, agreeing: int, different: Sequence[int]) -> int:
        """The unordered pairs that agree on some columns and differ in each of others, none of them null there."""
        total, presence = 0, self._agreeing.presence
        for size in range(len(different) + 1):
            for chosen in combinations(different, size):
                columns = agreeing
                for column in different:
                    if column in chosen:
                        columns |= 1 << column
                    elif column in presence:
                        columns |= 1 << presence[column]
                total += (-1) ** size * self._agreeing.of(columns)
        return total


def satisfying_pairs_of(rows: Encoded, predicates: Sequence[Predicate], nulls: NullSemantics) -> int:
    """The ordered pairs of different rows that satisfy all predicates."""
    if not predicates:
        return rows.rows * (rows.rows - 1)
    constraint = DenialConstraint("", tuple(predicates))
    if constraint.is_single_row:
        return check(rows, constraint, nulls).pairs * max(0, rows.rows - 1)
    return check(rows, constraint, nulls).pairs
