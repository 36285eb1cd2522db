"""How far a delta's extremes may go beyond those of the deltas just before it, by past steps.

A bound for all time tells little about a column that drifts or has seasons. The step from the latest extremes tells
more: a temperature that moves by a degree a day does not move by twenty, in winter or in summer, and numbers that
count up do so in steps. The next step's limit follows from the greatest steps so far and their excesses over the
others: a generalised Pareto distribution by its moments (Hosking and Wallis, Parameter and quantile estimation for the
generalized Pareto distribution, Technometrics 1987). So delays, which are sometimes far greater than ever, get more
room than temperatures. The limit is at least that of an exponential tail whose mean is estimated from few excesses.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from statistics import fmean, median, variance

from profiling_core.algorithms.columns.figures import ColumnFigures, Number

# Deltas whose median a step is measured from; 7, as a week has days and many tables follow weeks.
_LATEST = 7
# The greatest steps are one in _ONE_IN of all; at least _LEAST_FEW of them are needed to fit the tail.
_ONE_IN = 5
_LEAST_FEW = 4
# A step is unusual if it comes about once in this many deltas, and exceeds the greatest step so far by this factor.
_ONCE_IN = 1000.0
_BEYOND = 2.5


def limits(deltas: Sequence[ColumnFigures]) -> tuple[float | None, float | None]:
    """The limits between which the next delta's numbers usually lie; None: there is none.

    Args:
        deltas: a column's figures, delta by delta.
    """
    below = _limit([-float(d.low) for d in deltas if d.low is not None])
    return None if below is None else -below, _limit([float(d.high) for d in deltas if d.high is not None])


def limits_of_days(days: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """How many days before and after a delta's day its times usually lie.

    The limit is at least a day beyond the extremes so far. With too few steps to fit, it is their range beyond them.

    Args:
        days: per delta the first and the last time, in days from the day of its id.
    """
    low, high = (_limit_of_days([sign * both[place] for both in days]) for place, sign in ((0, -1), (1, 1)))
    return -low, high


def _limit_of_days(highs: Sequence[float]) -> float:
    most = max(highs)
    known = _limit(highs)
    return max(most + 1, most + (most - min(highs)) if known is None else known)


def days_from(day: date, moment: Number) -> float:
    """The days from the beginning of a day to a date or moment, in UTC."""
    if isinstance(moment, datetime):
        return (moment.replace(tzinfo=None) - datetime(day.year, day.month, day.day)) / timedelta(days=1)  # noqa: DTZ001
    return float(moment.toordinal() - day.toordinal()) if isinstance(moment, date) else float(moment)


def _limit(highs: Sequence[float]) -> float | None:
    """The upper limit that deltas' greatest values support; no value so far exceeds it."""
    steps = [b - median(highs[i : i + _LATEST]) for i, b in enumerate(highs[_LATEST:])]
    step = once_in_long(steps) or once_in_long([abs(step) for step in steps])
    if step is None:
        return None
    return max(*highs, median(highs[-_LATEST:]) + max(step, _BEYOND * max(steps)))


def once_in_long(steps: Sequence[float]) -> float | None:
    """The step that comes about once in a thousand deltas; None: there are too few steps.

    If most steps are zero or negative (most days are dry), the greater half of the positive ones fits the tail.

    Args:
        steps: one per delta.
    """
    onwards = sorted((step for step in steps if step > 0), reverse=True)
    few = min(len(steps) // _ONE_IN, len(onwards) // 2)
    if few < _LEAST_FEW:
        return None
    excesses = [step - onwards[few] for step in onwards[:few]]
    seldom = few / len(steps) * _ONCE_IN
    return float(onwards[few] + max(_light(excesses, seldom), _heavy(excesses, seldom)))


def _light(excesses: Sequence[float], seldom: float) -> float:
    """The excess with probability 1 in ``seldom``: exponential, with a mean estimated from these few excesses."""
    few = len(excesses)
    return few * fmean(excesses) * float(seldom ** (1 / few) - 1)


def _heavy(excesses: Sequence[float], seldom: float) -> float:
    """The same for a heavier tail, if excesses vary by more than their mean; else 0."""
    mean, spread = fmean(excesses), variance(excesses)
    if spread <= mean * mean:
        return 0.0
    tail = (1 - mean * mean / spread) / 2
    scale = mean * (mean * mean / spread + 1) / 2
    return scale / tail * float(seldom**tail - 1)


def beyond(found: ColumnFigures, limits: tuple[float | None, float | None]) -> tuple[Number | None, Number | None]:
    """The limits that some number is beyond."""
    low, high = limits
    below = low is not None and found.low is not None and found.low < low
    above = high is not None and found.high is not None and found.high > high
    return low if below else None, high if above else None
