"""Columns by the rows with a value: the same rows, complementary, or some of another's."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import combinations, permutations
from math import lgamma, log, log10

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.conditions.categories import Candidate, Mask
from profiling_core.algorithms.conditions.judging import there
from profiling_core.model.consequent import Present

Pair = tuple[str, str]
# Distinct patterns of nulls that are looked at, at most.
_MOST_PATTERNS = 16


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
