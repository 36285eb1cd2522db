"""Whether numbers are as large as usual, and spread as usual; if not, which change, undone, makes them so.

The size is the median of the logarithms, which follows trends and seasons; the spread is where numbers lie between
their usual deciles. A unit, a decimal point, a sign or a constant moves all numbers alike, or a part of them. Other
columns show whether two were exchanged, or one copied.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, log2, sqrt

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import (
    ALMOST_NONE,
    Anomaly,
    Case,
    Mask,
    SuspectRows,
    Values,
    percent,
    values_of,
    with_a_value,
)
from profiling_core.algorithms.batch_anomalies.categories import mix_of
from profiling_core.algorithms.batch_anomalies.history import LEVELS, ColumnSummary, quantiles, series
from profiling_core.algorithms.batch_anomalies.mixes import of_the_whole
from profiling_core.algorithms.batch_anomalies.sketch import grains_of
from profiling_core.algorithms.batch_anomalies.sources import numbers_of
from profiling_core.algorithms.batch_anomalies.spread import Spread, spread_of
from profiling_core.algorithms.batch_anomalies.surprise import ERROR_RATE, Figures, by_luck, odds
from profiling_core.algorithms.batch_anomalies.undoing import (
    FACTOR,
    WAYS,
    Undoing,
    digit_lost,
    offset,
    scaled,
    unknown,
)
from profiling_core.algorithms.roles.names import identifies, words
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# Of a normal distribution: the distance of the quartiles in standard deviations, and √n standard errors of the first
# decile, the median and the last decile, which are √(p (1 - p)) / φ(z).
_HALF_OF_QUARTILES, _OF_QUANTILES = 1.35, np.array([1.71, 1.25, 1.71])
# A size is known to a step of a sixteenth of a doubling.
_STEP = 1 / 16
# Numbers with this many digits after the point are rounded, and their digits identify no factor.
_MANY_DIGITS = 4
# One change of several numbers is told from several unusual ones from this many on: fewer are like others by chance.
_SEVERAL = 3
# Another unit of numbers of few digits has as few digits.
_UNITS = frozenset(way.said for way in WAYS)
# The costs in nats of numbers that are cut, or rows that are missing, at an end; and of a part of the numbers, on
# either side of a decile.
_CUT, _OF_A_PART = 4.0, log(2 * len(LEVELS))
SURE = 3.0  # the magnitude of an explanation of broken rules
_TINY = 1e-300
_NO_SIZE = np.full(3, np.nan), np.ones(3), 1.0


@dataclass(frozen=True, slots=True)
class _Sized:
    """A column's numbers; the expected sizes and their spread in doublings; how they are spread; the chance of both.

    Sizes are those of the first decile, the middle and the last decile. ``expected`` is NaN if they are not judged: of
    columns on both sides of zero, or with few values, whose median is one or the other by chance.
    """

    name: str
    numbers: Figures
    expected: Figures
    spreads: Figures
    chance: float
    usual: Sequence[ColumnSummary]
    mix: Spread | None
    rows: int

    @property
    def usual_size(self) -> float:
        """The expected size of the middle number in doublings; NaN: it is not judged."""
        return float(self.expected[1])

    @property
    def spread(self) -> float:
        """The spread of that size."""
        return float(self.spreads[1])

    @property
    def shift(self) -> float:
        """The shift of that size; 0: it is not judged."""
        return float(np.nan_to_num(_size(self.numbers) - self.usual_size))

    @property
    def farthest(self) -> tuple[float, bool, float]:
        """The edge beyond which most more numbers lie than usual, whether that is above it, and the usual share."""
        return self.mix.farthest(self.numbers) if self.mix else (-np.inf, True, 0.0)

    @property
    def most_changed(self) -> tuple[float, bool, float]:
        """The same of the edge beyond which the share of the numbers is farthest from the usual, more or fewer."""
        return self.mix.most_changed(self.numbers) if self.mix else (-np.inf, True, 0.0)

    @property
    def sides(self) -> list[tuple[float, bool]]:
        """The edges beyond which numbers may have changed alone, and whether above: the farthest, and where all end."""
        usual = self.pooled
        ends = [(float(usual[0]), False), (float(usual[-1]), True)] if len(usual) else []
        return [self.farthest[:2], *ends]

    @property
    def pooled(self) -> Figures:
        """float64[n]: the numbers at the deciles of all usual loads, in rising order."""
        return np.sort(np.concatenate([[], *(column.deciles for column in self.usual)]))

    @property
    def middle(self) -> Figures:
        """float64[deciles]: the middle of the loads' deciles; empty: none has some."""
        known = [column.deciles for column in self.usual if column.deciles]
        middle: Figures = np.median(np.array(known), axis=0) if known else np.empty(0)
        return middle

    @property
    def finest(self) -> int:
        """The most digits after the point that numbers have had."""
        return max((max(column.grains) for column in self.usual if column.grains), default=_MANY_DIGITS)

    def length_undone(self, way: Undoing, there: Mask) -> float:
        """The description length of a change of these numbers and of what it leaves unusual; infinite: it is none."""
        undone = np.concatenate([self.numbers[~there], way.undo(self.numbers[there])])
        if not len(undone) or not np.isfinite(undone).all() or not undone.any():
            return np.inf
        finer = float(np.mean(grains_of(undone) > self.finest)) if way.said in _UNITS else 0.0
        return np.inf if self.finest < _MANY_DIGITS and finer > ERROR_RATE else self.length(undone) + way.cost

    def away(self, numbers: Figures) -> float:
        """How many spreads the farthest of their sizes is from the expected one; 0: sizes are not judged."""
        ends = quantiles(numbers)
        sizes = [log2(abs(ends[1]) or np.nan), _size(numbers), log2(abs(ends[-2]) or np.nan)]
        return float(np.nan_to_num(np.abs(np.array(sizes) - self.expected) / self.spreads).max())

    def length(self, numbers: Figures) -> float:
        """The description length of numbers in nats: of their size, of how they are spread, and of the commonest."""
        top = float(np.unique(numbers, return_counts=True)[1].max()) / len(numbers)
        usual = max(column.top for column in self.usual[-LEAST_LOADS:])
        luck = -log(max(_TINY, by_luck(top, len(numbers), usual))) if top > usual else 0.0
        return self.away(numbers) ** 2 / 2 + (self.mix.length(numbers) if self.mix else 0.0) + luck


def judge(case: Case) -> Iterator[Anomaly]:
    """The columns whose numbers have an unusual size or spread, with their explanation."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    names = [
        name for name in names if not identifies(words(name)) and not tells_of_loads(case, name)
    ]  # codes have no size
    level = case.level / max(1, len(names))
    for name in names:
        own = case.of(name)
        found = _sized(own, name)
        if found and found.chance < level:
            yield from _of_numbers(own, found, odds(found.chance) / odds(level))


def _sized(case: Case, name: str) -> _Sized | None:
    """A column's numbers beside those before; None: it has none, or too few loads had some."""
    before = case.history.column(name)
    numbers = numbers_of(case.found.sample[name])
    numbers = numbers[np.isfinite(numbers)]
    if len(before) < LEAST_LOADS or not len(numbers):
        return None
    mix = spread_of(case, name)
    expected, spread, chance = _size_of(case, name, before) if numbers.any() else _NO_SIZE
    of_names = mix_of(case, name)  # of few values it is judged how many rows have each
    of_mix = of_the_whole(case, of_names.before, of_names.now) if of_names else mix.chance if mix else 1.0
    chance = min(1.0, 2 * min(chance, of_mix))
    return _Sized(name, numbers, expected, spread, chance, before, mix, case.found.columns[name].rows)


def _size_of(case: Case, name: str, before: Sequence[ColumnSummary]) -> tuple[Figures, Figures, float]:
    """The expected sizes, their spreads, and the probability of the present ones; NaN if they are not judged.

    They are those of the first decile, the middle and the last decile: one of them has to be unusual. A tenth
    of the numbers that are 100 times too large move neither the middle one nor how many lie between the deciles.
    """
    now = case.summary.columns[name]
    negative, rows = sum(column.negative for column in before), sum(column.rows for column in before)
    if now.size is None or 0 < negative < rows or now.distinct**2 <= now.rows:
        return _NO_SIZE
    sizes, own = series(_sizes(column) for column in before), series(iter([_sizes(now)]))[0]
    apart = float(np.median([column.spread for column in before if column.spread is not None] or [0.0]))
    noise = _OF_QUANTILES * apart / _HALF_OF_QUARTILES / np.sqrt(now.rows)
    # the least step of a size is that of its number
    digits = max([0, *(digits for column in before for digits in column.grains)])
    least = np.fmin(own, np.fmin.reduce(sizes))
    step = np.fmax(_STEP, np.log2(1 + 10.0**-digits / 2**least))
    found = case.surprise(sizes, own, unit=step, floor=noise)
    within = (np.fmin.reduce(sizes) - _STEP <= own) & (own <= np.fmax.reduce(sizes) + _STEP)
    chance = min(1.0, len(own) * float(np.where(within, 1.0, found.chance).min()))
    return found.expected, np.maximum(_STEP, found.spread), chance


def _sizes(column: ColumnSummary) -> tuple[float | None, ...]:
    """The sizes of a column's first decile, middle and last decile, in doublings; None for zero."""
    ends = [log2(abs(x)) if x else None for x in column.deciles] or [None] * len(LEVELS)
    return ends[1], column.size, ends[-2]


def _size(numbers: Figures) -> float:
    """The median size, in doublings."""
    return float(np.median(np.log2(np.abs(numbers[numbers != 0])))) if numbers.any() else np.nan


def _of_numbers(case: Case, found: _Sized, magnitude: float) -> Iterator[Anomaly]:
    """The likeliest change of all numbers, or of those on the side where more than usual lie; else how many these are.

    All of them compete by their description lengths, with the load as it is, and as one of a new spread.
    """
    every = np.ones(len(found.numbers), np.bool_)
    changes: list[tuple[Undoing, Mask, SuspectRows | None]] = [(way, every, None) for way in (*WAYS, *_of_all(found))]
    for end, up in found.sides:
        there = found.numbers > end if up else found.numbers < end
        named = _beyond(found.name, float(end), above=up)
        if there.any() and not there.all():
            changes += [(replace(way, cost=way.cost + _OF_A_PART), there, named) for way in WAYS]
    lengths = [found.length_undone(way, part) for way, part, _ in changes]
    best = int(np.argmin(lengths))
    way, part, beyond = changes[best]
    rows = round(float(part.mean()) * found.rows)
    if lengths[best] >= min(found.length(found.numbers), _anew(len(every))):
        yield from _on_a_side(case, found, magnitude)
        return
    told = _told(found, f"{values_of(rows, found.rows, found.name)} {way.said}", way, magnitude, beyond)
    yield replace(told, kind="scale") if 2 * part.sum() > len(part) else told  # most numbers stand for the column


def _on_a_side(case: Case, found: _Sized, magnitude: float) -> Iterator[Anomaly]:
    """How many numbers are on the side whose share is farthest from the usual; none if chance explains that share."""
    edge, above, usual = found.most_changed
    there = found.numbers > edge if above else found.numbers < edge
    share = float(there.mean())
    if by_luck(share, len(there), usual) >= ERROR_RATE:
        return
    count = round(share * found.rows)
    said = values_of(count, found.rows, found.name) if count else f"no value of {found.name}"
    usually = "none" if usual < ALMOST_NONE else "nearly all" if usual > 1 - ALMOST_NONE else f"about {percent(usual)}"
    side = f"{'above' if above else 'below'} {case.shown(found.name, f'{edge:,.6g}')}"
    said = f"{said} {'are' if count else 'is'} {side} ({percent(share)}, usually {usually})"
    more = there.any() and not there.all() and share > usual
    yield _told(found, said, None, magnitude, _beyond(found.name, edge, above=above) if more else None)


def _anew(rows: int) -> float:
    """The cost of numbers of a new spread, or of new numbers if they are few: Schwarz's criterion for their deciles."""
    return min(FACTOR * rows, (len(LEVELS) - 1) / 2 * log(rows))


def _told(found: _Sized, said: str, way: Undoing | None, magnitude: float, named: SuspectRows | None) -> Anomaly:
    one = said.startswith(("1 value ", "the value "))
    return Anomaly(
        "scale" if way and named is None else "spread",  # a mere description explains nothing else
        said.replace(" are ", " is ", 1) if one else said,
        (found.name,),
        cause=way.cause if way else "",
        suspect_rows=named or _concerned(found.name, way),
        mended=_mended(found, way) if way and way.undo is not unknown else None,
        magnitude=magnitude,
        size=found.shift,
        room=max(_STEP, found.spread),
    )


def _of_all(found: _Sized) -> Iterator[Undoing]:
    """The changes of a column as a whole that depend on its numbers, or on the rows that came."""
    if abs(found.shift) >= 1:  # in log2: numbers that changed by less than a factor of 2 have no other unit
        factor = 2.0**found.shift
        yield scaled(factor, "", FACTOR)
    if found.finest == 0:
        yield digit_lost(found.numbers)
    yield from _offsets(found)
    numbers, most = found.numbers, max(column.rows for column in found.usual)
    for end, beyond, side in ((numbers.min(), np.less, "more"), (numbers.max(), np.greater, "less")):
        rest = found.pooled[beyond(found.pooled, end)]
        # beyond all inner deciles may be one row: nothing says how many usually are
        if beyond(found.middle[1:-1], end).any() and len(rest) < len(found.pooled):
            yield _cut(found, float(end), rest, side)
            if found.rows / (1 - len(rest) / len(found.pooled)) <= most + 2 * sqrt(most):  # as by chance
                yield _missing(found, float(end), rest, side)


def _cut(found: _Sized, end: float, rest: Figures, side: str) -> Undoing:
    """Numbers were cut at a limit; undone, as many as are there lie as usual beyond it."""
    same = int((found.numbers == end).sum())
    several = f"{round(same / len(found.numbers) * found.rows):,} of them the same"
    return Undoing(
        f"are {end:,.6g} or {side}, {several}",
        "numbers cut at a limit, or a default?",
        lambda x: np.concatenate([x[x != end], _as_usual(rest, same)]),
        _CUT,
        lambda x: x == end,
    )


def _missing(found: _Sized, end: float, rest: Figures, side: str) -> Undoing:
    """The rows with numbers beyond all that came are missing; undone, they are as many as usual."""
    share = len(rest) / len(found.pooled)
    rows = max(1, round(len(found.numbers) * share / (1 - share)))
    return Undoing(
        f"are {end:,.6g} or {side}: no rows came with the others, usually about {percent(share)}",
        "a query's limit, or a part of the file is missing?",
        lambda x: np.concatenate([x, _as_usual(rest, rows)]),
        _CUT,
        lambda x: np.zeros(len(x), np.bool_),
    )


def _as_usual(usual: Figures, rows: int) -> Figures:
    """float64[rows]: numbers that are spread as the usual ones."""
    return np.quantile(usual, (np.arange(rows) + 0.5) / max(1, rows), method="inverted_cdf")


def _offsets(found: _Sized) -> list[Undoing]:
    """The changes that added what lies between a decile of the load and the usual one."""
    if not len(found.middle) or len(np.unique(found.numbers)) < _SEVERAL:  # one number may come from any other
        return []
    moved = np.array(quantiles(found.numbers)) - found.middle
    return [offset(by) for by in dict.fromkeys(round(float(by), max(0, found.finest)) for by in moved) if by]


def _mended(found: _Sized, way: Undoing) -> Callable[[Values], Values]:
    """Gives a row's number with the change undone, in as many digits as the column usually has."""

    def mended(row: Values) -> Values:
        text = row.get(found.name)
        right = float(way.undo(np.array([float(text)]))[0]) if text else np.nan
        return {found.name: f"{round(right, max(0, found.finest)):.10g}"} if np.isfinite(right) else {}

    return mended


def _concerned(name: str, way: Undoing | None) -> SuspectRows:
    """The rows whose number a change concerns; of a factor those other than zero, which is the same in any unit."""
    if way is None:
        return with_a_value(name)
    there = way.there or (lambda x: x != 0)
    return lambda rows: np.isfinite(numbers_of(rows[name])) & there(numbers_of(rows[name]))


def _beyond(name: str, edge: float, *, above: bool) -> SuspectRows:
    return lambda rows: numbers_of(rows[name]) > edge if above else numbers_of(rows[name]) < edge


def tells_of_loads(case: Case, name: str) -> bool:
    """Whether it has mostly been the same throughout a load."""
    before = case.history.column(name)
    return 2 * sum(column.one_value for column in before) > len(before)
