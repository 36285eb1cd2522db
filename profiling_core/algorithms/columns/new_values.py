"""Values that a column has not had before: whether so many are usual, and whether one is written unlike the others.

How likely a new value is follows from how many of those known have come once only (Good and Turing: Good, The
population frequencies of species and the estimation of population parameters, Biometrika 1953), and from how many the
later deltas brought, because new values also come with the time, and in company. A misspelt value is told by what it is
like: it is a known one but for one character, or has pairs of characters that no other has. How seldom that is among
the known values, each compared with the rest, is how seldom it is by chance.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, lgamma, log

from profiling_core.algorithms.columns.history import Seen
from profiling_core.algorithms.columns.spelling import Spelling

# What comes about once in so many deltas by chance is news.
_ONCE_IN = 100.0
# Of several new values each is a sign that it is a time of new ones: a season begins, a region is added.
_SIGN = 0.1
# Where every other delta brings some, there is no such time: each of them is as likely to be like a known one.
_EVERY_OTHER = 0.5
# So many, beside those known, are no season's new ones.
_FLOOD = 0.5
# What is new seldom, and then in so many rows at once, has another cause: texts cut, codes exchanged.
_MANY_ROWS, _LEAST_ROWS, _SELDOM = 0.15, 5, 0.2
# So many new values that came in numbers, this many times fewer at most, tell that new ones do.
_SEVERAL, _ABOUT = 2, 2.0
# Of the known values at most so many are written as strangely as one that is taken for misspelt.
_STRANGE = 0.15
_LEAST_KNOWN = 3
# A value of another column has come there in so many rows, where of so many values the two share less than one.
_AGAIN, _SHARED = 3, 20
# What has come with so many of the deltas, and of so many, comes each time.
_EACH_TIME, _LEAST_PANEL = 0.95, 14


def unusual(found: Mapping[str, int], known: Mapping[str, Seen], count: int, *, after_pause: bool = False) -> set[str]:
    """Of a delta's values, new ones that one would not expect: all, where they are too many, or those misspelt.

    Args:
        found: the delta's values, and in how many rows each is.
        known: the values of the deltas before.
        count: how many deltas there were before.
        after_pause: whether none came for long: a season that begins has new teams, a term new pupils.
    """
    fresh = {value for value in found if value not in known}
    if not fresh or len(known) < _LEAST_KNOWN:
        return set()
    if _is_panel(known, count):
        return fresh
    half, rows = count // 2, sum(found.values())
    by_chance = rows * chance_of_new(known)
    if after_pause:
        return _misspelt(fresh, known, by_chance, len(fresh))
    later = Counter(seen.first for seen in known.values() if seen.first > half)
    expected = max(by_chance, (1 + later.total()) / (1 + count - half))
    if _are_too_many(len(fresh), len(known), expected, later, 1 + count - half):
        return fresh
    if expected < _SELDOM and _are_in_many_rows([found[value] for value in fresh], rows, known, count):
        return fresh
    # twelve that came with a season are one event: what comes alone is as likely as days that bring any
    often = (1 + len(later)) / (1 + count - half)
    each = len(fresh) if often >= _EVERY_OTHER else _SIGN * (len(fresh) - 1)
    return _misspelt(fresh, known, max(by_chance, often), each)


def _misspelt(fresh: set[str], known: Mapping[str, Seen], alone: float, each: float) -> set[str]:
    """The new values that are written as hardly a known one is, beside how often one comes alone."""
    spelling, expected = Spelling(known), max(alone, each)
    # names in capitals come in company, too, and all are wrong
    again = {value for value in fresh if spelling.as_written(value) < min(_STRANGE, 0.5 / alone / _ONCE_IN)}
    return again | {value for value in fresh if spelling.rarity(value) < min(_STRANGE, 0.5 / expected / _ONCE_IN)}


def _are_in_many_rows(fresh: Sequence[int], rows: int, known: Mapping[str, Seen], count: int) -> bool:
    """Whether new values, each in so many of the rows, are in more of them than others that were new have been."""
    many = sum(fresh) >= max(_LEAST_ROWS, _MANY_ROWS * rows)
    return many and not _come_in_numbers(max(fresh), known, count)


def _come_in_numbers(most: int, known: Mapping[str, Seen], count: int) -> bool:
    """Whether most values that were new lately have come in about as many rows of a delta since, as campaigns do."""
    later = [seen.rows / (1 + seen.last - seen.first) for seen in known.values() if seen.first > count // 2]
    as_many = sum(_ABOUT * rows >= most for rows in later)
    return as_many >= _SEVERAL and 2 * as_many >= len(later)


def _are_too_many(fresh: int, known: int, expected: float, later: Mapping[int, int], deltas: int) -> bool:
    """Whether so many new values are neither expected nor what one of the later deltas brought, beside so many known.

    ``later`` tells how many those of the ``deltas`` brought that brought any.
    """
    as_many = (1 + sum(brought >= fresh for brought in later.values())) / deltas
    flood = fresh > _FLOOD * known and fresh > max(later.values(), default=1)
    return _at_least(fresh, expected) * _ONCE_IN < 1 and (flood or as_many * _ONCE_IN < 1)


def _is_panel(known: Mapping[str, Seen], count: int) -> bool:
    """Whether the same values have come with each delta, or nearly, from the first one on: every state, every store."""
    regular = all(seen.rows >= _EACH_TIME * count and seen.first <= 1 for seen in known.values())
    return count >= _LEAST_PANEL and regular


def misplaced(found: Mapping[str, int], known: Mapping[str, Seen], others: Iterable[Mapping[str, Seen]]) -> set[str]:
    """Of a delta's values, new ones that another column has had again and again, and the two have hardly shared any.

    Args:
        found: the delta's values, and in how many rows each is.
        known: the values of the deltas before.
        others: per other column of texts its values before.
    """
    fresh = {value for value in found if value not in known}
    moved = set()
    for values in others if fresh else ():
        here = {value for value in fresh if value in values and values[value].rows >= _AGAIN}
        if here and _SHARED * len(known.keys() & values.keys()) < min(len(known), len(values)):
            moved |= here
    return moved


def chance_of_new(known: Mapping[str, Seen]) -> float:
    """The chance that the next row has a value that is not among those known."""
    rows = sum(seen.rows for seen in known.values())
    return (1 + sum(seen.rows == 1 for seen in known.values())) / (1 + rows)


def _at_least(events: int, expected: float) -> float:
    """The chance of so many events or more where so many are expected (Poisson)."""
    return max(0.0, 1 - sum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(events)))
