"""The judges of loads by themselves, without the rest of the product: minutes for all feeds, where that takes hours.

The same functions are called on the same loads, in one process and without Spark; constraints, rules of columns and
incidents are left out, but that what the load before showed is no news. So it says what the judges add, and on which
feeds, and nothing of what a person hears.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks.signal_feeds import Feed, Row, typed
from benchmarks.signal_load_errors import OF_LOADS
from benchmarks.signal_outcomes import Outcome
from benchmarks.signal_product import Day, Heard
from benchmarks.signal_scores import replayed_alone
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile

SUFFIX = " (judges)"


def judged_alone(of: Feed, days: int, with_errors: int) -> Outcome:
    """A feed's loads one by one, those after the first judged, some of them with errors before."""
    outcome = replayed_alone(of, days, with_errors, OF_LOADS.of, partial(_heard, of), LoadHistory())
    outcome.name += SUFFIX
    return outcome


def _heard(of: Feed, label: str, load: Sequence[Row], history: LoadHistory) -> tuple[Day, LoadHistory]:
    rows, good, rejected = typed(load, of.schema)
    odd, after = judged(label, profile(rows, of.schema), history, of.schema)
    heard = {}
    for one in odd:
        named = [good[i] for i in np.flatnonzero(one.suspect_rows(rows))] if one.suspect_rows else []
        told = Heard(f"{one.kind}: {one.headline}", frozenset(named), len(named))
        heard[f"{one.kind} {one.columns}"] = told
    if rejected:
        heard["rejects"] = Heard("rejects", rejected, len(rejected))
    return Day(heard), after
