"""Whether some numbers are one value beyond those of all loads before: a default, as −127, 99 or 9.999.

A temperature, a number of guests or a price has limits that nobody wrote down, and a program that knows no value writes
one that cannot be meant. It is the same in all of its rows, where numbers that are measured there differ.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, room_of, values_of
from profiling_core.algorithms.batch_anomalies.sources import numbers_of
from profiling_core.algorithms.batch_anomalies.surprise import odds
from profiling_core.algorithms.roles.names import tells_rows, words
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the least and the greatest number of each column; codes and identifiers have no limits."""
    numeric = [column.name for column in case.schema.profiled if column.type.type_class is TypeClass.NUMERIC]
    names = [name for name in numeric if not tells_rows(words(name)) and not case.summary.columns[name].one_value]
    for name in names:
        yield from _of_column(case.of(name), name, case.level / (2 * len(names)))


def _of_column(case: Case, name: str, level: float) -> Iterator[Anomaly]:
    """The anomalies at either end.

    Of n rows that are drawn as the R before, k lie beyond all of these by a chance of at most (n / (n + R))^k. A column
    that drifts goes beyond them with many loads, and each of these tells how far it may go.
    """
    before = [column for column in case.history.column(name) if column.deciles]
    now, rows = case.summary.columns[name].deciles, case.found.columns[name].rows
    if len(before) < LEAST_LOADS or not now:
        return
    known, numbers = sum(column.rows for column in before), numbers_of(case.found.sample[name])
    numbers = numbers[np.isfinite(numbers)]
    for place, sign, far in ((0, -1.0, "low"), (-1, 1.0, "high")):
        end = now[place]
        count = round(rows * float((numbers == end).mean()))
        chance = (rows / (rows + known)) ** count
        ends = sign * np.array([*(column.deciles[place] for column in before), end])
        *steps, step = np.diff(np.maximum.accumulate(ends)).tolist()
        if step > max(steps) and chance < level and not _is_of_things(case, name):
            yield _anomaly(case, name, end, count, far, odds(chance) / odds(level))


def _anomaly(case: Case, name: str, end: float, count: int, far: str, magnitude: float) -> Anomaly:
    rows, are = case.found.columns[name].rows, "is" if count == 1 else "are"
    shown = case.shown(name, f"{end:,.10g}")
    return Anomaly(
        "default",
        f"{values_of(count, rows, name)} {are} {shown}, and none was as {far} before",
        (name,),
        cause="a default?",
        suspect_rows=partial(_are, end, name),
        magnitude=magnitude,
        size=count / rows,
        room=room_of(count / rows, rows),
    )


def _is_of_things(case: Case, name: str) -> bool:
    """Whether rows of one name have one number, as those of an article its price: a new one is that of the thing."""
    rows = case.found.sample
    for other in case.may_name_sources((name,)):
        names = len(rows[other].unique())
        if 2 * names <= len(rows) and len(rows.group_by([other, name]).aggregate([])) == names:
            return True
    return False


def _are(number: float, name: str, rows: pa.Table) -> Mask:
    mask: Mask = numbers_of(rows[name]) == number
    return mask
