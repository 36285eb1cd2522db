"""How surprising a figure of a load is, from docs/loads.md: "Loads", load by load and without arrays."""

from collections.abc import Sequence
from datetime import date
from math import asin, ceil, erfc, exp, inf, isfinite, isnan, log, log1p, log2, nan, sin, sqrt
from statistics import fmean, median

Series = Sequence[float]  # nan: a load has none


def mean(values: Series) -> float:
    there = [value for value in values if not isnan(value)]
    return fmean(there) if there else nan


def forecasts(figures: Series, days: Sequence[date], at: int) -> tuple[float, float, float]:
    """The three ways in which the figure of the load at that place is foretold by those before it."""
    steady = mean(figures[max(0, at - 28) : at]) if at >= 2 else nan
    latest = next((value for value in reversed(figures[:at]) if not isnan(value)), nan)
    alike = [i for i in range(at) if days[i].weekday() == days[at].weekday()][-6:]
    return steady, latest, mean([figures[i] for i in alike]) if len(alike) >= 3 else nan


def surprise(
    before: Series,
    now: float,
    days: Sequence[date],
    unit: float,
    floor: float = 0.0,
    again: Sequence[int] = (),
) -> tuple[float, float, float]:
    """What was expected, the spread of forecasts, and the chance of being as far off as now.

    ``again`` are the places of odd loads that this one follows by a period.
    """
    if len(before) < 7:
        return nan, nan, 1.0
    ways = []
    for way in range(3):
        guesses = [forecasts(before, days, at)[way] for at in range(len(before))]
        errors = [figure - guess for figure, guess in zip(before, guesses, strict=True) if not isnan(figure - guess)]
        foretold = forecasts([*before, now], days, len(before))[way]
        ways.append((fmean([e * e for e in errors]) if len(errors) >= 6 else inf, errors, foretold))
    least = min(way[0] for way in ways)
    telling = [way for way in ways if way[0] <= 1.5 * least < inf and not isnan(way[2])]
    if not telling:
        return nan, nan, 1.0
    mean_square, errors, expected = min(telling, key=lambda way: way[0])
    count, second = max(2, len(errors)), sorted(way[0] for way in ways)[1]
    doubt, more = (second, 1) if second < inf else (0.0, 0)
    spread = sqrt((sum(e * e for e in errors) + doubt + unit * unit) / (count + more))
    spread = max(spread, max(map(abs, errors)) / sqrt(2 * log(count + 1)), floor)
    if isnan(now):
        return expected, spread, 1.0
    away = min(abs(now - guess) for square, _, guess in ways if square <= 1.5 * mean_square and not isnan(guess))
    away = min([away, *_beyond_then(before, now - expected, days, again)])
    return expected, spread, student(away / spread, count - 1) if spread else 1.0


def _beyond_then(before: Series, moved: float, days: Sequence[date], again: Sequence[int]) -> list[float]:
    """By how much it has moved beyond half as much again as what each of these loads was off in the same direction."""
    others = [i for i in range(len(before)) if i not in again]
    found = []
    for place in again:
        chosen = [i for i in others if days[i].weekday() == days[place].weekday()] or others
        then = before[place] - mean([before[i] for i in chosen])
        if not isnan(then) and (then > 0) - (then < 0) == (moved > 0) - (moved < 0):
            found.append(max(0.0, abs(moved) - 1.5 * abs(then)))
    return found


def student(distance: float, freedom: float) -> float:
    """Wallace's approximation to both tails of Student's distribution."""
    z = sqrt(freedom * log1p(distance**2 / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return erfc(z / sqrt(2))


def angle(count: float, rows: float) -> float:
    return asin(sqrt((count + 3 / 8) / (rows + 3 / 4)))


def share(turned: float, rows: float) -> float:
    count = sin(min(max(turned, 0.0), asin(1.0))) ** 2 * (rows + 3 / 4) - 3 / 8
    return min(max(count / max(1.0, rows), 0.0), 1.0)


def size(numbers: Sequence[float], part: float) -> float | None:
    """The size in sixteenths of doublings that this part of the numbers other than zero is at most."""
    sizes = sorted(round(log2(abs(number)) * 16) for number in numbers if number and isfinite(number))
    if not sizes:
        return None
    return next(s for n, s in enumerate(sizes, start=1) if n >= part * len(sizes)) / 16


def digits(number: float) -> int:
    """How many digits after the point it needs; of whole numbers minus how many zeros they end in, three at most."""
    if not number:
        return 0
    for digits in range(-3, 6):
        scaled = number * 10.0**digits
        if abs(scaled - round(scaled)) <= 1e-9 * max(1.0, abs(scaled)):
            return digits
    return 6


def ranks(values: Sequence[float | None]) -> list[float | None]:
    """The place of each in rising order, of equal ones the middle of theirs."""
    known = sorted(value for value in values if value is not None)
    places = {value: mean([i for i, other in enumerate(known) if other == value]) for value in set(known)}
    return [None if value is None else places[value] for value in values]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(one) < 10 or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    a, b = [x - fmean(one) for x in one], [y - fmean(other) for y in other]
    return sum(x * y for x, y in zip(a, b, strict=True)) / sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def ratio(groups: Sequence[str], numbers: Sequence[float]) -> float | None:
    """The correlation ratio, without what chance makes."""
    rows, several = len(numbers), len(set(groups))
    if rows < 10 or len(set(numbers)) < 2 or several >= rows / 2:
        return None
    middle, between = fmean(numbers), 0.0
    for group in set(groups):
        own = [number for number, name in zip(numbers, groups, strict=True) if name == group]
        between += len(own) * (fmean(own) - middle) ** 2
    share_between = between / sum((number - middle) ** 2 for number in numbers)
    return sqrt(max(0.0, 1 - (1 - share_between) * (rows - 1) / (rows - several)))


def association(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Cramér's V, without what chance makes."""
    rows, high, wide = len(one), len(set(one)), len(set(other))
    if rows < 10 or min(high, wide) < 2 or max(high, wide) >= rows / 2:
        return None
    square = -1.0
    for a in set(one):
        for b in set(other):
            both = sum(x == a and y == b for x, y in zip(one, other, strict=True))
            square += both**2 / (one.count(a) * other.count(b))  # type: ignore[attr-defined]  # lists
    square = max(0.0, square - (high - 1) * (wide - 1) / (rows - 1))
    least = min(n - (n - 1) ** 2 / (rows - 1) for n in (high, wide)) - 1
    return sqrt(min(1.0, square / least)) if least > 0 else None


def middle(values: Sequence[float]) -> float:
    return median(values) if values else 0.0


def chernoff(count: int, rows: int, share: float) -> float:
    """At most the chance that as many of the rows, or as few, are of a sort that has this share."""
    apart = 0.0
    for part, whole in ((count / rows, share), (1 - count / rows, 1 - share)):
        apart += part * log(part / whole) if part > 0 else 0.0
    return exp(-rows * apart)


def poisson(count: int, usual: float, dispersion: float) -> float:
    """Twice the chance of a count as small, or as great, were counts of so much of Poisson's variance."""
    count, usual = count / dispersion, usual / dispersion
    if usual >= 400:
        return 0.0
    each = [exp(-usual)]
    while len(each) <= 4000:
        each.append(each[-1] * usual / len(each))
    if count <= usual:
        return min(1.0, 2 * sum(p for k, p in enumerate(each) if k < ceil(count) + 1))
    return min(1.0, 2 * max(0.0, 1 - sum(p for k, p in enumerate(each) if k < ceil(count))))
