"""How surprising a figure of a load is, given the same figure of the loads before it.

Each figure is forecast in three ways: as the mean of the loads before, as that of the last one (differencing, for
drifts), and as the mean of those of the same season (the weekday, the hour). The way that would have forecast the
figure's own history best, load by load, forecasts the next; its errors so far determine which error is surprising. So a
figure needs to be stationary in only one of the three ways (Auto-Validate by-History, Tu et al., KDD 2023, section 3).
The best way may be best by chance: a value that another way forecasts, if about as good, is no surprise either.

The probability of an error is that of Student's distribution (Wallace, Bounds on normal approximations to
Student's and the chi-square distributions, Ann. Math. Statist. 1959) if the errors so far look normal. If their
greatest is further out than that explains, the spread is taken from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from math import ceil, erfc, exp, lgamma, log, sqrt
from statistics import median_low

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from profiling_core.model.delta_ids import moment_of
from profiling_core.model.lesson import LEAST_LOADS

Figures = npt.NDArray[np.float64]
# Earlier loads than the latest 56 are not used for forecasts.
WINDOW = 56
# The loads that define the usual: of four weeks, if they come daily.
LATEST = 28
# The conventional significance level, for tests that are made once for a load and not once for each of its figures.
ERROR_RATE = 0.05
# A forecast by season is the mean of the latest six loads of the season, and needs three.
SAME_SEASON = 6
LEAST_SAME_SEASON = 3
_BESIDE = 3 / 8
# From this many rows on chance barely moves the row count.
_MANY = 400.0
# A way of forecasting is about as good as the best one up to this multiple of its mean square error.
_ABOUT_AS_GOOD = 1.5


@dataclass(frozen=True, slots=True)
class Surprise:
    """Per figure: the expected value, the spread of forecasts, and the probability of being as far off as now."""

    expected: Figures
    spread: Figures
    chance: Figures


def surprise(
    history: Figures,
    now: Figures,
    seasons: Sequence[object],
    unit: Figures,
    floor: Figures,
) -> Surprise:
    """How surprising figures are.

    Args:
        history: float64[loads, figures], NaN where a load has none.
        now: float64[figures], NaN where there is none.
        seasons: the season of each load, and of the present one at the end.
        unit: float64[figures]: the least step of a figure; one such error is added to those so far.
        floor: float64[figures]: the variation by chance for this number of rows, as a standard deviation.
    """
    if len(history) < LEAST_LOADS:
        nothing = np.full(now.shape, np.nan)
        return Surprise(nothing, nothing, np.ones(now.shape))
    everything = np.vstack([history, now])
    foretold = [_steady(everything), _latest(everything), _seasonal(everything, seasons)]
    errors = np.stack([everything[:-1] - guess[:-1] for guess in foretold])
    count = np.isfinite(errors).sum(axis=1)
    squares = np.nansum(errors**2, axis=1)
    guesses = np.stack([guess[-1] for guess in foretold])
    # one step of the figure is added, else a way that was never off by chance would be the only good one
    mean = np.where(count >= LEAST_LOADS - 1, (squares + unit**2) / (count + 1), np.inf)
    # a new season has no forecast: another way is used if it was about as good
    tells = np.isfinite(guesses) & np.isfinite(mean) & (mean <= _ABOUT_AS_GOOD * mean.min(axis=0))
    best = np.where(tells, mean, np.inf).argmin(axis=0)
    each = np.arange(len(now))
    known = tells[best, each]
    times = np.maximum(2, count[best, each])
    ways = np.sort(mean, axis=0)
    doubt = np.where(np.isfinite(ways[1]), ways[1], 0.0)  # the best of three ways may be best by chance
    spread = np.sqrt((squares[best, each] + doubt + unit**2) / (times + np.isfinite(ways[1])))
    farthest = np.where(np.isfinite(errors), np.abs(errors), 0.0).max(axis=1)[best, each]
    varied = np.maximum(spread, farthest / np.sqrt(2 * np.log(times + 1.0)))
    spread = np.maximum(varied, floor)
    expected = guesses[best, each]
    # a value that any way forecasts, if about as good, is no surprise
    off = np.where(mean <= _ABOUT_AS_GOOD * mean[best, each], np.abs(now - guesses), np.inf)
    off = np.where(np.isnan(off), np.inf, off).min(axis=0)
    distance = off / spread
    judged = known & np.isfinite(distance) & np.isfinite(expected)
    # a variance that is known and not estimated has no uncertain part (Satterthwaite, Biometrics Bulletin 1946)
    freedom = (times - 1.0) * np.where(varied > 0, spread / np.where(varied > 0, varied, 1.0), 1.0) ** 4
    chance = np.where(judged, student(np.where(judged, distance, 0.0), freedom), 1.0)
    return Surprise(np.where(known, expected, np.nan), spread, chance)


def pooled(off: Figures) -> float:
    """The spread of the errors, or steps, of all figures together: of their squares, or of the farthest one.

    The farthest counts if normal errors do not reach it: an account with one great payment has no spread of its own
    that would tell how great the next one may be.
    """
    squares = off[np.isfinite(off)] ** 2
    return float(np.sqrt(max(squares.mean(), squares.max() / (2 * log(len(squares) + 1))))) if len(squares) else 0.0


def student(distance: Figures, freedom: Figures) -> Figures:
    """The probability that Student's t is as far from zero, on either side."""
    normal = np.sqrt(freedom * np.log1p(distance**2 / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return 2 * _upper_tail(normal)


def _upper_tail(normal: Figures) -> Figures:
    """The upper tail of the normal distribution."""
    return np.array([erfc(z / sqrt(2)) / 2 for z in normal.ravel()]).reshape(normal.shape)


def _steady(figures: Figures) -> Figures:
    """Per load the mean of the latest loads before it."""
    before = np.vstack([np.full((LATEST, figures.shape[1]), np.nan), figures[:-1]])
    guess = _mean(sliding_window_view(before, LATEST, axis=0), axis=2)
    guess[:2] = np.nan
    return guess


def _latest(figures: Figures) -> Figures:
    """Per load the figure of the last load before it that had one."""
    places = np.where(np.isfinite(figures), np.arange(len(figures))[:, None], -1)
    last = np.maximum.accumulate(places, axis=0)[:-1]
    guess = np.full(figures.shape, np.nan)
    guess[1:] = np.where(last >= 0, np.take_along_axis(figures, np.maximum(0, last), axis=0), np.nan)
    return guess


def _seasonal(figures: Figures, seasons: Sequence[object]) -> Figures:
    """Per load the mean of the latest loads of the same season before it."""
    guess = np.full(figures.shape, np.nan)
    known = _of_one_season(tuple(seasons))
    for _, some in groupby(sorted(known, key=lambda one: len(one[1])), lambda one: len(one[1])):
        places, alike = zip(*some, strict=True)
        guess[list(places)] = _mean(figures[np.array(alike)], axis=1)
    return guess


@lru_cache(maxsize=16)
def _of_one_season(seasons: tuple[object, ...]) -> tuple[tuple[int, list[int]], ...]:
    """The loads with enough earlier ones of their season, each with the latest of these."""
    before: dict[object, list[int]] = {}
    found = []
    for i, season in enumerate(seasons):
        alike = before.setdefault(season, [])
        if season is not None and len(alike) >= LEAST_SAME_SEASON:
            found.append((i, alike[-SAME_SEASON:]))
        alike.append(i)
    return tuple(found)


def _mean(figures: Figures, axis: int) -> Figures:
    there = np.isfinite(figures)
    count = there.sum(axis=axis)
    total = np.where(there, figures, 0.0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(1, count), np.nan)


@lru_cache(maxsize=16)
def seasons_of(ids: tuple[str, ...]) -> tuple[object, ...]:
    """Per load its season, if ids are moments: the weekday of daily loads, the hour of hourly, the month of others.

    None: unknown.
    """
    moments = [moment_of(name) for name in ids]
    known = [moment for moment in moments if moment]
    gaps = sorted((b - a).total_seconds() for a, b in pairwise(known))
    if not gaps:
        return (None,) * len(ids)
    usual = median_low(gaps)
    if usual < 20 * 3600:
        return tuple(moment and moment.hour for moment in moments)
    if usual <= 1.5 * 86400:
        return tuple(moment and moment.weekday() for moment in moments)
    return tuple(moment and moment.month for moment in moments)


def angle(counts: Figures, rows: Figures | float) -> Figures:
    """A share of the rows on the scale on which chance moves all shares equally; NaN without rows.

    With a dozen rows, all or none are no further off than chance explains (Anscombe, The transformation of Poisson,
    binomial and negative-binomial data, Biometrika 1948).
    """
    total = np.asarray(rows, np.float64)
    turned: Figures = np.arcsin(np.sqrt((counts + _BESIDE) / (np.where(total > 0, total, np.nan) + 2 * _BESIDE)))
    return turned


def share(turned: Figures, rows: float) -> Figures:
    """The inverse of :func:`angle`."""
    counts = np.sin(np.clip(turned, 0, np.pi / 2)) ** 2 * (rows + 2 * _BESIDE) - _BESIDE
    shares: Figures = np.clip(counts / max(1.0, rows), 0, 1)
    return shares


def by_luck(now: float, rows: float, usual: float) -> float:
    """An upper bound of the probability of so large, or so small, a share of the rows, if ``usual`` is the usual one.

    The bound of Chernoff (A measure of asymptotic efficiency for tests of a hypothesis, Ann. Math. Statist. 1952): half
    of
    a dozen rows may be of a sort that a fifth usually are, which the normal distribution underestimates.
    """
    parts = [(part, whole) for part, whole in ((now, usual), (1 - now, 1 - usual)) if part > 0]
    if any(whole <= 0 for _, whole in parts):
        return 0.0  # a sort of rows that never comes has come
    return exp(-rows * sum(part * log(part / whole) for part, whole in parts))


def counted_by_luck(count: float, usual: float) -> float:
    """The probability of a Poisson number of rows as far from the usual one, on either side; 0 for large ones."""
    if not 0 < usual < _MANY:
        return 0.0
    less = sum(exp(k * log(usual) - usual - lgamma(k + 1)) for k in range(ceil(count) + (count <= usual)))
    return min(1.0, 2 * (less if count <= usual else max(0.0, 1 - less)))


def odds(chance: float) -> float:
    """The evidence of a probability, as −log₁₀: 1 for one in ten."""
    return -log(max(chance, 1e-300)) / log(10)
