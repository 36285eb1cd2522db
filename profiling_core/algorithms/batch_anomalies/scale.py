"""Whether numbers have their usual size, and if not, which change, undone, makes them usual.

The size is the median of the logarithms. A unit, a decimal point, a sign or a constant moves all numbers alike; their
spread, digits and signs tell these changes apart. Other columns show whether two were exchanged.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, SuspectRows, Values, everywhere, values_of
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, series
from profiling_core.algorithms.batch_anomalies.joint import sizes_of
from profiling_core.algorithms.batch_anomalies.sketch import grains_of
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, offset, times, unknown
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.roles.names import identifies, words
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# Tolerances, in doublings, between the usual size and the size after undoing: for a small shift (below _SMALL
# doublings), for any shift, and their upper limits, half the way to the next factor; with few digits the last one.
_CLOSE, _NEAR, _SMALL, _FARTHEST, _FARTHEST_BY_DIGITS = 0.06, 0.15, 3.0, 0.6, 1.0
# Numbers with fewer digits after the point than this identify a factor by their digits.
_MANY_DIGITS = 4
# Without an explanation, sizes have to be off by this many doublings.
_FAR = 1.5
# They also have to be this much less likely than the budget.
_SURER = 1e-3
# A change that moves all sizes alike may change the distance of quartiles by this many doublings, or this many standard
# deviations.
_SAME_SPREAD, _USUAL = 0.25, 3.0
# The distance of the quartiles of a normal distribution, in standard deviations.
_HALF_OF_QUARTILES = 1.35
# For numbers on both sides of zero (delays, degrees) smaller shifts, in doublings, are natural variation.
_GREAT = 4.5
# The share of rows on either side of zero from which a column has both signs.
_SIDE = 0.02
# The middle of few values may move by this multiple of the standard error of its rank.
_SURELY = 4.0
# A column has another one's values if this share of its rows does, with at least this many different values.
_COPIED, _LEAST_COPIED = 0.9, 3


@dataclass(frozen=True, slots=True)
class _Sized:
    """A column of numbers with unusual sizes: its numbers, and the expected size."""

    name: str
    numbers: Figures
    expected: float
    spread: float
    chance: float
    usual: Sequence[ColumnSummary]

    @property
    def shift(self) -> float:
        """The shift of the size in doublings."""
        return _size(self.numbers) - self.expected

    @property
    def spreads(self) -> tuple[float, float]:
        """The usual distance between the quartiles of sizes, and the most it may differ for usual numbers."""
        known = [column.spread for column in self.usual if column.spread is not None] or [0.0]
        small = _SAME_SPREAD if abs(self.shift) < _SMALL else 2 * _SAME_SPREAD
        return float(np.median(known)), max(small, _USUAL * float(np.std(known)))

    @property
    def room(self) -> float:
        """How far a usual size may be from the expected one; further if digits identify the factor."""
        if abs(self.shift) < _SMALL:
            return _CLOSE
        return _FARTHEST_BY_DIGITS if self.finest < _MANY_DIGITS else min(_FARTHEST, max(_NEAR, 2 * self.spread))

    @property
    def finest(self) -> int:
        """The most digits after the point that numbers have had."""
        return max((max(column.grains) for column in self.usual if column.grains), default=_MANY_DIGITS)

    def unusual(self, numbers: Figures) -> float:
        """The description length of numbers in nats, given the usual ones; infinite if they are not usual."""
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers) or not numbers.any():
            return np.inf
        away = abs(_size(numbers) - self.expected)
        usual, room = self.spreads
        spread = abs(_spread(numbers) - usual)
        if away > self.room or spread > room or not self._has_usual_digits(numbers):
            return np.inf
        signs = self._unusual_sign(numbers)
        return float((away / max(_CLOSE, self.spread)) ** 2 / 2 + (_USUAL * spread / room) ** 2 / 2 + signs)

    def _has_usual_digits(self, numbers: Figures) -> bool:
        return self.finest >= _MANY_DIGITS or int(grains_of(numbers).max()) <= self.finest

    def _unusual_sign(self, numbers: Figures) -> float:
        """The cost of more or fewer negative numbers than ever: a nat for each tenth of the rows."""
        shares = [column.negative / column.rows for column in self.usual if column.rows]
        now = float((numbers < 0).mean())
        return 10 * max(0.0, now - max(shares, default=1.0), min(shares, default=0.0) - now)


def judge(case: Case) -> Iterator[Anomaly]:
    """The unusual size of each number, with its explanation."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    sized = [found for name in names if not tells_of_loads(case, name) if (found := _sized(case, name))]
    odd = [found for found in sized if found.chance < case.level / len(names)]
    told: set[str] = set()
    for found in odd:
        others = [other for other in sized if other is not found]
        for anomaly in _anomaly(case, found, others, case.level / len(names)) if found.name not in told else ():
            told |= set(anomaly.columns) if anomaly.kind == "exchange" else set()
            yield anomaly


def _sized(case: Case, name: str) -> _Sized | None:
    now, before = case.summary.columns[name], case.history.column(name)
    if now.size is None or len(before) < LEAST_LOADS:
        return None
    spread = float(np.median([column.spread for column in before if column.spread is not None] or [0.0]))
    noise = 1.25 * spread / _HALF_OF_QUARTILES / np.sqrt(now.rows)
    sizes = series([column.size] for column in before)
    found = case.surprise(sizes, np.array([now.size]), unit=1 / 16, floor=noise)
    numbers = _numbers(case, name)
    within = np.fmin.reduce(sizes, axis=None) - _NEAR <= now.size <= np.fmax.reduce(sizes, axis=None) + _NEAR
    chance = 1.0 if within or not numbers.any() else float(found.chance[0])
    return _Sized(name, numbers, float(found.expected[0]), float(found.spread[0]), chance, before)


def _numbers(case: Case, name: str) -> Figures:
    """float64[n]: the sample's finite numbers in a column."""
    numbers = doubles(present(case.found.sample[name]).drop_null()).to_numpy()
    finite: Figures = numbers[np.isfinite(numbers)]
    return finite


def _size(numbers: Figures) -> float:
    """The median size, in doublings."""
    return float(np.median(np.log2(np.abs(numbers[numbers != 0]))))


def _spread(numbers: Figures) -> float:
    return float(np.subtract(*np.percentile(np.log2(np.abs(numbers[numbers != 0])), (75, 25))))


def _anomaly(case: Case, found: _Sized, others: Sequence[_Sized], level: float) -> Iterator[Anomaly]:
    if exchanged := next((other for other in others if _are_exchanged(case, found, other)), None):
        yield _exchange(found, exchanged, level)
        return
    name, shift, way = found.name, found.shift, _copied(case, found, others)
    if way is None and (_moves_by_itself(case, found) or (shift < 0 and _names_things(name))):
        return
    way = way or _undone(case, found)
    if way is None and (abs(shift) < _FAR or found.chance > _SURER * level):
        return
    yield _told(found, way, case.found.columns[name].rows, odds(found.chance) / odds(level))


def _told(found: _Sized, way: Undoing | None, rows: int, magnitude: float) -> Anomaly:
    what = way.said if way else f"are about {times(2.0**found.shift)} their usual size"
    return Anomaly(
        "scale",
        f"{values_of(rows, rows, found.name)} {what if rows > 1 else what.replace('are ', 'is ', 1)}",
        (found.name,),
        cause=way.cause if way else "",
        suspect_rows=_of_a_size(found.name),
        mended=_mended(found, way) if way and way.undo is not unknown else None,
        magnitude=magnitude,
        size=found.shift,
        room=max(_NEAR, found.spread),
    )


def _are_exchanged(case: Case, one: _Sized, other: _Sized) -> bool:
    """Whether two columns are odd and each lies nearer to the other's usual size than to its own."""
    if max(one.chance, other.chance) >= case.level / len(case.found.columns):
        return False
    pairs = ((one, other), (other, one))
    return all(
        (away := abs(_size(b.numbers) - a.expected)) < 3 * a.spread and away < abs(b.shift) / 3 for a, b in pairs
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


def _undone(case: Case, found: _Sized) -> Undoing | None:
    """The known change that explains a column's numbers; None: there is none."""
    usual = float(np.exp2(found.expected))
    ways = WAYS if _has_both_signs(case, found.name) else (*WAYS, offset(found.numbers, usual, found.finest))
    return likeliest(ways, found.numbers, found.unusual)


def _copied(case: Case, found: _Sized, others: Sequence[_Sized]) -> Undoing | None:
    """The explanation that a column has the values of another one; None: it has not."""
    sample = case.found.sample
    own = doubles(present(sample[found.name])).to_numpy(zero_copy_only=False)
    for other in others:
        same = own == doubles(present(sample[other.name])).to_numpy(zero_copy_only=False)
        if same.mean() >= _COPIED and len(np.unique(own[same])) >= _LEAST_COPIED:
            return Undoing(f"are those of {other.name}", f"{other.name} in place of {found.name}?", unknown, 0.0)
    return None


def _may_be_in_the_middle(found: _Sized) -> bool:
    """Whether, with few values, chance may have moved the middle from the usual value, which has come, too.

    The ranks between which the median lies by chance decide (Wilks, Order statistics, Bull. AMS 1948).
    """
    sizes = np.sort(np.log2(np.abs(found.numbers[found.numbers != 0])))
    rows, values = len(sizes), len(np.unique(sizes))
    if not rows or values * values > rows:
        return False
    reach = _SURELY * np.sqrt(rows) / 2
    low, high = sizes[max(0, int(rows / 2 - reach))], sizes[min(rows - 1, int(rows / 2 + reach))]
    return bool(low - _NEAR <= found.expected <= high + _NEAR)


def _moves_by_itself(case: Case, found: _Sized) -> bool:
    """Whether a shift is too small for numbers on both sides of zero, or is one of few values."""
    return (abs(found.shift) < _GREAT and _has_both_signs(case, found.name)) or _may_be_in_the_middle(found)


def _mended(found: _Sized, way: Undoing) -> Callable[[Values], Values]:
    """Gives a row's number with the change undone, in as many digits as the column usually has."""

    def mended(row: Values) -> Values:
        text = row.get(found.name)
        right = float(way.undo(np.array([float(text)]))[0]) if text else np.nan
        return {found.name: f"{round(right, max(0, found.finest)):.10g}"} if np.isfinite(right) else {}

    return mended


def _of_a_size(name: str) -> SuspectRows:
    """The rows with a number other than zero, which is the same in any unit."""
    return lambda rows: np.isfinite(sizes_of(rows[name]))


def _names_things(name: str) -> bool:
    """Whether a column is called as identifiers are; smaller identifiers than usual are earlier ones."""
    return identifies(words(name))


def _has_both_signs(case: Case, name: str) -> bool:
    """Whether rows have come on either side of zero."""
    before = case.history.column(name)
    negative, rows = sum(column.negative for column in before), sum(column.rows for column in before)
    return _SIDE * rows < negative < (1 - _SIDE) * rows


def tells_of_loads(case: Case, name: str) -> bool:
    """Whether it has mostly been the same throughout a load."""
    before = case.history.column(name)
    return 2 * sum(column.one_value for column in before) > len(before)
