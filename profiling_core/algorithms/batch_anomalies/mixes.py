"""How far the mix of a load's rows is from those before it: of its values, of where its numbers lie, of its hours.

Each mix is forecast as that of the latest loads, of the last one, or of the latest of its season; the way that would
have forecast the earlier mixes best tells the next. What a mix as a whole shows is judged by how far the mixes before
it were from theirs, so that whatever belongs together in a load, such as an order of a hundred lines, counts as one.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Case, Mask
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, LEAST_SAME_SEASON, SAME_SEASON, Figures
from profiling_core.model.lesson import LEAST_LOADS

# Alert on the distribution only if its distance is 1.25 times the largest so far.
_FURTHER = 1.25
# A mix equals that of an earlier load up to this many standard deviations beyond the mean distance by chance.
_AS_LIKE = 2.0


@dataclass(frozen=True, slots=True)
class UsualMix:
    """Which earlier loads forecast a mix: the latest ``window``, of one season if ``seasons`` (per load) is given."""

    window: int
    seasons: tuple[object, ...] = ()

    @classmethod
    def best(cls, before: Figures, seasons: tuple[object, ...]) -> Self:
        """The forecast with the least mean square error so far; ``seasons`` includes that of the load to come.

        A forecast by season needs seven errors so far.
        """
        ways = [cls(LATEST), cls(1)]
        if seasons.count(seasons[-1]) > LEAST_SAME_SEASON and seasons[-1] is not None:
            ways.append(cls(SAME_SEASON, seasons))
        squares = [np.square(way.distances(before)) for way in ways]
        known = [np.isfinite(some).sum() for some in squares]
        means = [
            np.inf if way.seasons and n < LEAST_LOADS else np.nansum(some) / max(1, n)
            for way, some, n in zip(ways, squares, known, strict=True)
        ]
        return ways[int(np.argmin(means))]

    def before(self, counts: Figures, place: int) -> Figures:
        """float64[values]: the rows of the loads that tell the mix of the one at this place, together.

        Of too few loads of its season there are none.
        """
        mix: Figures = self._telling(counts)[place] @ counts
        return mix

    def distances(self, counts: Figures, first: int = LEAST_LOADS) -> Figures:
        """float64[loads]: how far each mix is from that of the loads that tell it: Hellinger's distance, times √rows.

        With the square root of the rows, chance moves all mixes equally, however many values there are. A load of more
        rows than the middle one varies no less than that: what belongs together, such as an order, is larger. NaN:
        unknown, or before the ``first`` load that is asked for.
        """
        rows = counts.sum(axis=1)
        free = np.minimum(rows, np.median(rows[:-1][rows[:-1] > 0])) if rows[:-1].any() else rows
        usual = self._telling(counts)[first:] @ counts
        told = usual.sum(axis=1)
        distance = np.full(len(counts), np.nan)
        shares, usually = (np.sqrt(some / np.maximum(1, some.sum(axis=1))[:, None]) for some in (counts[first:], usual))
        apart = np.sqrt(free[first:] * np.square(shares - usually).sum(axis=1) / 2)
        distance[first:] = np.where((rows[first:] > 0) & (told > 0), apart, np.nan)
        return distance

    def _telling(self, counts: Figures) -> Figures:
        return _telling(self.window, self.seasons[: len(counts)], counts.any(axis=1).tobytes())


@lru_cache(maxsize=128)
def _telling(window: int, seasons: tuple[object, ...], known: bytes) -> Figures:
    """float64[loads, loads]: 1 where a load tells the mix of another; ``known`` are those with rows."""
    have_rows = np.frombuffer(known, np.bool_)
    telling = np.zeros((len(have_rows), len(have_rows)))
    for place in range(len(have_rows)):
        told_by = have_rows & (np.arange(len(have_rows)) < place)
        if seasons:
            told_by &= np.array([one == seasons[place] for one in seasons])
            told_by &= told_by.sum() >= LEAST_SAME_SEASON
        telling[place, np.flatnonzero(told_by)[-window:]] = 1.0
    return telling


def of_the_whole(case: Case, before: Figures, now: Figures) -> float:
    """The probability of a mix that is so distant from those of the loads before."""
    usual = UsualMix.best(before, case.history.seasons(case.id))
    apart = usual.distances(np.vstack([before, now]))
    if not is_new_mix(apart, before, now, usual):
        return 1.0
    return float(case.surprise(apart[:-1, None], apart[-1:], unit=0.5).chance[0])


def is_new_mix(apart: Figures, before: Figures, now: Figures, told_by: UsualMix) -> bool:
    """Whether a mix is farther from those before than any was, and none of them is like it rather than as usual.

    A load of a few rows is like any other one.
    """
    usual = told_by.before(np.vstack([before, now]), len(before))
    if apart[-1] <= _FURTHER * np.fmax.reduce(apart[:-1], initial=0.0) or are_alike(usual[None], now)[0]:
        return False
    return not (are_alike(before, now) & ~are_alike(before, usual)).any()


def are_alike(before: Figures, now: Figures) -> Mask:
    """bool[loads]: whether chance could draw this mix and that of an earlier load from one: mixes take turns.

    Eight times Hellinger's distance squared, times the rows of either over those of both, is approximately χ²
    distributed, with one degree of freedom less than there are values in the two.
    """
    rows, own = before.sum(axis=1), max(1.0, float(now.sum()))
    apart = np.square(np.sqrt(before / np.maximum(1, rows)[:, None]) - np.sqrt(now / own)).sum(axis=1) / 2
    squares = 8 * apart * rows * own / np.maximum(1, rows + own)
    freedom = np.maximum(1, ((before + now) > 0).sum(axis=1) - 1)
    alike: Mask = (rows > 0) & (squares <= freedom + _AS_LIKE * np.sqrt(2 * freedom))
    return alike
