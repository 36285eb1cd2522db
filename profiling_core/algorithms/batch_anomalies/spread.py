"""How a column's numbers are spread: how many lie between its usual deciles, as a mix, beside the loads before.

The distance of a load's mix from those before it is compared with how far theirs were. So its variation is that of
loads, whatever belongs together in them: an order of a hundred lines, or a device's readings of a day, has moved the
mixes before as much.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Case
from profiling_core.algorithms.batch_anomalies.history import LEVELS, ColumnSummary, quantiles
from profiling_core.algorithms.batch_anomalies.mixes import UsualMix, is_new_mix
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, WINDOW, Figures
from profiling_core.model.lesson import LEAST_LOADS

# With a change undone, sizes and mixes lie within this many spreads of the expected ones: the expected greatest of as
# many normal errors as there are loads.
USUAL = sqrt(2 * log(WINDOW + 1))


@dataclass(frozen=True, slots=True)
class Spread:
    """A column's rows by interval, and at its usual deciles (``edges``) between two: float64[loads, 2 edges + 1].

    ``most`` is how far from those before it a usual load is, at most. ``rows`` is how many numbers came now, and
    ``chance`` the probability that their mix is so far from that of the loads that ``told_by`` says.
    """

    edges: Figures
    before: Figures
    most: float
    rows: int
    chance: float
    told_by: UsualMix

    def counted(self, numbers: Figures) -> Figures:
        """float64[2 edges + 1]: the rows of these numbers by interval, as shares of all that came."""
        return _rows(quantiles(numbers), self.edges, self.rows)

    def length(self, numbers: Figures) -> float:
        """The description length of numbers in nats: the farthest usual load is :data:`USUAL` spreads away."""
        apart = self.told_by.distances(np.vstack([self.before, self.counted(numbers)]), len(self.before))[-1]
        return float((USUAL * apart / self.most) ** 2 / 2) if self.most else 0.0

    def farthest(self, numbers: Figures) -> tuple[float, bool, float]:
        """The edge beyond which most more numbers lie than usual; whether that is above it; the usual share there."""
        more, usual = self._beyond(numbers)
        side, place = np.unravel_index(int(np.argmax(more)), more.shape)
        return float(self.edges[place]), bool(side), float(usual[side, place])

    def most_changed(self, numbers: Figures) -> tuple[float, bool, float]:
        """The same of the edge beyond which the share of the numbers is farthest from the usual, more or fewer."""
        more, usual = self._beyond(numbers)
        side, place = np.unravel_index(int(np.argmax(np.abs(more))), more.shape)
        return float(self.edges[place]), bool(side), float(usual[side, place])

    def _beyond(self, numbers: Figures) -> tuple[Figures, Figures]:
        """float64[2, edges] each: how many more numbers than usual are below and above each edge, and the usual."""
        own = self.counted(numbers)
        before = self.told_by.before(np.vstack([self.before, own]), len(self.before))
        usual, now = (np.vstack([upto[::2], 1 - upto[1::2]]) for upto in map(_cumulated, (before, own)))
        return now - usual, usual


def spread_of(case: Case, name: str) -> Spread | None:
    """How a column's numbers are spread; None: too few loads had numbers there to tell, or this one has none."""
    columns = [load.columns.get(name) for load in case.history.loads]
    known = [column.deciles for column in columns[-LATEST:] if column and column.deciles]
    own = case.summary.columns[name]
    if len(known) < LEAST_LOADS or not own.deciles:
        return None
    # how far the least and the greatest number lie says nothing of the rows between them and the next decile
    inner = np.concatenate([deciles[1:-1] for deciles in known])
    edges = np.unique(np.quantile(inner, LEVELS, method="inverted_cdf"))
    before, now = np.array([_counted(column, edges) for column in columns]), _counted(own, edges)
    told_by = UsualMix.best(before, case.history.seasons(case.id))
    apart = told_by.distances(np.vstack([before, now]))
    if np.isfinite(apart[:-1]).sum() < LEAST_LOADS - 1:
        return None
    found = case.surprise(apart[:-1, None], apart[-1:], unit=0.5)
    most = max(float(np.fmax.reduce(apart[:-1], initial=0.0)), float(found.expected[0] + USUAL * found.spread[0]))
    chance = float(found.chance[0]) if is_new_mix(apart, before, now, told_by) else 1.0
    return Spread(edges, before, most, own.rows, chance, told_by)


def _counted(column: ColumnSummary | None, edges: Figures) -> Figures:
    there = column is not None and column.deciles
    return _rows(column.deciles, edges, column.rows) if column and there else np.zeros(2 * len(edges) + 1)


def _rows(deciles: Sequence[float], edges: Figures, rows: int) -> Figures:
    """float64[2 edges + 1]: the rows below the first edge, at it, between it and the second, and so on."""
    points = np.asarray(deciles)
    first, last = np.searchsorted(points, edges, "left"), np.searchsorted(points, edges, "right")
    between = np.interp(edges, points, LEVELS, left=0.0, right=1.0)
    below = np.where(last > first, LEVELS[np.minimum(first, len(points) - 1)], between)
    upto = np.where(last > first, LEVELS[np.maximum(last - 1, 0)], between)
    return rows * np.diff(np.concatenate([[0.0], np.column_stack([below, upto]).ravel(), [1.0]]))


def _cumulated(rows: Figures) -> Figures:
    """The share of the rows below each edge, and up to it."""
    shares: Figures = np.cumsum(rows / rows.sum())[:-1]
    return shares
