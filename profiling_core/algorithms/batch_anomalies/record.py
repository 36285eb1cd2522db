"""Raises the bar of anomalies by the feed's own past: by how often, and how far, its loads have been beyond the bar.

The probabilities of figures assume that figures vary as elsewhere. An anomaly is reported only if it is rarer than the
budget allows by the feed's own past, too. What counts there is how many of the loads before had the same figure beyond
the bar, told or not. Beyond it all figures have one tail, an exponential one with an uncertain mean (peaks over
threshold, where those on end are one: Davison and Smith, Models for exceedances over high thresholds, J. R. Stat.
Soc. B 1990). How far one or two peaks went is no part of it, since they may be errors; three are a habit of the feed,
such as one pharmacy's duty each Sunday, that goes as far as the middle one of them.
"""

from collections.abc import Sequence
from itertools import groupby
from math import log
from statistics import median_low

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.model.incident import LASTING as HABIT
from profiling_core.model.lesson import LEAST_LOADS


def told_by_record(odd: Sequence[Anomaly], loads: Sequence[LoadSummary], level: float) -> list[Anomaly]:
    """The anomalies that are also rare by the feed's own past.

    Args:
        odd: the anomalies of a load; a magnitude of 1 is the bar.
        loads: those before it.
        level: the probability of a false alarm that each kind may have.
    """
    return [anomaly for anomaly in odd if chance_by_record(anomaly, loads, level) <= level]


def chance_by_record(anomaly: Anomaly, loads: Sequence[LoadSummary], level: float) -> float:
    """The probability that a load is this far out in one figure, by the loads before it.

    Args:
        anomaly: the anomaly of a figure; a magnitude of 1 is the bar.
        loads: those before it.
        level: the probability of being beyond the bar; it counts as much as seven loads.
    """
    sizes = [_size(load, anomaly) for load in loads]
    rate = (LEAST_LOADS * level + sum(map(bool, sizes))) / (LEAST_LOADS + len(loads))
    fall = -log(level)  # the odds fall e-fold at 1
    peaks = [max(run) for beyond, run in groupby(sizes, bool) if beyond]
    known = len(peaks) if len(peaks) >= HABIT else 0
    usual = known * max(0.0, median_low(peaks) - 1) * fall if known else 0.0
    beyond = max(0.0, anomaly.magnitude - 1) * fall
    return float(rate * (1 + beyond / (LEAST_LOADS + usual)) ** -(LEAST_LOADS + known))


def _size(load: LoadSummary, anomaly: Anomaly) -> float:
    """How far a load was beyond the bar in the figure of an anomaly; 0: not.

    It is 1 in loads of earlier releases, which did not keep it. Of a figure of the load as a whole the subject tells it
    from those of the other parts of its delta.
    """
    shown = (one for one in load.shown if (one.kind, one.columns) == (anomaly.kind, anomaly.columns))
    found = (max(1.0, one.magnitude) for one in shown if one.columns or one.subject == anomaly.subject)
    return max(found, default=0.0)
