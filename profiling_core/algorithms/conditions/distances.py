"""How far a day may be from another one: at most thirty days, at least eighteen years; in all rows or in some."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.conditions.categories import Candidate, Categories, Mask
from profiling_core.algorithms.conditions.facts import Numbers, between, further_from, limits, nearness
from profiling_core.algorithms.values.arrow_buffers import present
from profiling_core.model.consequent import Bounded, Ordered
from profiling_core.model.predicate import Operator

# From this distance on people count years: two of them.
_DAYS_OF_A_YEAR, _YEARS = 365.2425, 2
_MONTHS_OF_A_YEAR = 12
_TWO = 2


class Distances(NamedTuple):
    """Two columns of days: float64[n] days since an epoch each, and bool[n], where both have a value."""

    later: str
    earlier: str
    days: tuple[Numbers, Numbers]
    there: Mask

    @classmethod
    def of(cls, rows: pa.Table, names: tuple[str, str]) -> "Distances":
        """Two columns of some rows; the one with the later days on average comes first."""
        days = [rows[name].combine_chunks().cast(pa.date32()) for name in names]
        there = present(days[0]) & present(days[1])
        numbers = [day.cast(pa.int32()).fill_null(0).to_numpy().astype(np.float64) for day in days]
        sides = list(zip(names, numbers, strict=True))
        if there.any() and numbers[0][there].mean() < numbers[1][there].mean():
            sides.reverse()
        (later, ends), (earlier, begins) = sides
        return cls(later, earlier, (ends, begins), there)

    def within(self, categories: Categories) -> Iterator[Candidate]:
        """Distances that are one number, or have a limit, in some categories."""
        for one in limits(categories, self.later, self.days[0] - self.days[1], self.there):
            if isinstance(one.then, Bounded) and (then := self._ordered(one.then)) is not None:
                yield replace(one, then=then)

    @property
    def most(self) -> dict[tuple[str, str], float]:
        """By how much each of the columns is later than the other at most."""
        own = (self.days[0] - self.days[1])[self.there]
        if len(own) < _TWO or own.min() == own.max():
            return {}
        return {(self.later, self.earlier): float(own.max()), (self.earlier, self.later): -float(own.min())}

    def everywhere(self, most: Mapping[tuple[str, str], float]) -> Iterator[Candidate]:
        """The least and the greatest distance of all rows, if days of other rows would lie beyond.

        ``most``: the limits of all pairs of columns; one that others add up to is left out.
        """
        ends, begins = (side[self.there] for side in self.days)
        own, others = ends - begins, ends - np.roll(begins, len(begins) // 2 + 1)
        for upper, pair in ((False, (self.earlier, self.later)), (True, (self.later, self.earlier))):
            if pair not in most or _adds_up(pair, most):
                continue
            end = most[pair] if upper else -most[pair]
            share = ((others <= end) if upper else (others >= end)).mean()
            limit = between(end, further_from(own, end, upper=upper))
            bounds = Bounded(self.later, None, limit) if upper else Bounded(self.later, limit)
            if (then := self._ordered(bounds)) is not None and 0 < share < 1:
                told = {"distance": 1.0, **nearness([own - end if upper else end - own], own, end)}
                yield Candidate(self.later, (), then, both_ways=False, surprise=-len(own) * log10(share), told=told)

    def _ordered(self, bounds: Bounded) -> Ordered | None:
        """Bounds of the distance as an order of the two columns; None: they are no single one, or it is without one."""
        sides = {Operator.GE: bounds.low, Operator.LE: bounds.high}
        ends = {op: Fraction(end) for op, end in sides.items() if end is not None}
        if bounds.low == bounds.high:
            ends = {Operator.EQ: next(iter(ends.values()))}
        ((op, days), *more) = ends.items()
        if more or bounds.strict or not days or days.denominator != 1:
            return None
        if op is Operator.EQ or abs(days) < _YEARS * _DAYS_OF_A_YEAR:
            return Ordered(self.later, op, self.earlier, days=int(days))
        years = float(days) / _DAYS_OF_A_YEAR
        months = _MONTHS_OF_A_YEAR * (floor(years) if op is Operator.GE else ceil(years))
        return Ordered(self.later, op, self.earlier, months=months)


def _adds_up(pair: tuple[str, str], most: Mapping[tuple[str, str], float]) -> bool:
    """Whether a third column's limits to both columns add up to theirs."""
    later, earlier = pair
    thirds = {other for _, other in most} - {later, earlier}
    far = ((most.get((later, third)), most.get((third, earlier))) for third in thirds)
    return any(one is not None and two is not None and one + two <= most[pair] for one, two in far)
