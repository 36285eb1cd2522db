"""Which sort orders a table's segments get for its cover, and which of them serves a conjunction (IncDC, SelectIndex).

Almost every constraint of a large table has equalities that few pairs satisfy: one order by one to three such columns
serves all constraints with these equalities. The others get the order that suits them: their equalities, then their
inequalities. Any order gives the exact answer; which there are decides only how soon.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import combinations, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.segments import Order, Rows
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.model.predicate import Operator, Predicate, PredicateSpace

# An order by equalities serves a constraint if a row agrees with at most 256 others on average.
_EXPECTED = 256
_MOST_ORDERS = 48
_LONGEST = 3
_SAMPLED = 4096
# Finding the place in an order costs as much as comparing 16 pairs.
_SEARCH = 16
_DIFFERENT = (Operator.NE, Operator.LT, Operator.GT)


class _Way(Enum):
    """How a predicate narrows down what a row may agree with."""

    EQUAL = auto()
    ORDERED = auto()
    OTHER = auto()


class _Asks(NamedTuple):
    """The comparison of a predicate between a given row and another one.

    ``own`` and ``other``: their columns; ``single``: it speaks of one row; ``differs``: rows that are equal in its
    column never satisfy it.
    """

    way: _Way
    own: int
    other: int
    single: bool
    differs: bool

    @classmethod
    def of(cls, p: Predicate, position: Mapping[str, int], given: str) -> "_Asks":
        """``given``: the given row's role."""
        sides = (p.left, p.right) if p.left.tuple == given else (p.right, p.left)
        own, other = (position[side.column] for side in sides)
        narrow = not p.is_single_row and p.op is not Operator.NE
        way = _Way.OTHER if not narrow else _Way.EQUAL if p.op is Operator.EQ else _Way.ORDERED
        return cls(way, own, other, p.is_single_row, p.is_same_column and p.op in _DIFFERENT)


@dataclass(frozen=True, slots=True)
class Shape:
    """The comparisons of a conjunction between a given row and another one.

    ``equal`` and ``ordered``: per column of the other row that must be equal to, or stand in an order with, a column of
    the given one, that column; ``single``: whether it speaks of one row alone as well; ``alone``: only of one;
    ``new_in``: where rows that are equal in some columns never satisfy it, all the columns that it speaks of.
    """

    equal: dict[int, int]
    ordered: dict[int, int]
    single: bool
    alone: bool
    new_in: Order | None

    @classmethod
    def of(cls, asked: Sequence["_Asks"]) -> "Shape":
        """The shape of a conjunction of what some predicates ask."""
        equal: dict[int, int] = {}
        ordered: dict[int, int] = {}
        for one in asked:
            if one.way is _Way.EQUAL:
                equal.setdefault(one.other, one.own)
            elif one.way is _Way.ORDERED:
                ordered.setdefault(one.other, one.own)
        if not ordered.keys().isdisjoint(equal):
            ordered = {other: own for other, own in ordered.items() if other not in equal}
        single = [one.single for one in asked]
        spoken = {column for one in asked for column in (one.own, one.other)} if any(o.differs for o in asked) else None
        return cls(equal, ordered, any(single), all(single), None if spoken is None else tuple(sorted(spoken)))

    def wanted(self, distinct: NDArray[np.int64], rows: int) -> Order:
        """The order that suits the conjunction: its equalities, then its inequalities, until few rows remain."""
        chosen: list[int] = []
        classes = 1
        for columns in (self.equal, self.ordered):
            for column in sorted(columns, key=lambda c: (-distinct[c], c)):
                if len(chosen) < _LONGEST and classes < rows:
                    chosen.append(column)
                    classes *= max(1, int(distinct[column]))
        return tuple(chosen)

    def best(self, orders: Sequence[Order], distinct: NDArray[np.int64], rows: int) -> Order:
        """Of the orders that there are, by rising cost, the one to search by."""
        for order in orders:
            if order and self.equal.keys() >= set(order):
                return order
        wanted = self.wanted(distinct, rows)

        def shared(order: Order) -> tuple[int, int]:
            prefix = next((i for i, (a, b) in enumerate(zip(wanted, order, strict=False)) if a != b), len(wanted))
            return min(prefix, len(order)), len(set(wanted) & set(order))

        return max(orders, key=shared)

    def own(self, order: Order) -> Order:
        """The given row's columns that an order's columns are compared with."""
        return tuple(self.equal.get(column, self.ordered.get(column, column)) for column in order)


class Shapes:
    """The shapes of a space's constraints, for each role of the given row.

    Args:
        space: the predicate space.
        position: each column's place in the labels.
    """

    def __init__(self, space: PredicateSpace, position: Mapping[str, int]) -> None:
        self._asks = {
            given: [_Asks.of(predicate, position, given) for predicate in space.predicates] for given in ("t", "s")
        }
        self._alike = [p.is_same_column for p in space.predicates]

    def of(self, dc: Sequence[int], given: str) -> Shape:
        """The shape of a constraint, the given row being its ``t`` or ``s``."""
        asks = self._asks[given]
        return Shape.of([asks[p] for p in dc])

    def are_alike(self, dc: Sequence[int]) -> bool:
        """Whether a constraint has one shape in both roles: it compares columns with themselves alone."""
        return all(self._alike[p] for p in dc)


def telling(orders: Iterable[Order], columns: Collection[int], distinct: NDArray[np.int64]) -> Order:
    """Of the orders' leading columns that are among some, those that tell most rows apart."""
    prefixes = {tuple(takewhile(columns.__contains__, order)) for order in orders}
    return max(prefixes, key=lambda prefix: (np.log(distinct[list(prefix)]).sum(), prefix), default=())


def select_orders(shapes: Sequence[Shape], expected: "Agreement", distinct: NDArray[np.int64]) -> list[Order]:
    """Few orders that serve all these conjunctions, those by which fewest rows agree first.

    Args:
        shapes: the conjunctions.
        expected: how many rows agree.
        distinct: int64[m], how many labels each column has.
    """
    cost: dict[Order, float] = {}
    served: dict[Order, set[int]] = defaultdict(set)
    for number, shape in enumerate(shapes):
        columns = sorted(shape.equal)
        options = [o for size in range(1, _LONGEST + 1) for o in combinations(columns, size)]
        for order in options:
            if order not in cost:
                cost[order] = expected.partners(order)
        options = [o for o in options if cost[o] <= _EXPECTED]
        if not options:
            options = [shape.wanted(distinct, expected.rows)]
            cost.setdefault(options[0], _EXPECTED)
        for order in options:
            served[order].add(number)
    orders: list[Order] = []
    while served and len(orders) < _MOST_ORDERS:
        best = max(served, key=lambda o: (len(served[o]) / (_SEARCH + cost[o]), -len(o), o))
        done = served.pop(best)
        orders.append(best)
        served = defaultdict(set, {order: rest for order, members in served.items() if (rest := members - done)})
    return sorted(orders, key=lambda o: (cost[o], o)) or [()]


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How many of ``rows`` agree with a row on some columns, on average: as many as in a sample, by its pairs."""

    sample: Rows
    rows: int

    @classmethod
    def of(cls, codes: Rows | Codes) -> "Agreement":
        """As some of these rows agree, int[m, n] by columns."""
        rows = codes.shape[1]
        chosen = np.random.default_rng(0).choice(rows, min(rows, _SAMPLED), replace=False)
        ranks = [np.unique(column[chosen], return_inverse=True)[1] for column in codes]
        return cls(np.array(ranks, np.int64).reshape(codes.shape[0], len(chosen)), rows)

    def partners(self, columns: Order) -> float:
        """How many rows agree with a row on these columns."""
        size = self.sample.shape[1]
        together = np.zeros(size, np.int64)
        for column in columns:
            together = np.unique(together * size + self.sample[column], return_inverse=True)[1]
        sizes = np.bincount(together)
        agreeing = int((sizes * (sizes - 1)).sum())
        return float(agreeing * self.rows / max(1, size * (size - 1)))
