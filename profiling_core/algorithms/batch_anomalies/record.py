"""Raises the bar of anomalies by the feed's own past: by how often its loads have been beyond the bar.

The probabilities of figures assume that figures vary as elsewhere. An anomaly is reported only if it is rarer than the
budget allows by the feed's own past, too. What counts there is how many of the loads before had the same figure beyond
the bar, told or not. Beyond it all figures have one tail, an exponential one with an uncertain mean (peaks over
threshold: Pickands, Statistical inference using extreme order statistics, Annals of Statistics 1975). How far earlier
loads went is no part of it, since that may be an error.
"""

from collections.abc import Sequence
from math import log

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
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
    figure = anomaly.kind, anomaly.columns
    had = sum(any((one.kind, one.columns) == figure for one in load.shown) for load in loads)
    rate = (LEAST_LOADS * level + had) / (LEAST_LOADS + len(loads))
    beyond = max(0.0, anomaly.magnitude - 1) * -log(level)  # the odds fall e-fold at 1
    return float(rate * (1 + beyond / LEAST_LOADS) ** -LEAST_LOADS)
