"""Whether an order within a row is kept on purpose, and how far the next rows may go, by the margins so far.

A column that is never above another one may be kept so, or may only never have been above: nobody ensures that a player
has at most as many runs as times at bat. If somebody does, the margins end at the bound: rows lie at it, or enough of
them close to it that some would lie beyond if it were no bound. If nobody does, they thin out towards it, and a row
beyond it one day is rarely further away than this tail reaches. The expected number of rows beyond, and the
chance that the next ones go as far as they do, follow from the nearest margins: beyond a high threshold excesses are
about exponential (Pickands, Statistical inference using extreme order statistics, Annals of Statistics 1975). Their
mean
is uncertain when few rows give it, so the tail is wider.

Whole numbers, and others that come in steps, have a geometric tail: of the same mean excess m, an exponential one falls
by the factor m / (m + s) with each step s. So its mean is s / ln(1 + s/m), which is m where the steps are small.
"""

from math import log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# Shares of the rows, those with the nearest margins, that the tail is fitted to, and the fewest rows. Margins far from
# a bound tell nothing about it.
_NEAR, _NEARER, _NEAREST, _FEWEST = 0.2, 0.05, 0.02, 10
# Numbers that differ by less than this share of the widest margin are the same; doubles are rounded.
_SAME = 1e-9


class LowsAndHighs(NamedTuple):
    """Two columns of rows that have both, the lesser first: float64[n] each."""

    lows: Numbers
    highs: Numbers


def is_by_chance(known: LowsAndHighs, come: LowsAndHighs, *, strict: bool, once_in: float) -> bool:
    """Whether the rows that break an order within a row are to be expected from those so far, if there were no order.

    Args:
        known: the rows so far; those that break the order are left out.
        come: the rows of the delta; some of them break it.
        strict: whether equal values break it.
        once_in: in one of this many deltas a break by chance is accepted.
    """
    known = LowsAndHighs(*(values[known.lows <= known.highs] for values in known))
    put = _tested(known, known)
    before, after = _margins(put, put), _margins(put, _tested(known, come))
    both = zip(before, after, strict=True)
    return any(not is_kept(b, strict=strict, once_in=once_in) and not goes_far(b, a, once_in) for b, a in both)


def _tested(known: LowsAndHighs, rows: LowsAndHighs) -> LowsAndHighs:
    """The rows that test the order: without those of the least or the greatest value."""
    least, most = known.lows.min(initial=np.inf), known.highs.max(initial=-np.inf)
    put = ((rows.lows > least) & (rows.highs < most)) | (rows.lows > rows.highs)
    return LowsAndHighs(rows.lows[put], rows.highs[put])


def _margins(known: LowsAndHighs, rows: LowsAndHighs) -> list[Numbers]:
    """How far rows are beyond the order, negative if they keep it: by difference and, for amounts, by ratio."""
    found = [rows.lows - rows.highs]
    amounts = np.concatenate(known)
    if amounts.min(initial=0.0) >= 0 and (amounts > 0).any():
        unit = amounts[amounts > 0].min()
        low, high = (np.log(np.maximum(values, 0.0) + unit) for values in rows)
        found.append(low - high)
    return found


def is_kept(margins: Numbers, *, strict: bool, once_in: float) -> bool:
    """Whether enough rows would lie beyond if there were no bound, so that none does only in one of ``once_in`` cases.

    Args:
        margins: how far rows are beyond it, 0 or below: float64[n].
        strict: whether 0 is beyond, too.
        once_in: the inverse of the accepted error rate.
    """
    return expected_beyond(margins, strict=strict) >= log(once_in)


def expected_beyond(margins: Numbers, *, strict: bool = False) -> float:
    """How many of the rows so far would be expected beyond a bound if there were none; arguments as for ``is_kept``."""
    bound = margins.max(initial=-np.inf) if strict else _step(margins)
    return max(_beyond(margins, share, bound, len(margins)) for share in (_NEAREST, _NEARER))


def goes_far(margins: Numbers, new: Numbers, once_in: float) -> bool:
    """Whether a row is further beyond than the margins let expect in one of ``once_in`` deltas.

    Args:
        margins: how far the rows so far are beyond the bound, 0 or below: float64[n].
        new: the same for the new rows: float64[m].
        once_in: in one of this many deltas such a row by chance is accepted.
    """
    far = float(new.max(initial=0.0))
    chances = sorted(_beyond(margins, share, far, len(new)) for share in (_NEAREST, _NEARER, _NEAR))
    return chances[1] * once_in < 1


def _beyond(margins: Numbers, share: float, far: float, rows: int) -> float:
    """How many of ``rows`` rows are expected beyond ``far``, by the nearest ``share`` of the margins."""
    few = max(_FEWEST, int(share * len(margins)))
    if few >= len(margins):
        return rows / (1 + len(margins))
    start = -np.partition(-margins, few)[few]
    if far <= start:
        return float(rows)
    nearest = margins[margins >= start] - start
    if not nearest.any():
        return 0.0
    few, step = len(nearest) - 1, _step(nearest)
    mean = step / log1p(step * few / nearest.sum())
    return float(rows * few / len(margins) * (1 + (far - start) / (few * mean)) ** -few)


def _step(numbers: Numbers) -> float:
    """The least distance of different ones of these; 0: there are none."""
    apart = np.diff(np.sort(numbers))
    different = apart[apart > _SAME * apart.sum()]
    return float(different.min()) if len(different) else 0.0
