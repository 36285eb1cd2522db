"""Columns by the rows with a value: the same rows, complementary, some of another's, or beyond a number's limit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from math import lgamma, log, log10

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.conditions.categories import Candidate, Categories, Mask, numbers_in
from profiling_core.algorithms.conditions.judging import there
from profiling_core.algorithms.conditions.proposing import bounds
from profiling_core.model.consequent import Bounded, Present
from profiling_core.model.expression import constant_text

Pair = tuple[str, str]
# Distinct patterns of nulls that are looked at, at most; and rows on either side that a limit needs.
_MOST_PATTERNS, _FEWEST = 16, 12
# A limit is kept if it judges at least this share of the rows that the best limit judges.
_AS_MANY = 0.9


def together(rows: pa.Table, names: Iterable[str]) -> Iterator[Candidate]:
    """The first of the columns with values in the same rows, paired with each of the others."""
    first: dict[bytes, str] = {}
    for name in names:
        if not rows[name].null_count and not pa.types.is_floating(rows[name].type):
            continue
        has = there(rows[name])
        share = float(has.mean())
        if not 0 < share < 1:
            continue
        here, elsewhere = (np.packbits(rows).tobytes() for rows in (has, ~has))
        if (other := first.get(elsewhere)) and here not in first:
            yield Candidate(other, (), Present(name, there=False), both_ways=True, surprise=_improbable(has))
        one = first.setdefault(here, name)
        if one != name:
            yield Candidate(one, (), Present(name, there=True), both_ways=True, surprise=_improbable(has))


def _improbable(has: Mask) -> float:
    """−log₁₀ of the probability that independent columns have their values in exactly these rows."""
    share = float(has.mean())
    return -len(has) * (share * log10(share) + (1 - share) * log10(1 - share))


def one_way(rows: pa.Table, names: Iterable[str]) -> Iterator[Candidate]:
    """Columns that have a value only in rows that another one has a value in, or only in rows that it has none in.

    Where a first column lies within a second one and this within a third one, the first and the third are left out.
    """
    patterns: dict[bytes, tuple[str, Mask]] = {}
    for name in names:
        has = there(rows[name])
        if has.any() and not has.all():
            patterns.setdefault(np.packbits(has).tobytes(), (name, has))
    few = dict([*patterns.values()][:_MOST_PATTERNS])
    within = {(a, b) for a, b in permutations(few, 2) if not (few[a] & ~few[b]).any()}
    for a, b in sorted(within):
        if not any({(a, c), (c, b)} <= within for c in few):
            yield Candidate(a, (), Present(b, there=True), both_ways=False, surprise=nested(few[a], few[b]))
    apart = {(a, b) for a, b in permutations(few, 2) if not (few[a] & few[b]).any()}
    for a, b in combinations(few, 2):
        if (a, b) in apart and not (few[a] | few[b]).all() and not _follows((a, b), within, apart):
            yield Candidate(a, (), Present(b, there=False), both_ways=False, surprise=nested(few[a], ~few[b]))


def _follows(pair: Pair, within: AbstractSet[Pair], apart: AbstractSet[Pair]) -> bool:
    """Whether one of two columns has its values within those of a third one, which is apart from the other."""
    return any(
        (one, c) in within and (c, other) in apart for one, other in (pair, pair[::-1]) for c, _ in within | apart
    )


def nested(inner: Mask, outer: Mask) -> float:
    """−log₁₀ of the probability that rows drawn at random all lie within others: C(outer, inner) / C(all, inner)."""
    all_, inside, chosen = len(inner), int(outer.sum()), int(inner.sum())
    return (_log_choices(all_, chosen) - _log_choices(inside, chosen)) / log(10)


def _log_choices(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def where_there(rows: pa.Table, names: Iterable[str], numeric: Sequence[str]) -> Iterator[Candidate]:
    """Columns that have a value only where a number is beyond a limit: an approver from 1,000 on.

    Args:
        rows: some rows.
        names: columns; those with values in some rows only are looked at.
        numeric: columns of measured numbers.
    """
    seen: set[bytes] = set()
    numbers = {name: numbers_in(rows, name) for name in numeric}
    for name in names:
        has = there(rows[name])
        seen_before = len(seen)
        if has.all() or not has.any() or len(seen) >= _MOST_PATTERNS:
            continue
        seen.add(np.packbits(has).tobytes())
        if len(seen) == seen_before:
            continue
        states = Categories(name, ("missing", "there"), has.astype(np.int64), np.bincount(has, minlength=2))
        parted = [n for n, (values, valid) in numbers.items() if n != name and _parts(values, valid, has)]
        found = (one for one in bounds(numbers, states, parted) if one.both_ways and one.values == ("there",))
        # Of an amount and its net, the one with the rounder limit is kept.
        plainest = min(found, key=lambda one: sum(map(str.isdigit, one.then.text)), default=None)
        if plainest is not None:
            yield replace(plainest, values=(), rest=())


def by_steps(rows: pa.Table, numeric: Sequence[str], names: Iterable[str]) -> Iterator[Candidate]:
    """Numbers that are 0, or the lesser of two values, where another number is beyond a limit: no fee from 10,000 on.

    Args:
        rows: some rows.
        numeric: columns of measured numbers.
        names: those of them that are looked at.
    """
    numbers = {name: numbers_in(rows, name) for name in numeric}
    for name in names:
        limits = list(_limits(name, numbers))
        judged = [int((numbers[name][1] & numbers[one.then.columns[0]][1]).sum()) for one in limits]
        most = [one for one, size in zip(limits, judged, strict=True) if size >= _AS_MANY * max(judged)]
        if most:
            yield min(most, key=_digits)


def _limits(name: str, numbers: Mapping[str, tuple[np.ndarray, Mask]]) -> Iterator[Candidate]:
    """The limits of other numbers, except 0, that separate the rows in which a number is low from the others."""
    values, valid = numbers[name]
    low = _low(values[valid])
    if low is None:
        return
    own = valid & (values == low)
    codes = np.where(valid, np.where(own, 0, 1), -1)
    text = constant_text(Fraction(repr(low)))
    states = Categories(name, (text, "more"), codes, np.bincount(codes[valid], minlength=2))
    parted = [n for n, (others, there_) in numbers.items() if n != name and _parts(others, there_ & valid, own)]
    for one in bounds(numbers, states, parted):
        limit = isinstance(one.then, Bounded) and "0" not in (one.then.low, one.then.high)
        if limit and one.both_ways and one.values == (text,):
            yield one


def _digits(one: Candidate) -> int:
    """How many digits a limit has without leading and trailing zeros."""
    bounds_ = (bound for bound in (one.then.low, one.then.high) if bound) if isinstance(one.then, Bounded) else ()
    return sum(len(bound.replace(".", "").strip("-0")) for bound in bounds_)


def _low(values: np.ndarray) -> float | None:
    """0 if a column has it beside other numbers, else the lesser if it has two; None otherwise."""
    if not len(values):
        return None
    if (values == 0).any():
        return None if (values == 0).all() else 0.0
    low, high = float(values.min()), float(values.max())
    return low if low < high and ((values == low) | (values == high)).all() else None


def _parts(values: np.ndarray, valid: Mask, has: Mask) -> bool:
    """Whether all numbers in some rows are above, or all below, those in the other rows."""
    inside, outside = values[valid & has], values[valid & ~has]
    if min(len(inside), len(outside)) < _FEWEST:
        return False
    return bool(inside.min() > outside.max() or inside.max() < outside.min())
