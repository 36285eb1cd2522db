"""Bounds that a column's values keep, as a person would write them down.

A bound is learnt if the later half of the deltas brought nothing beyond the earlier half: then the next delta probably
does not either (the rule of succession). A bound that most deltas meet is one of the domain (hour 23, 100 %). Any other
bound is only how far the values happened to go, and gets a margin: wider for a shorter history, and for extremes that
thin out more slowly. Extremes that follow those of the delta before (a price, a temperature) or grow with time are no
sample of future values. They get much room until they can be forecast from the latest deltas (``extremes``), and then
no bound.

Bounds are rounded outwards to two digits of the width; further digits are noise.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import pairwise
from math import inf, sqrt
from statistics import fmean, median_low

from profiling_core.algorithms.columns.extremes import once_in_long
from profiling_core.algorithms.columns.figures import Number, parsed
from profiling_core.algorithms.columns.history import ColumnHistory
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.types import LogicalType

# Deltas that a rule is learnt from, at least.
LEAST_DELTAS = 7
# A bound is one of the domain if this share of the deltas met it. Less often met bounds, and others, get a margin as a
# share of the width; it is wider for short histories.
_MET_BY_MOST = 0.6
_MET_BY_SOME = 0.2
_LEAST_MET = 5
_SMALL_MARGIN = 0.05
_MARGIN = 1.0
_MARGIN_WHEN_YOUNG = 30
# Within this share of the width a value is near zero; and this many deltas without a negative value are a long history.
_NEAR_ZERO = 0.01
_LONG = 100
# Bounds are learnt anew if they would leave less than this share of the room on a side.
_CLOSER = 0.6
# From this many deltas on the latest ones forecast the next; until then a wandering column gets this much more room.
_ENOUGH = 28
_WIDER = 3.0
# A bound that leaves more than this multiple of the width guards nothing, and waits for a longer history.
_TOO_FAR = 1.0
# The test statistic above which numbers count as growing; numbers independent of time exceed it once in 160 times.
_GROWS = 2.5
# Numbers wander below this value of Bartels' ratio, which is 2 for random order and 0 for numbers that barely move.
_WANDERS = 0.5
# Below this ratio a learnt range is given up.
_SURELY_WANDERS = 0.3

Bounds = tuple[Number | None, Number | None]


def bounds(extremes: Sequence[tuple[Number, Number]], *, thinning: bool = False) -> Bounds:
    """The lower and the upper bound that deltas' extremes support; None: none.

    Args:
        extremes: the least and the greatest value of each delta that had values.
        thinning: whether greater values become so rare that the next one may only be rarer still.
    """
    if len(extremes) < LEAST_DELTAS:
        return None, None
    lows, highs = [low for low, _ in extremes], [high for _, high in extremes]
    width = max(highs) - min(lows)
    high = _upper(highs, width, domain=not thinning)
    below = _upper([-low for low in lows], width, domain=True)
    low = None if below is None else -below
    if min(lows) >= 0 and (low is None or low < 0):
        low = _zero(lows, width)
    return _rounded(low, width, ROUND_FLOOR), _rounded(high, width, ROUND_CEILING)


def _upper(highs: Sequence[Number], width: Number, *, domain: bool) -> Number | None:
    half = len(highs) // 2
    most = max(highs)
    if max(highs[:half]) < max(highs[half:]):
        return None
    margin = _margin(highs, most, domain=domain)
    if not margin:
        return most
    if wanders(highs) or _grows(highs):
        if len(highs) >= _ENOUGH:
            return None
        margin *= _WIDER
    middle = median_low(highs)
    room = _times(_reach(width, most - middle, domain=domain), margin)
    rare = once_in_long([float(high - middle) for high in highs]) or 0.0
    bound = max(most + room, middle + type(middle)(rare))
    return None if width and float(bound - most) > _TOO_FAR * float(width) else bound


def _zero(lows: Sequence[Number], width: Number) -> Number | None:
    """Zero, if values are often near it or were on one side of it for long; then no other bound applies below."""
    near = sum(low <= _NEAR_ZERO * float(width) for low in lows)
    return type(lows[0])(0) if near >= _LEAST_MET or len(lows) >= _LONG else None


def _rounded(bound: Number | None, width: Number, outwards: str) -> Number | None:
    if bound is None or not width:
        return bound
    exact = Decimal(str(width))
    # whole numbers and decimals have a finest digit
    finest = {int: 0, Decimal: int(exact.as_tuple().exponent)}.get(type(bound))
    digits = exact.adjusted() - 1 if finest is None else max(finest, exact.adjusted() - 1)
    steps = Decimal(str(bound)).scaleb(-digits).to_integral_value(outwards)
    return type(bound)(f"{steps.scaleb(digits):f}")


def wanders(extremes: Sequence[Number], most: float = _WANDERS) -> bool:
    """Whether numbers follow the one before (Bartels, The rank version of von Neumann's ratio test, JASA 1982)."""
    ranks = _ranks(extremes)
    spread = _spread(ranks)
    return bool(spread) and sum((a - b) ** 2 for a, b in pairwise(ranks)) < most * spread


def _grows(highs: Sequence[Number]) -> bool:
    """Whether numbers grow with time (Spearman's rank correlation)."""
    ranks, times = _ranks(highs), range(len(highs))
    spread = sqrt(_spread(ranks) * _spread(times))
    middle = fmean(times)
    together = sum(rank * (time - middle) for rank, time in zip(ranks, times, strict=True))
    return bool(spread) and together / spread * sqrt(len(highs) - 1) > _GROWS


def _ranks(numbers: Sequence[Number]) -> list[float]:
    """The place of each in rising order; equal ones share the mean of their places."""
    places: dict[Number, list[int]] = {}
    for place, number in enumerate(sorted(numbers)):
        places.setdefault(number, []).append(place)
    return [fmean(places[number]) for number in numbers]


def _spread(ranks: Sequence[float]) -> float:
    middle = fmean(ranks)
    return sum((rank - middle) ** 2 for rank in ranks)


def guards(rule: ColumnRule, column: ColumnHistory) -> bool:
    """Whether a range has a bound whose distance from all values so far is at most their width."""
    lows: list[Number] = [d.low for d in column.deltas if d.rows]
    highs: list[Number] = [d.high for d in column.deltas if d.rows]
    if not lows:
        return True
    low, high = min(lows), max(highs)
    beyond = []
    if rule.low is not None:
        beyond.append(low - parsed(rule.low, column.type))
    if rule.high is not None:
        beyond.append(parsed(rule.high, column.type) - high)
    return any(room <= high - low for room in beyond)


def is_outgrown(rule: ColumnRule, column: ColumnHistory) -> bool:
    """Whether the extremes that a range was learnt from have turned out to follow each other, delta by delta."""
    lows: list[Number] = [d.low for d in column.deltas if d.rows]
    highs: list[Number] = [d.high for d in column.deltas if d.rows]
    if len(lows) < _ENOUGH:
        return False
    sides = ((rule.low, lows, min(lows)), (rule.high, highs, max(highs)))
    return any(
        bound is not None
        and bool(parsed(bound, column.type))  # zero is kept as a bound
        and bool(_margin(side, extreme, domain=True))
        and wanders(side, _SURELY_WANDERS)
        for bound, side, extreme in sides
    )


def _reach(width: Number, spread: Number, *, domain: bool) -> Number:
    """How far values may go on a side: at most their width, and at most twice the spread of the extremes there.

    Delays of an hour are no evidence for departures an hour early.
    """
    return min(width, 2 * spread) if domain and spread else width


def is_much_closer(rule: ColumnRule, known: ColumnRule, column: ColumnHistory) -> bool:
    """Whether bounds learnt now are worth having beside the known ones: much less room on a side, more on none."""
    if rule.low is None and rule.high is None:
        return False
    of_lengths = rule.rule is Rule.LENGTH
    kind = LogicalType.INTEGER if of_lengths else column.type
    lows: list[Number] = [d.shortest if of_lengths else d.low for d in column.deltas if d.rows]
    highs: list[Number] = [d.longest if of_lengths else d.high for d in column.deltas if d.rows]
    below = [_room(min(lows), one.low, kind) for one in (rule, known)]
    above = [_room(max(highs), one.high, kind) for one in (rule, known)]
    sides = (below, above)
    return all(now <= before for now, before in sides) and any(now < _CLOSER * before for now, before in sides)


def _room(extreme: Number, bound: str | None, kind: LogicalType) -> float:
    return inf if bound is None else float(abs(extreme - parsed(bound, kind)))


def _margin(extremes: Sequence[Number], bound: Number, *, domain: bool) -> float:
    """The share of the width by which values may go beyond the extreme, by how many deltas have met it."""
    times = sum(extreme == bound for extreme in extremes)
    met = times / len(extremes) if domain and times >= _LEAST_MET else 0.0
    if met >= _MET_BY_MOST:
        return 0.0
    return _SMALL_MARGIN if met >= _MET_BY_SOME else _MARGIN + _MARGIN_WHEN_YOUNG / len(extremes)


def _times(width: Number, factor: float) -> Number:
    if isinstance(width, int):
        return round(width * factor)
    return width * (Decimal(str(round(factor, 3))) if isinstance(width, Decimal) else factor)
