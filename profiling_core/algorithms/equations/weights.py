"""Weighted sums of several columns: columns that explain most of the rest are added until no rest is left.

Compare: Mallat and Zhang, "Matching pursuits with time-frequency dictionaries" (1993), here with all weights fitted
anew at each step. A column that the others already explain ends with a weight near 0 and is left out again.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.constants import simplest, written_digits
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import Linear, constant_text

_Numbers = NDArray[np.float64]
# Columns that are added at most; columns that may stay at most; and rows that each column needs at least.
_STEPS, _MOST_TERMS, _ROWS_EACH = 7, 5, 8
# Fitted values may miss the room by this factor before the weights are rounded; and standard errors within which a
# rounded weight is searched.
_LOOSE, _WIDE = 1.5, 4.0
# The search ends if a column leaves more than this share of the sum of squares.
_LEFT = 0.999
# Digits of a weight, at most.
_MOST_WEIGHT_DIGITS = 4


def weighted_sums_of_many(sample: Sample) -> Iterator[Proposal]:
    """``a = f·b + g·c + h·d``, perhaps with a constant; f, g and h are constants of few digits."""
    means = sample.values.mean(axis=1)
    apart = sample.values - means[:, None]
    spread = np.sqrt((apart**2).sum(axis=1))
    unit = apart / np.where(spread > 0, spread, 1.0)[:, None]
    for target in sample.targets:
        chosen = _pursued(sample, unit, target)
        if len(chosen) > 1 and (linear := _written(sample, target, chosen)):
            yield Proposal(sample.names[target], linear)


def _pursued(sample: Sample, unit: _Numbers, target: int) -> list[int]:
    """The columns that explain another one, each of them needed; none if they do not explain it."""
    goal = sample.values[target] - sample.values[target].mean()
    chosen: list[int] = []
    rest, room = goal, _LOOSE * sample.room[target]
    for _ in range(min(_STEPS, len(sample.names) - 1, sample.rows // _ROWS_EACH)):
        telling = np.abs(unit @ rest)
        telling[[target, *chosen]] = -1.0
        chosen.append(int(telling.argmax()))
        left = _rest(sample, goal, chosen)
        if (np.abs(left) <= room).all():
            return _needed(sample, goal, chosen, room)
        if (left**2).sum() > _LEFT * (rest**2).sum():
            return []
        rest = left
    return []


def _needed(sample: Sample, goal: _Numbers, chosen: list[int], room: _Numbers) -> list[int]:
    """Those columns without which the others would not suffice; none if these are too many."""
    kept = chosen
    for one in chosen:
        fewer = [i for i in kept if i != one]
        if fewer and (np.abs(_rest(sample, goal, fewer)) <= room).all():
            kept = fewer
    return sorted(kept) if len(kept) <= _MOST_TERMS else []


def _rest(sample: Sample, goal: _Numbers, chosen: Sequence[int]) -> _Numbers:
    columns = _beside_one(sample, chosen)
    found: _Numbers = goal - columns @ np.linalg.lstsq(columns, goal, rcond=None)[0]
    return found


def _beside_one(sample: Sample, chosen: Sequence[int]) -> _Numbers:
    return np.column_stack([sample.values[list(chosen)].T, np.ones(sample.rows)])


def _written(sample: Sample, target: int, chosen: Sequence[int]) -> Linear | None:
    """The sum with weights of few digits, if it fits in all rows."""
    columns, goal, room = _beside_one(sample, chosen), sample.values[target], sample.room[target]
    weights, *_ = np.linalg.lstsq(columns, goal, rcond=None)
    wrong = np.sqrt(((goal - columns @ weights) ** 2).mean()) + 1e-12 * np.abs(goal).max()
    doubt = _WIDE * wrong * np.sqrt(np.abs(np.diag(np.linalg.pinv(columns.T @ columns))))
    factors = [_plain(w, d) for w, d in zip(weights[:-1].tolist(), doubt[:-1].tolist(), strict=True)]
    if any(factor is None for factor in factors):
        return None
    terms = sorted(
        ((factor, sample.names[i]) for factor, i in zip(factors, chosen, strict=True) if factor is not None),
        key=lambda term: term[0] < 0,
    )
    left = goal - sum(float(f) * sample.values[i] for f, i in zip(factors, chosen, strict=True) if f is not None)
    low, high = float((left - room).max()), float((left + room).min())
    constant = Fraction(0) if low <= 0 <= high else simplest(low, high)
    if constant is None or low > high:
        return None
    return Linear(tuple((constant_text(factor), name) for factor, name in terms), constant_text(constant))


def _plain(weight: float, doubt: float) -> Fraction | None:
    """The simplest weight near a fitted one, if it has few digits."""
    found = simplest(weight - doubt, weight + doubt) if isfinite(weight) and isfinite(doubt) else None
    if found is None or written_digits(constant_text(abs(found))) > _MOST_WEIGHT_DIGITS:
        return None
    return found
