"""Whether columns still go together as they have: two are exchanged, or the values of one stand in wrong rows."""

from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, everywhere
from profiling_core.algorithms.batch_anomalies.binding import parted
from profiling_core.algorithms.batch_anomalies.form import shorter
from profiling_core.algorithms.batch_anomalies.history import LoadSummary, series
from profiling_core.algorithms.batch_anomalies.surprise import Figures, Surprise, odds
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass


def judge(case: Case) -> Iterator[Anomaly]:
    """Numbers whose sizes, or texts whose lengths, have changed places, else columns that have lost what binds them."""
    if len(case.history.loads) < LEAST_LOADS:
        return
    exchanged = [*_exchanged(case), *_exchanged_texts(case)]
    yield from exchanged or parted(case)


def _exchanged(case: Case) -> Iterator[Anomaly]:
    names = [
        c.name
        for c in case.schema.profiled
        if c.type.type_class is TypeClass.NUMERIC and case.summary.columns[c.name].size is not None
    ]
    if len(names) < 2:
        return
    sizes = series([_size(load, name) for name in names] for load in case.history.loads)
    now = np.array([_size(case.summary, name) for name in names], np.float64)
    found = case.surprise(sizes, now, unit=1 / 16)
    level = case.level / len(names)
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            if max(found.chance[i], found.chance[j]) < level and _fits(found, now, i, j) and _fits(found, now, j, i):
                yield Anomaly(
                    "exchange",
                    f"{names[i]} has values of the size of {names[j]}, and {names[j]} of {names[i]}",
                    (names[i], names[j]),
                    cause="columns exchanged?",
                    suspect_rows=everywhere,
                    mended=_back(names[i], names[j]),
                    magnitude=odds(float(max(found.chance[i], found.chance[j]))) / odds(level),
                )
                return


def _exchanged_texts(case: Case) -> Iterator[Anomaly]:
    """Two columns of which one has texts shorter than ever, and the other longer ones, each as the other usually has.

    What is cut at a length leaves the other columns as they are.
    """
    names = [c.name for c in case.schema.profiled if c.type.type_class is TypeClass.STRING]
    now = {name: max(case.found.columns[name].lengths or {0: 0}) for name in names}
    usual = {name: max(case.history.lengths.get(name) or {0: 0}) for name in names}
    for one, other in permutations(names, 2):
        if now[other] <= usual[other] or now[one] > usual[other] or now[other] > usual[one]:
            continue
        if found := shorter(case, one):
            yield Anomaly(
                "exchange",
                f"{one} has texts as short as those of {other}, and {other} as long as those of {one}",
                (one, other),
                cause="columns exchanged?",
                suspect_rows=everywhere,
                mended=_back(one, other),
                magnitude=odds(found.chance) / odds(case.level),
            )
            return


def _back(one: str, other: str) -> Callable[[Values], Values]:
    return lambda row: {one: row.get(other), other: row.get(one)}


def _size(load: LoadSummary, name: str) -> float | None:
    return load.columns[name].size if name in load.columns else None


def _fits(found: Surprise, now: Figures, one: int, other: int) -> bool:
    """Whether one column is now as the other one usually is, and not as it is itself."""
    away = abs(now[one] - found.expected[other])
    return bool(away < 3 * found.spread[other] and away < abs(now[one] - found.expected[one]) / 3)
