"""Whether the break of an order within a row is what the margins let one expect, as docs/semantics.md says it."""

from collections.abc import Sequence
from math import inf, log

Rows = Sequence[tuple[float, float]]


def is_by_chance(known: Rows, come: Rows, *, strict: bool) -> bool:
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
    return any(not _is_kept(b, strict=strict) and not _goes_far(b, a) for b, a in forms)


def _is_kept(margins: Sequence[float], *, strict: bool) -> bool:
    bound = max(margins, default=-inf) if strict else 0.0
    return any(_beyond(margins, share, bound, len(margins)) >= 7 for share in (0.02, 0.05))


def _goes_far(margins: Sequence[float], new: Sequence[float]) -> bool:
    far = max([0.0, *new])
    chances = sorted(_beyond(margins, share, far, len(new)) for share in (0.02, 0.05, 0.2))
    return chances[1] < 1 / 1000


def _beyond(margins: Sequence[float], share: float, far: float, rows: int) -> float:
    few = max(10, int(share * len(margins)))
    if few >= len(margins):
        return rows / (1 + len(margins))
    nearest = sorted(margins, reverse=True)[: few + 1]
    start = nearest[-1]
    mean = sum(margin - start for margin in nearest) / few
    if far <= start:
        return rows
    return rows * few / len(margins) * (1 + (far - start) / (few * mean)) ** -few if mean else 0.0
