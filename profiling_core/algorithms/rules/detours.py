"""Orders of points in time that hold by way of others, and that nobody keeps: a birth before a licence's end.

Two shapes of them are left out, where no row comes close to the bound. ``a ≤ c`` where ``a ≤ b`` holds and ``b ≤ c``
nearly does (where it does, the one follows from the two). And of two pairs beside each other, the planned start and end
and the actual ones, the one's start before the other's end: each pair keeps its distance better than those across.
And, whether rows come close or not, what each row says by way of one of several columns, of which some have this, some
that.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Order = tuple[str, str]
# From such a share of rows on an order nearly holds, and so many of the rows must have all three values.
_NEARLY, _SHARED = 0.9, 0.5


def detours(orders: Collection[Order], loose: Collection[Order], numbers: Mapping[str, Numbers]) -> set[Order]:
    """Of the loose orders those that hold by way of others.

    Args:
        orders: pairs of columns, the lesser first, that hold.
        loose: those of them to whose bound no row comes close.
        numbers: by column float64[n], points in time in rows of a sample; NaN is null.
    """
    known = set(orders)
    return _by_turns(known, numbers) | {o for o in loose if _by_a_step(o, known, numbers) or _across(o, known, numbers)}


def _by_turns(known: set[Order], numbers: Mapping[str, Numbers]) -> set[Order]:
    """The orders that each row has by way of one of several columns: it was sent back, or called off.

    Those that go by way of such an order alone are of them.
    """
    between = {order: by for order in known if (by := _between(order, known))}
    shares = {order: _shares(order, by, numbers) for order, by in between.items()}
    told = {order for order, each in shares.items() if not each.all(axis=1).any() and each.any(axis=0).all()}

    def goes_round(order: Order) -> bool:
        over = [by for by, covers in zip(between[order], shares[order], strict=True) if covers.all()]
        return any(not told.isdisjoint({(order[0], by), (by, order[1])}) for by in over)

    return told | {order for order in between if order not in told and goes_round(order)}


def _between(order: Order, known: set[Order]) -> list[str]:
    """The columns that known orders put between the two."""
    low, high = order
    return [b for a, b in known if a == low and (b, high) in known]


def _shares(order: Order, between: Sequence[str], numbers: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    """bool[m, n]: of the rows that have both ends those that have each of the columns between."""
    ends = ~np.isnan(numbers[order[0]] + numbers[order[1]])
    return np.array([~np.isnan(numbers[name][ends]) for name in between])


def _by_a_step(order: Order, known: set[Order], numbers: Mapping[str, Numbers]) -> bool:
    low, high = order
    after = (((b, high), b) for a, b in known if a == low and b != high)
    before = (((low, a), a) for a, b in known if b == high and a != low)
    steps = ((step, by) for step, by in (*after, *before) if step not in known)
    return any(_nearly_holds(step, order, by, numbers) for step, by in steps)


def _nearly_holds(step: Order, order: Order, by: str, numbers: Mapping[str, Numbers]) -> bool:
    ends = ~np.isnan(numbers[order[0]] + numbers[order[1]])
    there = ends & ~np.isnan(numbers[by])
    if there.sum() < _SHARED * ends.sum():
        return False
    low, high = (numbers[name][there] for name in step)
    return bool((low < high).any() and (low <= high).mean() >= _NEARLY)  # of two that are the same neither is a step


def _across(order: Order, known: set[Order], numbers: Mapping[str, Numbers]) -> bool:
    """Whether it goes from one pair's start to another's end, in whose places the two stand now first, now last."""
    start, end = order
    return any(
        known.isdisjoint({(start, begun), (begun, start), (over, end), (end, over)})
        and _is_wider(order, ((start, over), (begun, end)), numbers)
        for low, over in known
        if low == start and over != end
        for begun, high in known
        if high == end and begun != start
    )


def _is_wider(order: Order, pairs: tuple[Order, Order], numbers: Mapping[str, Numbers]) -> bool:
    there = ~np.isnan(sum(numbers[name] for pair in pairs for name in pair))
    if not there.any():
        return False
    spread = [float(np.std(numbers[high][there] - numbers[low][there])) for low, high in (order, *pairs)]
    return spread[0] > max(spread[1:])
