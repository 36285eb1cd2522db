"""How many whole parts a number has, or parts begun: boxes for pieces, quarters of an hour, full cases; from a sample.

``a = ⌈b / unit⌉`` and ``a = ⌊b / unit⌋`` with a constant, and with another column in its place. What divides without a
rest is a ratio, and found as one.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.equations.constants import simplest
from profiling_core.algorithms.equations.proposing import FIRST_ROWS, Proposal
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.model.expression import WholeParts, constant_text

# Of the rests that are left over, as parts of a unit, one in ten is so small, and one so large.
_MOST_RESTS, _SMALL, _LARGE = (0.1, 0.9), 0.4, 0.5
Vector = NDArray[np.float64]
# What is as near to a whole number leaves no rest.
_DIVIDES = 1e-12
# A unit of more digits is nobody's.
_MOST_DIGITS = 3


def whole_parts(sample: Sample) -> Iterator[Proposal]:
    """Whole numbers that are how many units, of a constant or of a column, another column has or begins."""
    parted = np.flatnonzero(sample.values.min(axis=1) >= 0)
    counts = [a for a in sample.targets if _counts(sample.values[a])]
    for a in counts:
        yield from _by_constants(sample, a, parted[parted != a])
    units = np.flatnonzero(sample.values.min(axis=1) > 0)
    for b in parted if counts else ():
        yield from _by_columns(sample, counts, int(b), units[units != b])


def _counts(values: Vector) -> bool:
    """Whether a column counts: with whole numbers of nought or more, and more than a flag has."""
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
    """Between which bounds a unit is, so that each of m columns, float64[m, k], has so many parts, float64[k].

    Of so many parts begun a unit is not less than one of as many, and less than one of one fewer.
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
    """The one by the other, where there is anything to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(under > 0, over / under, otherwise)


def _has_rests(found: Vector, parts: Vector, *, up: bool) -> bool:
    """Whether a number that is rounded so is the one, and leaves rests of all sizes: small ones alone are added."""
    whole = np.rint(found)  # as which doubles say 6.23 / 0.07, too
    found = np.where(np.abs(found - whole) <= _DIVIDES * np.maximum(whole, 1), whole, found)
    if not ((np.ceil if up else np.floor)(found) == parts).all():
        return False
    small, large = np.quantile(found - np.floor(found), _MOST_RESTS)
    return bool(small < _SMALL and large >= _LARGE)
