"""All judges of a load under one budget: how many false alarms a table may have, shared among them.

Each judge has an equal part of it, and divides that among the columns, values or pairs that it looks at, so that a
table of many columns has no more false alarms than one of few (Bonferroni; Auto-Validate by-History, section 4).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from profiling_core.algorithms.loads import (
    absence,
    categories,
    constancy,
    exchange,
    form,
    moments,
    repetition,
    scale,
    volume,
)
from profiling_core.algorithms.loads.history import LoadHistory, summarised
from profiling_core.algorithms.loads.oddity import Case, Oddity
from profiling_core.algorithms.loads.profile import Profile
from profiling_core.algorithms.loads.repetition import overlap
from profiling_core.model.schema import TableSchema

# One false alarm in so many loads, all judges together.
ONE_IN = 200
_FEWER = 0.75
_JUDGES = (repetition, volume, categories, moments, constancy, scale, exchange, absence, form)


def judged(
    delta_id: str, found: Profile, history: LoadHistory, schema: TableSchema, hidden: frozenset[str] = frozenset()
) -> tuple[list[Oddity], LoadHistory]:
    """What is odd about a load, worst first, and the history with it.

    Args:
        delta_id: the delta's id.
        found: the profile of its new rows.
        history: the loads before it.
        schema: the table's columns.
        hidden: columns whose values no sentence may show.
    """
    summary = summarised(delta_id, found, schema)
    summary = replace(summary, again=round(overlap(summary, history.loads)[0], 4))
    case = Case(delta_id, found, summary, history, schema, 1 / ONE_IN / len(_JUDGES), hidden)
    judges = _JUDGES if found.rows else (volume,)
    odd = [oddity for judge in judges for oddity in judge.judge(case)]
    return sorted(_told_once(odd, case), key=lambda oddity: -oddity.magnitude), history.followed_by(summary, found)


def _told_once(odd: Sequence[Oddity], case: Case) -> list[Oddity]:
    """Without what follows: from a column that has one value left, from rows that came twice, from another unit.

    Where about as many rows came as usual a column is stuck, and where fewer did, those with other values are missing.
    """
    usual = float(np.median([load.rows for load in case.history.loads] or [0]))
    fewer = case.found.rows < _FEWER * usual
    cause, follows = ("completeness", "stuck") if fewer else ("stuck", "completeness")
    sized = {name for oddity in odd if oddity.kind == "scale" for name in oddity.columns}
    exchanged = {name for oddity in odd if oddity.kind == "exchange" for name in oddity.columns}
    explained = {name for oddity in odd if oddity.kind == cause for name in oddity.columns}
    again = any(oddity.kind == "repeated rows" for oddity in odd)
    return [
        oddity
        for oddity in odd
        if not (oddity.kind in (follows, "mix") and explained.intersection(oddity.columns))
        and not (oddity.kind == "row count" and again)
        and not (oddity.kind == "scale" and exchanged.intersection(oddity.columns))
        and not (oddity.kind == "precision" and (sized | exchanged).intersection(oddity.columns))
    ]
