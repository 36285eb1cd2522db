"""Dates a number of months after others."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.values.arrow_buffers import present
from profiling_core.model.expression import MOST_DAYS, MOST_MONTHS, MonthsOn


def days_further_on(value: MonthsOn, rows: pa.Table) -> pa.Array:
    """date32[n]: the days; null where a column is null, or the amount is no whole number or too large."""
    column = rows[value.column].combine_chunks()
    days = column.cast(pa.date32()).cast(pa.int32()).fill_null(0).to_numpy().astype("datetime64[D]")
    there = present(column)
    months = np.full(len(days), value.months)
    if value.by:
        times, asked = _asked(rows[value.by], MOST_MONTHS // abs(value.months))
        months, there = times * value.months, there & asked
    further = np.full(len(days), value.days)
    if value.days_by:
        times, asked = _asked(rows[value.days_by], MOST_DAYS)
        further, there = further + times, there & asked
    return _dates(months_on(days, months, first=value.first) + further, there)


def months_on(
    days: NDArray[np.datetime64], months: NDArray[np.int64], *, first: bool = False
) -> NDArray[np.datetime64]:
    """datetime64[D][n]: the same day ``months`` later, or that month's last day; ``first``: the first of that month."""
    begun = days.astype("datetime64[M]")
    target = begun + months
    if first:
        return target.astype("datetime64[D]")
    in_month = (days - begun.astype("datetime64[D]")).astype(np.int64)
    last = ((target + 1).astype("datetime64[D]") - target.astype("datetime64[D]")).astype(np.int64) - 1
    on: NDArray[np.datetime64] = target.astype("datetime64[D]") + np.minimum(in_month, last)
    return on


def _asked(column: pa.ChunkedArray, most: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """int64[n], bool[n]: a column's amounts, and where they are whole numbers and not too large."""
    numbers = numbers_of(column)
    said = numbers.doubles
    with np.errstate(invalid="ignore", over="ignore"):
        good = numbers.there & (said == np.floor(said)) & (np.abs(said) <= most)
    return np.where(good, said, 0.0).astype(np.int64), good


def _dates(days: NDArray[np.datetime64], there: NDArray[np.bool_]) -> pa.Array:
    return pa.array(days.astype(np.int64).astype(np.int32), pa.int32(), mask=~there).cast(pa.date32())
