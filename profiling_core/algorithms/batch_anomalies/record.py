"""What the loads that nobody was told of say of how far chance goes in this feed: what is told has to be further out.

The chances of figures rest on how figures vary elsewhere. Where a table's own loads have been beyond that, as those do
that a table begins with, a kind of anomaly is told only if it is rarer than the budget allows by the feed's own past:
how often loads have been beyond the bar, and by how much, as an exponential tail of a mean that so few know no better
(peaks over threshold: Pickands, Statistical inference using extreme order statistics, Annals of Statistics 1975).
"""

from collections.abc import Sequence
from math import log

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.model.lesson import LEAST_LOADS


def told_by_record(odd: Sequence[Anomaly], loads: Sequence[LoadSummary], level: float) -> list[Anomaly]:
    """Those anomalies that are rare by the feed's own past, too.

    Args:
        odd: what is odd about a load; a magnitude of 1 is the bar.
        loads: those before it.
        level: the chance of a false alarm that each kind may have.
    """
    return [anomaly for anomaly in odd if chance_by_record(anomaly.kind, anomaly.magnitude, loads, level) <= level]


def chance_by_record(kind: str, magnitude: float, loads: Sequence[LoadSummary], level: float) -> float:
    """The chance that a load is so far out in one kind of anomaly, as the loads before it tell.

    Args:
        kind: the kind of anomaly.
        magnitude: how far out the load is; 1 is the bar.
        loads: those before it.
        level: the chance to be beyond the bar; it counts as much as seven loads, and seven that were beyond it, do.
    """
    beyond = [load.unheard[kind] - 1 for load in loads if kind in load.unheard]
    rate = (LEAST_LOADS * level + len(beyond)) / (LEAST_LOADS + len(loads))
    few = LEAST_LOADS + len(beyond)
    mean = (-LEAST_LOADS / log(level) + sum(beyond)) / few  # by -1 / log(level) beyond the bar odds fall e-fold
    return float(rate * (1 + max(0.0, magnitude - 1) / (few * mean)) ** -few)
