"""Finds the change that, undone, makes numbers usual: the likeliest of the ways in which numbers go wrong.

A way has a cost, higher for less likely ones. It explains numbers if it makes all of them usual; the best way leaves
them
nearest to the usual for its cost (minimum description length: Rissanen, Automatica 1978).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import log

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Mask
from profiling_core.algorithms.batch_anomalies.surprise import Figures

# Factors between units that are mixed up, with the likely cause.
FACTORS = {
    100.0: "cents, or per cent?",
    10.0: "a decimal point is lost, or has moved?",
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
    """One way in which numbers go wrong: its description, a likely cause, how to undo it, and its cost in nats.

    ``said`` continues "the values of amount"; empty: only their distance from the usual is given. ``undo`` gives NaN if
    the
    right number is unknown. ``there`` says which numbers it concerns (None: all; of rows that are missing none does).
    """

    said: str
    cause: str
    undo: Undo
    cost: float
    there: Callable[[Figures], Mask] | None = None


def _times(factor: float) -> Undo:
    return lambda x: x * factor


def _inverse(x: Figures) -> Figures:
    inverse: Figures = np.divide(1.0, x, out=np.full(x.shape, np.nan), where=x != 0)
    return inverse


def unknown(x: Figures) -> Figures:
    """NaN for numbers whose right values are unknown."""
    return np.full(x.shape, np.nan)


def times(factor: float) -> str:
    """``100 times``, ``1/60 of``."""
    great = max(factor, 1 / factor)
    text = f"{great:,.0f}" if great >= 10 else f"{great:.2f}".rstrip("0").rstrip(".")
    return f"{text} times" if factor > 1 else f"1/{text} of"


def scaled(factor: float, cause: str, cost: float) -> Undoing:
    """The change that multiplied all numbers."""
    return Undoing(f"are about {times(factor)} their usual size", cause, _times(1 / factor), cost)


# Signs, decimal points and inverses are likelier than any one unit, since there are more units.
WAYS = (
    Undoing("have the wrong sign", "the sign is turned?", lambda x: -x, 1.0),
    *(scaled(f, FACTORS.get(f, "a decimal point is lost, or has moved?"), 2.0) for f in _POINTS),
    *(scaled(1 / f, "a decimal point has moved, or a unit is another one?", 2.0) for f in _POINTS),
    Undoing("are the inverse of the usual values", "inverted?", _inverse, 3.0),
    *(scaled(by, cause, 4.0) for f, cause in FACTORS.items() if f not in _POINTS for by in (f, 1 / f)),
)
# The costs of other changes, in nats.
_OFFSET, _DIGIT = 5.0, 3.0
# A factor of its own is known to a sixteenth of a doubling, among twenty doublings.
FACTOR = log(20 * 16)
_WHOLE = 100  # numbers from here on are shown without fractions


def offset(by: float) -> Undoing:
    """The change that added one number to all numbers."""
    number = f"{abs(by):,.0f}" if abs(by) >= _WHOLE else f"{abs(by):.3g}"
    said = f"are about {number} {'more' if by > 0 else 'less'} than usual"
    return Undoing(said, "a constant was added, or another zero point?", lambda x: x - by, _OFFSET)


def digit_lost(numbers: Figures) -> Undoing:
    """The change that cut the last digit of whole numbers: any digit may have been there."""
    digits = np.arange(len(numbers)) % 10
    return Undoing(
        "have lost their last digit", "cut to a length, or divided by 10?", lambda x: x * 10 + digits, _DIGIT
    )


def likeliest(ways: Iterable[Undoing], numbers: Figures, unusual: Callable[[Figures], float]) -> Undoing | None:
    """The way that explains numbers best; None: no way makes them usual.

    Args:
        ways: the candidates.
        numbers: the wrong numbers.
        unusual: the description length of numbers in nats, given the expected ones; infinite if one is unusual.
    """
    lengths: Iterator[tuple[float, int, Undoing]] = (
        (unusual(way.undo(numbers)) + way.cost, place, way) for place, way in enumerate(ways)
    )
    length, _, best = min(lengths, default=(np.inf, 0, None))
    return best if np.isfinite(length) else None
