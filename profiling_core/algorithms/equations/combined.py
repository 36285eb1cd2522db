"""Products beside a column, sums times a column, and the greater or the less of two, proposed from a sample."""

from collections.abc import Collection, Iterator
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
# The greater of two is told where each is it in so many rows, and a limit where as many lie at it.
_FEWEST = 5


def sums_of_products(sample: Sample, told: Collection[str]) -> Iterator[Proposal]:
    """``a = k·b·c ± d`` and ``a = k·(b ± c)·d``, of columns that nothing was found for."""
    for a in sample.targets:
        if sample.names[a] not in told:
            yield from _beside(sample, a)
            yield from _times(sample, a)


def _beside(sample: Sample, a: int) -> Iterator[Proposal]:
    b, c = np.triu_indices(len(sample.names), 1)
    b, c = (found[(b != a) & (c != a)] for found in (b, c))
    names, first = sample.names, sample.values[:, :FIRST_ROWS]
    for scale in _SCALES:
        products = float(scale) * first[b] * first[c]
        for d in range(len(names)):
            if d == a:
                continue
            for product_sign, sign in ((1, 1), (1, -1), (-1, 1)):
                found = np.flatnonzero(fits(sample, a, product_sign * products + sign * first[d]) & (b != d) & (c != d))
                for i in found:
                    product: Term = (_signed(product_sign, scale), (names[b[i]], names[c[i]]))
                    terms: list[Term] = [product, (_signed(sign, "1"), (names[d],))]
                    values = product_sign * float(scale) * sample.values[b[i]] * sample.values[c[i]]
                    if fits(sample, a, (values + sign * sample.values[d])[None])[0]:
                        yield Proposal(names[a], Polynomial(tuple(sorted(terms, key=lambda t: t[0][0] == "-"))))


def _times(sample: Sample, a: int) -> Iterator[Proposal]:
    names = sample.names
    b, c = np.triu_indices(len(names), 1)
    b, c = (found[(b != a) & (c != a)] for found in (b, c))
    for sign in (1, -1):
        sums = sample.values[b] + sign * sample.values[c]
        for d in range(len(names)):
            if d == a:
                continue
            for scale, text in _POWERS.items():
                made = float(scale) * sums[:, :FIRST_ROWS] * sample.values[d, :FIRST_ROWS]
                for i in np.flatnonzero(fits(sample, a, made) | (fits(sample, a, -made) & (sign < 0))):
                    if d in (b[i], c[i]):
                        continue
                    more, less = (b[i], c[i]) if sign > 0 or fits(sample, a, made[i][None])[0] else (c[i], b[i])
                    whole = float(scale) * (sample.values[more] + sign * sample.values[less]) * sample.values[d]
                    if fits(sample, a, whole[None])[0]:
                        terms = ((text, (names[more], names[d])), (_signed(sign, text), (names[less], names[d])))
                        yield Proposal(names[a], Polynomial(terms))


def _signed(sign: int, text: str) -> str:
    return text if sign > 0 else f"-{text}"


def extremes(sample: Sample) -> Iterator[Proposal]:
    """``a = max(b, c)``, ``a = min(b, c)``, ``a = max(0, b − c)``, and ``a = max(k, m·b)``, as a least fee is."""
    b, c = np.triu_indices(len(sample.names), 1)
    for a in sample.targets:
        for greatest in (True, False):
            most = np.maximum if greatest else np.minimum
            found = fits(sample, a, most(sample.values[b, :FIRST_ROWS], sample.values[c, :FIRST_ROWS]))
            for i in np.flatnonzero(found & (b != a) & (c != a)):
                sides = sample.values[b[i]], sample.values[c[i]]
                if _takes_turns(sample, a, *sides, greatest=greatest):
                    one, other = (((("1", sample.names[j]),), "0") for j in (b[i], c[i]))
                    yield Proposal(sample.names[a], Extreme((one, other), greatest))
        yield from _above_nought(sample, a, b, c)
        yield from _limited(sample, a)


def _takes_turns(
    sample: Sample, a: int, one: NDArray[np.float64], other: NDArray[np.float64], *, greatest: bool
) -> bool:
    """Whether a column is the greater (the less) of two in all rows, and now this one and now that one."""
    most = (np.maximum if greatest else np.minimum)(one, other)
    if not fits(sample, a, most[None])[0]:
        return False
    apart = np.abs(one - other) > sample.room[a]
    return bool(min((apart & (most == one)).sum(), (apart & (most == other)).sum()) >= _FEWEST)


def _above_nought(sample: Sample, a: int, b: NDArray[np.int64], c: NDArray[np.int64]) -> Iterator[Proposal]:
    if sample.values[a].min() < 0:
        return
    apart = sample.values[b, :FIRST_ROWS] - sample.values[c, :FIRST_ROWS]
    for sign in (1, -1):
        for i in np.flatnonzero(fits(sample, a, np.maximum(sign * apart, 0)) & (b != a) & (c != a)):
            more, less = (b[i], c[i]) if sign > 0 else (c[i], b[i])
            found = sample.values[more] - sample.values[less]
            if _takes_turns(sample, a, found, np.zeros_like(found), greatest=True):
                terms = (("1", sample.names[more]), ("-1", sample.names[less]))
                yield Proposal(sample.names[a], Extreme(((terms, "0"), ((), "0"))))


def _limited(sample: Sample, a: int) -> Iterator[Proposal]:
    """A share of a column, and a least or a greatest amount where it would be less, or more."""
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
