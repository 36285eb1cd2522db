"""Sums in which nulls count as 0: a fee that is null for most rows, in a total that always has a value."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.numbers import Numbers
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import ROWS, Sample, Written, sample_of, spread, varies
from profiling_core.algorithms.equations.sums import plain_sums
from profiling_core.model.expression import Linear, SumOfWhatIsThere

# Groups of rows that are looked at; and the fewest rows with, and without, a value in a column with gaps.
_MOST_GROUPS, _FEWEST = 4, 8
# Rows that are searched for groups, and columns that take part, at most.
_LOOKED_AT = 20_000
_MOST_COLUMNS = 40


class Gapped(NamedTuple):
    """A sample in which gaps are 0, and the names of the columns that have gaps."""

    sample: Sample
    gapped: frozenset[str]


def gapped_samples(numbers: Mapping[str, Numbers], forms: Mapping[str, Written]) -> Iterator[Gapped]:
    """Samples with 0 in the gaps: of all rows, and of groups of rows that share their commonest gaps.

    Args:
        numbers: the columns of a table by name.
        forms: how each is written.
    """
    names = [name for name in numbers if forms[name].decimals is not None][:_MOST_COLUMNS]
    if not names:
        return
    looked = spread(len(numbers[names[0]].there), _LOOKED_AT)
    there = np.array([numbers[name].there[looked] for name in names])
    if there.all():
        return
    done: set[tuple[tuple[str, ...], bytes]] = set()
    for rows in _groups(there):
        inside = there[:, rows]
        counts = inside.sum(axis=1)
        gappy = (counts >= _FEWEST) & (counts <= len(rows) - _FEWEST)
        full = counts == len(rows)
        chosen = tuple(name for name, used in zip(names, gappy | full, strict=True) if used)
        if not gappy.any() or (chosen, gappy.tobytes()) in done:
            continue
        done.add((chosen, gappy.tobytes()))
        kept = looked[rows[_some_of_each(inside[gappy])]]
        sampled = {name: n for name in chosen if varies(n := numbers[name].at(kept))}
        gapped = frozenset(sampled).intersection(np.array(names)[gappy].tolist())
        if gapped and len(sampled) > 1:
            yield Gapped(sample_of([*sampled], sampled, forms), gapped)


def _groups(there: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """All rows, then per common pattern of gaps the rows that have at least its columns."""
    yield np.arange(there.shape[1])
    patterns, counts = np.unique(there, axis=1, return_counts=True)
    for pattern in patterns.T[np.argsort(-counts, kind="stable")][:_MOST_GROUPS]:
        yield np.flatnonzero((there | ~pattern[:, None]).all(axis=0))


def _some_of_each(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Positions of some rows, among them rows in which each of the columns has a value."""
    each = max(_FEWEST, ROWS // (2 * len(there)))
    chosen = [has[spread(len(has), each)] for has in (np.flatnonzero(one) for one in there)]
    return np.unique(np.concatenate([spread(there.shape[1], ROWS), *chosen]))


def sums_of_what_is_there(gapped: Gapped) -> Iterator[Proposal]:
    """Plain sums that hold if nulls count as 0, for a column without gaps."""
    for proposal in plain_sums(gapped.sample):
        value = proposal.value
        if isinstance(value, Linear) and not gapped.gapped.isdisjoint((proposal.column, *value.columns)):
            signs = {proposal.column: -1} | {name: int(factor) for factor, name in value.terms}
            if (solved := _solved_for_a_full_one(signs, gapped)) is not None:
                yield solved


def _solved_for_a_full_one(signs: Mapping[str, int], gapped: Gapped) -> Proposal | None:
    """The sum solved for a column without gaps, with the fewest minuses; None: each column has gaps."""
    full = [name for name in signs if name not in gapped.gapped]
    if not full:
        return None
    place = {name: i for i, name in enumerate(gapped.sample.names)}
    target = max(full, key=lambda name: (_pluses(signs, name), place[name]))
    terms = [(-signs[target] * sign, name) for name, sign in signs.items() if name != target]
    terms.sort(key=lambda term: (term[1] in gapped.gapped, -term[0], place[term[1]]))
    lacking = tuple(name for _, name in terms if name in gapped.gapped)
    return Proposal(target, SumOfWhatIsThere(tuple((str(sign), name) for sign, name in terms), "0", lacking))


def _pluses(signs: Mapping[str, int], target: str) -> int:
    return sum(sign != signs[target] for name, sign in signs.items() if name != target)
