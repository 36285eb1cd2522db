"""Counts of whole or begun parts of a number: boxes for pieces, quarters of an hour, full cases; from a sample.

``a = ⌈b / unit⌉`` and ``a = ⌊b / unit⌋`` with a constant, or with another column as the unit. Without remainders it is
a
ratio, and is found as one.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.constants import simplest
from profiling_core.algorithms.equations.proposing import FIRST_ROWS, Proposal
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import WholeParts, constant_text

# Quantiles of the remainders, as fractions of a unit; the lower has to be below _SMALL, the upper at least _LARGE.
_MOST_RESTS, _SMALL, _LARGE = (0.1, 0.9), 0.4, 0.5
Vector = NDArray[np.float64]
# Within this relative distance of a whole number, a quotient has no remainder.
_DIVIDES = 1e-12
# Ignore units of more than 3 digits.
_MOST_DIGITS = 3


def whole_parts(sample: Sample) -> Iterator[Proposal]:
    """Whole numbers that count the full or begun units, of a constant or a column, in another column."""
    parted = np.flatnonzero(sample.values.min(axis=1) >= 0)
    counts = [a for a in sample.targets if _counts(sample.values[a])]
    for a in counts:
        yield from _by_constants(sample, a, parted[parted != a])
    units = np.flatnonzero(sample.values.min(axis=1) > 0)
    for b in parted if counts else ():
        yield from _by_columns(sample, counts, int(b), units[units != b])


def _counts(values: Vector) -> bool:
    """Whether a column counts: whole numbers of at least 0, and not a flag of 0 and 1."""
    return bool(values.min() >= 0 and values.max() > 1 and (values == np.rint(values)).all())


def _by_constants(sample: Sample, a: int, parted: NDArray[np.int64]) -> Iterator[Proposal]:
    for up in (True, False):
        low, high = _bounds(sample.values[parted, :FIRST_ROWS], sample.values[a, :FIRST_ROWS], up=up)
        for b in parted[(low < high) & (low > 0)].tolist():
            least, most = (float(bound[0]) for bound in _bounds(sample.values[b][None], sample.values[a], up=up))
            if not 0 < least < most < np.inf:
                continue
            room = (most - least) * 1e-9
            unit = simplest(least, most - room) if up else simplest(least + room, most)
            if unit is None or unit == 1 or len(str(unit.numerator).strip("0")) > _MOST_DIGITS:
                continue
            if _has_rests(sample.values[b] / float(unit), sample.values[a], up=up):
                yield Proposal(sample.names[a], WholeParts(sample.names[b], "", constant_text(unit), up))


def _bounds(whole: NDArray[np.float64], parts: Vector, *, up: bool) -> tuple[Vector, Vector]:
    """float64[m] each: the bounds of a unit with which each of m columns, float64[m, k], has ``parts``, float64[k].

    With begun parts, unit is at least whole / parts and less than whole / (parts − 1).
    """
    least = _ratio(whole, parts if up else parts + 1, np.where(whole > 0, np.inf, 0.0))
    most = _ratio(whole, parts - 1 if up else parts, np.full(whole.shape, np.inf))
    return least.max(axis=1), most.min(axis=1)


def _by_columns(sample: Sample, counts: list[int], b: int, units: NDArray[np.int64]) -> Iterator[Proposal]:
    first = sample.values[b, :FIRST_ROWS] / sample.values[units, :FIRST_ROWS]
    for up, found in ((True, np.ceil(first)), (False, np.floor(first))):
        for a in counts:
            same = (found == sample.values[a, :FIRST_ROWS]).all(axis=1)
            for c in units[same].tolist() if a != b else ():
                if c != a and _has_rests(sample.values[b] / sample.values[c], sample.values[a], up=up):
                    yield Proposal(sample.names[a], WholeParts(sample.names[b], sample.names[c], "1", up))


def _ratio(over: NDArray[np.float64], under: Vector, otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient, or ``otherwise`` where the divisor is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(under > 0, over / under, otherwise)


def _has_rests(found: Vector, parts: Vector, *, up: bool) -> bool:
    """Whether the rounded quotient equals ``parts`` and remainders of all sizes occur; small ones alone are noise."""
    whole = np.rint(found)  # doubles make 6.23 / 0.07 not quite whole
    found = np.where(np.abs(found - whole) <= _DIVIDES * np.maximum(whole, 1), whole, found)
    if not ((np.ceil if up else np.floor)(found) == parts).all():
        return False
    small, large = np.quantile(found - np.floor(found), _MOST_RESTS)
    return bool(small < _SMALL and large >= _LARGE)
