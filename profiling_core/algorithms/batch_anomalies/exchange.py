"""Whether two columns of texts are exchanged."""

from collections.abc import Callable, Iterator
from itertools import permutations

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, everywhere
from profiling_core.algorithms.batch_anomalies.form import shorter
from profiling_core.algorithms.batch_anomalies.surprise import odds
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import TypeClass


def judge(case: Case) -> Iterator[Anomaly]:
    """Texts whose lengths are exchanged."""
    if len(case.history.loads) >= LEAST_LOADS:
        yield from _exchanged_texts(case)


def _exchanged_texts(case: Case) -> Iterator[Anomaly]:
    """Two columns, one with shorter texts than ever and the other with longer ones, each as the other usually is.

    Truncation would leave the other columns as they are.
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
