"""Whether every store, state and hour sends rows, and about its usual share of them.

A value that has been in each load is missing if its count so far makes an empty load unlikely, by the Poisson
distribution with the dispersion that the counts have had. Shares are compared on the scale on which their variance is
the same everywhere (the angular transform). Only values with stable counts are checked, as in *Data Ingestion
Validation
Through Stable Conditional Metrics and Ranking-Based Filtering* (Bogatu et al., 2023).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, exp, log, log1p
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import (
    ALMOST_NONE,
    Anomaly,
    Case,
    Mask,
    SuspectRows,
    listed,
    percent,
    room_of,
    rooms_of,
    so_many,
)
from profiling_core.algorithms.batch_anomalies.mixes import are_alike, of_the_whole
from profiling_core.algorithms.batch_anomalies.sources import are_codes
from profiling_core.algorithms.batch_anomalies.surprise import (
    LATEST,
    LEAST_SAME_SEASON,
    Figures,
    angle,
    by_luck,
    odds,
    pooled,
    share,
)
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import LogicalType

Places = npt.NDArray[np.intp]
# Distinct values of a judged mix, and distinct whole numbers that count as names, at most.
_MOST_VALUES, _MOST_NUMBERS = 200, 24
# The least dispersion of a number of rows, as a multiple of Poisson's variance, however regular it has been.
_LEAST_DISPERSION = 0.25
# Shares are judged for values that have come with more than this share of the loads: bursts have no usual share.
_MOSTLY = 0.8


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """Rows by value, per load before and now."""

    column: str
    values: tuple[str, ...]
    before: Figures
    now: Figures


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the mix of each column with few values."""
    gone: list[_Missing] = []
    for name in case.found.columns:
        own = case.of(name)
        known = mix_of(own, name)
        if known is not None:
            found = missing(own, known)
            gone += [found] if found else []
            yield from () if found else _shares(own, known)
    for rows in dict.fromkeys(found.latest for found in gone):
        yield _of_missing(case, [found for found in gone if found.latest == rows])


def mix_of(case: Case, name: str) -> CategoryCounts | None:
    """The rows of a column by value; None if its mix is not judged: its values are too many, or measured."""
    known = _of_column(case, name)
    return known if known is not None and known.now.sum() and are_names(case, name, len(known.values)) else None


def _of_column(case: Case, name: str) -> CategoryCounts | None:
    """Rows by value as a table; None if values were too many in some load or in all, or always new."""
    now = case.found.columns[name].values
    before = [column.values for column in case.history.column(name)]
    if now is None or len(before) < LEAST_LOADS or len(before) != len(case.history.loads) or None in before:
        return None
    values = tuple(sorted({value for load in (*before, now) for value in load or ()}))
    if not 2 <= len(values) <= _MOST_VALUES:
        return None
    counts = _as_table([load or {} for load in before], values)
    several = (counts > 0).sum(axis=1)
    if np.median(several) < 2:  # the day, the month: a value that is the same throughout a load describes the load
        return None
    return CategoryCounts(name, values, counts, np.array([float(now.get(value, 0)) for value in values]))


def _as_table(loads: Sequence[Mapping[str, int]], values: Sequence[str]) -> Figures:
    """float64[loads, values]: rows by value; each load has few of all values."""
    places = {value: place for place, value in enumerate(values)}
    counts = np.zeros((len(loads), len(values)))
    for row, load in zip(counts, loads, strict=True):
        row[[places[value] for value in load]] = [*load.values()]
    return counts


class _Missing(NamedTuple):
    """The values of a column that are missing, those that came, the rows that they had per load, and the chance."""

    known: CategoryCounts
    names: list[str]
    there: list[str]
    usual: tuple[float, ...]
    chance: float

    @property
    def latest(self) -> tuple[float, ...]:
        """The rows in the latest loads, by which columns are seen to name the same ones."""
        return self.usual[-LEAST_LOADS:]

    @property
    def named(self) -> str:
        """``store Ulm and Bonn``."""
        return f"{self.known.column} {listed(self.names)}"


def missing(case: Case, known: CategoryCounts) -> _Missing | None:
    """The values that have always come, or always in this season, and are missing now."""
    looks = [(loads, *_always(loads, known.now)) for loads in _told_from(case, known)]
    latest, usual, gone = max(looks, key=lambda look: len(look[2]))
    if not len(gone):
        return None
    total = latest[:, gone].sum(axis=1)
    of_the_rows = _none(latest.sum(axis=1), total, float(known.now.sum()))
    chance = min(1.0, 2 * min(of_the_rows, _none_as_a_number(case, known, latest, gone)))
    chance *= comb(len(known.values), len(gone))  # any other choice of as many values might be missing
    if chance >= case.level:
        return None
    names = [case.shown(known.column, known.values[place]) for place in gone]
    there = [case.shown(known.column, known.values[place]) for place in usual if known.now[place]]
    return _Missing(known, names, there, tuple(total.tolist()), chance)


def _of_missing(case: Case, same: Sequence[_Missing]) -> Anomaly:
    """The anomaly of missing rows, by the column that tells most apart; other columns name the ``same`` rows, too."""
    order = sorted(same, key=lambda one: (-len(one.known.values), are_codes(one.names)))
    first, others = order[0], [one.named for one in order[1:]]
    column, rows, chance = first.known.column, float(np.mean(first.usual)), min(one.chance for one in same)
    open_values = () if column in case.hidden else tuple(first.names)
    also = f"{listed(others)}; " if others else ""
    return Anomaly(
        "completeness",
        f"no rows came for {first.named} ({also}usually about {_rows(rows)})",
        (column,),
        cause="a part of the file is missing?",
        details=(f"Rows came for {column} {listed(first.there)}.",) if open_values and first.there else (),
        magnitude=odds(chance) / odds(case.level),
        subject=f"no {listed(first.names)}",
        missing=rows,
        size=-log1p(rows),
        values=open_values,
    )


def _told_from(case: Case, known: CategoryCounts) -> Iterator[Figures]:
    """The loads that show which values always come: the latest, and those of the same season.

    A season tells it if no value so far lacked, but by chance, that had come with all loads of the season before: a
    shop opens on certain weekdays, and its people are ill at times. A mix like that of some earlier load lacks what
    that one lacked: a holiday is like a Sunday.
    """
    yield known.before[-LATEST:]
    seasons = case.history.seasons(case.id)
    places = [_of_season(seasons, place) for place in range(len(seasons))]
    enough = [place for place in range(len(seasons)) if len(places[place]) >= LEAST_SAME_SEASON]
    if len(enough) <= LEAST_LOADS or enough[-1] < len(known.before) or are_alike(known.before, known.now).any():
        return
    if not any(_lacked(case, known.before[places[place]], known.before[place]) for place in enough[:-1]):
        yield known.before[places[-1]]


def _lacked(case: Case, loads: Figures, now: Figures) -> bool:
    """Whether a value is missing that came with all these loads, and in too many rows for that to be chance."""
    gone = loads[:, _always(loads, now)[1]]
    return any(_no_row(mean, variance) < case.level for mean, variance in zip(gone.mean(0), gone.var(0), strict=True))


def _of_season(seasons: Sequence[object], place: int) -> list[int]:
    """The latest loads before one that are of its season."""
    alike = range(max(0, place - LATEST), place)
    return [other for other in alike if seasons[place] is not None and seasons[other] == seasons[place]]


def _always(loads: Figures, now: Figures) -> tuple[Places, Places]:
    """The values that came with all loads, and those of these that are missing now."""
    usual = np.flatnonzero((loads > 0).all(axis=0))
    return usual, usual[now[usual] == 0]


def _rows(mean: float) -> str:
    """``102 rows``, ``1 row``."""
    return f"{mean:,.0f} row{'' if round(mean) == 1 else 's'}"


def _none_as_a_number(case: Case, known: CategoryCounts, latest: Figures, gone: Places) -> float:
    """The probability of no row with these values, by their numbers so far; 1 if the other rows are few, too.

    A missing part is missing from all rows; the share is weak evidence if it was large.
    """
    others, numbers = np.delete(latest, gone, axis=1).sum(axis=1), latest[:, gone].sum(axis=1)
    if known.now.sum() < np.median(others) / 2:
        return 1.0
    found = case.surprise(np.sqrt(known.before[:, gone].sum(axis=1))[:, None], np.zeros(1), unit=0.5)
    return max(_no_row(float(numbers.mean()), float(numbers.var())), float(found.chance[0]))


def _no_row(mean: float, variance: float) -> float:
    """The probability of no row, by mean and variance: negative binomial, or Poisson scaled if the variance is less."""
    dispersion = max(_LEAST_DISPERSION, variance / mean)
    return exp(-mean * log(dispersion) / (dispersion - 1) if dispersion > 1 else -mean / dispersion)


def _none(rows: Figures, those: Figures, now: float) -> float:
    """The probability that none of ``now`` rows is of the sort that ``those`` of each load's ``rows`` have been."""
    share = those.sum() / rows.sum()
    usual = rows * share
    dispersion = max(1.0, ((those - usual) ** 2 / usual).sum() / len(rows) + 1 / those.sum())
    return float(np.exp(-now * share / dispersion))


def _shares(case: Case, known: CategoryCounts) -> Iterator[Anomaly]:
    """A value with an unusual share, or a mix whose distance from the usual exceeds all so far."""
    rows, values, latest = known.now.sum(), len(known.values), known.before[-LATEST:]
    totals = known.before.sum(axis=1, keepdims=True)
    before = np.where(totals > 0, known.before / np.maximum(1, totals), np.nan)
    now = known.now / rows
    unit, noise = case.noise()
    found = case.surprise(angle(known.before, totals), angle(known.now, rows), unit, noise)
    # A value that never varied may still vary as much as others of its column: each week has another discount.
    found = case.surprise(angle(known.before, totals), angle(known.now, rows), unit, max(noise, pooled(found.spread)))
    usual = share(found.expected, float(np.median(totals)))
    stable = (latest > 0).mean(axis=0) > _MOSTLY
    whole = (latest.sum(axis=0) + 0.5) / (latest.sum() + 1)
    luck = np.array([by_luck(part, float(rows), was) for part, was in zip(now, whole, strict=True)])
    alone = np.maximum(luck, found.chance)
    news = np.flatnonzero((alone < case.level / values) & are_beyond(now, before, float(rows), totals) & stable)
    chance = float(alone[news].min()) * values if len(news) else of_the_whole(case, known.before, known.now)
    # The value that gained is reported, even if it was rare before: stable values have lost to it. If chance explains
    # what it gained, the one that lost is reported.
    gained, lost = int(np.argmax(now - usual)), int(np.argmin(now - usual))
    for place in (gained, int(news[np.argmin(alone[news])]) if len(news) else lost):
        by_chance = max(chance, float(luck[place]) * values)
        if by_chance < case.level:
            yield _of_share(case, known, place, float(usual[place]), (by_chance, len(news)))
            return


def _of_share(case: Case, known: CategoryCounts, place: int, usual: float, found: tuple[float, int]) -> Anomaly:
    """The anomaly of a value's share; ``found``: its probability by chance, and how many values have changed."""
    chance, several = found
    value, rows = known.values[place], int(known.now.sum())
    now = float(known.now[place] / rows)
    return Anomaly(
        "mix",
        f"{so_many(int(known.now[place]), rows)} {known.column} {case.shown(known.column, value)}, "
        f"{_usually(usual, known.before[:, place])}",
        (known.column,),
        cause="too many rows of one kind?" if now > usual else "rows of one kind are missing?",
        details=(f"{several} of {len(known.values)} values have another share than usual.",) if several > 1 else (),
        suspect_rows=_rows_with(known.column, value) if now > usual else None,
        magnitude=odds(chance) / odds(case.level),
        subject=f"{'more' if now > usual else 'fewer'} {case.shown(known.column, value)}",
        missing=max(0.0, float(known.before[-LATEST:, place].mean() - known.now[place])),
        size=now - usual,
        room=room_of(now, rows),
        values=() if known.column in case.hidden else (value,),
    )


def _usually(share: float, before: Figures) -> str:
    """The usual share in words: ``usually about 5.0%``, ``none before``."""
    if not before.any():
        return "none before"
    return f"usually about {percent(share)}" if share >= ALMOST_NONE else "usually almost none"


def are_beyond(now: Figures, before: Figures, rows: Figures | float, earlier: Figures) -> Mask:
    """bool[figures]: the shares that no load had, nor could have had by chance: a holiday is like a Sunday.

    Chance moves the shares of a load of few rows more, so that they say less of what shares come.

    Args:
        now: float64[figures], the shares of a load.
        before: float64[loads, figures], those of earlier ones.
        rows: float64[figures], the load's rows.
        earlier: float64[loads, figures], theirs.
    """
    spare = np.maximum(0.0, rooms_of(before, earlier) - rooms_of(before, rows))
    most, least = np.fmax.reduce(before - spare), np.fmin.reduce(before + spare)
    above: Mask = now > most + rooms_of(most, rows)
    below: Mask = now < least - rooms_of(least, rows)
    return above | below


def are_names(case: Case, name: str, values: int) -> bool:
    """Whether as many values of a column are names: texts and truth values, and whole numbers if they are few."""
    return case.schema.column(name).type is not LogicalType.INTEGER or values <= _MOST_NUMBERS


def _rows_with(column: str, value: str) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        mask: Mask = pc.fill_null(pc.equal(rows[column].cast(pa.string()), value), fill_value=False).to_numpy()
        return mask

    return suspect_rows
