"""Whether a load's times fit its moment: their first, middle and last, and how many rows each hour of the day has.

A delta's times are measured from the moment that its id names, else from where the load before ended.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import (
    Anomaly,
    Case,
    listed,
    percent,
    values_of,
    with_a_value,
)
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, series
from profiling_core.algorithms.batch_anomalies.mixes import UsualMix, of_the_whole
from profiling_core.algorithms.batch_anomalies.sketch import HOUR, Counts, micros_of
from profiling_core.algorithms.batch_anomalies.surprise import Figures, Surprise, odds
from profiling_core.model.delta_ids import moment_of
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_HOUR, _DAY = 1, 24
# The shifts that are tried, the least first: half a day either way.
_TURNS = sorted((by for by in range(-_DAY // 2 + 1, _DAY // 2 + 1) if by), key=abs)


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges each column of dates or times."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.TEMPORAL]
    for name in names:
        case = case.of(name)
        now, before = case.summary.columns[name], case.history.column(name)
        if now.hours is None or len(before) < LEAST_LOADS or any(c.hours is None for c in before if c.rows):
            continue
        yield from list(_shifted(case, name, now, len(names))) or _by_hour(case, name, len(names))


def _shifted(case: Case, name: str, now: ColumnSummary, among: int) -> Iterator[Anomaly]:
    level = case.level / among
    ends = _ends(case, name)
    found = case.surprise(ends[:-1], ends[-1], unit=_unit(ends))
    moved = ends[-1] - found.expected
    apart = (ends[-1] < np.fmin.reduce(ends[:-1])) | (ends[-1] > np.fmax.reduce(ends[:-1]))
    chance = float(np.median(found.chance))
    if chance < level and ((apart[1] and _together(moved)) or (apart[0] and apart[2] and _by_its_ends(moved, found))):
        hours = float(np.median(moved))
        if _is_usual_by_clocks(case, name, found, ends, level):
            return
        exchanged = _is_swapped(case, name, now)
        yield Anomaly(
            "moments",
            f"{values_of(now.rows, now.rows, name)} {'is' if now.rows == 1 else 'are'} about {duration(hours)} "
            f"{'later' if hours > 0 else 'earlier'} than usual",
            (name,),
            cause="day and month exchanged?" if exchanged else zone(hours),
            suspect_rows=with_a_value(name),
            magnitude=odds(chance) / odds(level),
            size=hours,
            room=float(np.median(found.spread)),
        )


def _by_hour(case: Case, name: str, among: int) -> Iterator[Anomaly]:
    """Hours of the day with other shares of the rows than usual, and the shift that, undone, makes them usual."""
    before = np.array([_hours_of_day(column) for column in case.history.column(name)])
    now = _hours_of_day(case.summary.columns[name])
    if np.median((before > 0).sum(axis=1)) < 2 or len(before) != len(case.history.loads):
        return
    level, usual = case.level / among, UsualMix.best(before, case.history.seasons(case.id))
    chance = of_the_whole(case, before, now)
    if chance >= level:
        return
    mixes = [now, *(np.roll(now, -by) for by in _TURNS)]
    apart, *turned = (float(usual.distances(np.vstack([before, mix]), len(before))[-1]) for mix in mixes)
    found = Anomaly("moments", "", (name,), magnitude=odds(chance) / odds(level))
    if min(turned) <= np.fmax.reduce(usual.distances(before)):
        by, rows = _TURNS[int(np.argmin(turned))], int(now.sum())
        if _has_usual_hours_by_clocks(case, name, usual, before, now, level):
            return
        said = f"{values_of(rows, rows, name)} are about {duration(by)} {'later' if by > 0 else 'earlier'} than usual"
        yield replace(found, headline=said, cause=zone(by), suspect_rows=with_a_value(name), size=float(by))
    elif not _clocks_change(case.id):
        found, mix = replace(found, subject="hours of the day", size=apart), usual.before(np.vstack([before, now]), -1)
        yield _of_some_hours(found, now, mix / mix.sum() * np.median(before.sum(axis=1)))


def _is_usual_by_clocks(case: Case, name: str, found: Surprise, ends: Figures, level: float) -> bool:
    """Whether times fit by the clocks of a place whose earlier times, read so, vary no more than as they are."""
    for ahead in _clocks(case, name):
        local = ends + ahead[:, None]
        again = case.surprise(local[:-1], local[-1], unit=_unit(ends))
        if np.median(again.chance) >= level and np.median(again.spread) <= np.median(found.spread):
            return True
    return False


def _has_usual_hours_by_clocks(
    case: Case, name: str, usual: UsualMix, before: Figures, now: Figures, level: float
) -> bool:
    """The same of the rows by hour of the day."""
    apart = np.nansum(usual.distances(before))
    for ahead in _clocks(case, name):
        local = np.array([np.roll(mix, round(hours)) for mix, hours in zip(before, ahead, strict=False)])
        steady = np.nansum(UsualMix.best(local, case.history.seasons(case.id)).distances(local)) <= apart
        if steady and of_the_whole(case, local, now) >= level:
            return True
    return False


def _clocks(case: Case, name: str) -> list[Figures]:
    """float64[loads + 1] each: how many hours ahead of now some place's clocks were in each load, where they moved."""
    columns = [*(load.columns.get(name) for load in case.history.loads), case.summary.columns[name]]
    last = [max(column.hours) if column and column.hours else None for column in columns]
    known = [hour for hour in last if hour is not None]
    noons = [_noon(known[0] if hour is None else hour) for hour in last]
    ahead = {tuple(_ahead(zone, noon) for noon in noons) for zone in _zones() if noons[0] != noons[-1]}
    moved = sorted({tuple(np.subtract(hours, hours[-1]).tolist()) for hours in ahead})
    return [np.array(hours) for hours in moved if any(hours)]


def _noon(hour: int) -> datetime:
    return (_EPOCH + timedelta(hours=hour)).replace(hour=12)


def _ahead(zone: ZoneInfo, noon: datetime) -> float:
    """How many hours a place's clocks are ahead of universal time."""
    return (zone.utcoffset(noon) or timedelta()) / timedelta(hours=1)


def _clocks_change(delta_id: str) -> bool:
    """Whether some clocks went forward or back on the day of a load: its hours are one less, or one more."""
    moment = moment_of(delta_id)
    if moment is None:
        return False
    noon = moment.replace(hour=12, tzinfo=None)
    return any(_ahead(zone, noon) != _ahead(zone, noon - timedelta(days=1)) for zone in _zones())


def _zones() -> list[ZoneInfo]:
    return [ZoneInfo(name) for name in available_timezones()]


def _of_some_hours(found: Anomaly, now: Figures, usual: Figures) -> Anomaly:
    """The anomaly in words: the hours that have lost, or gained, most rows; ``usual`` are those of a usual load."""
    apart, (name,) = now / now.sum() - usual / usual.sum(), found.columns
    more = bool(apart.max() >= -apart.min())
    hours = np.flatnonzero((apart if more else -apart) >= abs(apart).max() / 2)
    count, share = int(now[hours].sum()), percent(float(usual[hours].sum() / usual.sum()))
    of = f"of the hour{'s' if len(hours) > 1 else ''} {listed([f'{hour:02}:00' for hour in hours])}"
    many = f"{count:,}" if count else "none"
    said = f"{many} of {int(now.sum()):,} values of {name} {'is' if count <= 1 else 'are'} {of}, usually about {share}"
    if not more:
        lacking = float(usual[hours].sum() - now[hours].sum())
        return replace(found, headline=said, cause="a part of the file is missing?", missing=max(0.0, lacking))
    return replace(found, headline=said, suspect_rows=lambda rows: np.isin(micros_of(rows[name]) // HOUR % _DAY, hours))


def _hours_of_day(column: ColumnSummary) -> Figures:
    """float64[24]: the rows by hour of the day."""
    hours = np.array(list((column.hours or {}).items()), np.int64).reshape(-1, 2)
    return np.bincount(hours[:, 0] % _DAY, hours[:, 1], _DAY).astype(np.float64)


def _together(moved: Figures) -> bool:
    """Whether first, middle and last time have moved in one direction, and about as far."""
    return bool(abs(moved.sum()) == np.abs(moved).sum() and np.abs(moved).min() > np.abs(moved).max() / 2)


def _by_its_ends(moved: Figures, found: Surprise) -> bool:
    """Whether first and last time have moved equally far, and the middle, which varies more, is compatible."""
    first, middle, last = moved
    alike = abs(first - last) <= max(_HOUR, abs(first + last) / 8)
    return bool(alike and first * last > 0 and abs(middle - (first + last) / 2) <= 3 * found.spread[1])


def _unit(ends: Figures) -> Figures:
    """An hour, or a day if all times are days."""
    return np.full(ends.shape[1], 24.0 if np.all(np.nan_to_num(ends) % 24 == 0) else 1.0)


def _ends(case: Case, name: str) -> Figures:
    """float64[loads + 1, 3]: hours from the anchor to the first, the middle and the last time."""
    loads = [*((load.id, load.columns.get(name)) for load in case.history.loads), (case.id, case.summary.columns[name])]
    dated = all(moment_of(delta_id) for delta_id, _ in loads)
    rows: list[tuple[float | None, ...]] = []
    last: float | None = None
    for delta_id, column in loads:
        hours = sorted((column.hours or {}) if column else {})
        moment = moment_of(delta_id)
        anchor = (moment - _EPOCH) / timedelta(hours=1) if dated and moment else last
        if column is None or not hours or anchor is None:
            rows.append((None, None, None))
        else:
            rows.append((hours[0] - anchor, _middle(column.hours) - anchor, hours[-1] - anchor))
        last = hours[-1] if hours else last
    return series(iter(rows))


def _middle(hours: Counts | None) -> float:
    known = sorted((hours or {}).items())
    upto = np.cumsum([count for _, count in known])
    return float(known[int(np.searchsorted(upto, upto[-1] / 2))][0])


def _is_swapped(case: Case, name: str, now: ColumnSummary) -> bool:
    """Whether times would be usual with day and month exchanged."""
    usual = _ends(case, name)[:-1]
    moment = moment_of(case.id)
    if moment is None or not now.hours:
        return False
    anchor = (moment - _EPOCH) / timedelta(hours=1)
    low, high = np.fmin.reduce(usual, axis=None), np.fmax.reduce(usual, axis=None)
    exchanged = [swapped(hour) for hour in now.hours]
    return all(hour is not None and low <= hour - anchor <= high for hour in exchanged)


def swapped(hour: int) -> float | None:
    """A time in hours since 1970 after day and month are exchanged; None: the exchanged day does not exist."""
    moment = _EPOCH + timedelta(hours=hour)
    try:
        return (moment.replace(month=moment.day, day=moment.month) - _EPOCH) / timedelta(hours=1)
    except ValueError:
        return None


def duration(hours: float) -> str:
    """``3 hours``, ``5 days``."""
    hours = abs(hours)
    if hours >= 2 * _DAY:
        return f"{hours / _DAY:,.0f} days"
    return "a day" if round(hours) == _DAY else f"{hours:,.0f} hour{'' if round(hours) == 1 else 's'}"


def zone(hours: float) -> str:
    """The likely cause of a shift."""
    return "another time zone?" if abs(hours) <= 14 else "an older or a wrong date?"
