"""What may come next of an order within a row, as the margins tell by which rows have kept it so far.

A column that is never above another one may be kept so, or may only never have been so: nobody sees to it that a player
has no more runs than times at bat. Where somebody does, the margins end at the bound: rows lie at it, or so many close
to it that some would be beyond, were it none. Where nobody does, they thin out towards it, and the row that is beyond
one day is hardly further away than they thin out to. How many rows would have been beyond, and how likely the next ones
are to go as far as they do, follows from the nearest margins: beyond a high threshold excesses are about exponential
(Pickands, Statistical inference using extreme order statistics, Annals of Statistics 1975), of a mean that so few know
no better.
"""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# These shares of the rows, the nearest ones, tell how margins thin out, and so many rows at least. Where there is a
# bound, those far from it tell nothing of it.
_NEAR, _NEARER, _NEAREST, _FEWEST = 0.2, 0.05, 0.02, 10


class LowsAndHighs(NamedTuple):
    """Two columns of rows that have both, the lesser first: float64[n] each."""

    lows: Numbers
    highs: Numbers


def is_by_chance(known: LowsAndHighs, come: LowsAndHighs, *, strict: bool, once_in: float) -> bool:
    """Whether the rows that break an order within a row are what those so far let one expect, were there no order.

    Args:
        known: the rows so far; of those that do not keep the order nothing is learnt.
        come: the rows of the delta, of which some do not keep it.
        strict: whether the two may not be the same either.
        once_in: the deltas of which one may break it by chance.
    """
    known = LowsAndHighs(*(values[known.lows <= known.highs] for values in known))
    put = _tested(known, known)
    before, after = _margins(put, put), _margins(put, _tested(known, come))
    both = zip(before, after, strict=True)
    return any(not is_kept(b, strict=strict, once_in=once_in) and not goes_far(b, a, once_in) for b, a in both)


def _tested(known: LowsAndHighs, rows: LowsAndHighs) -> LowsAndHighs:
    """The rows that put the order to the test: not those of the least value, nor of the greatest one."""
    least, most = known.lows.min(initial=np.inf), known.highs.max(initial=-np.inf)
    put = ((rows.lows > least) & (rows.highs < most)) | (rows.lows > rows.highs)
    return LowsAndHighs(rows.lows[put], rows.highs[put])


def _margins(known: LowsAndHighs, rows: LowsAndHighs) -> list[Numbers]:
    """By how much rows are beyond the order, below 0 where they keep it: the difference and, of amounts, the ratio."""
    found = [rows.lows - rows.highs]
    amounts = np.concatenate(known)
    if amounts.min(initial=0.0) >= 0 and (amounts > 0).any():
        unit = amounts[amounts > 0].min()
        low, high = (np.log(np.maximum(values, 0.0) + unit) for values in rows)
        found.append(low - high)
    return found


def is_kept(margins: Numbers, *, strict: bool, once_in: float) -> bool:
    """Whether so many rows would be beyond, were there no bound, that none is only once in so many cases.

    Args:
        margins: by how much rows are beyond it, 0 or below: float64[n].
        strict: whether none may be 0.
        once_in: of so many bounds one may be none.
    """
    bound = margins.max(initial=-np.inf) if strict else 0.0
    return any(_beyond(margins, share, bound, len(margins)) >= log(once_in) for share in (_NEAREST, _NEARER))


def goes_far(margins: Numbers, new: Numbers, once_in: float) -> bool:
    """Whether a row is further beyond than the margins let one of so many be, but once in long.

    Args:
        margins: by how much the rows so far are beyond the bound, 0 or below: float64[n].
        new: the same of those that come: float64[m].
        once_in: the deltas of which one may have such a row by chance.
    """
    far = float(new.max(initial=0.0))
    chances = sorted(_beyond(margins, share, far, len(new)) for share in (_NEAREST, _NEARER, _NEAR))
    return chances[1] * once_in < 1


def _beyond(margins: Numbers, share: float, far: float, rows: int) -> float:
    """How many of so many rows are expected as far beyond, as this share of those so far tells, the nearest ones."""
    few = max(_FEWEST, int(share * len(margins)))
    if few >= len(margins):
        return rows / (1 + len(margins))
    nearest = -np.partition(-margins, few)[: few + 1]
    start = float(nearest.min())
    mean = float(nearest.sum() - (few + 1) * start) / few
    if far <= start:
        return float(rows)
    return float(rows * few / len(margins) * (1 + (far - start) / (few * mean)) ** -few) if mean else 0.0
