"""Whether each group of a load says about what it said before, and whether all sources have come.

A source of one row is compared by its step from the load before, which a trend moves as it always has, a group of many
by its middle row. What is unusual is explained by what, undone, makes it usual: a number ten times as great, inverted,
of another source.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log, log1p, sqrt

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, listed
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.joint import sizes_of
from profiling_core.algorithms.batch_anomalies.sources import Panel, named, names_of
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds, student
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, unknown
from profiling_core.model.incident import LASTING
from profiling_core.model.lesson import LEAST_LOADS

# What is within this share of the usual is no news however regular the loads have been, as with row counts.
_LEAST_CHANGE = 0.01
# The sources of so many loads, the same in each, are all that there are: as new values of such a column are told.
_LEAST_PANEL = 14
# An error is often mended within so many loads; what is as in one of these is no news.
_MENDED = 3
_MOST_SAID = 5
_LATEST = 28
# What is undone lies so many spreads from the expected at most, as nearly all that is usual does.
USUAL = 3.0
# A group of several rows is judged from so many on; by how many errors of its middle row, of half as many for chance.
_LEAST_ROWS, _SURELY = 4, 4.0
_OF_MIDDLE = 1.25 / 1.35  # the error of a median, and the distance of quartiles, in standard deviations


@dataclass(frozen=True, slots=True)
class Steps:
    """One number of a load by group: what it is, was expected, by what spread, the chance; all on its own scale."""

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
    """The numbers of each group, and sources without a row."""
    told: set[str] = set()
    yield from _twice(case)
    for panel in _panels(case):
        if panel.names_each_row:
            yield from _without_a_row(case, panel)
        steps = [found for name in panel.numbers if name not in told and (found := steps_of(case, panel, name))]
        figures = sum(int(np.isfinite(found.expected).sum()) for found in steps)
        for found in steps:
            far: list[int] = np.flatnonzero(found.chance < case.level / max(1, figures)).tolist()
            odd = [place for place in far if _is_sure(case, panel, found, place)]
            # what most groups of several rows have is a matter of the column as a whole
            if odd and (panel.names_each_row or 2 * len(odd) <= np.isfinite(found.expected).sum()):
                told.add(found.name)
                yield _anomaly(case, panel, found, odd, figures)


def _panels(case: Case) -> list[Panel]:
    """The first panel whose names have come in the loads before and are most of those now; of groups all such."""
    known = [panel for panel in case.summary.panels if _has_come(case, panel)]
    return known[:1] if known and known[0].names_each_row else known


def _has_come(case: Case, panel: Panel) -> bool:
    before = [set(p.names) for load in case.usual if (p := load.panel(panel.by))]
    enough = len(before) >= max(LEAST_LOADS, len(case.usual) / 2)
    return enough and 2 * len(before[-1] & set(panel.names)) >= len(panel.names)


def _without_a_row(case: Case, panel: Panel) -> Iterator[Anomaly]:
    """Sources that came with each load and had been all that did; not those that have been missing for long."""
    before = [_names(load, panel.by) for load in case.usual if not load.odd]
    if len(before) < _LEAST_PANEL:
        return
    lacked = Counter(name for load in case.latest for name in before[-1] - _names(load, panel.by))
    gone = sorted(name for name in before[-1].difference(panel.names) if lacked[name] < LASTING)
    if len(set(before)) > 1 or not gone:
        return
    shown = [_shown(case, panel, name) for name in gone]
    yield Anomaly(
        "completeness",
        f"no row came for {_called(panel)} {listed(shown)}",
        tuple(panel.columns),
        cause="a part of the file is missing?",
        details=(f"Each of the {len(before)} loads before had a row of all {len(before[-1])}.",),
        subject="sources",
        magnitude=3.0,
        missing=float(len(gone)),
        size=-len(gone) / len(before[-1]),
        values=() if case.hidden.intersection(panel.columns) else tuple(shown),
    )


def _twice(case: Case) -> Iterator[Anomaly]:
    """Sources that have several rows, where each has always had one."""
    panel = _always_alone([load for load in case.usual if load.rows])
    if panel is None:
        return
    counts = Counter(names_of(case.found.sample, panel.columns))
    several = sorted(name for name, count in counts.items() if count > 1 and name in panel.names)
    if not several or len(case.found.sample) < case.found.rows:
        return
    shown = [_shown(case, panel, name) for name in several]
    yield Anomaly(
        "repeated rows",
        f"several rows came for {_called(panel)} {listed(shown)}, one of each is usual",
        tuple(panel.columns),
        cause="rows that were corrected, or joined with several others?",
        suspect_rows=named(panel.columns, several),
        magnitude=5.0,
        subject="sources",
        whole_load=False,
        size=len(several) / len(counts),
    )


def _always_alone(loads: Sequence[LoadSummary]) -> Panel | None:
    """The panel of the last of these loads whose names each row of all of them had for itself; None: there is none."""
    for panel in loads[-1].panels if len(loads) >= _LEAST_PANEL else ():
        if all((known := load.panel(panel.by)) and known.names_each_row for load in loads):
            return panel
    return None


def _names(load: LoadSummary, by: str) -> frozenset[str]:
    panel = load.panel(by)
    return frozenset(panel.names if panel else ())


def _shown(case: Case, panel: Panel, name: str) -> str:
    """A group's name as it may be shown."""
    return "•••" if case.hidden.intersection(panel.columns) else name


def _called(panel: Panel) -> str:
    return ", ".join(panel.columns)


def steps_of(case: Case, panel: Panel, name: str) -> Steps | None:
    """How a number of each group lies beside what it was; None where too few loads had it."""
    unit = 10.0 ** -max([0, *(digits for column in case.history.column(name) for digits in column.grains)])
    loads = case.usual if panel.names_each_row else case.history.loads[-_LATEST:]
    before = _scaled(loads, panel, name, unit)
    if len(before) <= LEAST_LOADS:
        return None
    now = panel.said(panel.names, name)
    y = np.arcsinh(now / unit)
    if not panel.names_each_row:
        few = np.array(panel.rows) < _LEAST_ROWS
        found = case.surprise(before, np.where(few, np.nan, y), unit=_unit(before[-1]))
        beyond = (y > np.nanmax(before, axis=0, initial=-np.inf)) | (y < np.nanmin(before, axis=0, initial=np.inf))
        return Steps(name, now, found.expected, found.spread, np.where(beyond, found.chance, 1.0), unit)
    moved = np.diff(before, axis=0)
    latest = _scaled((*case.latest[-_MENDED:], *case.usual[-1:]), panel, name, unit)
    floor = np.sqrt(np.nanmean(moved**2)) if np.isfinite(moved).any() else 0.0
    found = case.surprise(moved, y - latest[-1], unit=_unit(before[-1]), floor=floor)
    # what is usual beside one of the latest loads is no news: the day after an error, and the day after a recount
    off = y - latest - found.expected
    nearest = np.nanargmin(np.where(np.isfinite(off), np.abs(off), np.inf), axis=0)
    away = np.abs(off[nearest, np.arange(len(panel.names))])
    judged = np.isfinite(away) & np.isfinite(found.expected) & (away > np.log1p(_LEAST_CHANGE))
    freedom = np.maximum(1.0, np.isfinite(moved).sum(axis=0) - 1.0)
    chance = np.where(judged, student(np.where(judged, away, 0.0) / found.spread, freedom), 1.0)
    return Steps(name, now, latest[-1] + found.expected, found.spread, chance, unit)


def _unit(y: Figures) -> Figures:
    """What a number's least step is on the scale, where it is now."""
    steps: Figures = 1 / np.cosh(np.where(np.isfinite(y), y, 0.0))
    return steps


def _scaled(loads: Sequence[LoadSummary], panel: Panel, name: str, unit: float) -> Figures:
    """float64[loads, groups], of the loads that have the number by group."""
    there = [known for load in loads if (known := load.panel(panel.by)) and name in known.numbers]
    rows = [known.said(panel.names, name) for known in there]
    return np.arcsinh(np.array(rows, np.float64).reshape(len(rows), len(panel.names)) / unit)


def _is_sure(case: Case, panel: Panel, found: Steps, place: int) -> bool:
    """Whether a group of several rows has moved by more than chance makes of so few, on the scale of sizes."""
    if panel.names_each_row:
        return True
    own = case.found.sample.filter(named(panel.columns, [panel.names[place]])(case.found.sample))
    sizes = sizes_of(own[found.name])
    sizes = sizes[np.isfinite(sizes)]
    apart = float(np.subtract(*np.percentile(sizes, (75, 25)))) if len(sizes) else 0.0
    error = _OF_MIDDLE * apart * log(2) / sqrt(max(1, len(sizes)))
    away = abs(float(found.scaled(found.now[place])) - float(found.expected[place]))
    return away > max(log1p(_LEAST_CHANGE), _SURELY * error)


def _anomaly(case: Case, panel: Panel, found: Steps, odd: Sequence[int], figures: int) -> Anomaly:
    usual = np.sinh(found.expected) * found.unit
    called = _called(panel)
    shown = [_shown(case, panel, panel.names[place]) for place in odd]
    numbers = [case.shown(found.name, _number(float(found.now[place]), found.unit)) for place in odd]
    cause = _explained(found, odd)
    is_now = "is" if panel.names_each_row else "is mostly about"
    said = [
        f"{found.name} of {called} {name} {is_now} {number}, about {_number(float(usual[place]), found.unit)} is usual"
        for name, number, place in zip(shown, numbers, odd, strict=True)
    ]
    several = f"{found.name} is far from usual for {len(odd)} values of {called}: {listed(shown, 3)}"
    if cause and cause.said and len(odd) > 1:
        several = f"the values of {found.name} for {len(odd)} values of {called} {cause.said}: {listed(shown, 3)}"
    level = case.level / max(1, figures)
    return Anomaly(
        "source",
        said[0] if len(odd) == 1 else several,
        (found.name,),
        cause=cause.cause if cause else "",
        details=tuple(f"{line}." for line in said[:_MOST_SAID]) if len(odd) > 1 else (),
        suspect_rows=named(panel.columns, [panel.names[place] for place in odd]),
        magnitude=odds(float(found.chance[odd].min())) / odds(level),
        subject=f"{called} {shown[0]}" if len(odd) == 1 else "",
        whole_load=False,
        mended=_mended(found, cause) if cause else None,
        size=float(np.median(found.scaled(found.now[odd]) - found.expected[odd])),
        room=float(np.median(found.spread[odd])),
    )


def _explained(found: Steps, odd: Sequence[int]) -> Undoing | None:
    """What has happened to the numbers of these groups."""
    now, expected, spread = found.now[odd], found.expected[odd], found.spread[odd]
    if not now.any():
        return Undoing("are 0", "nothing in place of what it is?", unknown, 0.0)
    if len(now) > 1 and not np.ptp(now):
        return Undoing("are one number", "one number in place of each: no reading, or a default?", unknown, 0.0)
    if _are_of_other_rows(found, odd):
        return Undoing("are in other rows", "the numbers of other rows?", unknown, 0.0)

    def unusual(undone: Figures) -> float:
        away = np.abs(found.scaled(undone) - expected) / spread
        return float(np.sum(away**2) / 2) if (away <= USUAL).all() else np.inf

    return likeliest(WAYS, now, unusual)


def _are_of_other_rows(found: Steps, odd: Sequence[int]) -> bool:
    """Whether the numbers of these groups, or of all, are what is expected of them, in another order."""
    room = USUAL * float(found.spread[odd].max())
    known = np.flatnonzero(np.isfinite(found.now) & np.isfinite(found.expected))
    several = len(odd) > 1  # one number is like some other one by chance
    return several and any(
        bool((np.abs(np.sort(found.scaled(found.now[of])) - np.sort(found.expected[of])) <= room).all())
        for of in (odd, known)
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
