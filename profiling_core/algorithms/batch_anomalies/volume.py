"""Whether about as many rows came as usual: whether their number exceeds its own variation so far."""

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import LEAST_CHANGE, Anomaly, Case, DeltaPart
from profiling_core.algorithms.batch_anomalies.categories import mix_of
from profiling_core.algorithms.batch_anomalies.history import series
from profiling_core.algorithms.batch_anomalies.mixes import are_alike
from profiling_core.algorithms.batch_anomalies.surprise import (
    LATEST,
    LEAST_SAME_SEASON,
    Figures,
    Surprise,
    counted_by_luck,
    odds,
)

KIND = "row count"
_STEADIEST = 1e-3


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges row counts."""
    rows, case = case.found.rows, case.of()
    gone, counts = case.part is DeltaPart.REMOVED, [load.rows for load in case.history.loads]
    found, usual, further = _expected(case)
    chance, spread = float(found.chance[0]), float(found.spread[0])
    if chance < case.level:
        chance = max(chance, _by_luck(rows, counts, usual, float(_scale_of(case).back(found.expected + spread)[0])))
    far = abs(rows - usual) > max(0.5, LEAST_CHANGE * usual)
    if chance < case.level and far and not _is_of_another_season(case):
        yield Anomaly(
            KIND,
            f"{rows:,} row{'' if rows == 1 else 's'} {_verb(case, rows)}, usually about {usual:,.0f}",
            cause=_cause(case.part, rows, usual),
            details=(f"The {len(counts)} loads before had {_range(counts)} rows.",),
            magnitude=odds(chance) / odds(case.level),
            subject="removed" if gone else "",
            missing=0.0 if gone else max(0.0, usual - rows),
            size=further,
            room=spread,
        )


def may_mend(case: Case, taken: int) -> bool:
    """Whether as many rows as were ``taken`` may have come on top of the usual ones, or gone again.

    That is if more come than forecast, by more than forecasts were off so far, and no more than both together explain.
    Three standard deviations more are chance.
    """
    own = case.of()
    found, *_ = _expected(own)
    forecast = float(_scale_of(own).back(found.expected + found.spread)[0])
    most = forecast + taken
    return case.part is DeltaPart.CHANGED or forecast < case.found.rows <= most + 3 * sqrt(most)


class _Scale(NamedTuple):
    """A scale of row counts, the way back from it, and the step of one row on it."""

    to: Callable[[Figures], Figures]
    back: Callable[[Figures], Figures]
    step: Callable[[int], float]


# Near zero chance moves all roots equally, and elsewhere feeds vary by factors.
_ROOTS = _Scale(np.sqrt, lambda y: np.maximum(0.0, y) ** 2, lambda _: 0.5)
_LOGARITHMS = _Scale(np.log1p, np.expm1, lambda rows: 1 / (1 + rows))


def _scale_of(case: Case) -> _Scale:
    """Roots if some loads had no row."""
    return _ROOTS if any(not load.rows for load in case.history.loads) else _LOGARITHMS


def _expected(case: Case) -> tuple[Surprise, float, float]:
    """How surprising the number of rows is, its forecast, and how far it is from that, on the scale of the counts."""
    scale, rows = _scale_of(case), case.found.rows
    before = scale.to(series([load.rows] for load in case.history.loads))
    now = scale.to(np.array([rows], np.float64))
    found = case.surprise(before, now, unit=scale.step(rows))
    usual = float(scale.back(found.expected)[0]) if before.size else 0.0
    return found, usual, float(now[0] - scale.to(np.array([usual]))[0])


def _is_of_another_season(case: Case) -> bool:
    """Whether a load is like those of another season in its number and in all mixes, and unlike its own: a holiday.

    A part of a file may have as few rows as a Sunday has, but is a mix as on its own weekday.
    """
    *names, own = case.history.seasons(case.id)
    seasons, counts = np.array(names, object), np.array([load.rows for load in case.history.loads], np.float64)
    mixes = [mix for name in case.found.columns if own is not None and (mix := mix_of(case, name))]
    alike = [are_alike(mix.before, mix.now) for mix in mixes]
    for season in {*names} - {own, None} if alike else ():
        theirs = seasons == season
        chance = 2 * np.sqrt(counts[theirs])  # two standard deviations of a number of rows
        among = (counts[theirs] - chance).min() <= case.found.rows <= (counts[theirs] + chance).max()
        unlike_its_own = any(2 * one[theirs].sum() > theirs.sum() and not one[seasons == own].any() for one in alike)
        if theirs.sum() >= LEAST_SAME_SEASON and among and unlike_its_own and all(one[theirs].any() for one in alike):
            return True
    return False


def _verb(case: Case, rows: int) -> str:
    """The verb for the rows."""
    return "came" if case.part is DeltaPart.NEW else f"{'was' if rows == 1 else 'were'} {case.part.value}"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _by_luck(rows: int, before: Sequence[int], usual: float, beyond: float) -> float:
    """The probability of a row count, if rows come one by one: Poisson, or less dispersed if loads have been.

    Dispersion is also lower if forecasts were closer: each Sunday has ten rows, and each other day fifty. A count as
    far off as they usually are is ``beyond``.
    """
    counts = np.array(before[-LATEST:], np.float64)
    if not counts.any():  # loads that never had rows do not show how many could come
        return counted_by_luck(rows, 0.5 / len(counts))
    varied = min(float(counts.var() / counts.mean()), (beyond - usual) ** 2 / max(1.0, usual))
    dispersion = min(1.0, max(_STEADIEST, varied))
    return counted_by_luck(rows / dispersion, usual / dispersion)


# What more rows than usual may be, that were there before.
_MORE = {
    DeltaPart.CHANGED: "earlier rows corrected, or changed by mistake?",
    DeltaPart.REMOVED: "deleted by mistake, or missing from the source?",
}


def _cause(part: DeltaPart, rows: int, usual: float) -> str:
    if part in _MORE:
        return _MORE[part] if rows > usual else ""
    ratio = rows / max(1.0, usual)
    if abs(ratio - 0.5) < 0.05:
        return "half of the file?"
    if abs(ratio - 2) < 0.1:
        return "the file twice?"
    return "a part of the file is missing?" if ratio < 1 else "more than one load in the file?"
