"""By how much a number exceeds another one, proposed from the rows in which it does: ``reserve = max(0, claim − own)``.

In these rows the difference of the two columns is the third one, which their weighted sums tell (:mod:`.sums`).
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.numbers import Numbers
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import ROWS, Written, sample_of, spread, varies
from profiling_core.algorithms.equations.sums import weighted_sums
from profiling_core.model.expression import Excess

# Rows of either kind that a proposal needs.
_FEWEST = 8


def excesses(numbers: Mapping[str, Numbers], forms: Mapping[str, Written]) -> Iterator[Proposal]:
    """Columns that are by how much one column exceeds another, and zero in some rows in which it does not.

    Args:
        numbers: the columns of a table by name.
        forms: how each is written.
    """
    for target, one in numbers.items():
        values, there = one.doubles, one.there
        if forms[target].decimals is not None and np.isfinite(values[there]).all() and not (values[there] < 0).any():
            above = np.flatnonzero(there & (values > 0))
            zero = np.flatnonzero(there & (values == 0))
            if min(len(above), len(zero)) >= _FEWEST:
                yield from _of(target, (above[spread(len(above), ROWS)], zero), numbers, forms)


def _of(
    target: str,
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
    numbers: Mapping[str, Numbers],
    forms: Mapping[str, Written],
) -> Iterator[Proposal]:
    """``rows``: some in which the target is above zero, and those in which it is zero."""
    above, zero = rows
    written = (name for name in numbers if forms[name].decimals is not None)
    whole = [name for name in written if numbers[name].there[above].all()]
    chosen = {name: numbers[name].at(above) for name in whole}
    names = [name for name in whole if varies(chosen[name]) or name == target]
    sample = sample_of(names, chosen, forms)
    weighted = dict(zip(names, weighted_sums(sample, range(len(names))).tolist(), strict=True))
    by_sum = {total: name for name, total in reversed(weighted.items())}
    for more, total in weighted.items():
        less = by_sum.get((total - weighted[target]) % 2**64)
        if less not in (None, target, more) and more != target and _falls_short(numbers[more], numbers[less], zero):
            yield Proposal(target, Excess(more, less))


def _falls_short(more: Numbers, less: Numbers, rows: NDArray[np.int64]) -> bool:
    """Whether a number is never above another one in some rows, and below it in one."""
    apart = (more.doubles - less.doubles)[rows[more.there[rows] & less.there[rows]]]
    return bool(len(apart) and (apart <= 0).all() and (apart < 0).any())
