"""Products and ratios of columns, with a constant or a rate, from a sample."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.constants import simplest
from profiling_core.algorithms.equations.proposing import FIRST_ROWS, Proposal, fits
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Product, RelativeDifference, constant_text

# Rates are fractions or percentages, added or subtracted.
_BASES = (1, -1, 100, -100)
# The share of rows in which a divisor has to differ from 0.
_LEAST_DIVIDED = 0.3
# Factors of a product of three; rows that it is searched in; and the nearest products that are checked.
_THREE, _WEIGHTED_ROWS, _MOST_TRIED = 3, 40, 20
# Digits of n in a factor 1 / n of three columns, at most.
_GIVEN_DIGITS = 3
_POWERS = frozenset(Fraction(1, 10**power) for power in range(5))


def products(sample: Sample) -> Iterator[Proposal]:
    """``a = k·b·c``."""
    b, c = np.triu_indices(len(sample.names))
    values = sample.values[b] * sample.values[c]
    for a, i, factor in _proportional(sample, values, b, c):
        yield Proposal(sample.names[a], Product((sample.names[b[i]], sample.names[c[i]]), constant_text(factor)))


def products_of_three(sample: Sample) -> Iterator[Proposal]:
    """``a = b·c·d``, perhaps times a power of ten, as for percentages.

    Where a is not 0, its factors are not either, and their logarithms add up. They are compared under random weights
    that
    sum to 0, so that the constant factor drops out.
    """
    for a in sample.targets:
        yield from _of_three(sample, a)


def is_plain(factor: Fraction) -> bool:
    """Whether a factor may multiply several columns: a power of ten, or 1 over a short whole number."""
    return factor in _POWERS or (factor.numerator == 1 and len(str(factor.denominator).rstrip("0")) <= _GIVEN_DIGITS)


def _of_three(sample: Sample, a: int) -> Iterator[Proposal]:
    sizes = np.abs(sample.values[a])
    rows = np.argsort(-sizes, kind="stable")[:_WEIGHTED_ROWS]
    rows = rows[sizes[rows] > sample.room[a][rows]]
    others = np.array([i for i in range(len(sample.names)) if i != a and (sample.values[i][rows] != 0).all()], np.int64)
    if len(rows) < FIRST_ROWS or len(others) < _THREE:
        return
    weights = np.random.default_rng(3).normal(size=len(rows))
    weights -= weights.mean()
    wanted = float(np.log(sizes[rows]) @ weights)
    logs = np.log(np.abs(sample.values[others][:, rows])) @ weights
    chosen = np.array(list(combinations(range(len(others)), _THREE)), np.int64)
    off = np.abs(logs[chosen].sum(axis=1) - wanted)
    # The most by which rounding changes the weighted logarithm of the column.
    room = 1e-9 + float(np.abs(weights) @ (sample.room[a][rows] / (sizes[rows] - sample.room[a][rows])))
    for place in np.argsort(off, kind="stable")[: min(_MOST_TRIED, int((off <= room).sum()))]:
        over = [int(i) for i in others[chosen[place]]]
        factor = _factor(sample, a, sample.values[over].prod(axis=0))
        if factor is not None and is_plain(factor):
            names = tuple(sample.names[i] for i in over)
            yield Proposal(sample.names[a], Product(names, constant_text(factor)))


def ratios(sample: Sample) -> Iterator[Proposal]:
    """``a = k·b / c``; where c is sometimes 0, from the other rows."""
    divides = (sample.values != 0).all(axis=1)
    yield from _ratios(sample, divides)
    for c in np.flatnonzero(~divides):
        rows = np.flatnonzero(sample.values[c] != 0)
        if len(rows) >= max(FIRST_ROWS, _LEAST_DIVIDED * sample.rows):
            yield from _ratios(sample.at(rows), np.arange(len(sample.names)) == c)


def _ratios(sample: Sample, divides: NDArray[np.bool_]) -> Iterator[Proposal]:
    """Ratios by those columns that are 0 in no row."""
    b, c = (found.ravel() for found in np.indices((len(sample.names),) * 2))
    chosen = (b != c) & divides[c]
    b, c = b[chosen], c[chosen]
    values = sample.values[b] / sample.values[c]
    for a, i, factor in _proportional(sample, values, b, c):
        yield Proposal(sample.names[a], Product((sample.names[b[i]],), constant_text(factor), sample.names[c[i]]))


def changes(sample: Sample) -> Iterator[Proposal]:
    """``a = k·(b − c) / b`` and ``a = k·(b − c) / c``."""
    b, c = (found.ravel() for found in np.indices((len(sample.names),) * 2))
    divides = (sample.values != 0).all(axis=1)
    for under in (b, c):
        more, less = (found[(b != c) & divides[under]] for found in (b, c))
        of = under[(b != c) & divides[under]]
        values = (sample.values[more] - sample.values[less]) / sample.values[of]
        for a, i, factor in _proportional(sample, values, more, less):
            if factor > 0:
                one, other, below = (sample.names[found[i]] for found in (more, less, of))
                value = RelativeDifference(one, other, below, constant_text(factor))
                yield Proposal(sample.names[a], value)


def _proportional(
    sample: Sample, values: NDArray[np.float64], b: NDArray[np.int64], c: NDArray[np.int64]
) -> Iterator[tuple[int, int, Fraction]]:
    """Columns that are a constant times one of the value vectors float64[m, n], made from columns ``b`` and ``c``."""
    largest = np.abs(values).argmax(axis=1)
    every = np.arange(len(values))
    at_largest = values[every, largest]
    good = (at_largest != 0) & np.isfinite(at_largest)
    for a in sample.targets:
        chosen = np.flatnonzero(good & (b != a) & (c != a))
        top, rows = at_largest[chosen], largest[chosen]
        factors = sample.values[a][rows] / top
        # The constant comes from one row, and is only as precise as that row's value.
        loose = 3 * sample.room[a].max()
        first = np.abs(factors[:, None] * values[chosen, :FIRST_ROWS] - sample.values[a, :FIRST_ROWS])
        for j in np.flatnonzero((factors != 0) & (first <= loose).all(axis=1)):
            factor = _factor(sample, a, values[chosen[j]])
            if factor is not None:
                yield a, int(chosen[j]), factor


def _factor(sample: Sample, a: int, values: NDArray[np.float64]) -> Fraction | None:
    return simplest_factor(sample.values[a], sample.room[a], values)


def simplest_factor(
    column: NDArray[np.float64], room: NDArray[np.float64], values: NDArray[np.float64]
) -> Fraction | None:
    """The simplest factor that turns the values into the column's, within its room for rounding: float64[n] each."""
    zero = values == 0
    if (np.abs(column[zero]) > room[zero]).any():
        return None
    bounds = np.sort(np.array([column - room, column + room])[:, ~zero] / values[~zero], axis=0)
    return simplest(float(bounds[0].max()), float(bounds[1].min())) if bounds.size else None


def rated(sample: Sample) -> Iterator[Proposal]:
    """``a = b·(1 ± r)`` and ``a = b·c·(1 ± r)``, the rate being a fraction or a percentage."""
    b, c = np.triu_indices(len(sample.names), 1)
    values = np.concatenate([sample.values, sample.values[b] * sample.values[c]])
    over = [(name,) for name in sample.names] + [(sample.names[i], sample.names[j]) for i, j in zip(b, c, strict=True)]
    for rate, base in _rates(sample):
        name = sample.names[rate]
        scaled = values * (1 + sample.values[rate] / base)
        for a in sample.targets:
            if a == rate:
                continue
            for i in np.flatnonzero(fits(sample, a, scaled[:, :FIRST_ROWS])):
                if not {name, sample.names[a]} & set(over[i]) and fits(sample, a, scaled[i][None])[0]:
                    yield Proposal(sample.names[a], Product(over[i], "1", "", name, str(base)))


def _rates(sample: Sample) -> Iterator[tuple[int, int]]:
    for rate, values in enumerate(sample.values):
        for base in _BASES:
            if values.min() >= 0 and values.max() <= abs(base) and (values.max() > 1 or abs(base) == 1):
                yield rate, base
