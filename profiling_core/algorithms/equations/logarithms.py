"""Logarithms of a column, of a column plus 1, and of two columns' ratio; from a sample."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.judging import tolerance
from profiling_core.algorithms.equations.proposing import FIRST_ROWS, Proposal
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Logarithm

_BASES = ("e", "10", "2")
# Only numbers above 0 have a logarithm; at least this share of the rows has to be above 0.
_LEAST_ROWS = 0.3
Array = NDArray[np.float64]


def logarithms(sample: Sample) -> Iterator[Proposal]:
    """``a = ln(b)`` and ``a = ln(b + 1)``, to base 10 or 2 as well."""
    targets, room = _fractions(sample)
    for b, name in enumerate(sample.names):
        for plus in (0, 1) if len(targets) else ():
            rows = np.flatnonzero(sample.values[b] + plus > 0)
            if len(rows) < max(FIRST_ROWS, _LEAST_ROWS * sample.rows):
                continue
            logs = np.log(sample.values[b][rows] + plus)
            for value in (Logarithm(name, "", base, plus) for base in _BASES):
                for a in _equal(sample.values[:, rows], room[:, rows], targets[targets != b], logs / value.per_unit):
                    yield Proposal(sample.names[a], value)


def logarithms_of_ratios(sample: Sample) -> Iterator[Proposal]:
    """``a = ln(b / c)``, as for log odds."""
    targets, room = _fractions(sample)
    above = np.flatnonzero(sample.values.min(axis=1) > 0)
    if not len(targets) or len(above) < 2:
        return
    logs = np.log(sample.values[above])
    apart = logs[:, None, :FIRST_ROWS] - logs[None, :, :FIRST_ROWS]
    for a in targets.tolist():
        near = np.abs(apart - sample.values[a, :FIRST_ROWS]) <= room[a, :FIRST_ROWS]
        for b, c in np.argwhere(near.all(axis=2)).tolist():
            if (
                a not in (above[b], above[c])
                and b != c
                and (np.abs(logs[b] - logs[c] - sample.values[a]) <= room[a]).all()
            ):
                yield Proposal(sample.names[a], Logarithm(sample.names[above[b]], sample.names[above[c]]))


def _fractions(sample: Sample) -> tuple[NDArray[np.int64], Array]:
    """The columns that may be logarithms (whole numbers may not), and the tolerance of all columns."""
    targets = np.array([a for a in sample.targets if sample.decimals[a] != 0], np.int64)
    sizes = np.abs(sample.values)
    pairs = zip(sample.precision, sizes, strict=True)
    return targets, np.array([tolerance(precision, size + 1.0, 2 * size) for precision, size in pairs])


def _equal(values: Array, room: Array, targets: NDArray[np.int64], logs: Array) -> list[int]:
    """The targets that equal the logarithms in all rows; checked in the first rows, then in all."""
    for rows in (slice(0, FIRST_ROWS), slice(None)):
        if not len(targets):
            break
        near = np.abs(values[targets][:, rows] - logs[rows]) <= room[targets][:, rows]
        targets = targets[near.all(axis=1)]
    return [int(a) for a in targets]
