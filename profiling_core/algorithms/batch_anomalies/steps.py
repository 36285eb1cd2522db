"""Whether each group of a load has about its earlier numbers, and whether all sources have come.

A source of one row is judged by its step from the load before, which a trend moves as always; a group of many by its
median. An unusual number is explained by the change that, undone, makes it usual: ten times as great, inverted, or
another source's.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from math import exp, log, log1p

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import LEAST_CHANGE, Anomaly, Case, Values, listed
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.medians import (
    Steps,
    is_sure,
    of_cells,
    of_groups,
    on_scale,
    scaled,
)
from profiling_core.algorithms.batch_anomalies.sources import (
    LEAST_PANEL,
    LEAST_ROWS,
    Panel,
    named,
    names_of,
)
from profiling_core.algorithms.batch_anomalies.spread import USUAL
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds, pooled, student
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, unknown
from profiling_core.algorithms.roles.names import tells_rows, words
from profiling_core.model.lesson import LEAST_LOADS

# An error is often corrected within this many loads; a number like that of one of these is no news.
_MENDED = 3
_MOST_SAID = 5
# A number that is wrong at random lies, in logarithms, anywhere between a millionth and a million times the right one.
_RANGE = 2 * log(1e6)
# A way explains numbers if it is at least four times likelier than that random ones resemble it by accident.
_BY_ACCIDENT = 0.2


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the numbers of each group, and reports missing sources."""
    case = case.of()
    yield from _twice(case)
    panels = panels_of_sources(case)
    every = [found for panel in panels for found in _steps(case, panel)]
    # rows and groups share the level equally, however many they are
    count = Counter[bool]()
    for panel, found in every:
        count[panel.names_each_row] += int(np.isfinite(found.expected).sum())
    best: dict[str, tuple[tuple[bool, int, int], Anomaly]] = {}
    for panel in panels[:1]:
        if panel.names_each_row:
            yield from _without_a_row(case.of(*panel.columns), panel)
    for panel, found in every:
        figures = len(count) * count[panel.names_each_row]
        far = _far(panel, found, case.level / max(1, figures))
        one = _anomaly(case, panel, found, far, figures) if far else _lasting(case, panel, found, figures)
        if one:
            told = (one.again, len(far), len(panel.columns)), one
            best[found.name] = min(best.get(found.name, told), told, key=lambda known: known[0])
    yield from (anomaly for _, anomaly in best.values())  # of the groupings that of the fewest odd groups and columns


def _far(panel: Panel, found: Steps, level: float) -> list[int]:
    """The groups that are far from usual; none if most groups with several rows are: that concerns the column."""
    far: list[int] = np.flatnonzero(found.chance < level).tolist()
    odd = [place for place in far if is_sure(found, place, level)]
    return odd if panel.names_each_row or 2 * len(odd) <= np.isfinite(found.expected).sum() else []


def _lasting(case: Case, panel: Panel, found: Steps, figures: int) -> Anomaly | None:
    """A level of most sources that goes on: it is far from the last usual load's, and near an odd one's since then."""
    level = case.level / max(1, figures)
    still = np.flatnonzero((found.lasting < level) & (found.chance >= level)).tolist()
    if 2 * len(still) <= np.isfinite(found.expected).sum():
        return None
    return replace(_anomaly(case, panel, replace(found, chance=found.lasting), still, figures), again=True)


def _steps(case: Case, panel: Panel) -> Iterator[tuple[Panel, Steps]]:
    """How far the numbers of groups are from their usual ones, and of a panel of several columns those of each.

    Codes and identifiers have no size: whichever is in the middle of a group's rows means nothing.
    """
    for name in panel.numbers:
        own = case.of(name)
        if panel.names_each_row:
            yield from ((panel, found) for found in (steps_of(own, panel, name),) if found)
        if not tells_rows(words(name)):
            yield from of_cells(own, panel, name) if panel.names_each_row else of_groups(own, panel, name)


def panels_of_sources(case: Case) -> list[Panel]:
    """The panels that mostly repeat earlier names; only those whose one column names each row, if there are some."""
    known = [panel for panel in case.summary.panels if _has_come(case, panel)]
    return [panel for panel in known if panel.names_each_row and len(panel.columns) == 1] or known


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
        size=-log1p(len(gone)),
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
    """A number of each row compared with its step from the load before; None if too few loads had it."""
    known = scaled(case, panel, name, case.usual)
    if known is None:
        return None
    before, y, unit, step = known.before, known.now, known.unit, known.step
    moved = np.diff(before, axis=0)
    latest = on_scale((*case.latest[-_MENDED:], *case.usual[-1:]), panel, name, unit)
    if not len(latest):  # of changed rows some loads have too few to name them
        return None
    floor = pooled(moved)
    found = case.surprise(moved, y - latest[-1], unit=step, floor=floor)
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
    now = panel.said(panel.names, name)
    return Steps(name, now, base + found.expected, found.spread, chance, unit, known.grain, lasting, len(before))


def _chance(away: Figures, spread: Figures, freedom: Figures) -> Figures:
    """The probability of each distance; 1 where it is unknown, or less than is worth a word."""
    judged = np.isfinite(away) & np.isfinite(spread) & (away > np.log1p(LEAST_CHANGE))
    chance: Figures = np.where(
        judged, student(np.where(judged, away, 0.0) / np.where(judged, spread, 1.0), freedom), 1.0
    )
    return chance


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

    rows = LEAST_ROWS if found.away else 1  # of each group at least
    by_accident = float(np.prod(2 * USUAL * spread / _RANGE)) ** rows
    return likeliest([way for way in WAYS if by_accident * exp(way.cost) < _BY_ACCIDENT], now, unusual)


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
