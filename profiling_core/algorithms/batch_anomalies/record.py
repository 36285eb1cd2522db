"""Raises the bar of anomalies by the feed's own past: by how often its loads have been beyond the bar.

The probabilities of figures assume that figures vary as elsewhere. If a table's own loads have exceeded that, an
anomaly is reported only if it is rarer than the budget allows by the feed's own past: by the rate at which loads have
had an anomaly of its kind, told or not, and by how far loads that nobody was told of were beyond the bar in its
columns. That is an exponential tail with an uncertain mean (peaks over threshold: Pickands, Statistical inference using
extreme order statistics, Annals of Statistics 1975). How far a load went that was told is no part of it, since that may
be an error.
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


def unheard_of(odd: Sequence[Anomaly]) -> dict[str, float]:
    """The record of a load that nobody is told of: by figure the greatest magnitude."""
    return {_figure(one): round(one.magnitude, 2) for one in sorted(odd, key=lambda one: one.magnitude)}


def _figure(anomaly: Anomaly) -> str:
    """What a record is of: what varies in one column says nothing of another one, or of the number of rows."""
    return " ".join((anomaly.kind, *anomaly.columns))


def chance_by_record(anomaly: Anomaly, loads: Sequence[LoadSummary], level: float) -> float:
    """The probability that a load is this far out in one figure, by the loads before it.

    Args:
        anomaly: the anomaly of a figure; a magnitude of 1 is the bar.
        loads: those before it.
        level: the probability of being beyond the bar; it counts as much as seven loads, and as seven that were beyond
            it.
    """
    figure = _figure(anomaly)
    beyond = [load.unheard[figure] - 1 for load in loads if figure in load.unheard]
    had = sum(any(one.kind == anomaly.kind for one in load.shown) or figure in load.unheard for load in loads)
    rate = (LEAST_LOADS * level + had) / (LEAST_LOADS + len(loads))
    few = LEAST_LOADS + len(beyond)
    mean = (-LEAST_LOADS / log(level) + sum(beyond)) / few  # the odds fall e-fold at -1 / log(level) beyond the bar
    return float(rate * (1 + max(0.0, anomaly.magnitude - 1) / (few * mean)) ** -few)
