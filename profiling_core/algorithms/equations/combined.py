"""Sums with a product in them, and sums times a column, proposed from a sample."""

from collections.abc import Collection, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.proposing import Proposal, fits
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Polynomial, constant_text

Term = tuple[str, tuple[str, ...]]
_SCALES = ("1", "0.01")
_POWERS = {Fraction(1, 10**power): constant_text(Fraction(1, 10**power)) for power in range(4)}
# Rows that a candidate is checked on first; and the relative rounding error that doubles may have.
_TELLING, _DOUBLES = 3, 1e-9


def sums_of_products(sample: Sample, told: Collection[str]) -> Iterator[Proposal]:
    """``a = k·b·c ± d`` and ``a = k·(b ± c)·d``, for columns without an equation so far."""
    for a in sample.targets:
        if sample.names[a] not in told:
            yield from _beside(sample, a)
            yield from _times(sample, a)


def _beside(sample: Sample, a: int) -> Iterator[Proposal]:
    b, c = np.triu_indices(len(sample.names), 1)
    b, c = (found[(b != a) & (c != a)] for found in (b, c))
    names, few = sample.names, _telling_rows(sample, a)
    products = sample.values[b][:, few] * sample.values[c][:, few]
    for scale in _SCALES:
        for product_sign, sign in ((1, 1), (1, -1), (-1, 1)):
            times = product_sign * float(scale)
            made = (times * products)[:, None] + sign * sample.values[:, few][None]
            for i, d in _near(sample, a, few, made):
                values = times * sample.values[b[i]] * sample.values[c[i]] + sign * sample.values[d]
                if d not in (a, b[i], c[i]) and fits(sample, a, values[None])[0]:
                    product: Term = (_signed(product_sign, scale), (names[b[i]], names[c[i]]))
                    terms: list[Term] = [product, (_signed(sign, "1"), (names[d],))]
                    yield Proposal(names[a], Polynomial(tuple(sorted(terms, key=lambda t: t[0][0] == "-"))))


def _times(sample: Sample, a: int) -> Iterator[Proposal]:
    names, few = sample.names, _telling_rows(sample, a)
    b, c = np.triu_indices(len(names), 1)
    b, c = (found[(b != a) & (c != a)] for found in (b, c))
    ways = ((b, c, 1), (b, c, -1), (c, b, -1))
    for more, less, sign in ways:
        sums = sample.values[more][:, few] + sign * sample.values[less][:, few]
        products = sums[:, None] * sample.values[:, few][None]
        for scale, text in _POWERS.items():
            for i, d in _near(sample, a, few, float(scale) * products):
                whole = sample.values[more[i]] + sign * sample.values[less[i]]
                values = float(scale) * whole * sample.values[d]
                if d not in (a, b[i], c[i]) and fits(sample, a, values[None])[0]:
                    one, other = ((names[k], names[d]) for k in (more[i], less[i]))
                    yield Proposal(names[a], Polynomial(((text, one), (_signed(sign, text), other))))


def _telling_rows(sample: Sample, a: int) -> NDArray[np.int64]:
    """A few rows in which a column is large: columns that are 0 or 1 in many rows do not fit there by chance."""
    sizes = np.abs(sample.values[a])
    _, places = np.unique(sizes, return_index=True)
    return np.asarray(places[-_TELLING:], np.int64)


def _near(sample: Sample, a: int, few: NDArray[np.int64], made: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """The positions of those values, out of float64[m, n, rows], that equal the column in the first rows."""
    wanted, room = sample.values[a, few], 2 * sample.room[a, few] + _DOUBLES * np.abs(sample.values[a, few])
    with np.errstate(invalid="ignore", over="ignore"):
        good = np.abs(made[:, :, 0] - wanted[0]) <= room[0]
        for row in range(1, len(few)):
            good &= np.abs(made[:, :, row] - wanted[row]) <= room[row]
    yield from zip(*np.nonzero(good), strict=True)


def _signed(sign: int, text: str) -> str:
    return text if sign > 0 else f"-{text}"
