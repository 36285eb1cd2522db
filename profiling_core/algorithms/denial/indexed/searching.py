"""Looks given rows up in a segment: which order serves each conjunction, and by what way.

Where few rows agree with a given one in an order's leading columns, which are equal in all pairs that satisfy the
conjunctions, these few are compared with it (:mod:`equal_runs`). What remains is searched by trees of bounds
(:mod:`joining`), and there only the given rows whose values are new (:mod:`novelty`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed import equal_runs, joining
from profiling_core.algorithms.denial.indexed.checks import Checks
from profiling_core.algorithms.denial.indexed.given_rows import GivenRows
from profiling_core.algorithms.denial.indexed.orders import Shape
from profiling_core.algorithms.denial.indexed.pair_groups import PairGroups
from profiling_core.algorithms.denial.indexed.segments import Order, Rows, Segment
from profiling_core.algorithms.ground.arrays import Flags

DC = tuple[int, ...]
# Pairs that are looked for per constraint; one already shows a violation.
MOST = 64
# A search is given up when it costs several times what checking its constraints on all rows does, in comparisons of two
# rows per constraint and row; unless it is a short one in any case. What suits a cover need not suit the next one.
_CHECK = 16
_LEAST_BUDGET = 1 << 16
# Searching the trees for a given row costs as much as comparing it with 512 rows.
_CROWDED = 512


@dataclass(frozen=True, slots=True)
class Asked:
    """A constraint as a given row meets it: in which role, ``t`` or ``s``, and the shape that it has then."""

    given: str
    dc: DC
    shape: Shape


@dataclass(frozen=True, slots=True)
class _Together:
    """Searches that go together.

    An order, the given rows' columns that it is held against, and how many of the order's columns are equal in all
    pairs asked for; ``single``: whether single rows are spoken of.
    """

    order: Order
    own: Order
    agreeing: int
    single: bool


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Given rows to be looked up.

    ``distinct`` int64[m]: how many values columns have; ``rows``: those of the table; ``asked``: the constraints.
    """

    given: GivenRows
    groups: PairGroups
    distinct: NDArray[np.int64]
    rows: int
    asked: Sequence[Asked]
    _ways: dict[tuple[Any, ...], dict[_Together, list[Asked]]] = field(default_factory=dict)
    _checks: dict[tuple[Any, ...], Checks] = field(default_factory=dict)

    def pairs_with(self, segment: Segment) -> tuple[Rows, set[DC]]:
        """Some pairs of a given row and one of a segment that satisfy a conjunction; at least one of each that has any.

        Returns:
            int64[p, 2], places in the given rows and in the segment, and the constraints whose search was given up.
        """
        found, given_up = [np.empty((0, 2), np.int64)], set[DC]()
        alike = (*segment.indexes, len(segment.ids))  # the large segments of a table are
        if alike not in self._ways:
            self._ways[alike] = self._together(list(segment.indexes), len(segment.ids))
        for way, members in self._ways[alike].items():
            for pairs in self._found(segment, way, members):
                if pairs is None:
                    given_up |= {one.dc for one in members}
                else:
                    found.append(pairs)
        return np.concatenate(found), given_up

    def _together(self, orders: Sequence[Order], rows: int) -> dict[_Together, list[Asked]]:
        """The searches that go together in a segment of ``rows`` rows with these orders."""
        found: dict[_Together, list[Asked]] = {}
        chosen = dict[tuple[Any, ...], _Together]()
        for one in self.asked:
            shape = one.shape
            key = (*shape.equal.items(), shape.single, *shape.ordered.items())
            if key not in chosen:  # many constraints have the same comparisons
                order = shape.best(orders, self.distinct, rows)
                agreeing = next((i for i, column in enumerate(order) if column not in shape.equal), len(order))
                chosen[key] = _Together(order, shape.own(order), agreeing, shape.single)
            found.setdefault(chosen[key], []).append(one)
        return found

    def _found(self, segment: Segment, way: _Together, members: Sequence[Asked]) -> Iterator[Rows | None]:
        """Pairs, None where the search is given up."""
        runs = self._runs(segment, way)
        crowded, short = runs.crowded, runs.short
        spoken = [one.shape.new_in for one in members]
        cost = short.pairs + _CROWDED * int(crowded.sum())
        for rows, chosen in self.given.parted(runs.met, spoken, cost):
            some = [members[number] for number in chosen]
            budget = max(len({one.dc for one in some}) * self.rows * _CHECK, _LEAST_BUDGET)
            few = short.only(rows)
            if few.pairs > budget:
                yield None
                continue
            if few.pairs:
                yield self._in_runs(segment, way, some, few)
            if (rows & crowded).any():
                yield self._by_bounds(segment, way, some, rows & crowded, budget)

    def _runs(self, segment: Segment, way: _Together) -> equal_runs.Runs:
        """Where the rows that agree with the given ones stand; each given row meets all where none must."""
        labels, given, index = self.given.labels, self.given.sorted_by(way.own), segment.indexes[way.order]
        if not way.agreeing:
            starts = np.zeros(len(given), np.int64)
            return equal_runs.Runs(given, starts, starts + len(segment.ids))
        own, columns = way.own[: way.agreeing], way.order[: way.agreeing]
        nulls_equal = self.groups.nulls_equal
        return equal_runs.runs_of(labels, given, own, segment, index.order, columns, nulls_equal=nulls_equal)

    def _in_runs(self, segment: Segment, way: _Together, members: Sequence[Asked], runs: equal_runs.Runs) -> Rows:
        checks = self._checked(members, tuple(zip(way.own, way.order, strict=True))[: way.agreeing])
        order = segment.indexes[way.order].order
        return equal_runs.violating(runs, self.given.labels, self.given.ids, segment, order, checks, most=MOST)

    def _by_bounds(
        self, segment: Segment, way: _Together, members: Sequence[Asked], rows: Flags, budget: int
    ) -> Rows | None:
        given = self.given.only(rows).by(way.own)
        conjunctions = [(one.given, one.dc) for one in members]
        index = segment.indexes[way.order]
        pairs = joining.pairs_of(given, segment, index, self.groups, conjunctions, most=MOST, budget=budget)
        return None if pairs is None else np.column_stack([np.flatnonzero(rows)[pairs[:, 0]], pairs[:, 1]])

    def _checked(self, members: Sequence[Asked], settled: tuple[tuple[int, int], ...]) -> Checks:
        """The checks of some conjunctions: the same for each segment."""
        conjunctions = tuple((one.given, one.dc) for one in members)
        if (conjunctions, settled) not in self._checks:
            self._checks[conjunctions, settled] = Checks.of(self.groups, conjunctions, settled)
        return self._checks[conjunctions, settled]
