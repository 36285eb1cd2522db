"""The middle number of each group of a load's rows: of a store's receipts, of a station's hours.

If a station and an hour name each row, the number of a row is compared with the usual number of its name, and with the
other stations on the same day: a median polish (Tukey, Exploratory Data Analysis, 1977, chapter 11). So neither a quiet
hour nor a quiet day makes a station unusual.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log1p, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from profiling_core.algorithms.batch_anomalies.anomaly import LEAST_CHANGE, Case
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.sources import LEAST_ROWS, MOST_GROUPS, Panel, names_of, numbers_of
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, Figures, by_luck, pooled
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# Of fewer groups none says what the others did on the day.
_LEAST_GROUPS = 3
Groups = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Steps:
    """One number of a load by group: its values, expected values, spreads and probabilities, all on its own scale.

    ``unit`` is where the scale becomes logarithmic, ``grain`` the least step that the digits allow.
    ``lasting`` are the probabilities beside the last usual load alone, whatever odd ones came since; ``loads`` is the
    number of earlier loads. ``away`` gives each row's group and its distance from what is usual in it, on the scale
    (None: each row is a group of its own).
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
    away: Callable[[], tuple[Groups, Figures]] | None = None

    def scaled(self, number: Figures | float) -> Figures:
        """A number on the scale of steps: logarithmic, except where it is small compared with its least step."""
        return np.arcsinh(np.asarray(number, np.float64) / self.unit)


@dataclass(frozen=True, slots=True)
class Scaled:
    """A number by group on its own scale: float64[loads, groups] of the loads before, and float64[groups] of now."""

    before: Figures
    now: Figures
    unit: float
    grain: float

    @property
    def step(self) -> Figures:
        """float64[groups]: the number's least step on the scale, at its latest value."""
        return self.grain / self.unit * unit_at(self.before[-1])


def scaled(case: Case, panel: Panel, name: str, loads: Sequence[LoadSummary]) -> Scaled | None:
    """A number by group in these loads and now; None if too few loads had it."""
    digits = max([0, *(digits for column in case.history.column(name) for digits in column.grains)])
    grain = 10.0**-digits
    unit = max(grain, _size_around_zero(loads, panel, name))
    before = on_scale(loads, panel, name, unit)
    if len(before) <= LEAST_LOADS:
        return None
    return Scaled(before, np.arcsinh(panel.said(panel.names, name) / unit), unit, grain)


def of_groups(case: Case, panel: Panel, name: str) -> Iterator[tuple[Panel, Steps]]:
    """The median of each group compared with its earlier ones; none if too few loads had it."""
    known = scaled(case, panel, name, case.history.loads)
    if known is None:
        return
    found = replace(known, now=np.where(np.array(panel.rows) < LEAST_ROWS, np.nan, known.now))

    def away() -> tuple[Groups, Figures]:
        places = {one: i for i, one in enumerate(panel.names)}
        groups = np.array([places[one] for one in names_of(case.found.sample, panel.columns)])
        numbers = np.arcsinh(numbers_of(case.found.sample[name]) / found.unit)
        return groups, numbers - steps.expected[groups]

    steps = _beside(case, name, found, panel.said(panel.names, name), away)
    yield panel, steps


def of_cells(case: Case, panel: Panel, name: str) -> Iterator[tuple[Panel, Steps]]:
    """The groups of a panel whose names are those of several columns, by each of these: a station's hours.

    A time makes no groups: the sun goes down at another hour next week.
    """
    found = scaled(case, panel, name, case.history.loads) if len(panel.columns) > 1 else None
    if found is not None:
        for column in panel.columns:
            if case.schema.column(column).type.type_class is not TypeClass.TEMPORAL:
                yield from _of_cells_by(case, panel, found, name, column)


def _of_cells_by(case: Case, panel: Panel, found: Scaled, name: str, column: str) -> Iterator[tuple[Panel, Steps]]:
    """The groups of one column; none if they are too few to be compared, or too many."""
    cells = np.argsort(np.array(names_of(case.found.sample, panel.columns), np.str_))
    own = np.array(names_of(case.found.sample, (column,)), np.str_)[cells]
    names, groups = np.unique(own, return_inverse=True)
    if not _LEAST_GROUPS <= len(names) <= MOST_GROUPS:
        return
    rest = np.vstack([found.before, found.now]) - _median(found.before[-LATEST:], axis=0)
    rest -= _median(_medians(rest, groups, len(names)), axis=1)[:, None]
    polished = _medians(rest, groups, len(names))
    numbers = _medians(np.sinh(found.now)[None] * found.unit, groups, len(names))[0]
    level = np.arcsinh(numbers / found.unit) - polished[-1]

    def away() -> tuple[Groups, Figures]:
        return groups, rest[-1] - (steps.expected - level)[groups]

    # counters have gone on through the odd loads since the last usual one, each at its own pace
    loads = 1 + sum(load.id > case.history.loads[-1].id for load in case.latest)
    beside = replace(found, before=polished[:-1] + level, now=polished[-1] + level)
    steps = _beside(case, name, beside, numbers, away, loads)
    yield Panel(column, tuple(names.tolist()), tuple(np.bincount(groups).tolist()), {}), steps


def _medians(numbers: Figures, groups: Groups, count: int) -> Figures:
    """float64[loads, groups]: the median of each group's numbers; NaN: it has too few."""
    found = np.full((len(numbers), count), np.nan)
    for place in range(count):
        own = numbers[:, groups == place]
        enough = np.isfinite(own).sum(axis=1) >= LEAST_ROWS
        found[enough, place] = _median(own[enough], axis=1)
    return found


def _median(numbers: Figures, axis: int) -> Figures:
    """The median without NaN; NaN where nothing else is."""
    inorder = np.sort(numbers, axis=axis)
    count = np.isfinite(numbers).sum(axis=axis, keepdims=True)
    both = [np.take_along_axis(inorder, place, axis) for place in (np.maximum(0, count - 1) // 2, count // 2)]
    found: Figures = np.where(count > 0, (both[0] + both[1]) / 2, np.nan).squeeze(axis)
    return found


def _beside(
    case: Case,
    name: str,
    found: Scaled,
    numbers: Figures,
    away: Callable[[], tuple[Groups, Figures]],
    loads: int = 1,
) -> Steps:
    """The numbers of groups beside those before; what some load so far had is no surprise.

    They may have moved by the steps of as many ``loads``.
    """
    before, now = found.before, found.now
    moved = np.diff(before, axis=0)
    # a price that never changed may still change as the others of its column have
    still = np.fmax.reduce(np.abs(moved), axis=0, initial=0.0) < found.step
    floor = np.where(still, pooled(moved), 0.0)
    known = case.surprise(before, now, unit=found.step, floor=floor)
    if loads > 1:
        known = case.surprise(before, known.expected + (now - known.expected) / loads, unit=found.step, floor=floor)
    most, least = np.fmax.reduce(before, axis=0, initial=-np.inf), np.fmin.reduce(before, axis=0, initial=np.inf)
    chance = np.where((now > most) | (now < least), known.chance, 1.0)
    return Steps(
        name, numbers, known.expected, known.spread, chance, found.unit, found.grain, chance, len(before), away
    )


def is_sure(found: Steps, place: int, level: float) -> bool:
    """Whether the rows of a group lie apart from the usual by more than the rows of the other groups explain.

    Each row is taken beside its own group's usual number. Halfway to the group's new median lie at least half of its
    rows; by the share of the other rows that do, this is chance or not. A median of two kinds of numbers changes from
    one to the other if half of the rows do: the group's own share is at most the one with which that happens in one
    load of all so far, q = ½ - z·½/√n.
    """
    moved = float(found.scaled(found.now[place]) - found.expected[place])
    if abs(moved) <= log1p(LEAST_CHANGE):
        return False
    if found.away is None:
        return True
    groups, away = found.away()
    as_far = away * np.sign(moved) >= abs(moved) / 2
    own, others = as_far[(groups == place) & np.isfinite(away)], as_far[(groups != place) & np.isfinite(away)]
    changing = 0.5 - NormalDist().inv_cdf(found.loads / (found.loads + 1)) / (2 * sqrt(max(1, len(own))))
    usual = max((others.sum() + 0.5) / (len(others) + 1), changing)
    return by_luck(float(own.mean()), float(len(own)), float(usual)) < level


def on_scale(loads: Sequence[LoadSummary], panel: Panel, name: str, unit: float) -> Figures:
    """float64[loads, groups], for the loads that have the number by group."""
    there = [known for load in loads if (known := load.panel(panel.by)) and name in known.numbers]
    rows = [known.said(panel.names, name) for known in there]
    return np.arcsinh(np.array(rows, np.float64).reshape(len(rows), len(panel.names)) / unit)


def unit_at(y: Figures) -> Figures:
    """A number's least step on the scale, at its present value."""
    steps: Figures = 1 / np.cosh(np.where(np.isfinite(y), y, 0.0))
    return steps


def _size_around_zero(loads: Sequence[LoadSummary], panel: Panel, name: str) -> float:
    """The middle size of numbers on both sides of zero, or of groups that are at it at times; 0 of others.

    Between signs, and to or from zero, a step is no matter of factors: some pay nothing, and others five. A station's
    quiet hours are near zero each night, where factors matter.
    """
    numbers = np.sinh(on_scale(loads, panel, name, 1.0))
    sizes = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    around = ((numbers > 0).any() and (numbers < 0).any()) or (not panel.names_each_row and (numbers == 0).any())
    return float(np.median(sizes)) if around and len(sizes) else 0.0
