"""Whether each source of a load says about what it said before, and whether all of them have come.

What is unusual is explained by what, undone, makes it usual: a number ten times as great, inverted, of another source.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, listed
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.joint import BESIDE
from profiling_core.algorithms.batch_anomalies.sources import named
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds, student
from profiling_core.algorithms.batch_anomalies.undoing import Undoing, Wrong, explained
from profiling_core.model.lesson import LEAST_LOADS

# What is within this share of the usual is no news however regular the loads have been, as with row counts.
_LEAST_CHANGE = 0.01
# The sources of so many loads, the same in each, are all that there are: as new values of such a column are told.
_LEAST_PANEL = 14
# An error is often mended within so many loads; what is as in one of these is no news.
_MENDED = 3
_MOST_SAID = 5
Places = Sequence[int]


@dataclass(frozen=True, slots=True)
class Steps:
    """One number of a load by source: how each has moved, what was expected, the chance of it, all on its own scale."""

    name: str
    now: Figures
    expected: Figures
    spread: Figures
    chance: Figures
    unit: float

    def scaled(self, number: Figures | float) -> Figures:
        """A number on the scale of steps: logarithmic, but for what is small beside its least step."""
        return np.arcsinh(np.asarray(number, np.float64) / self.unit)


def judge(case: Case) -> Iterator[Anomaly]:
    """The numbers of each source, and sources without a row."""
    by = _naming(case)
    if by is None:
        return
    sources = case.summary.sources.names[by]
    yield from _without_a_row(case, by, sources)
    steps = [found for name in case.summary.sources.numbers if (found := _steps(case, by, sources, name))]
    figures = sum(int(np.isfinite(found.expected).sum()) for found in steps)
    for found in steps:
        odd = np.flatnonzero(found.chance < case.level / max(1, figures)).tolist()
        if odd:
            yield _anomaly(case, by, sources, found, odd, figures)


def _naming(case: Case) -> str | None:
    """The column whose names have come in the loads before, most of them now, too."""
    loads = case.usual
    for by, names in case.summary.sources.names.items():
        before = [set(load.sources.names[by]) for load in loads if by in load.sources.names]
        if len(before) >= max(LEAST_LOADS, len(loads) / 2) and 2 * len(before[-1] & set(names)) >= len(names):
            return by
    return None


def _without_a_row(case: Case, by: str, sources: Sequence[str]) -> Iterator[Anomaly]:
    """Sources that came with each load and had been all that did; not those that have been missing for long."""
    before = [frozenset(load.sources.names.get(by, ())) for load in case.usual]
    lasting = [before[-1].difference(load.sources.names.get(by, ())) for load in case.latest]
    gone = sorted(before[-1].difference(sources, frozenset.intersection(*lasting)))
    if len(before) < _LEAST_PANEL or len(set(before)) > 1 or not gone:
        return
    columns = by.split(BESIDE)
    shown = [_shown(case, columns, name) for name in gone]
    yield Anomaly(
        "completeness",
        f"no row came for {_called(columns)} {listed(shown)}",
        tuple(columns),
        cause="a part of the file is missing?",
        details=(f"Each of the {len(before)} loads before had a row of all {len(before[-1])}.",),
        subject="sources",
        magnitude=3.0,
        missing=float(len(gone)),
        size=-len(gone) / len(before[-1]),
        values=() if case.hidden.intersection(columns) else tuple(shown),
    )


def _shown(case: Case, by: Sequence[str], name: str) -> str:
    """A source's name as it may be shown."""
    return "•••" if case.hidden.intersection(by) else name


def _called(by: Sequence[str]) -> str:
    return ", ".join(by)


def _steps(case: Case, by: str, sources: Sequence[str], name: str) -> Steps | None:
    digits = max([0, *(d for column in _columns(case, name) for d in column)])
    unit = 10.0**-digits
    before = _scaled(case.usual, by, sources, name, unit)
    if len(before) <= LEAST_LOADS:
        return None
    moved = np.diff(before, axis=0)
    now = case.summary.sources.said(by, sources, name)
    latest = _scaled((*case.latest[-_MENDED:], *case.usual[-1:]), by, sources, name, unit)
    y = np.arcsinh(now / unit)
    floor = np.sqrt(np.nanmean(moved**2)) if np.isfinite(moved).any() else 0.0
    found = case.surprise(moved, y - latest[-1], unit=_unit(before[-1]), floor=floor)
    # what is usual beside one of the latest loads is no news: the day after an error, and the day after a recount
    off = y - latest - found.expected
    nearest = np.nanargmin(np.where(np.isfinite(off), np.abs(off), np.inf), axis=0)
    each = np.arange(len(sources))
    away = np.abs(off[nearest, each])
    judged = np.isfinite(away) & np.isfinite(found.expected) & (away > np.log1p(_LEAST_CHANGE))
    freedom = np.maximum(1.0, np.isfinite(moved).sum(axis=0) - 1.0)
    chance = np.where(judged, student(np.where(judged, away, 0.0) / found.spread, freedom), 1.0)
    return Steps(name, now, latest[-1] + found.expected, found.spread, chance, unit)


def _columns(case: Case, name: str) -> Iterator[Sequence[int]]:
    yield from (tuple(column.grains) for column in case.history.column(name))


def _unit(y: Figures) -> Figures:
    """What a number's least step is on the scale, where it is now."""
    steps: Figures = 1 / np.cosh(np.where(np.isfinite(y), y, 0.0))
    return steps


def _scaled(loads: Sequence[LoadSummary], by: str, sources: Sequence[str], name: str, unit: float) -> Figures:
    """float64[loads, sources], of the loads that have the number by source."""
    there = [load.sources for load in loads if by in load.sources.names and name in load.sources.numbers]
    rows = [known.said(by, sources, name) for known in there]
    return np.arcsinh(np.array(rows, np.float64).reshape(len(rows), len(sources)) / unit)


def _anomaly(case: Case, by: str, sources: Sequence[str], found: Steps, odd: Places, figures: int) -> Anomaly:
    usual = np.sinh(found.expected) * found.unit
    columns, called = by.split(BESIDE), _called(by.split(BESIDE))
    shown = [_shown(case, columns, sources[place]) for place in odd]
    numbers = [case.shown(found.name, _number(float(found.now[place]), found.unit)) for place in odd]
    own, expected, known = found.now[odd], found.expected[odd], np.isfinite(found.now) & np.isfinite(found.expected)
    everything = found.now[known], found.expected[known]
    cause = explained(Wrong(own, expected, found.spread[odd], found.scaled, *everything))
    said = [
        f"{found.name} of {called} {name} is {number}, about {_number(float(usual[place]), found.unit)} is usual"
        for name, number, place in zip(shown, numbers, odd, strict=True)
    ]
    several = f"{found.name} is far from usual for {len(odd)} values of {called}: {listed(shown, 3)}"
    level = case.level / max(1, figures)
    return Anomaly(
        "source",
        said[0] if len(odd) == 1 else several,
        (found.name,),
        cause=cause.words if cause else "",
        details=tuple(f"{line}." for line in said[:_MOST_SAID]) if len(odd) > 1 else (),
        suspect_rows=named(columns, [sources[place] for place in odd]),
        magnitude=odds(float(found.chance[odd].min())) / odds(level),
        subject=f"{called} {shown[0]}" if len(odd) == 1 else "",
        whole_load=False,
        mended=_mended(found, cause) if cause else None,
        size=float(np.median(found.scaled(found.now[odd]) - found.expected[odd])),
        room=float(np.median(found.spread[odd])),
    )


def _number(number: float, unit: float) -> str:
    """A number in as many digits as its column has, seven at most."""
    return f"{float(f'{round(number / unit) * unit:.7g}'):,.10g}"


def _mended(found: Steps, cause: Undoing) -> Callable[[Values], Values]:
    """What a row's number is without what is wrong with it."""

    def mended(row: Values) -> Values:
        text = row.get(found.name)
        right = float(cause.undo(np.array([float(text)]))[0]) if text else np.nan
        return {found.name: _number(right, found.unit).replace(",", "")} if np.isfinite(right) else {}

    return mended
