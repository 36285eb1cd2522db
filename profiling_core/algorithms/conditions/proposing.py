"""Proposes rules within categories: values that are there or not, bounds, sets of values, orders, dependencies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import log10

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.conditions.categories import (
    Candidate,
    Categories,
    Mask,
    candidate,
    distinct,
    telling,
)
from profiling_core.algorithms.conditions.judging import there, within
from profiling_core.algorithms.equations.chance import CONFIDENCE
from profiling_core.algorithms.equations.constants import simplest
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.model.consequent import Bounded, Consequent, OneOf, Ordered, Present
from profiling_core.model.expression import constant_text
from profiling_core.model.role import ColumnRole

Obeyed = Callable[[Consequent], Judged]
Doubles = Mapping[str, tuple[np.ndarray, Mask]]
# Columns with more distinct values are codes: that some have one value of another column is no rule.
_MOST_KINDS = 12
# Numbers of a column that are tried as the only one of some category, or as a limit, at most.
_MOST_TRIED = 3
# Rows, and share of a category's rows, that have to lie at a bound.
_PILED_UP, _PILED_SHARE = 5, 0.02
# The gap at a limit may be at most _ROOM times the mean gap among the _BESIDE values on either side, where there
# have to be at least _LEAST_BESIDE.
_BESIDE, _LEAST_BESIDE, _ROOM = 10, 3, 5.0
# Distinct values or rows that a limit needs.
_FEWEST = 12
# Fewest distinct values for an order.
_FEWEST_PARTED = 3
_STRICT = ("<", ">")


def presence(rows: pa.Table, categories: Categories, names: Iterable[str]) -> Iterator[Candidate]:
    """Columns that have a value in some categories, and none in others."""
    every = categories.codes >= 0
    for name in names:
        has = there(rows[name])
        if name == categories.column or has[every].all() or not has[every].any():
            continue
        judged, filled = categories.counts, categories.per_value(has)
        found = candidate(categories, Present(name, there=True), judged, filled)
        missing = candidate(categories, Present(name, there=False), judged, judged - filled)
        if found is not None and missing is not None and found.both_ways:
            yield found if len(found.values) <= len(missing.values) else missing
        else:
            yield from (one for one in (found, missing) if one is not None)


def bounds(numbers: Doubles, categories: Categories, numeric: Iterable[str]) -> Iterator[Candidate]:
    """Numbers that have a sign, one value, or bounds of their own in some categories.

    Args:
        numbers: columns as doubles, and where they have a value.
        categories: the condition's column.
        numeric: the names of the columns to look at.
    """
    for name in numeric:
        if name == categories.column:
            continue
        values, has = numbers[name]
        has = has & (categories.codes >= 0)
        judged = categories.per_value(has)
        for then in _marks(name, values[has], categories.codes[has], len(categories.labels)):
            obeys_it = has & within(then, values, 0)
            found = candidate(categories, then, judged, categories.per_value(obeys_it))
            if found is not None and (_draws_no_line(then) or _is_varied(found, categories, values, (has, obeys_it))):
                yield found
        yield from _apart(name, categories, values[has], categories.codes[has], judged)


def _draws_no_line(then: Bounded) -> bool:
    """Whether it is a sign or one number."""
    return then.low == then.high or "0" in (then.low, then.high)


def _is_varied(found: Candidate, categories: Categories, values: np.ndarray, rows: tuple[Mask, Mask]) -> bool:
    """Whether enough distinct numbers obey a limit to rule out that the category just has few numbers.

    ``rows``: those that are judged, and those that obey.
    """
    has, obeying = rows
    inside = has & np.isin(categories.codes, [categories.labels.index(label) for label in found.values])
    kept, every = len(np.unique(values[obeying])), len(np.unique(values[has]))
    tests = len(np.unique(values[inside]))
    return tests >= _FEWEST and tests * -log10(kept / every) >= CONFIDENCE


def _marks(name: str, values: np.ndarray, codes: np.ndarray, size: int) -> Iterator[Bounded]:
    """Bounds that some category's numbers keep: a sign, one number, or a limit at which they pile up."""
    low, high = _extremes(values, codes, size)
    has_zero = np.bincount(codes[values == 0], minlength=size) > 0
    if (high < 0).any():
        yield Bounded(name, None, "0", strict=True)
    if (low > 0).any() and (low <= 0).any():
        yield Bounded(name, "0", None, strict=True)
    if ((high == 0) & (low < 0)).any():
        yield Bounded(name, None, "0")
    if (has_zero & (low == 0) & (high > 0)).any() and (low < 0).any():
        yield Bounded(name, "0", None)
    if (low < high).any():
        for constant in np.unique(low[low == high])[:_MOST_TRIED]:
            text = _text(constant)
            yield Bounded(name, text, text)
    for limit in _piled(values, codes, high):
        yield Bounded(name, None, _text(limit))
    for limit in _piled(values, codes, low):
        yield Bounded(name, _text(limit), None)


def _extremes(values: np.ndarray, codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """float64[v] each: the least and the greatest value of each category; NaN where it has none."""
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, codes, values)
    np.maximum.at(high, codes, values)
    empty = low > high
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def _piled(values: np.ndarray, codes: np.ndarray, extremes: np.ndarray) -> list[float]:
    """The extremes of categories, other than zero, at which values pile up."""
    at = np.bincount(codes[values == extremes[codes]], minlength=len(extremes))
    counts = np.bincount(codes, minlength=len(extremes))
    overall = (values.min(), values.max()) if len(values) else ()
    piled = (at >= _PILED_UP) & (at >= _PILED_SHARE * counts) & (at < counts)
    limits = np.unique(extremes[piled])
    return [float(limit) for limit in limits if limit != 0 and limit not in overall][:_MOST_TRIED]


def _apart(
    name: str, categories: Categories, values: np.ndarray, codes: np.ndarray, judged: np.ndarray
) -> Iterator[Candidate]:
    """Categories with no other category's numbers in their range, with the simplest bounds between them."""
    low, high = _extremes(values, codes, len(categories.labels))
    ordered = np.unique(values)
    if len(ordered) < 4 * int((judged > 0).sum()):
        return
    for v in np.flatnonzero(judged >= _FEWEST).tolist():
        others = values[codes != v]
        below, above = others[others < low[v]], others[others > high[v]]
        if not len(others) or len(below) + len(above) < len(others):
            continue
        before, after = below.max() if len(below) else None, above.min() if len(above) else None
        # A limit between a category's range and others' values counts only if values come close to it from both sides.
        gaps = [low[v]] if before is not None else []
        gaps += [after] if after is not None else []
        if not all(_is_tight(ordered, limit) for limit in gaps):
            continue
        least = _between(before, low[v], upper=False) if before is not None else None
        most = _between(high[v], after, upper=True) if after is not None else None
        yield _told_apart(categories, judged, v, Bounded(name, least, most))


def _told_apart(categories: Categories, judged: np.ndarray, v: int, then: Bounded) -> Candidate:
    """The rule that the rows of one category, and no others, are within bounds."""
    share = judged[v] / judged.sum()
    improbable = -float(judged[v] * log10(share) + (judged.sum() - judged[v]) * log10(1 - share))
    chosen = np.arange(len(judged)) == v
    rest = categories.named(~chosen & (judged > 0))
    return Candidate(categories.column, categories.named(chosen), then, both_ways=True, surprise=improbable, rest=rest)


def _is_tight(ordered: np.ndarray, above: float) -> bool:
    """Whether values come as close to a limit from both sides as they are to each other there.

    ``above`` is the first value beyond the limit, in rising order. Categories in other places, or measured on another
    scale, have ranges with gaps between them (islands and their latitudes). A limit that somebody set has values right
    up to
    it.
    """
    place = int(np.searchsorted(ordered, above))
    sides = ordered[max(0, place - _BESIDE) : place], ordered[place : place + _BESIDE]
    if min(map(len, sides)) < _LEAST_BESIDE:
        return False
    usual = max(float(np.diff(side).mean()) for side in sides)
    return bool(above - sides[0][-1] <= _ROOM * usual)


def _between(low: float, high: float, *, upper: bool) -> str:
    """The simplest number between two; the end that the rule's own values reach is allowed."""
    room = (high - low) * 1e-6
    first, last = (low, high - room) if upper else (low + room, high)
    if first <= 0 <= last:
        return "0"
    found = simplest(first, last)
    return _text(low if upper else high) if found is None else constant_text(found)


def _text(value: float) -> str:
    return constant_text(Fraction(repr(float(value))))


def value_sets(categories: Categories, others: Iterable[Categories]) -> Iterator[Candidate]:
    """Categories that occur with one value of another column."""
    for other in others:
        both = (categories.codes >= 0) & (other.codes >= 0)
        if other.column == categories.column or not both.any():
            continue
        table = np.zeros((len(categories.labels), len(other.labels)), np.int64)
        np.add.at(table, (categories.codes[both], other.codes[both]), 1)
        for value in _values(table):
            then = OneOf(other.column, (other.labels[value],))
            found = candidate(categories, then, table.sum(axis=1), table[:, value])
            few = max(len(categories.labels), len(other.labels)) <= _MOST_KINDS
            if found is not None and (few or found.both_ways):
                rest = (label for label in categories.labels if label not in found.values)
                yield replace(found, contrary=tuple(sorted(rest)))


def _values(table: np.ndarray) -> list[int]:
    """The values that some category has alone; none if each category has one value, which is an FD."""
    seen = table > 0
    sizes = seen.sum(axis=1)
    if (sizes <= 1).all() and table.shape[1] > 2:
        return []
    found = np.flatnonzero(seen[sizes == 1].any(axis=0)).tolist() if table.shape[1] > 1 else []
    if table.shape[1] == 2 and len(found) == 2:
        # With two values, the two rules are equivalent; the one for fewer categories is kept.
        found = [min(found, key=lambda value: int(seen[:, value].sum()))]
    return found


def orders(
    rows: pa.Table,
    categories: Categories,
    roles: Mapping[str, ColumnRole],
    pairs: Iterable[tuple[str, str]],
    obeyed: Obeyed,
) -> Iterator[Candidate]:
    """Columns that are equal in some categories, or whose order is another in these than in all others.

    Args:
        rows: some rows.
        categories: the condition's column.
        roles: the columns' roles.
        pairs: the columns that are compared.
        obeyed: tells which of the rows obey a consequent; it is shared by all columns that make categories.
    """
    for left, right in pairs:
        ops = ("=", *_STRICT) if _compare(roles, left, right) else ("=",)
        found = (_of_rows(rows, categories, Ordered(left, op, right), obeyed) for op in ops)
        if (one := next((one for one in found if one is not None), None)) is not None:
            yield one


def _compare(roles: Mapping[str, ColumnRole], left: str, right: str) -> bool:
    """Whether the roles say that an order of the two columns means something."""
    return left in roles and right in roles and roles[left].compares_by_order(roles[right])


def _of_rows(rows: pa.Table, categories: Categories, then: Ordered, obeyed: Obeyed) -> Candidate | None:
    found = obeyed(then)
    if categories.each_has_one(found.violating):
        return None
    judged, violating = categories.per_value(found.judged), categories.per_value(found.violating)
    chosen = telling(judged, judged - violating)
    if not violating.any() or not chosen.any():
        return None
    obeying = found.judged & ~found.violating & np.isin(categories.codes, np.flatnonzero(chosen))
    if not _vary(rows, then, obeying):
        return None
    found_so = candidate(categories, then, judged, judged - violating)
    parted = found_so is not None and found_so.both_ways and _vary(rows, then, found.violating)
    return found_so if then.op == "=" or parted else None


def _vary(rows: pa.Table, then: Ordered, some: Mask) -> bool:
    """Whether both columns have at least ``_FEWEST_PARTED`` distinct values in some rows."""
    chosen = rows.select(list(then.columns)).filter(pa.array(some))
    return all(distinct(column) >= _FEWEST_PARTED for column in chosen.columns)
