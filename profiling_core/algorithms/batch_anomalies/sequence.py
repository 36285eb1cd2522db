"""Whether numbers continue from one moment to the next: a temperature, a level, a price is near the one just before.

Such a column may go with no other one, rise and fall within each load, and still be permuted unnoticed. The order in
time
binds its values, so each is compared with its neighbour in time, by ranks (von Neumann,
Distribution of the ratio of the mean square successive difference to the variance, Ann. Math. Statist. 1941; Bartels,
The rank version of von Neumann's ratio test for randomness, JASA 1982).
"""

import numpy as np
import numpy.typing as npt

from profiling_core.algorithms.batch_anomalies.joint import BESIDE, LEAST_ROWS, MOST_COLUMNS, codes_of, of_few, ranks_of
from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

NEXT = "next"  # the third part of such a pair's name; the fourth is the column whose rows with one value are compared
_MOST_VALUES = 30
_DIGITS = 4


def in_order(found: Profile, schema: TableSchema) -> dict[str, float]:
    """Per number, paired with the column of most moments, the correlation of neighbours' ranks in the sample.

    Neighbours in time are taken among all rows, and among rows with the same value of the first column with few values.
    """
    columns = schema.profiled
    times = [c.name for c in columns if c.type.type_class is TypeClass.TEMPORAL]
    distinct = {name: len(found.sample[name].unique()) for name in times}
    if max(distinct.values(), default=0) < LEAST_ROWS:
        return {}
    time = max(times, key=lambda name: distinct[name])
    numbers = [c.name for c in columns if c.type.type_class is TypeClass.NUMERIC][:MOST_COLUMNS]
    ranks = {name: ranks_of(found.sample[name]) for name in numbers}
    groups = {"": np.zeros(len(found.sample), np.int64)}
    groups |= {by: codes_of(found.sample[by])[1] for by in of_few(found, schema, _MOST_VALUES)[:1]}
    moments = ranks_of(found.sample[time])
    figures = {}
    for by, codes in groups.items():
        order = np.lexsort((moments, codes))
        for name in numbers:
            if (bond := _of_neighbours(ranks[name][order], codes[order], moments[order])) is not None:
                figures[BESIDE.join((name, time, NEXT, by))] = round(bond, _DIGITS)
    return figures


def _of_neighbours(
    ranks: npt.NDArray[np.float64], codes: npt.NDArray[np.int64], moments: npt.NDArray[np.float64]
) -> float | None:
    there = np.isfinite(ranks) & np.isfinite(moments)
    some, group = ranks[there], codes[there]
    both = group[1:] == group[:-1]
    one, other = some[:-1][both], some[1:][both]
    if len(one) < LEAST_ROWS or not np.ptp(one) or not np.ptp(other):
        return None
    return float(np.corrcoef(one, other)[0, 1])
