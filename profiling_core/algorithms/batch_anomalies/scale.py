"""Whether numbers are of their usual size: all of them, or those of one group, times a factor that people know.

The size is the median of the logarithms. That all numbers moved by the factor between two units is the likelier cause,
the closer their sizes moved by just that.
"""

from collections.abc import Callable, Iterator, Sequence
from math import comb, log2

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, SuspectRows, Values, values_of
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, series
from profiling_core.algorithms.batch_anomalies.joint import BESIDE, codes_of, sizes_of
from profiling_core.algorithms.batch_anomalies.sketch import grains_of
from profiling_core.algorithms.batch_anomalies.surprise import Figures, Surprise, odds
from profiling_core.algorithms.batch_anomalies.undoing import FACTORS
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.roles.names import identifies, words
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# How near to a factor of some doublings a shift has to be; a small factor is one that others are close to. With a
# great one there is room for what chance makes of few rows, up to half the way to the next.
_CLOSE, _NEAR, _SMALL, _FARTHEST = 0.06, 0.15, 3.0, 0.6
# Of factors so near to a shift the digits tell one, where numbers have fewer than so many after the point.
_FARTHEST_BY_DIGITS, _MANY_DIGITS = 1.0, 4
# Without a factor that explains it, sizes have to be so many doublings off; groups are not judged then.
_FAR = 1.5
_SURER = 1e-3
# Another unit moves all sizes alike: the distance between quartiles stays, but for so many doublings.
_SAME_SPREAD = 0.25
_HALF_OF_QUARTILES = 1.35
# Sizes of numbers on both sides of zero (delays, degrees) vary by more than a small factor of their own accord.
_GREAT = 4.5
_SIDE = 0.02
# The size of a group moves by so many times what chance makes of its rows.
_SURELY = 4.0


def judge(case: Case) -> Iterator[Anomaly]:
    """The size of each number, and of the numbers in each group where a column as a whole is as usual."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    told = set()
    for name in names:
        if tells_of_loads(case, name):
            continue
        for odd in _whole(case, name, len(names)):
            told.add(name)
            yield odd
    yield from _in_groups(case, told)


def _whole(case: Case, name: str, among: int) -> Iterator[Anomaly]:
    now, before = case.summary.columns[name], case.history.column(name)
    if now.size is None or len(before) < LEAST_LOADS:
        return
    spread = _usual_spread(before)
    noise = 1.25 * spread / _HALF_OF_QUARTILES / np.sqrt(now.rows)
    sizes = series([column.size] for column in before)
    found = case.surprise(sizes, np.array([now.size]), unit=1 / 16, floor=noise)
    shift, chance = now.size - float(found.expected[0]), float(found.chance[0])
    if not chance < case.level / among:
        return
    factor, cause = _by_digits(case, name, shift) or named(shift, float(found.spread[0]))
    if not cause and (abs(shift) < _FAR or chance > _SURER * case.level / among):
        return
    within = np.nanmin(sizes) - _NEAR <= now.size <= np.nanmax(sizes) + _NEAR
    if within or _moves_by_itself(case, name, shift, spread) or (shift < 0 and _names_things(name)):
        return
    yield Anomaly(
        "scale",
        f"{values_of(now.rows, now.rows, name)} are about {times(shift, factor)} their usual size",
        (name,),
        cause=cause,
        suspect_rows=_of_a_size(name),
        mended=_in_usual_size(case, name, factor if shift > 0 else 1 / factor) if cause else None,
        magnitude=odds(chance) / odds(case.level / among),
        size=shift,
        room=max(_NEAR, float(found.spread[0])),
    )


def _may_be_in_the_middle(case: Case, name: str, usual: float) -> bool:
    """Whether, of few values, chance may have put another one in the middle than the usual one, which has come, too.

    The ranks between which the middle of so many rows lies tell (Wilks, Order statistics, Bull. AMS 1948).
    """
    sizes = sizes_of(case.found.sample[name])
    sizes = np.sort(sizes[np.isfinite(sizes)])
    rows, values = len(sizes), len(np.unique(sizes))
    if not rows or values * values > rows:
        return False
    reach = _SURELY * np.sqrt(rows) / 2
    low, high = sizes[max(0, int(rows / 2 - reach))], sizes[min(rows - 1, int(rows / 2 + reach))]
    return bool(low - _NEAR <= usual <= high + _NEAR)


def _usual_spread(before: Sequence[ColumnSummary]) -> float:
    return float(np.median([column.spread for column in before if column.spread is not None] or [0.0]))


def _moves_by_itself(case: Case, name: str, shift: float, usual: float) -> bool:
    """Whether a shift is too small for numbers on both sides of zero, or is one of few values, or of their spread."""
    now = case.summary.columns[name]
    if abs(shift) < _GREAT and _has_both_signs(case, name):
        return True
    if _may_be_in_the_middle(case, name, (now.size or 0.0) - shift):
        return True
    away = abs((now.spread or 0.0) - usual)
    return abs(shift) < _SMALL and away > max(_SAME_SPREAD, 0.2 * usual)


def _in_usual_size(case: Case, name: str, factor: float) -> Callable[[Values], Values]:
    """What a row's number would be without the factor, in as many digits as numbers usually have here."""
    finest = max((max(column.grains) for column in case.history.column(name) if column.grains), default=_MANY_DIGITS)

    def mended(row: Values) -> Values:
        text = row.get(name)
        return {name: f"{round(float(text) / factor, max(0, finest)):.10g}"} if text else {}

    return mended


def _of_a_size(name: str) -> SuspectRows:
    """The rows that have a number other than zero, which is the same in any unit."""
    return lambda rows: np.isfinite(sizes_of(rows[name]))


def _names_things(name: str) -> bool:
    """Whether a column is called as identifiers are: smaller ones than usual are the earlier ones."""
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


def named(shift: float, spread: float) -> tuple[float, str]:
    """The factor between units that a shift by so many doublings is nearest to, and what it is; else itself, and ""."""
    away, factor = min((abs(abs(shift) - log2(factor)), factor) for factor in FACTORS)
    room = _CLOSE if abs(shift) < _SMALL else min(_FARTHEST, max(_NEAR, 2 * spread))
    return (factor, FACTORS[factor]) if away < room else (2.0 ** abs(shift), "")


def _by_digits(case: Case, name: str, shift: float) -> tuple[float, str] | None:
    """The one factor not far away without which all numbers have their usual digits, where they have few; else None."""
    usual = [max(column.grains) for column in case.history.column(name) if column.grains]
    numbers = doubles(present(case.found.sample[name]).drop_null()).to_numpy()
    if max(usual, default=_MANY_DIGITS) >= _MANY_DIGITS or not len(numbers):
        return None
    near = [factor for factor in FACTORS if abs(abs(shift) - log2(factor)) < _FARTHEST_BY_DIGITS]
    fit = [f for f in near if grains_of(numbers / f if shift > 0 else numbers * f).max() <= max(usual)]
    return (fit[0], FACTORS[fit[0]]) if len(fit) == 1 and len(near) > 1 else None


def times(shift: float, factor: float) -> str:
    """``100 times``, ``1/60 of``."""
    text = f"{factor:,.0f}" if factor >= 10 else f"{factor:.2f}".rstrip("0").rstrip(".")
    return f"{text} times" if shift > 0 else f"1/{text} of"


def _in_groups(case: Case, told: set[str]) -> Iterator[Anomaly]:
    alone = (tells_of_loads, _has_both_signs, lambda _, name: _names_things(name))
    told |= {name for name in case.found.columns if any(is_so(case, name) for is_so in alone)}
    groups = [group for group in case.summary.groups if group.split(BESIDE)[2] not in told]
    if not groups or len(case.history.loads) < LEAST_LOADS:
        return
    sizes = series([load.groups.get(group) for group in groups] for load in case.history.loads)
    now = np.array([case.summary.groups[group] for group in groups])
    found = case.surprise(sizes, now, unit=1 / 16)
    highest = np.nanmax(np.where(np.isfinite(sizes), sizes, -np.inf), axis=0)
    lowest = np.nanmin(np.where(np.isfinite(sizes), sizes, np.inf), axis=0)
    beyond = (now > highest + _NEAR) | (now < lowest - _NEAR)
    best: dict[str, tuple[float, Anomaly]] = {}
    for place in np.flatnonzero(beyond & (found.chance < case.level / len(groups))).tolist():
        name, chance = groups[place].split(BESIDE)[2], float(found.chance[place])
        odd = _odd_group(case, groups, found, place, float(now[place]))
        if odd and chance < best.get(name, (1.0,))[0]:
            best[name] = chance, odd
    yield from (odd for _, odd in best.values())


def _odd_group(case: Case, groups: Sequence[str], found: Surprise, place: int, now: float) -> Anomaly | None:
    """What is said of a group's size, if a factor explains it and chance does not."""
    by, value, name = groups[place].split(BESIDE)
    shift, level = now - float(found.expected[place]), case.level / len(groups)
    factor, cause = named(shift, float(found.spread[place]))
    if not cause or abs(shift) <= _SURELY * _noise(case, by, value, name):
        return None
    if _by_luck(case, groups, found.expected, place, shift) >= level:
        return None
    return Anomaly(
        "scale",
        f"the values of {name} with {by} {case.shown(by, value)} are about {times(shift, factor)} their usual size",
        (name, by),
        cause=cause,
        suspect_rows=_rows_of(by, value, name),
        mended=_in_usual_size(case, name, factor if shift > 0 else 1 / factor),
        magnitude=odds(float(found.chance[place])) / odds(level),
        subject=f"{by} {case.shown(by, value)}",
        size=shift,
        room=max(_NEAR, float(found.spread[place])),
    )


def _by_luck(case: Case, groups: Sequence[str], expected: Figures, place: int, shift: float) -> float:
    """The chance that so many rows of a group lie half of the shift away, were they as those of the other groups."""
    by, own, name = groups[place].split(BESIDE)
    usual = {group.split(BESIDE)[1]: expected[i] for i, group in enumerate(groups) if _is_beside(group, by, name)}
    values, codes = codes_of(case.found.sample[by])
    middles = np.array([*(usual.get(value, np.nan) for value in values), np.nan])[codes]
    away = (sizes_of(case.found.sample[name]) - middles) * np.sign(shift)
    there, mine = np.isfinite(away), codes == values.index(own)
    far = away > abs(shift) / 2
    share = (1 + (far & there & ~mine).sum()) / (2 + (there & ~mine).sum())
    rows, beyond = int((there & mine).sum()), int((far & mine).sum())
    return float(sum(comb(rows, k) * share**k * (1 - share) ** (rows - k) for k in range(beyond, rows + 1)))


def _is_beside(group: str, by: str, name: str) -> bool:
    column, _, number = group.split(BESIDE)
    return column == by and number == name


def _noise(case: Case, by: str, value: str, name: str) -> float:
    """What chance makes of the median size of so few rows, as a standard deviation in doublings."""
    sizes = sizes_of(case.found.sample.filter(_alike(case.found.sample, by, value))[name])
    sizes = sizes[np.isfinite(sizes)]
    quartiles = float(np.subtract(*np.percentile(sizes, (75, 25)))) if len(sizes) else 0.0
    return float(1.25 * quartiles / _HALF_OF_QUARTILES / np.sqrt(max(1, len(sizes))))


def _alike(rows: pa.Table, by: str, value: str) -> Mask:
    alike: Mask = pc.fill_null(pc.equal(rows[by].cast(pa.string()), value), fill_value=False).to_numpy()
    return alike


def _rows_of(by: str, value: str, name: str) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        return _alike(rows, by, value) & _of_a_size(name)(rows)

    return suspect_rows
