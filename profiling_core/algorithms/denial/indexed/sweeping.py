"""Checks constraints on all pairs of a table's rows where few rows agree: by the runs of the sort orders that it has.

Rows that agree in an order's leading columns stand side by side, so one pass over the order meets all pairs that can
satisfy a constraint with these equalities, for all such constraints at once. Where the runs have too many pairs,
Hydra's completion, which refines partitions, costs less.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.checks import Checks
from profiling_core.algorithms.denial.indexed.equal_runs import Runs, runs_of, runs_within, violating
from profiling_core.algorithms.denial.indexed.orders import telling
from profiling_core.algorithms.denial.indexed.pair_groups import PairGroups
from profiling_core.algorithms.denial.indexed.searching import DC, MOST, Asked
from profiling_core.algorithms.denial.indexed.segments import Order, Places, Rows, Segment

# Completing constraints costs, per row, as much as comparing 8 pairs of runs, and one more per constraint.
_PARTITION = 8


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """Pairs of rows: ``left`` and ``right`` int64[m, p], their labels; ``ids`` int64[p, 2]."""

    left: Rows
    right: Rows
    ids: Rows

    @classmethod
    def of(cls, labels: Rows, ids: Rows, segment: Segment, pairs: Rows) -> "Met":
        """Pairs, int64[p, 2], of rows by labels and ids with a segment's, by their places."""
        own, places = pairs.T
        return cls(labels[:, own], segment.codes[:, places], np.column_stack([ids[own], segment.ids[places]]))


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """All rows of a table; ``distinct`` int64[m]: how many values columns have."""

    segments: Sequence[Segment]
    groups: PairGroups
    distinct: NDArray[np.int64]

    def violating(self, asked: Sequence[Asked]) -> tuple[list[Met], set[DC]]:
        """Some pairs that satisfy a constraint, at least one of each that has any.

        Args:
            asked: constraints, each in both roles of a row.

        Returns:
            The pairs, and the constraints that are left to the completion.
        """
        together: dict[Order, list[Asked]] = {}
        orders = [order for segment in self.segments[:1] for order in segment.indexes]
        for one in asked:
            equal = {column for column, own in one.shape.equal.items() if own == column}
            together.setdefault(telling(orders, equal, self.distinct), []).append(one)
        found, left = list[Met](), set[DC]()
        for prefix, members in together.items():
            dcs = {one.dc for one in members}
            joins = list(self._joins(prefix))
            if sum(runs.pairs for *_, runs in joins) > (_PARTITION + len(dcs)) * sum(s.rows for s in self.segments):
                left |= dcs
                continue
            conjunctions = [(one.given, one.dc) for one in members]
            checks = Checks.of(self.groups, conjunctions, zip(prefix, prefix, strict=True))
            for given, other, order, runs in joins:
                pairs = violating(runs, given.codes, given.ids, other, order, checks, most=MOST)
                found.append(Met.of(given.codes, given.ids, other, pairs))
        return found, left

    def _joins(self, prefix: Order) -> Iterator[tuple[Segment, Segment, Places, Runs]]:
        """Two segments each, the order of the second, and for rows of the first their runs there: each pair once."""
        nulls_equal = self.groups.nulls_equal
        for number, given in enumerate(self.segments):
            order = given.sorted_by(prefix)
            yield given, given, order, runs_within(given, order, prefix, nulls_equal=nulls_equal)
            alive = order[given.alive[order]]
            for other in self.segments[:number]:
                places = other.sorted_by(prefix)
                runs = runs_of(given.codes, alive, prefix, other, places, prefix, nulls_equal=nulls_equal)
                yield given, other, places, runs
