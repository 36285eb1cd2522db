"""Sums with a product in them, sums times a column, and the greater or the less of two, proposed from a sample."""

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.products import simplest_factor
from profiling_core.algorithms.equations.proposing import FIRST_ROWS, Proposal, fits
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Expression, Extreme, Polynomial, constant_text

Term = tuple[str, tuple[str, ...]]
_SCALES = ("1", "0.01")
_POWERS = {Fraction(1, 10**power): constant_text(Fraction(1, 10**power)) for power in range(4)}
# Rows that a candidate is checked on first; and the relative rounding error that doubles may have.
_TELLING, _DOUBLES = 3, 1e-9
# Rows in which each of two sides has to be the greater one, and rows that have to lie at a limit.
_FEWEST = 5
# Pairs of columns that are compared in all rows at once.
_BLOCK = 512


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


def extremes(sample: Sample) -> Iterator[Proposal]:
    """``a = max(b, c)``, ``a = min(b, c)``, ``a = max(0, b − c)``, and ``a = max(k, m·b)`` as for a minimum fee."""
    b, c = np.triu_indices(len(sample.names), 1)
    for a in sample.targets:
        for greatest in (True, False):
            for i in _fitting(sample, a, (b, c), np.maximum if greatest else np.minimum):
                sides = sample.values[b[i]], sample.values[c[i]]
                if _takes_turns(sample, a, *sides, greatest=greatest):
                    one, other = (((("1", sample.names[j]),), "0") for j in (b[i], c[i]))
                    yield Proposal(sample.names[a], Extreme((one, other), greatest))
        yield from _above_nought(sample, a, b, c)
        yield from _limited(sample, a)


def _fitting(
    sample: Sample, a: int, pairs: tuple[NDArray[np.int64], NDArray[np.int64]], make: Callable[..., NDArray[np.float64]]
) -> Iterator[int]:
    """The positions of the pairs of columns that give a third: checked in the first rows, then in all."""
    b, c = pairs
    first = fits(sample, a, make(sample.values[b, :FIRST_ROWS], sample.values[c, :FIRST_ROWS]))
    found = np.flatnonzero(first & (b != a) & (c != a))
    for start in range(0, len(found), _BLOCK):
        some = found[start : start + _BLOCK]
        whole = fits(sample, a, make(sample.values[b[some]], sample.values[c[some]]))
        yield from some[whole].tolist()


def _takes_turns(
    sample: Sample, a: int, one: NDArray[np.float64], other: NDArray[np.float64], *, greatest: bool
) -> bool:
    """Whether a column is the greater (the less) of two in all rows, and each of the two is it in ``_FEWEST`` rows."""
    most = (np.maximum if greatest else np.minimum)(one, other)
    if not fits(sample, a, most[None])[0]:
        return False
    apart = np.abs(one - other) > sample.room[a]
    return bool(min((apart & (most == one)).sum(), (apart & (most == other)).sum()) >= _FEWEST)


def _above_nought(sample: Sample, a: int, b: NDArray[np.int64], c: NDArray[np.int64]) -> Iterator[Proposal]:
    if sample.values[a].min() < 0:
        return
    for pairs in ((b, c), (c, b)):
        for i in _fitting(sample, a, pairs, lambda more, less: np.maximum(more - less, 0)):
            more, less = pairs[0][i], pairs[1][i]
            found = sample.values[more] - sample.values[less]
            if _takes_turns(sample, a, found, np.zeros_like(found), greatest=True):
                terms = (("1", sample.names[more]), ("-1", sample.names[less]))
                yield Proposal(sample.names[a], Extreme(((terms, "0"), ((), "0"))))


def _limited(sample: Sample, a: int) -> Iterator[Proposal]:
    """A share of a column, with a minimum or a maximum: ``max(k, m·b)``."""
    column, decimals = sample.values[a], sample.decimals[a]
    if decimals is None:
        return
    for greatest in (True, False):
        limit = column.min() if greatest else column.max()
        free = np.abs(column - limit) > sample.room[a]
        if limit == 0 or (~free).sum() < _FEWEST or free.sum() < FIRST_ROWS:
            continue
        text = constant_text(Fraction(round(float(limit) * 10**decimals), 10**decimals))
        for b, values in enumerate(sample.values):
            if b == a or len(np.unique(values[free])) < FIRST_ROWS:
                continue
            factor = simplest_factor(column[free], sample.room[a][free], values[free])
            if factor is None or factor <= 0:
                continue
            value: Expression = Extreme((((((constant_text(factor)), sample.names[b]),), "0"), ((), text)), greatest)
            if _takes_turns(sample, a, float(factor) * values, np.full_like(values, limit), greatest=greatest):
                yield Proposal(sample.names[a], value)
