"""What, undone, makes wrong numbers as usual: the likeliest of the ways in which numbers go wrong.

A way costs the more the less likely it is. It explains numbers if it makes all of them usual, and best of all where it
leaves them nearest to the usual for its cost (minimum description length: Rissanen, Automatica 1978).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from profiling_core.algorithms.batch_anomalies.surprise import Figures

# Factors between units that are mixed up, and what that is.
FACTORS = {
    100.0: "cents, or per cent?",
    10.0: "a decimal point has moved?",
    1_000.0: "thousandths (g for kg, m for km, ms for s)?",
    1_000_000.0: "millionths?",
    60.0: "minutes for hours, or seconds for minutes?",
    3_600.0: "seconds for hours?",
    24.0: "hours for days?",
    1.609: "kilometres for miles?",
    25.4: "millimetres for inches?",
    2.54: "centimetres for inches?",
    2.2046: "pounds for kilograms?",
    3.2808: "feet for metres?",
}
_POINTS = (10.0, 100.0, 1e3, 1e4, 1e5, 1e6)
Undo = Callable[[Figures], Figures]


@dataclass(frozen=True, slots=True)
class Undoing:
    """One way in which numbers go wrong: in words, how to undo it, and what it costs, in nats."""

    words: str
    undo: Undo
    cost: float


@dataclass(frozen=True, slots=True)
class Wrong:
    """Numbers that are not as usual: what they are, what is expected, and how far that may be off, both as ``scaled``.

    ``all_now`` and ``all_expected`` are those of all sources of which both are known.
    """

    now: Figures
    expected: Figures
    spread: Figures
    scaled: Callable[[Figures], Figures]
    all_now: Figures
    all_expected: Figures


def _times(factor: float) -> Undo:
    return lambda x: x * factor


def _inverse(x: Figures) -> Figures:
    inverse: Figures = np.divide(1.0, x, out=np.full(x.shape, np.nan), where=x != 0)
    return inverse


# The sign, a decimal point and one over it are likelier than units, of which there are more.
_WAYS = (
    Undoing("the sign is turned?", lambda x: -x, 1.0),
    *(Undoing("a decimal point is lost, or has moved?", _times(1 / factor), 2.0) for factor in _POINTS),
    *(Undoing("a decimal point has moved?", _times(factor), 2.0) for factor in _POINTS),
    Undoing("one over it?", _inverse, 3.0),
    *(Undoing(words, _times(by), 4.0) for f, words in FACTORS.items() if f not in _POINTS for by in (f, 1 / f)),
)
# What is undone lies so many spreads from the expected at most, as nearly all that is usual does.
_USUAL = 3.0


def explained(wrong: Wrong) -> Undoing | None:
    """The way that explains all of the numbers best; None: none does."""
    if not wrong.now.any():
        return Undoing("nothing in place of what it is?", _unknown, 0.0)
    if len(wrong.now) > 1 and not np.ptp(wrong.now):
        return Undoing("one number in place of each: no reading, or a default?", _unknown, 0.0)
    if _are_of_other_rows(wrong):
        return Undoing("the numbers of other rows?", _unknown, 0.0)
    length, _, best = min((_length(wrong, way.undo(wrong.now)) + way.cost, i, way) for i, way in enumerate(_WAYS))
    return best if np.isfinite(length) else None


def _unknown(x: Figures) -> Figures:
    return np.full(x.shape, np.nan)


def _length(wrong: Wrong, undone: Figures) -> float:
    """How many nats it takes to say where the numbers lie beside what is expected; infinite where one is unusual."""
    away = np.abs(wrong.scaled(undone) - wrong.expected) / wrong.spread
    return float(np.sum(away**2) / 2) if (away <= _USUAL).all() else np.inf


def _are_of_other_rows(wrong: Wrong) -> bool:
    """Whether the numbers of all sources are what is expected of them, in another order."""
    now, expected, spread = (np.sort(some) for some in (wrong.scaled(wrong.all_now), wrong.all_expected, wrong.spread))
    several = len(wrong.now) > 1  # one number is like some other one by chance
    return several and len(now) == len(expected) and bool((np.abs(now - expected) <= _USUAL * spread[-1]).all())
