"""Sums and differences of columns, proposed from a sample.

Sums without constants are found all at once: each column's values, times random weights, add up to one 64-bit number.
If columns add up in every row, so do their numbers.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.constants import simplest
from profiling_core.algorithms.equations.products import simplest_factor
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Linear, constant_text

# Summands that are searched in any order; more only as adjacent columns.
MOST_SUMMANDS = 4
# More columns than these are left out: the sums of four columns would be too many.
_MOST_COLUMNS = 120
# Sums of one size that are taken up, at most.
_MOST_FOUND = 5_000


class _Signed(NamedTuple):
    """m signed sums of w columns: ``columns`` and ``signs`` int64[m, w], ``totals`` uint64[m]."""

    columns: NDArray[np.int64]
    signs: NDArray[np.int64]
    totals: NDArray[np.uint64]


def plain_sums(sample: Sample) -> Iterator[Proposal]:
    """Each way in which up to five columns, with plus or minus, add up to 0, solved for one of them."""
    written = [i for i, digits in enumerate(sample.decimals) if digits is not None][:_MOST_COLUMNS]
    weighted = weighted_sums(sample, written)
    # Of equal columns, which straight lines find, only the first is used.
    kept = np.sort(np.unique(weighted, return_index=True)[1])
    weighted, written = weighted[kept], [written[i] for i in kept]
    singles, pairs = _signed(weighted, 1), _signed(weighted, 2)
    order = np.argsort(pairs.totals, kind="stable")
    for others in (singles, pairs, _signed(weighted, MOST_SUMMANDS - 1)):
        for found in sorted(
            set(islice(_cancelling(pairs, order, others), _MOST_FOUND)), key=lambda terms: [abs(t) for t in terms]
        ):
            yield _solved(sample, {written[abs(term) - 1]: int(np.sign(term)) for term in found})
    for total, first, last in _runs(weighted):
        summands = tuple(("1", sample.names[i]) for i in written[first:last])
        yield Proposal(sample.names[written[total]], Linear(summands))


def _runs(weighted: NDArray[np.uint64]) -> Iterator[tuple[int, int, int]]:
    """Totals of more than ``MOST_SUMMANDS`` adjacent columns: the total, the first summand, and one past the last."""
    until = np.concatenate([np.zeros(1, np.uint64), np.cumsum(weighted, dtype=np.uint64)])
    first, last = np.triu_indices(len(until), MOST_SUMMANDS + 1)
    sums = until[last] - until[first]
    for total, value in enumerate(weighted):
        for run in np.flatnonzero((sums == value) & ((total < first) | (total >= last))):
            yield total, int(first[run]), int(last[run])


def count_plain(columns: int) -> dict[int, int]:
    """How many sums :func:`plain_sums` tries, by their number of columns."""
    return {size: len_of(columns, size) * 2 ** (size - 1) for size in range(3, MOST_SUMMANDS + 2)}


def len_of(columns: int, size: int) -> int:
    """The number of sets of ``size`` columns."""
    found = 1
    for i in range(size):
        found = found * (columns - i) // (i + 1)
    return max(0, found)


def weighted_sums(sample: Sample, columns: Sequence[int]) -> NDArray[np.uint64]:
    """uint64[c]: per column the sum of its whole values, on one scale, times random weights, modulo 2^64."""
    scale = max((sample.decimals[i] or 0 for i in columns), default=0)
    weights = np.random.default_rng(20).integers(1, 2**63, sample.rows).astype(np.uint64)
    found = np.zeros(len(columns), np.uint64)
    for place, i in enumerate(columns):
        numbers = sample.numbers[sample.names[i]]
        if numbers.exact:
            whole = [int(v) * 10 ** (scale - numbers.scale) % 2**64 for v in numbers.values]
        else:
            digits = sample.decimals[i] or 0
            whole = [round(v * 10.0**digits) * 10 ** (scale - digits) % 2**64 for v in numbers.values.tolist()]
        found[place] = (np.array(whole, np.uint64) * weights).sum()
    return found


def _signed(weighted: NDArray[np.uint64], size: int) -> _Signed:
    """All signed sums of ``size`` of the columns; the first column has plus."""
    sets = np.array(list(combinations(range(len(weighted)), size)), np.int64).reshape(-1, size)
    signs = np.array([[1, *(1 - 2 * (s >> i & 1) for i in range(size - 1))] for s in range(2 ** (size - 1))], np.int64)
    columns = np.repeat(sets, len(signs), axis=0)
    chosen = np.tile(signs, (len(sets), 1))
    return _Signed(columns, chosen, (weighted[columns] * chosen.astype(np.uint64)).sum(axis=1, dtype=np.uint64))


def _cancelling(pairs: _Signed, order: NDArray[np.int64], others: _Signed) -> Iterator[tuple[int, ...]]:
    """Sets of columns that add up to 0, as signed positions counted from 1; the first is positive."""
    known = pairs.totals[order]
    for sign in (1, -1):
        wanted = others.totals * np.uint64(2**64 - 1) if sign == 1 else others.totals
        first, last = np.searchsorted(known, wanted, "left"), np.searchsorted(known, wanted, "right")
        for other in np.flatnonzero(last > first):
            for pair in order[first[other] : last[other]]:
                columns = [*pairs.columns[pair], *others.columns[other]]
                signs = [*pairs.signs[pair], *(sign * others.signs[other])]
                if len(set(columns)) == len(columns):
                    terms = sorted((int((c + 1) * s) for c, s in zip(columns, signs, strict=True)), key=abs)
                    yield tuple(terms) if terms[0] > 0 else tuple(-term for term in terms)


def _solved(sample: Sample, signs: dict[int, int]) -> Proposal:
    """The sum solved for the column that needs the fewest minuses; among several, the last."""
    target = max(signs, key=lambda i: (sum(signs[i] != signs[j] for j in signs if j != i), i))
    terms = [(-signs[target] * signs[i], sample.names[i]) for i in signs if i != target]
    terms.sort(key=lambda term: -term[0])
    return Proposal(sample.names[target], Linear(tuple((str(sign), name) for sign, name in terms)))


def straight_lines(sample: Sample) -> Iterator[Proposal]:
    """``a = k·b`` and ``a = k·b + c``, through the rows with the greatest and the least b."""
    targets = np.array(sample.targets, np.int64)
    wide = sample.room[targets] + 3 * sample.room[targets].max(axis=1, keepdims=True, initial=0.0)
    for b, name in enumerate(sample.names):
        values = sample.values[b]
        high, low = int(values.argmax()), int(values.argmin())
        others = sample.values[targets]
        slopes = (others[:, high] - others[:, low]) / (values[high] - values[low])
        starts = others[:, high] - slopes * values[high]
        near = (np.abs(others - slopes[:, None] * values - starts[:, None]) <= wide).all(axis=1) & (slopes != 0)
        for a in targets[near & (targets != b)].tolist():
            yield from _line(sample, (a, sample.names[a]), (b, name), (high, low))


def _line(sample: Sample, target: tuple[int, str], base: tuple[int, str], ends: tuple[int, int]) -> Iterator[Proposal]:
    a, b = sample.values[target[0]], sample.values[base[0]]
    room = sample.room[target[0]]
    span = b[ends[0]] - b[ends[1]]
    slope = (a[ends[0]] - a[ends[1]]) / span
    factor = simplest_factor(a, room, b)
    if factor is not None:
        yield Proposal(target[1], Linear(((constant_text(factor), base[1]),)))
        return
    width = 2 * room.max() / abs(span)
    factor = Fraction(1) if abs(slope - 1) <= width + 1e-12 else simplest(slope - width, slope + width)
    if factor is not None:
        rest = a - float(factor) * b
        constant = simplest((rest - room).max(), (rest + room).min())
        if constant is not None:
            yield Proposal(target[1], Linear(((constant_text(factor), base[1]),), constant_text(constant)))
