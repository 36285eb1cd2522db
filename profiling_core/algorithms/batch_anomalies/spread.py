"""Whether as many numbers as usual lie below each of their usual deciles, and which change, undone, makes it so.

A column's usual deciles divide its numbers into intervals, which make up a mix as values do. Its distance from that of
the loads before is compared with how far theirs were from those before them. So the spread is that of loads, whatever
belongs together in them: an order of a hundred lines, or a device's readings of a day, moves the mixes before as much.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, SuspectRows, Values, percent
from profiling_core.algorithms.batch_anomalies.categories import distances, is_new_mix
from profiling_core.algorithms.batch_anomalies.history import LEVELS, quantiles
from profiling_core.algorithms.batch_anomalies.surprise import Figures, odds
from profiling_core.algorithms.batch_anomalies.undoing import WAYS, Undoing, likeliest, offset, unknown
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass

# The loads of four weeks, which define the usual.
_LATEST = 28


@dataclass(frozen=True, slots=True)
class Mix:
    """The rows of a column by interval between its usual deciles (``edges``): float64[loads, intervals], and now."""

    name: str
    edges: Figures
    before: Figures
    numbers: Figures
    chance: float

    def counted(self, numbers: Figures) -> Figures:
        """float64[intervals]: the rows of these numbers."""
        return _rows(quantiles(numbers), self.edges, len(numbers))


def judge(case: Case) -> Iterator[Anomaly]:
    """The columns of numbers that are spread otherwise than in any load before."""
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    level = case.level / max(1, len(names))
    for name in names:
        found = mix_of(case, name)
        if found is not None and found.chance < level:
            yield _anomaly(case, found, odds(found.chance) / odds(level))


def mix_of(case: Case, name: str) -> Mix | None:
    """A column's rows by interval; None: too few loads had numbers there."""
    columns = [load.columns.get(name) for load in case.history.loads]
    known = [column.deciles for column in columns[-_LATEST:] if column and column.deciles]
    numbers = doubles(present(case.found.sample[name]).drop_null()).to_numpy()
    numbers = numbers[np.isfinite(numbers)]
    if len(known) < LEAST_LOADS or not len(numbers):
        return None
    edges = np.unique(np.quantile(np.concatenate(known), LEVELS, method="inverted_cdf"))
    rows = [_rows(c.deciles, edges, c.rows) if c and c.deciles else np.zeros(2 * len(edges) + 1) for c in columns]
    now = _rows(case.summary.columns[name].deciles, edges, case.summary.columns[name].rows)
    before = np.array(rows)
    apart = distances(np.vstack([before, now]))
    chance = 1.0
    if is_new_mix(apart, before, now):
        chance = float(case.surprise(apart[:-1, None], apart[-1:], unit=0.5).chance[0])
    return Mix(name, edges, before, numbers, chance)


def _rows(deciles: Sequence[float], edges: Figures, rows: int) -> Figures:
    """float64[2 edges + 1]: the rows below the first edge, at it, between it and the second, and so on."""
    points = np.asarray(deciles)
    first, last = np.searchsorted(points, edges, "left"), np.searchsorted(points, edges, "right")
    between = np.interp(edges, points, LEVELS, left=0.0, right=1.0)
    there = last > first
    below = np.where(there, LEVELS[np.minimum(first, len(points) - 1)], between)
    upto = np.where(there, LEVELS[np.maximum(last - 1, 0)], between)
    every = np.concatenate([[0.0], np.column_stack([below, upto]).ravel(), [1.0]])
    return rows * np.diff(every)


def _anomaly(case: Case, found: Mix, magnitude: float) -> Anomaly:
    way = _undone(case, found)
    edge, above, usual = _farthest(found)
    rows = found.numbers > edge if above else found.numbers < edge
    side = f"{'above' if above else 'below'} {edge:,.6g}"
    many, count = case.summary.columns[found.name].rows, float(rows.mean())
    said = f"{percent(count)} of the {many:,} values of {found.name} are {side}, usually {_about(usual)}"
    return Anomaly(
        "scale",
        f"the values of {found.name} {way.said}" if way else said,
        (found.name,),
        cause=way.cause if way else "",
        details=(f"{said[0].upper()}{said[1:]}.",) if way else (),
        suspect_rows=_of_side(found.name, edge, above=above),
        mended=_mended(found.name, way) if way and way.undo is not unknown else None,
        magnitude=magnitude,
        subject="" if way else side,
        size=count - usual,
    )


def _about(share: float) -> str:
    return "none" if share < 0.0005 else "all" if share > 0.9995 else f"about {percent(share)}"


def _farthest(found: Mix) -> tuple[float, bool, float]:
    """The edge above or below which the share of the rows is farthest from the usual; the side, and the usual share."""
    latest = found.before[-_LATEST:].sum(axis=0)
    now = found.counted(found.numbers)
    usual, own = (np.cumsum(rows / rows.sum())[:-1] for rows in (latest, now))
    # an even place is what lies below an edge, the one after it what lies below it or at it
    place = int(np.argmax(np.abs(own - usual)))
    edge, above = float(found.edges[place // 2]), bool(place % 2)
    gained = own[place] < usual[place]
    if gained == above or place % 2 == 0 and not gained:
        return edge, above, float(1 - usual[place] if above else usual[place])
    other = np.searchsorted(found.edges, edge) * 2 + (0 if above else 1)
    return edge, not above, float(usual[other] if above else 1 - usual[other])


def _undone(case: Case, found: Mix) -> Undoing | None:
    """The change of all numbers that, undone, makes them as usual as the loads before were; None: there is none."""
    so_far = distances(found.before)
    most, mean = float(np.nanmax(so_far)), float(np.nanmean(so_far**2))
    column = case.summary.columns[found.name]

    def unusual(numbers: Figures) -> float:
        if not np.isfinite(numbers).all():
            return np.inf
        apart = float(distances(np.vstack([found.before, found.counted(numbers) * column.rows / len(numbers)]))[-1])
        return apart**2 / 2 / mean if apart <= most else np.inf

    finest = max((max(c.grains) for c in case.history.column(found.name) if c.grains), default=0)
    usual = float(np.median(np.concatenate([c.deciles for c in case.history.column(found.name) if c.deciles])))
    return likeliest((*WAYS, offset(found.numbers, usual, max(0, finest))), found.numbers, unusual)


def _of_side(name: str, edge: float, *, above: bool) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> np.ndarray:
        numbers = doubles(present(rows[name])).fill_null(np.nan).to_numpy()
        return numbers > edge if above else numbers < edge

    return suspect_rows


def _mended(name: str, way: Undoing) -> Callable[[Values], Values]:
    def mended(row: Values) -> Values:
        text = row.get(name)
        right = float(way.undo(np.array([float(text)]))[0]) if text else np.nan
        return {name: f"{right:.10g}"} if np.isfinite(right) else {}

    return mended
