"""Whether each group of a load has about its earlier numbers, and whether all sources have come.

A source of one row is judged by its step from the load before, which a trend moves as always; a group of many by its
median. An unusual number is explained by the change that, undone, makes it usual: ten times as great, inverted, or
another source's.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import log, log1p, sqrt
from statistics import NormalDist

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, listed
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.sources import (
    LEAST_PANEL,
    LEAST_ROWS,
    Panel,
    named,
    names_of,
    numbers_of,
)
from profiling_core.algorithms.batch_anomalies.spread import USUAL
from profiling_core.algorithms.batch_anomalies.surprise import Figures, by_luck, odds, student
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, unknown
from profiling_core.algorithms.roles.names import tells_rows, words
from profiling_core.model.lesson import LEAST_LOADS

# Changes within this share of the usual are no news, however regular the loads have been; as with row counts.
_LEAST_CHANGE = 0.01
# An error is often corrected within this many loads; a number like that of one of these is no news.
_MENDED = 3
_MOST_SAID = 5


@dataclass(frozen=True, slots=True)
class Steps:
    """One number of a load by group: its values, expected values, spreads and probabilities, all on its own scale.

    ``unit`` is where the scale becomes logarithmic, ``grain`` the least step that the digits allow.
    ``lasting`` are the probabilities beside the last usual load alone, whatever odd ones came since; ``loads`` is the
    number of earlier loads.
    """

    name: str
    now: Figures
    expected: Figures
    spread: Figures
    chance: Figures
    unit: float
    grain: float
    lasting: Figures
    loads: int

    def scaled(self, number: Figures | float) -> Figures:
        """A number on the scale of steps: logarithmic, except where it is small compared with its least step."""
        return np.arcsinh(np.asarray(number, np.float64) / self.unit)


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the numbers of each group, and reports missing sources."""
    case = case.of()
    yield from _twice(case)
    panels = [(panel, _steps(case, panel)) for panel in panels_of_sources(case)]
    figures = sum(int(np.isfinite(found.expected).sum()) for _, steps in panels for found in steps)
    level = case.level / max(1, figures)
    best: dict[str, tuple[tuple[bool, int, int], Anomaly]] = {}
    for panel, _ in panels[:1]:
        if panel.names_each_row:
            yield from _without_a_row(case.of(*panel.columns), panel)
    for panel, steps in panels:
        for found in steps:
            far = _far(case, panel, found, level)
            one = _anomaly(case, panel, found, far, figures) if far else _lasting(case, panel, found, figures)
            if one:
                told = (one.again, len(far), len(panel.columns)), one
                best[found.name] = min(best.get(found.name, told), told, key=lambda known: known[0])
    yield from (anomaly for _, anomaly in best.values())  # of the groupings that of the fewest odd groups and columns


def _far(case: Case, panel: Panel, found: Steps, level: float) -> list[int]:
    """The groups that are far from usual; none if most groups with several rows are: that concerns the column."""
    far: list[int] = np.flatnonzero(found.chance < level).tolist()
    odd = [place for place in far if _is_sure(case, panel, found, place, level)]
    return odd if panel.names_each_row or 2 * len(odd) <= np.isfinite(found.expected).sum() else []


def _lasting(case: Case, panel: Panel, found: Steps, figures: int) -> Anomaly | None:
    """A level of most sources that goes on: it is far from the last usual load's, and near an odd one's since then."""
    level = case.level / max(1, figures)
    still = np.flatnonzero((found.lasting < level) & (found.chance >= level)).tolist()
    if 2 * len(still) <= np.isfinite(found.expected).sum():
        return None
    return replace(_anomaly(case, panel, replace(found, chance=found.lasting), still, figures), again=True)


def _steps(case: Case, panel: Panel) -> list[Steps]:
    """How far the numbers of groups are from their usual ones.

    Codes and identifiers have no size: whichever is in the middle of a group's rows means nothing.
    """
    sizes = [n for n in panel.numbers if panel.names_each_row or not tells_rows(words(n))]
    return [found for name in sizes if (found := steps_of(case.of(name), panel, name))]


def panels_of_sources(case: Case) -> list[Panel]:
    """The panels that mostly repeat earlier names: those that name each row, or if there are none, those of groups."""
    known = [panel for panel in case.summary.panels if _has_come(case, panel)]
    return [panel for panel in known if panel.names_each_row] or known


def _has_come(case: Case, panel: Panel) -> bool:
    before = [set(p.names) for load in case.usual if (p := load.panel(panel.by))]
    enough = len(before) >= max(LEAST_LOADS, len(case.usual) / 2)
    return enough and 2 * len(before[-1] & set(panel.names)) >= len(panel.names)


def _without_a_row(case: Case, panel: Panel) -> Iterator[Anomaly]:
    """Sources that came with each load as all sources there are; except those that have been missing for long."""
    known = [_names(load, panel.by) for load in case.usual if not load.is_odd_in(case.columns)]
    before = list(takewhile(lambda names: names == known[-1], reversed(known)))
    lacking = known[-1].difference(panel.names) if known else ()
    gone = sorted(lacking)
    if len(before) < LEAST_PANEL or not gone:
        return
    shown = [shown_name(case, panel, name) for name in gone]
    yield Anomaly(
        "completeness",
        f"no row came for {called(panel)} {listed(shown)}",
        tuple(panel.columns),
        cause="a part of the file is missing?",
        details=(f"Each of the {len(before)} loads before had a row of all {len(before[-1])}.",),
        subject="sources",
        magnitude=3.0,
        missing=float(len(gone)),
        size=-len(gone) / len(before[-1]),
        values=values_told(case, panel, shown),
    )


def _twice(case: Case) -> Iterator[Anomaly]:
    """Sources with several rows, if each has always had one."""
    panel = _always_alone([load for load in case.usual if load.rows])
    if panel is None:
        return
    counts = Counter(names_of(case.found.sample, panel.columns))
    several = sorted(name for name, count in counts.items() if count > 1 and name in panel.names)
    come_again = 2 * len(counts.keys() & set(panel.names)) >= len(panel.names)  # else they are no sources
    if not several or not come_again or len(case.found.sample) < case.found.rows:
        return
    shown = [shown_name(case, panel, name) for name in several]
    yield Anomaly(
        "repeated rows",
        f"several rows came for {called(panel)} {listed(shown)}, usually one each",
        tuple(panel.columns),
        cause="rows that were corrected, or joined with several others?",
        suspect_rows=named(panel.columns, several),
        magnitude=5.0,
        subject="sources",
        whole_load=False,
        size=len(several) / len(counts),
    )


def _always_alone(loads: Sequence[LoadSummary]) -> Panel | None:
    """The last load's panel whose names had one row each in all of these loads; None: there is none."""
    for panel in loads[-1].panels if len(loads) >= LEAST_PANEL else ():
        if all((known := load.panel(panel.by)) and known.names_each_row for load in loads):
            return panel
    return None


def _names(load: LoadSummary, by: str) -> frozenset[str]:
    panel = load.panel(by)
    return frozenset(panel.names if panel else ())


def shown_name(case: Case, panel: Panel, name: str) -> str:
    """A group's name, masked if its column is hidden."""
    return "•••" if case.hidden.intersection(panel.columns) else name


def called(panel: Panel) -> str:
    """The columns that name the groups, for people."""
    return ", ".join(panel.columns)


def steps_of(case: Case, panel: Panel, name: str) -> Steps | None:
    """A number of each group compared with its earlier ones; None if too few loads had it."""
    digits = max([0, *(digits for column in case.history.column(name) for digits in column.grains)])
    grain = 10.0**-digits
    loads = case.usual if panel.names_each_row else case.history.loads
    unit = max(grain, _size_of_both_signs(loads, panel, name))
    before = _scaled(loads, panel, name, unit)
    if len(before) <= LEAST_LOADS:
        return None
    now = panel.said(panel.names, name)
    y = np.arcsinh(now / unit)
    if not panel.names_each_row:
        few = np.array(panel.rows) < LEAST_ROWS
        found = case.surprise(before, np.where(few, np.nan, y), unit=grain / unit * _unit(before[-1]))
        beyond = (y > np.fmax.reduce(before, axis=0, initial=-np.inf)) | (
            y < np.fmin.reduce(before, axis=0, initial=np.inf)
        )
        chance = np.where(beyond, found.chance, 1.0)
        return Steps(name, now, found.expected, found.spread, chance, unit, grain, chance, len(before))
    moved = np.diff(before, axis=0)
    latest = _scaled((*case.latest[-_MENDED:], *case.usual[-1:]), panel, name, unit)
    if not len(latest):  # of changed rows some loads have too few to name them
        return None
    floor = _of_all_steps(moved[np.isfinite(moved)])
    found = case.surprise(moved, y - latest[-1], unit=grain / unit * _unit(before[-1]), floor=floor)
    # a number that is usual compared with a recent load is no news: the day after an error, and the day after a recount
    off = y - latest - found.expected
    since = max(1, sum(load.id > case.usual[-1].id for load in case.latest))  # loads that a trend has gone on for
    last = np.abs(y - latest[-1] - since * found.expected)
    nearest = np.nanargmin(np.where(np.isfinite(off), np.abs(off), np.inf), axis=0)
    groups = np.arange(len(panel.names))
    away = np.abs(off[nearest, groups])
    base = np.where(np.isfinite(latest[-1]), latest[-1], latest[nearest, groups])
    freedom = np.maximum(1.0, np.isfinite(moved).sum(axis=0) - 1.0)
    chance, lasting = (
        _chance(far, spread, freedom)
        for far, spread in ((away, found.spread), (last, found.spread * np.sqrt(1.0 + since)))
    )
    return Steps(name, now, base + found.expected, found.spread, chance, unit, grain, lasting, len(before))


def _size_of_both_signs(loads: Sequence[LoadSummary], panel: Panel, name: str) -> float:
    """The middle size of numbers of both signs, between which a step is no matter of factors; 0 if they have one."""
    numbers = np.sinh(_scaled(loads, panel, name, 1.0))
    return float(np.nanmedian(np.abs(numbers))) if (numbers < 0).any() and (numbers > 0).any() else 0.0


def _of_all_steps(moved: Figures) -> float:
    """The spread of the steps of all sources: of their squares, or of the farthest, if normal errors do not reach it.

    An account with one great payment has no spread of its own that would tell how great the next one may be.
    """
    squares = moved**2
    return float(np.sqrt(max(squares.mean(), squares.max() / (2 * log(len(moved) + 1))))) if len(moved) else 0.0


def _chance(away: Figures, spread: Figures, freedom: Figures) -> Figures:
    """The probability of each distance; 1 where it is unknown, or less than is worth a word."""
    judged = np.isfinite(away) & np.isfinite(spread) & (away > np.log1p(_LEAST_CHANGE))
    chance: Figures = np.where(
        judged, student(np.where(judged, away, 0.0) / np.where(judged, spread, 1.0), freedom), 1.0
    )
    return chance


def _unit(y: Figures) -> Figures:
    """A number's least step on the scale, at its present value."""
    steps: Figures = 1 / np.cosh(np.where(np.isfinite(y), y, 0.0))
    return steps


def _scaled(loads: Sequence[LoadSummary], panel: Panel, name: str, unit: float) -> Figures:
    """float64[loads, groups], for the loads that have the number by group."""
    there = [known for load in loads if (known := load.panel(panel.by)) and name in known.numbers]
    rows = [known.said(panel.names, name) for known in there]
    return np.arcsinh(np.array(rows, np.float64).reshape(len(rows), len(panel.names)) / unit)


def _is_sure(case: Case, panel: Panel, found: Steps, place: int, level: float) -> bool:
    """Whether the rows of a group lie apart from the usual by more than the rows of the other groups explain.

    Each row is taken beside its own group's usual number. Halfway to the group's new median lie at least half of its
    rows; by the share of the other rows that do, this is chance or not. A median of two kinds of numbers changes from
    one to the other if half of the rows do: the group's own share is at most the one with which that happens in one
    load of all so far, q = ½ - z·½/√n.
    """
    if panel.names_each_row:
        return bool(abs(found.scaled(found.now[place]) - found.expected[place]) > log1p(_LEAST_CHANGE))
    rows = case.found.sample
    places = {name: i for i, name in enumerate(panel.names)}
    groups = np.array([places[name] for name in names_of(rows, panel.columns)])
    away = found.scaled(numbers_of(rows[found.name])) - found.expected[groups]
    moved = float(found.scaled(found.now[place]) - found.expected[place])
    if abs(moved) <= log1p(_LEAST_CHANGE):
        return False
    as_far = away * np.sign(moved) >= abs(moved) / 2
    own, others = as_far[(groups == place) & np.isfinite(away)], as_far[(groups != place) & np.isfinite(away)]
    changing = 0.5 - NormalDist().inv_cdf(found.loads / (found.loads + 1)) / (2 * sqrt(max(1, len(own))))
    usual = max((others.sum() + 0.5) / (len(others) + 1), changing)
    return by_luck(float(own.mean()), float(len(own)), float(usual)) < level


def _anomaly(case: Case, panel: Panel, found: Steps, odd: Sequence[int], figures: int) -> Anomaly:
    usual = np.sinh(found.expected) * found.unit
    by = called(panel)
    shown = [shown_name(case, panel, panel.names[place]) for place in odd]
    numbers = [case.shown(found.name, _number(float(found.now[place]), found.grain)) for place in odd]
    cause = _explained(found, odd, numbers[0])
    is_now = "is" if panel.names_each_row else "is mostly about"
    said = [
        f"{found.name} of {by} {name} {is_now} {number}, usually about {_number(float(usual[place]), found.grain)}"
        for name, number, place in zip(shown, numbers, odd, strict=True)
    ]
    several = f"{found.name} is far from usual for {len(odd)} values of {by}: {listed(shown, 3)}"
    if cause and cause.said and len(odd) > 1:
        several = f"the values of {found.name} for {len(odd)} values of {by} {cause.said}: {listed(shown, 3)}"
    level = case.level / max(1, figures)
    return Anomaly(
        "source",
        said[0] if len(odd) == 1 else several,
        (found.name,),
        cause=cause.cause if cause else "",
        details=tuple(f"{line}." for line in said[:_MOST_SAID]) if len(odd) > 1 else (),
        suspect_rows=named(panel.columns, [panel.names[place] for place in odd]),
        magnitude=odds(float(found.chance[odd].min())) / odds(level),
        subject=f"{by} {shown[0]}" if len(odd) == 1 else "",
        whole_load=False,
        mended=_mended(found, cause) if cause else None,
        size=float(np.median(found.scaled(found.now[odd]) - found.expected[odd])),
        room=float(np.median(found.spread[odd])),
        values=values_told(case, panel, shown),
    )


def values_told(case: Case, panel: Panel, shown: Sequence[str]) -> tuple[str, ...]:
    """The names of groups, if sentences may have them."""
    return () if case.hidden.intersection(panel.columns) else tuple(shown)


def _explained(found: Steps, odd: Sequence[int], shown: str) -> Undoing | None:
    """The change that explains the numbers of these groups; ``shown`` is how a sentence has the first."""
    now, expected, spread = found.now[odd], found.expected[odd], found.spread[odd]
    if not now.any():
        return Undoing("are 0", "0 instead of the value?", unknown, 0.0)
    if len(now) > 1 and not np.ptp(now):
        return Undoing(f"are the same number, {shown}", "no reading, or a default?", unknown, 0.0)
    if _are_of_other_rows(found, odd):
        return Undoing("are in other rows", "the numbers of other rows?", unknown, 0.0)

    def unusual(undone: Figures) -> float:
        away = np.abs(found.scaled(undone) - expected) / spread
        return float(np.sum(away**2) / 2) if (away <= USUAL).all() else np.inf

    return likeliest(WAYS, now, unusual)


def _are_of_other_rows(found: Steps, odd: Sequence[int]) -> bool:
    """Whether the numbers of these groups, or of all, are the expected ones in another order."""
    room = USUAL * float(found.spread[odd].max())
    known = np.flatnonzero(np.isfinite(found.now) & np.isfinite(found.expected))
    several = len(odd) > 1  # a single number resembles another one by chance
    return several and any(
        bool((np.abs(np.sort(found.scaled(found.now[of])) - np.sort(found.expected[of])) <= room).all())
        for of in (odd, known)
    )


def _number(number: float, unit: float) -> str:
    """A number in as many digits as its column has, seven at most."""
    return f"{float(f'{round(number / unit) * unit:.7g}'):,.10g}"


def _mended(found: Steps, cause: Undoing) -> Callable[[Values], Values]:
    """Gives a row's number with the change undone."""

    def mended(row: Values) -> Values:
        text = row.get(found.name)
        right = float(cause.undo(np.array([float(text)]))[0]) if text else np.nan
        return {found.name: _number(right, found.grain).replace(",", "")} if np.isfinite(right) else {}

    return mended
