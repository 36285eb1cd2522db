"""What all rows of some categories may have in common: a value or none, certain values, limits, an order of columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import log1p

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.conditions.categories import Candidate, Categories, Mask, candidate
from profiling_core.algorithms.equations.constants import simplest
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.values.margins import expected_beyond
from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present
from profiling_core.model.expression import constant_text
from profiling_core.model.predicate import Operator

Numbers = NDArray[np.float64]
Obeyed = Callable[[Consequent], Judged]
MOST_LISTED = 6
"""A rule with more values in its condition, or in its consequent, is not shown."""
# Rows that suffice to see that each category has a violation.
_LOOKED_AT = 1_000
COMPARED = (Operator.EQ, Operator.LT, Operator.GT, Operator.LE, Operator.GE)
"""How columns are compared; the first that holds is told, since each later one follows from those before it."""


def presence(categories: Categories, name: str, has: Mask) -> Iterator[Candidate]:
    """Columns that have a value in all rows of some categories, or in none."""
    filled = categories.per_value(has)
    for there in (True, False):
        found = candidate(
            categories, Present(name, there=there), categories.counts, filled if there else categories.counts - filled
        )
        if found is not None:
            yield found


def value_sets(categories: Categories, other: Categories) -> Iterator[Candidate]:
    """Categories that occur with few values of another column; none if each has one value, which is a dependency."""
    both = (categories.codes >= 0) & (other.codes >= 0)
    table = np.zeros((len(categories.labels), len(other.labels)), np.int64)
    np.add.at(table, (categories.codes[both], other.codes[both]), 1)
    judged, seen = table.sum(axis=1), table > 0
    if (seen.sum(axis=1) <= 1).all() and table.shape[1] > 2:
        return
    for kinds in np.unique(seen[judged > 0], axis=0):
        if kinds.sum() <= MOST_LISTED:
            found = candidate(categories, OneOf(other.column, other.named(kinds)), judged, table[:, kinds].sum(axis=1))
            if found is not None:
                yield replace(found, told={**found.told, "of the values": float(kinds.sum() / seen.any(axis=0).sum())})


def numbers(categories: Categories, name: str, values: Numbers, has: Mask, *, limits: bool) -> Iterator[Candidate]:
    """Numbers that have a sign or one value in some categories, or a limit between them and the others.

    Args:
        categories: the condition's column.
        name: the numbers' column.
        values: float64[n].
        has: bool[n], where there is a number.
        limits: whether limits other than 0 are looked for.
    """
    inside = has & (categories.codes >= 0)
    own = values[inside]
    if len(own) and own.min() < own.max() and np.isfinite(own).all():
        told_apart = _ByCategory(categories, name, categories.codes[inside], own)
        yield from told_apart.signs_and_points()
        if limits:
            yield from told_apart.limits(upper=True)
            yield from told_apart.limits(upper=False)
            yield from told_apart.ranges()


class _ByCategory:
    """How often each category has each number: int64[v, m] counts of m distinct numbers, which are sorted.

    A range of numbers is a pair of places: its first number, and the first one after it.
    """

    def __init__(self, categories: Categories, name: str, codes: NDArray[np.int64], own: Numbers) -> None:
        self._categories, self._name = categories, name
        self._values, places = np.unique(own, return_inverse=True)
        self._size, kinds = len(self._values), len(categories.labels)
        counts = np.bincount(codes * self._size + places, minlength=kinds * self._size)
        self._counts = counts.reshape(kinds, self._size)
        self._before = np.hstack([np.zeros((kinds, 1), np.int64), np.cumsum(self._counts, axis=1)])
        self._judged = self._before[:, -1]
        seen = self._counts[self._judged > 0] > 0
        self._first, self._last = seen.argmax(axis=1), self._size - 1 - seen[:, ::-1].argmax(axis=1)

    def signs_and_points(self) -> Iterator[Candidate]:
        """Bounds at 0, and single numbers."""
        below, above = self._place(0), self._place(0, after=True)
        told: list[tuple[tuple[int, int], tuple[str | None, str | None], bool]]
        told = [((0, below), (None, "0"), True), ((above, self._size), ("0", None), True)]
        for place in np.unique(self._first[self._first == self._last]).tolist():
            text = _text(self._values[place])
            told.append(((place, place + 1), (text, text), False))
        told += [((0, above), (None, "0"), False), ((below, self._size), ("0", None), False)]
        seen: set[tuple[int, int]] = set()
        for places, (low, high), strict in told:
            found = self._candidate(places, Bounded(self._name, low, high, strict))
            if found is not None and places not in seen:
                seen.add(places)
                yield replace(found, told={**found.told, "one number" if low == high else "sign": 1.0})

    def limits(self, *, upper: bool) -> Iterator[Candidate]:
        """The limits between the numbers of some categories and those of all others."""
        for place in np.unique(self._last)[:-1] if upper else np.unique(self._first)[1:]:
            parts = slice(0, place + upper), slice(place + upper, self._size)
            inside, beyond = parts if upper else parts[::-1]
            found = self._candidate((inside.start, inside.stop), Bounded(self._name))
            if found is not None and found.both_ways:
                end, own, sign = self._values[place], self._numbers(inside), 1 if upper else -1
                text = between(end, self._values[place + sign])
                then = Bounded(self._name, None, text) if upper else Bounded(self._name, text, None)
                sides = [sign * (own - end), sign * (end - self._numbers(beyond))]
                yield replace(found, then=then, told={**found.told, **nearness(sides, own, end)})

    def ranges(self) -> Iterator[Candidate]:
        """Categories with no other category's numbers in their range, but beyond either end."""
        for first, last in zip(self._first, self._last, strict=True):
            if first > 0 and last < self._size - 1:
                low, high = (
                    between(*self._values[[end, beyond]]) for end, beyond in ((first, first - 1), (last, last + 1))
                )
                one = self._candidate((first, last + 1), Bounded(self._name, low, high))
                if one is not None and one.both_ways:
                    own, above, below = map(
                        self._numbers, (slice(first, last + 1), slice(last + 1, None), slice(0, first))
                    )
                    sides = [own - own[-1], own[0] - own, own[-1] - above, below - own[0]]
                    yield replace(one, told={**one.told, **nearness(sides, own, own[-1])})

    def _candidate(self, places: tuple[int, int], then: Bounded) -> Candidate | None:
        return candidate(self._categories, then, self._judged, self._obeying(places))

    def _place(self, limit: float, *, after: bool = False) -> int:
        """The place of the first number that is not below a limit; ``after``: that is above it."""
        return int(np.searchsorted(self._values, limit, side="right" if after else "left"))

    def _obeying(self, places: tuple[int, int]) -> NDArray[np.int64]:
        """int64[v]: how many numbers of each category are within a range."""
        first, end = places
        return np.asarray(self._before[:, end] - self._before[:, first])

    def _numbers(self, places: slice) -> Numbers:
        """The numbers within a range, sorted, each as often as it comes."""
        return np.repeat(self._values[places], self._counts[:, places].sum(axis=0))


def nearness(sides: Sequence[Numbers], own: Numbers, end: float) -> dict[str, float]:
    """Features of whether a limit is set on purpose: whether numbers would go beyond it if there were none."""
    beyond = max(expected_beyond(side) for side in sides)
    kinds = len(np.unique(own))
    return {
        "limit": 1.0,
        "beyond the limit": min(1.0, log1p(beyond) / 5),
        "few beyond the limit": min(1.0, beyond / 2),
        "at the limit": float((own == end).mean()),
        "numbers within the limit": min(1.0, kinds / 12),
        "few numbers within the limit": min(1.0, kinds / 3),
    }


def between(end: float, near: float) -> str:
    """The simplest number from an end, which is allowed, to the next number, which is not."""
    first, last = sorted((end, near + (end - near) * 1e-6))
    if first <= 0 <= last:
        return "0"
    found = simplest(first, last)
    return _text(end) if found is None else constant_text(found)


def _text(value: float) -> str:
    return constant_text(Fraction(repr(float(value))))


def orders(
    categories: Categories,
    pair: tuple[str, str],
    obeyed: Obeyed,
    compared: Sequence[Operator],
    varied: Callable[[Candidate], bool],
) -> Iterator[Candidate]:
    """Two columns that are equal in some categories, or in an order; the first comparison that matters.

    Args:
        categories: the condition's column.
        pair: the columns that are compared.
        obeyed: tells which of the rows obey a consequent; it is shared by all columns that make categories.
        compared: the comparisons, some of :data:`COMPARED`.
        varied: whether both columns vary in the rows that a rule picks.
    """
    for op in compared:
        found = obeyed(then := Ordered(pair[0], op, pair[1]))
        judged, violating = categories.per_value(found.judged), categories.per_value(found.violating)
        one = candidate(categories, then, judged, judged - violating)
        if one is not None and varied(one):
            yield replace(one, told={**one.told, f"compared by {op}": 1.0})
            return


def some_has_none(categories: Categories, marked: Sequence[Mask]) -> Mask:
    """bool[m]: of m sets of marked rows whether a category has none of them, judged by about ``_LOOKED_AT`` rows."""
    few = slice(None, None, max(1, len(categories.codes) // _LOOKED_AT))
    codes = categories.codes[few]
    within = (codes[:, None] == np.flatnonzero(categories.counts > 0)).astype(np.float32)
    found: Mask = (np.array([rows[few] for rows in marked], np.float32) @ within == 0).any(axis=1)
    return found
