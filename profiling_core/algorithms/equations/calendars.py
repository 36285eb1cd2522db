"""Dates a number of months or days after another, and full years and months between two dates, from a sample."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations.further_on import months_on
from profiling_core.algorithms.equations.moments import moment_columns
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.model.expression import MOST_MONTHS, Completed, MonthsOn

_Days = NDArray[np.datetime64]
_Ints = NDArray[np.int64]
_YEAR = 12
# Days added after the months: none, or one less or more, where a period ends on its last day.
_PLUS = (0, -1, 1)
# Rows, and distinct values, that a proposal needs.
_LEAST_ROWS, _LEAST_KINDS = 8, 3


class _Sample:
    """The dates and whole numbers of some rows, and which rows have a value."""

    def __init__(self, rows: pa.Table, names: Sequence[str]) -> None:
        self.days: dict[str, _Days] = {}
        self.numbers: dict[str, _Ints] = {}
        self.there: dict[str, NDArray[np.bool_]] = {}
        self.months: dict[str, _Ints] = {}
        self.clocks = {name for name in names if pa.types.is_timestamp(rows[name].type)}
        for name in names:
            if pa.types.is_temporal(rows[name].type) or pa.types.is_integer(rows[name].type):
                numbers = numbers_of(rows[name])
                self.there[name] = numbers.there
                if pa.types.is_integer(rows[name].type):
                    self.numbers[name] = numbers.values
                else:
                    self.days[name] = numbers.values.astype("datetime64[us]").astype("datetime64[D]")
                    self.months[name] = _months(self.days[name])

    def both(self, *names: str) -> NDArray[np.bool_]:
        """bool[n]: the rows in which all these columns have a value."""
        return np.asarray(np.logical_and.reduce([self.there[name] for name in names]), np.bool_)


def further_on(rows: pa.Table, names: Sequence[str], budget: Budget = ENDLESS) -> Iterator[Proposal]:
    """Dates a number of months after others, by a constant or a column: ``ends = start + 6 months``."""
    sample = _Sample(rows, names)
    days = [name for name in moment_columns(rows, names) if pa.types.is_date32(rows[name].type)]
    for later, earlier in budget.steps(product(days, sample.days)):
        there = sample.both(later, earlier)
        if later == earlier or there.sum() < _LEAST_ROWS:
            continue
        ends, begins = sample.days[later][there], sample.days[earlier][there]
        spans = ends - begins
        if (spans == spans[0]).all() or len(np.unique(begins)) < _LEAST_KINDS:
            continue
        if np.ptp(sample.months[later][there] - sample.months[earlier][there]) <= 1:
            yield from _by_months(later, earlier, ends, begins)
        yield from _by_columns(sample, later, earlier)


def _months(days: _Days) -> _Ints:
    return days.astype("datetime64[M]").astype(np.int64)


def _by_months(later: str, earlier: str, ends: _Days, begins: _Days) -> Iterator[Proposal]:
    for plus in _PLUS:
        months = _months(ends - plus) - _months(begins)
        if months[0] and (months == months[0]).all() and (months_on(begins, months) == ends - plus).all():
            yield Proposal(later, MonthsOn(earlier, int(months[0]), "", plus))
            return


def _in_month(days: _Days) -> _Ints:
    """int64[n]: the days of the month that lie before each date."""
    before: _Ints = (days - days.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64)
    return before


def _by_columns(sample: _Sample, later: str, earlier: str) -> Iterator[Proposal]:
    """Dates that lie a column's number of months or years after others."""
    for by, said in sample.numbers.items():
        there = sample.both(later, earlier, by)
        asked, ends, begins = said[there], sample.days[later][there], sample.days[earlier][there]
        if len(asked) < _LEAST_ROWS or np.abs(asked).max() > MOST_MONTHS or (asked == asked[0]).all():
            continue
        apart = sample.months[later][there] - sample.months[earlier][there]
        for months in (1, _YEAR):
            if (np.abs(apart - asked * months) > 1).any():
                continue
            for plus in _PLUS:
                if (months_on(begins, asked * months) == ends - plus).all():
                    yield Proposal(later, MonthsOn(earlier, months, by, plus))


def full_between(
    rows: pa.Table,
    names: Sequence[str],
    budget: Budget = ENDLESS,
    asked: Callable[[str, Sequence[str]], bool] = lambda _, __: True,
) -> Iterator[Proposal]:
    """Whole numbers that count the full years or months between two dates, as ages do, or nights between moments.

    ``asked``: whether a number is looked for that two dates give.
    """
    sample = _Sample(rows, names)
    tried = (one for one in product(sample.numbers, permutations(sample.days, 2)) if asked(*one))
    for target, (later, earlier) in budget.steps(tried):
        there = sample.both(target, later, earlier)
        wanted = sample.numbers[target][there]
        if not _may_be_ages(wanted):
            continue
        ends, begins = sample.days[later][there], sample.days[earlier][there]
        counted = _full(ends, begins)
        if not sample.clocks.isdisjoint((later, earlier)):  # between dates the days are the time elapsed
            counted = {**counted, "calendar days": (ends - begins).astype(np.int64)}
        for unit, found in counted.items():
            if (found == wanted).all():
                yield Proposal(target, Completed(later, earlier, unit))
                break


def _may_be_ages(wanted: _Ints) -> bool:
    kinds = len(np.unique(wanted))
    return len(wanted) >= _LEAST_ROWS and kinds >= _LEAST_KINDS and bool(np.abs(wanted).max() <= MOST_MONTHS)


def _full(ends: _Days, begins: _Days) -> Mapping[str, _Ints]:
    months = _months(ends) - _months(begins) - (_in_month(ends) < _in_month(begins))
    years = [day.astype("datetime64[Y]").astype(np.int64) for day in (ends, begins)]
    return {"years": months // _YEAR, "months": months, "calendar years": years[0] - years[1]}
