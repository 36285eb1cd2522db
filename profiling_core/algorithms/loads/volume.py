"""Whether about as many rows came as usual: more or fewer than their own variation so far explains."""

from collections.abc import Iterator, Sequence

import numpy as np

from profiling_core.algorithms.loads.history import LoadSummary, series
from profiling_core.algorithms.loads.oddity import Case, Oddity
from profiling_core.algorithms.loads.surprise import counted_by_luck, odds

# What is within this share of the usual is no news however regular the loads have been.
_LEAST_CHANGE = 0.01
_LATEST = 28
_STEADIEST = 1e-3
# Loads of which one in three has half as much again, or two thirds of it, have no usual number, but a range.
_WILD = float(np.log(1.5))


def judge(case: Case) -> Iterator[Oddity]:
    """Row counts, by their logarithms."""
    rows = case.found.rows
    before = series([np.log1p(load.rows)] for load in case.history.loads)
    found = case.surprise(before, np.array([np.log1p(rows)]), unit=1 / (1 + rows))
    usual = float(np.expm1(found.expected[0])) if before.size else 0.0
    chance = (
        max(float(found.chance[0]), _by_luck(case, usual, float(found.spread[0])))
        if found.chance[0] < case.level
        else 1.0
    )
    spread = float(found.spread[0])
    if chance < case.level and abs(rows - usual) > max(0.5, _LEAST_CHANGE * usual) and _is_beyond(case, spread):
        seen, latest = _range(case.history.loads), _range(case.history.loads[-_LATEST:])
        varies = spread > _WILD and latest != "0"
        yield Oddity(
            "row count",
            f"{rows:,} rows came, {latest if varies else f'about {usual:,.0f}'} are usual",
            cause=_cause(rows / max(1.0, usual)),
            details=(f"The {len(case.history.loads)} loads before had {seen} rows.",),
            magnitude=odds(chance) / odds(case.level),
            size=float(np.log1p(rows) - found.expected[0]),
            room=spread,
        )


def _is_beyond(case: Case, spread: float) -> bool:
    """Whether fewer or more came than with any of the latest loads, by as much as these vary where they vary wildly."""
    if spread <= _WILD:
        return True
    latest = [load.rows for load in case.history.loads[-_LATEST:]]
    return not min(latest) * np.exp(-spread) <= case.found.rows <= max(latest) * np.exp(spread)


def _range(loads: Sequence[LoadSummary]) -> str:
    low, high = min(load.rows for load in loads), max(load.rows for load in loads)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _by_luck(case: Case, usual: float, spread: float) -> float:
    """The chance of so many rows where rows come one by one: as Poisson's, but where loads have varied by less.

    Or have been off by less from what was foretold: each Sunday has ten rows, and each other day fifty.
    """
    counts = np.array([load.rows for load in case.history.loads[-_LATEST:]], np.float64)
    if not counts.any():  # how steadily none come says nothing of how some would
        return counted_by_luck(case.found.rows, 0.5 / len(counts))
    varied = min(float(counts.var() / counts.mean()), spread * spread * usual)
    dispersion = min(1.0, max(_STEADIEST, varied))
    return counted_by_luck(case.found.rows / dispersion, usual / dispersion)


def _cause(ratio: float) -> str:
    if abs(ratio - 0.5) < 0.05:
        return "half of the file?"
    if abs(ratio - 2) < 0.1:
        return "the file twice?"
    return "a part of the file is missing?" if ratio < 1 else "more than one load in the file?"
