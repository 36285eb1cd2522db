"""Whether numbers are as large as usual, and spread as usual; if not, which change, undone, makes them so.

The size is the median of the logarithms, which follows trends and seasons; the spread is where numbers lie between
their usual deciles. A unit, a decimal point, a sign or a constant moves all numbers alike, or a part of them. Other
columns show whether two were exchanged, or one copied.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import (
    ALMOST_NONE,
    Anomaly,
    Case,
    Mask,
    SuspectRows,
    Values,
    everywhere,
    percent,
    so_many,
    values_of,
)
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, quantiles, series
from profiling_core.algorithms.batch_anomalies.joint import sizes_of
from profiling_core.algorithms.batch_anomalies.sketch import grains_of
from profiling_core.algorithms.batch_anomalies.sources import numbers_of
from profiling_core.algorithms.batch_anomalies.spread import USUAL, Spread, spread_of
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, offset, times, unknown
from profiling_core.algorithms.roles.names import identifies, words
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# The distance of the quartiles of a normal distribution in standard deviations, and the standard error of its median.
_HALF_OF_QUARTILES, _OF_MEDIAN = 1.35, 1.25
# A size is known to a step of a sixteenth of a doubling.
_STEP = 1 / 16
# Numbers with this many digits after the point are rounded, and their digits identify no factor.
_MANY_DIGITS = 4
# A column has another one's values if this share of its rows does, with at least this many different values.
_COPIED, _LEAST_COPIED = 0.9, 3


@dataclass(frozen=True, slots=True)
class _Sized:
    """A column's numbers; the expected size and its spread in doublings; how they are spread; and the chance of both.

    ``expected`` is NaN if the size is not judged: of columns on both sides of zero, or with few values, whose median is
    one or the other by chance.
    """

    name: str
    numbers: Figures
    expected: float
    spread: float
    chance: float
    usual: Sequence[ColumnSummary]
    mix: Spread | None

    @property
    def shift(self) -> float:
        """The shift of the size in doublings; 0: it is not judged."""
        return float(np.nan_to_num(_size(self.numbers) - self.expected))

    @property
    def finest(self) -> int:
        """The most digits after the point that numbers have had."""
        return max((max(column.grains) for column in self.usual if column.grains), default=_MANY_DIGITS)

    def unusual(self, numbers: Figures) -> float:
        """The description length of numbers in nats, given the usual ones; infinite if they are not usual."""
        if not len(numbers) or not np.isfinite(numbers).all() or not numbers.any():
            return np.inf
        away = float(np.nan_to_num((_size(numbers) - self.expected) / self.spread))
        finer = self.finest < _MANY_DIGITS and int(grains_of(numbers).max()) > self.finest
        if abs(away) > USUAL or finer:
            return np.inf
        return away**2 / 2 + (self.mix.unusual(numbers) if self.mix else 0.0)


def judge(case: Case) -> Iterator[Anomaly]:
    """The columns whose numbers have an unusual size or spread, with their explanation."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    sized = [found for name in names if not tells_of_loads(case, name) if (found := _sized(case, name))]
    level = case.level / max(1, len(names))
    told: set[str] = set()
    for found in sized:
        if found.chance < level and found.name not in told:
            others = [other for other in sized if other is not found]
            for anomaly in _anomaly(case, found, others, level):
                told |= set(anomaly.columns)
                yield anomaly


def _sized(case: Case, name: str) -> _Sized | None:
    """A column's numbers beside those before; None: it has none, or too few loads had some."""
    before = case.history.column(name)
    numbers = numbers_of(case.found.sample[name])
    numbers = np.repeat(numbers, case.found.copies)[np.isfinite(np.repeat(numbers, case.found.copies))]
    if len(before) < LEAST_LOADS or not len(numbers):
        return None
    mix = spread_of(case, name)
    expected, spread, chance = _size_of(case, name, before) if numbers.any() else (np.nan, 1.0, 1.0)
    chance = min(1.0, 2 * min(chance, mix.chance if mix else 1.0))
    return _Sized(name, numbers, expected, spread, chance, before, mix)


def _size_of(case: Case, name: str, before: Sequence[ColumnSummary]) -> tuple[float, float, float]:
    """The expected size, the spread of sizes, and the probability of the present one; NaN if it is not judged."""
    now = case.summary.columns[name]
    negative, rows = sum(column.negative for column in before), sum(column.rows for column in before)
    if now.size is None or 0 < negative < rows or now.distinct**2 <= now.rows:
        return np.nan, 1.0, 1.0
    apart = float(np.median([column.spread for column in before if column.spread is not None] or [0.0]))
    noise = _OF_MEDIAN * apart / _HALF_OF_QUARTILES / np.sqrt(now.rows)
    sizes = series([column.size] for column in before)
    found = case.surprise(sizes, np.array([now.size]), unit=_STEP, floor=noise)
    within = np.fmin.reduce(sizes, axis=None) - _STEP <= now.size <= np.fmax.reduce(sizes, axis=None) + _STEP
    chance = 1.0 if within else float(found.chance[0])
    return float(found.expected[0]), max(_STEP, float(found.spread[0])), chance


def _size(numbers: Figures) -> float:
    """The median size, in doublings."""
    return float(np.median(np.log2(np.abs(numbers[numbers != 0])))) if numbers.any() else np.nan


def _anomaly(case: Case, found: _Sized, others: Sequence[_Sized], level: float) -> Iterator[Anomaly]:
    magnitude = odds(found.chance) / odds(level)
    if exchanged := next((other for other in others if _are_exchanged(found, other, level)), None):
        yield _exchange(found, exchanged, level)
    elif found.shift < 0 and identifies(words(found.name)):
        return  # smaller identifiers than usual are earlier ones
    elif way := _copied(case, found, others) or _undone(found, np.ones(len(found.numbers), np.bool_)):
        rows = case.found.columns[found.name].rows
        yield _told(found, f"{values_of(rows, rows, found.name)} {way.said}", way, magnitude, None)
    elif found.mix is None and abs(found.shift) >= 1:
        yield _larger(case, found, magnitude)
    elif found.mix is not None and found.mix.chance < level:
        yield _of_a_part(case, found, found.mix, magnitude)


def _of_a_part(case: Case, found: _Sized, mix: Spread, magnitude: float) -> Anomaly:
    """More numbers than usual on one side: cut at a limit, of another size, or changed in a way that can be undone."""
    edge, above, usual = mix.farthest(found.numbers)
    there = found.numbers > edge if above else found.numbers < edge
    last = float(found.numbers.min() if above else found.numbers.max())
    share, at_end = float(there.mean()), found.numbers == last
    rows = mix.rows if there.all() else round(share * mix.rows)
    if at_end.sum() > 1 and at_end.mean() >= share - usual:  # what usually lies beyond is there
        said = f"{so_many(round(float(at_end.mean()) * mix.rows), mix.rows)} the same {found.name}"
        cut = Undoing("", "numbers cut at a limit, or a default?", unknown, 0.0)
        said = f"{said}, and none is {'less' if above else 'greater'}"
        return _told(found, said, cut, magnitude, lambda rows: numbers_of(rows[found.name]) == last)
    said = values_of(rows, mix.rows, found.name)
    if there.all() and abs(found.shift) >= 1:
        return _larger(case, found, magnitude)
    way = _undone(found, there)
    usually = "none" if usual < ALMOST_NONE else "nearly all" if usual > 1 - ALMOST_NONE else f"about {percent(usual)}"
    side = f"{'above' if above else 'below'} {case.shown(found.name, f'{edge:,.6g}')}"
    said = f"{said} {way.said if way else f'are {side} ({percent(share)}, usually {usually})'}"
    return _told(found, said, way, magnitude, None if there.all() else _beyond(found.name, edge, above=above))


def _larger(case: Case, found: _Sized, magnitude: float) -> Anomaly:
    rows = case.found.columns[found.name].rows
    said = f"{values_of(rows, rows, found.name)} are about {times(2.0**found.shift)} their usual size"
    return _told(found, said, None, magnitude, None)


def _told(found: _Sized, said: str, way: Undoing | None, magnitude: float, named: SuspectRows | None) -> Anomaly:
    one = " 1 " in f" {said}" or said.startswith("the ")
    return Anomaly(
        "scale" if named is None else "spread",
        said.replace(" are ", " is ", 1) if one else said,
        (found.name,),
        cause=way.cause if way else "",
        suspect_rows=named or _other_than_zero(found.name),
        mended=_mended(found, way) if way and way.undo is not unknown else None,
        magnitude=magnitude,
        size=found.shift,
        room=max(_STEP, found.spread),
    )


def _are_exchanged(one: _Sized, other: _Sized, level: float) -> bool:
    """Whether two columns are odd and each lies nearer to the other's usual size than to its own."""
    if max(one.chance, other.chance) >= level:
        return False
    pairs = ((one, other), (other, one))
    return all(
        (away := abs(_size(b.numbers) - a.expected)) < USUAL * a.spread and away < abs(b.shift) / 3 for a, b in pairs
    )


def _exchange(one: _Sized, other: _Sized, level: float) -> Anomaly:
    return Anomaly(
        "exchange",
        f"{one.name} has values of the size of {other.name}, and {other.name} of {one.name}",
        (one.name, other.name),
        cause="columns exchanged?",
        suspect_rows=everywhere,
        mended=lambda row: {one.name: row.get(other.name), other.name: row.get(one.name)},
        magnitude=odds(max(one.chance, other.chance)) / odds(level),
    )


def _undone(found: _Sized, there: Mask) -> Undoing | None:
    """The known change that explains these of a column's numbers; None: there is none."""

    def unusual(part: Figures) -> float:
        numbers = found.numbers.copy()
        numbers[there] = part
        return found.unusual(numbers)

    return likeliest((*WAYS, *(_offsets(found) if there.all() else ())), found.numbers[there], unusual)


def _offsets(found: _Sized) -> list[Undoing]:
    """The changes that added what lies between a decile of the load and the usual one."""
    known = [column.deciles for column in found.usual if column.deciles]
    if not known or len(np.unique(found.numbers)) < _LEAST_COPIED:  # one number may come from any other
        return []
    moved = np.array(quantiles(found.numbers)) - np.median(np.array(known), axis=0)
    return [offset(by) for by in dict.fromkeys(round(float(by), max(0, found.finest)) for by in moved) if by]


def _copied(case: Case, found: _Sized, others: Sequence[_Sized]) -> Undoing | None:
    """The explanation that a column has the values of another one; None: it has not."""
    own = numbers_of(case.found.sample[found.name])
    for other in others:
        same = own == numbers_of(case.found.sample[other.name])
        if same.mean() >= _COPIED and len(np.unique(own[same])) >= _LEAST_COPIED:
            return Undoing(f"are those of {other.name}", f"{other.name} in place of {found.name}?", unknown, 0.0)
    return None


def _mended(found: _Sized, way: Undoing) -> Callable[[Values], Values]:
    """Gives a row's number with the change undone, in as many digits as the column usually has."""

    def mended(row: Values) -> Values:
        text = row.get(found.name)
        right = float(way.undo(np.array([float(text)]))[0]) if text else np.nan
        return {found.name: f"{round(right, max(0, found.finest)):.10g}"} if np.isfinite(right) else {}

    return mended


def _other_than_zero(name: str) -> SuspectRows:
    """The rows with a number other than zero, which is the same in any unit."""
    return lambda rows: np.isfinite(sizes_of(rows[name]))


def _beyond(name: str, edge: float, *, above: bool) -> SuspectRows:
    return lambda rows: numbers_of(rows[name]) > edge if above else numbers_of(rows[name]) < edge


def tells_of_loads(case: Case, name: str) -> bool:
    """Whether it has mostly been the same throughout a load."""
    before = case.history.column(name)
    return 2 * sum(column.one_value for column in before) > len(before)
