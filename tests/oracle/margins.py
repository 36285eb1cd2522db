"""Whether the break of an order or a range is what the rows so far let one expect, as docs/breaks.md says it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf, log

Rows = Sequence[tuple[float, float]]


def is_by_chance(known: Rows, come: Rows, once_in: float, *, strict: bool) -> bool:
    """Rows are the lesser column beside the other one."""
    known = [(low, high) for low, high in known if low <= high]
    least, most = min((low for low, _ in known), default=inf), max((high for _, high in known), default=-inf)
    before = [(low, high) for low, high in known if low > least and high < most]
    after = [(low, high) for low, high in come if (low > least and high < most) or low > high]
    forms = [[[low - high for low, high in rows] for rows in (before, after)]]
    amounts = [value for row in before for value in row]
    if min(amounts, default=0) >= 0 and any(amounts):
        unit = min(value for value in amounts if value > 0)
        ratios = [
            [log(max(low, 0) + unit) - log(max(high, 0) + unit) for low, high in rows] for rows in (before, after)
        ]
        forms.append(ratios)
    return any(not _is_kept(b, once_in, strict=strict) and not _goes_far(b, a, once_in) for b, a in forms)


def is_within_reach(
    bounds: tuple[float | None, float | None],
    known: Mapping[str, Sequence[str | float]],
    come: Sequence[float],
    once_in: float,
) -> bool:
    """The column itself is called ``it``; without bounds it is asked of the extremes so far."""
    values = _of_things(known)
    sides = [
        ([sign * value for value in values], [sign * value for value in come], sign * bound)
        for sign, bound in zip((-1, 1), bounds, strict=True)
        if bound is not None
    ]
    if bounds == (None, None):
        sides = [
            ([sign * v for v in values], [sign * v for v in come], max(sign * v for v in values)) for sign in (-1, 1)
        ]
    for so_far, new, end in sides:
        if max(new) <= end:
            continue
        margins = [min(0.0, value - end) for value in so_far]
        kept = bounds != (None, None) and (end == 0 or _is_kept(margins, once_in, strict=False))
        if kept or _goes_far(margins, [value - end for value in new], once_in):
            return False
    return True


def _of_things(known: Mapping[str, Sequence[str | float]]) -> list[float]:
    """The column's numbers, those of one thing once where another column names it."""
    found = [[(None, value) for value in known["it"]]]
    for name, things in known.items():
        pairs = sorted({*zip(things, known["it"], strict=True)}, key=str)
        values = len({*things})
        if name != "it" and values >= 2 and 2 * values <= len(things) and len(pairs) <= 2 * values:
            found.append(pairs)
    return [float(value) for _, value in min(found[1:] or found, key=len)]


def _is_kept(margins: Sequence[float], once_in: float, *, strict: bool) -> bool:
    bound = max(margins, default=-inf) if strict else _step(margins)
    return any(_beyond(margins, share, bound, len(margins)) >= log(once_in) for share in (0.02, 0.05))


def _goes_far(margins: Sequence[float], new: Sequence[float], once_in: float) -> bool:
    far = max([0.0, *new])
    chances = sorted(_beyond(margins, share, far, len(new)) for share in (0.02, 0.05, 0.2))
    return chances[1] * once_in < 1


def _beyond(margins: Sequence[float], share: float, far: float, rows: int) -> float:
    few = max(10, int(share * len(margins)))
    if few >= len(margins):
        return rows / (1 + len(margins))
    start = sorted(margins, reverse=True)[few]
    if far <= start:
        return rows
    excesses = [margin - start for margin in margins if margin >= start]
    if not any(excesses):
        return 0.0
    few, step = len(excesses) - 1, _step(excesses)
    mean = step / log(1 + step * few / sum(excesses))
    return rows * few / len(margins) * (1 + (far - start) / (few * mean)) ** -few


def _step(numbers: Sequence[float]) -> float:
    """The least distance of different ones; doubles are rounded."""
    whole = max(numbers, default=0.0) - min(numbers, default=0.0)
    gaps = (b - a for a, b in pairwise(sorted(numbers)))
    return min((gap for gap in gaps if gap > 1e-9 * whole), default=0.0)
