"""Columns that may be rounded or cut off more coarsely than they are written: to whole numbers, or to tens."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from profiling_core.algorithms.equations.judging import tolerance
from profiling_core.algorithms.equations.numbers import Numbers
from profiling_core.algorithms.equations.sample import MOST_WRITTEN, Sample, Written
from profiling_core.model.expression import Precision

# With fewer steps between a column's least and greatest value, or fewer distinct values, chance hits them too often.
_LEAST_STEPS, _LEAST_VALUES = 20, 12
# Columns that are tried as rounded more coarsely, at most.
_MOST_COLUMNS = 40


def coarsest(numbers: Numbers, form: Written) -> int | None:
    """The decimals to which all values of a column are rounded, below zero for tens; None: no coarser than written."""
    if form.decimals is None or form.decimals > MOST_WRITTEN:
        return None
    # The values in units of the last written digit.
    scale = numbers.scale if numbers.exact else form.decimals
    values = numbers.values[numbers.there]
    if not numbers.exact:
        if len(values) and np.abs(values).max() * 10.0**scale >= 2**53:
            return None
        values = np.rint(values * 10.0**scale).astype(np.int64)
    values = values[values != 0]
    zeros = 0
    while len(values) and zeros < scale + 6 and not (values % 10 ** (zeros + 1)).any():
        zeros += 1
    decimals = scale - zeros
    return decimals if decimals <= 0 or decimals < form.decimals else None


def coarse_sample(
    sample: Sample, coarse: Mapping[str, int], halves: int, without: Collection[str] = ()
) -> Sample | None:
    """The sample with those columns as targets that may be rounded, each with its tolerance; None: there are none.

    Args:
        sample: the rows.
        coarse: per column to how many decimals it may be rounded.
        halves: how many half units a value may be off.
        without: columns that need no more equations.
    """
    found = [i for i, name in enumerate(sample.names) if name in coarse and name not in without]
    targets = [i for i in found if _steps(sample, i, coarse[sample.names[i]])][:_MOST_COLUMNS]
    if not targets:
        return None
    precision, room = list(sample.precision), sample.room.copy()
    for i in targets:
        precision[i] = Precision(coarse[sample.names[i]], None, halves)
        room[i] = tolerance(precision[i], sample.values[i], 2 * np.abs(sample.values[i]))
    return replace(sample, precision=tuple(precision), room=room, targets=tuple(targets))


def _steps(sample: Sample, column: int, decimals: int) -> bool:
    values = sample.values[column]
    wide = (values.max() - values.min()) * 10.0**decimals >= _LEAST_STEPS
    return bool(wide and len(np.unique(values)) >= _LEAST_VALUES)
