"""Explanations of what other checks find: what happened to the file, if it did, and what follows from it.

They are no evidence by themselves, since some tables have totals, or two columns that are mostly equal. So they are
told only as the diagnosis of an incident that something else has opened.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.anomaly import (
    Anomaly,
    Case,
    DeltaPart,
    Mask,
    listed,
    values_of,
    with_a_value,
)
from profiling_core.algorithms.batch_anomalies.copies import are_same
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.scale import SURE
from profiling_core.algorithms.batch_anomalies.sources import LEAST_PANEL, numbers_of
from profiling_core.algorithms.batch_anomalies.surprise import Figures
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# Columns that are sums in one row, at least: a single number may be half of all by chance.
_LEAST_SUMS = 2
# A sum of floating-point numbers is exact up to this share of it.
_EXACT = 1e-6


def explanations(case: Case) -> Iterator[Anomaly]:
    """What may have happened to the load, whether or not anything is unusual about it."""
    if case.found.rows and case.part is DeltaPart.NEW and len(case.history.loads) >= LEAST_LOADS:
        yield from (replace(one, explains=True) for one in _totals(case))
        yield from _copies(case)


def _totals(case: Case) -> Iterator[Anomaly]:
    """A row whose numbers are the sums of those of all other rows, if loads usually have none."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    if len(case.found.sample) < case.found.rows:
        return
    numbers = {name: numbers_of(case.found.sample[name]) for name in names}
    sums = {name: _is_sum(numbers[name]) & _is_greater(case, name, numbers[name]) for name in names}
    counts = np.sum([*sums.values(), np.zeros(len(case.found.sample))], axis=0)
    place = int(np.argmax(counts))
    if counts[place] < max(1, min(_LEAST_SUMS, len(names))):
        return
    summed = [name for name in names if sums[name][place]]

    def suspect_rows(rows: pa.Table) -> Mask:
        alike = [numbers_of(rows[name]) == numbers[name][place] for name in summed]
        mask: Mask = np.logical_and.reduce(alike)
        return mask

    yield Anomaly(
        "totals",
        f"one row is a total: its {listed(summed)} {'is' if len(summed) == 1 else 'are'} the sum of all other rows",
        tuple(summed),
        cause="the last line of a report?",
        suspect_rows=suspect_rows,
    )


def _is_sum(numbers: Figures) -> Mask:
    """bool[n]: which numbers are the sum of all others."""
    known = np.nan_to_num(numbers)
    others = known.sum() - known
    several = np.count_nonzero(known) > _LEAST_SUMS
    mask: Mask = several & (known > 0) & (np.abs(known - others) <= _EXACT * np.abs(known))
    return mask


def _is_greater(case: Case, name: str, numbers: Figures) -> bool:
    """Whether loads' greatest number is usually nearer to the greatest but one than to this greatest one."""
    *_, other, greatest = np.sort(np.concatenate([[-np.inf, -np.inf], numbers[np.isfinite(numbers)]]))
    usual = [
        load.columns[name].deciles[-1] for load in case.usual if name in load.columns and load.columns[name].deciles
    ]
    return bool(usual) and 2 * float(np.median(usual)) <= other + greatest


def _copies(case: Case) -> Iterator[Anomaly]:
    """Columns with the values of another one, where these used to differ; evidence if they never were equal.

    That is if all rows are: of columns that differ in about a tenth of the rows, some loads have fewer.
    """
    for one, other in case.summary.equal or ():
        both = [load for load in case.usual if {one, other} <= load.columns.keys()]
        equal = sum(_are_equal(load, one, other) for load in both)
        if 2 * equal < len(both) and (_says_its_load(case, one, other) or not _tell_nothing(case.summary, one, other)):
            rows, same = case.found.columns[one].rows, int(are_same(case.found, one, other).sum())
            some = values_of(same, rows, one)
            yield Anomaly(
                "copied",
                f"{some} {'is' if same == 1 else 'are'} the same as those of {other}",
                (one,),
                cause=f"{other} in place of {one}?",
                suspect_rows=with_a_value(one),
                magnitude=SURE,
                explains=equal > 0 or len(both) < LEAST_PANEL or same < rows,
            )


def _says_its_load(case: Case, one: str, other: str) -> bool:
    """Whether numbers that vary are all the one number of another column, which they never were: the year.

    Zero may as well be a default.
    """
    now, before = case.summary.columns, case.history.column(one)
    known = {value for column in before for value in column.values or ()}
    varied = 2 * sum(column.top < 1 / 2 for column in before) > len(before)
    same = now[one].one_value and now[other].one_value and now[one].size is not None
    return same and varied and known.isdisjoint(now[one].values or ())


def _are_equal(load: LoadSummary, one: str, other: str) -> bool:
    """Whether two columns were equal, or nothing follows from it."""
    return load.equal is None or (one, other) in load.equal or _tell_nothing(load, one, other)


def _tell_nothing(load: LoadSummary, one: str, other: str) -> bool:
    """Whether nothing follows from two columns being equal: one had no values, or both one value in most rows."""
    ours, theirs = load.columns[one], load.columns[other]
    return not ours.rows or min(ours.top, theirs.top) >= 1 / 2
