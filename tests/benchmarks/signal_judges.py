"""The judges of loads by themselves, without the rest of the product: minutes for all feeds, where that takes hours.

The same functions are called on the same loads, in one process and without Spark; constraints, rules of columns and
incidents are left out, but that what the load before showed is no news. So it says what the judges add, and on which
feeds, and nothing of what a person hears.
"""

import numpy as np

from benchmarks.signal_errors import Spoiled
from benchmarks.signal_feeds import Feed, typed
from benchmarks.signal_load_errors import LOAD_KINDS, spoil_load
from benchmarks.signal_outcomes import Outcome
from benchmarks.signal_product import Day, Heard
from benchmarks.signal_scores import FIRST, STALE, days_with_errors, fresh, score
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile

SUFFIX = " (judges)"


def judged_alone(of: Feed, days: int, with_errors: int) -> Outcome:
    """A feed's loads one by one, those after the first judged, some of them with errors before."""
    labels, history = list(of.deltas), LoadHistory()
    outcome = Outcome(of.name + SUFFIX, FIRST, with_errors)
    later = labels[FIRST : FIRST + days]
    chosen = days_with_errors(later, with_errors)
    going: frozenset[str] = frozenset()
    for number, label in enumerate(labels[: FIRST + days]):
        clean, after = _heard(of, label, Spoiled(of.deltas[label], frozenset()), history)
        for kind in LOAD_KINDS if label in chosen else ():
            spoiled = spoil_load(kind, of.deltas[label], of, of.deltas[labels[number - STALE]], number)
            if spoiled is not None:
                told = _heard(of, label, spoiled, history)[0]
                news = Day({name: one for name, one in told.heard.items() if name not in going})
                score(outcome, f"{label} {kind}", kind, spoiled, fresh(news, clean))
        if number >= FIRST:
            outcome.days += 1
            if news := [one.text for name, one in clean.heard.items() if name not in going]:
                outcome.clean[label] = news
        going, history = frozenset(clean.heard), after
    return outcome


def _heard(of: Feed, label: str, load: Spoiled, history: LoadHistory) -> tuple[Day, LoadHistory]:
    rows, good, rejected = typed(load.rows, of.schema)
    odd, after = judged(label, profile(rows, of.schema), history, of.schema)
    heard = {}
    for one in odd:
        named = [good[i] for i in np.flatnonzero(one.suspect_rows(rows))] if one.suspect_rows else []
        told = Heard(f"{one.kind}: {one.headline}", frozenset(named), len(named))
        heard[f"{one.kind} {one.columns}"] = told
    if rejected:
        heard["rejects"] = Heard("rejects", rejected, len(rejected))
    return Day(heard), after
