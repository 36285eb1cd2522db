"""New values of a column: whether their number is usual, and whether one is written unlike the others.

The probability of a new value follows from the number of known values that came only once (Good and Turing: Good, The
population frequencies of species and the estimation of population parameters, Biometrika 1953), and from how many the
later deltas brought, since new values also come with time, and together. A misspelt value is close to a known one, by
one character, or has pairs of characters that no other has. The frequency of such closeness among the known values,
each compared with the rest, is its frequency by chance.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, lgamma, log

from profiling_core.algorithms.columns.history import Seen
from profiling_core.algorithms.columns.learning import LEAST_DELTAS_OF_DELTAS
from profiling_core.algorithms.columns.spelling import Spelling

# New values are unusual if chance brings them at most once in this many deltas.
_ONCE_IN = 100.0
# Each new value beside others counts this much as evidence of a time of new values: a new season, a new region.
_SIGN = 0.1
# If this share of deltas brings new values, there is no such time, and each new value counts fully.
_EVERY_OTHER = 0.5
# More new values than this share of the known ones are too many for a new season.
_FLOOD = 0.5
# New values that are rare (_SELDOM per delta) but come in this share of rows, and this many rows at least, have another
# cause: cut texts, exchanged codes.
_MANY_ROWS, _LEAST_ROWS, _SELDOM = 0.15, 5, 0.2
# If at least this many earlier new values came in at least 1/_ABOUT as many rows, new values usually come in many rows.
_SEVERAL, _ABOUT = 2, 2.0
# A misspelt value is stranger than all but this share of the known values; and fewest known values to compare with.
_STRANGE = 0.15
# Known values that new ones are compared with, at least.
_LEAST_KNOWN = 3
# A value belongs to another column if it came there in this many rows, and the two columns share less than one in 20
# values.
_AGAIN, _SHARED = 3, 20
# A value comes each time if it came with this share of the deltas.
_EACH_TIME = 0.95


def unusual(found: Mapping[str, int], known: Mapping[str, Seen], count: int, *, after_pause: bool = False) -> set[str]:
    """The unexpected new values of a delta: all, if they are too many, else those that look misspelt.

    Args:
        found: the delta's values with their numbers of rows.
        known: the values of the deltas before.
        count: how many deltas there were before.
        after_pause: whether the delta follows a pause: a new season has new teams, a new term new pupils.
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
    # twelve values that came with a season are one event: a lone value is as likely as a delta with new values
    often = (1 + len(later)) / (1 + count - half)
    each = len(fresh) if often >= _EVERY_OTHER else _SIGN * (len(fresh) - 1)
    return _misspelt(fresh, known, max(by_chance, often), each)


def _misspelt(fresh: set[str], known: Mapping[str, Seen], alone: float, each: float) -> set[str]:
    """The new values that are written unlike known ones, beside how often a lone new value comes."""
    spelling, expected = Spelling(known), max(alone, each)
    # names in capitals come together, too, and all are wrong
    again = {value for value in fresh if spelling.as_written(value) < min(_STRANGE, 0.5 / alone / _ONCE_IN)}
    return again | {value for value in fresh if spelling.rarity(value) < min(_STRANGE, 0.5 / expected / _ONCE_IN)}


def _are_in_many_rows(fresh: Sequence[int], rows: int, known: Mapping[str, Seen], count: int) -> bool:
    """Whether new values, given their numbers of rows, are in more rows than earlier new values have been."""
    many = sum(fresh) >= max(_LEAST_ROWS, _MANY_ROWS * rows)
    return many and not _come_in_numbers(max(fresh), known, count)


def _come_in_numbers(most: int, known: Mapping[str, Seen], count: int) -> bool:
    """Whether most recent new values have come in about as many rows per delta since, as campaigns do."""
    later = [seen.rows / (1 + seen.last - seen.first) for seen in known.values() if seen.first > count // 2]
    as_many = sum(_ABOUT * rows >= most for rows in later)
    return as_many >= _SEVERAL and 2 * as_many >= len(later)


def _are_too_many(fresh: int, known: int, expected: float, later: Mapping[int, int], deltas: int) -> bool:
    """Whether there are more new values than expected, and than one of the later deltas brought.

    ``later``: the number of new values in each of the later ``deltas`` that had any.
    """
    as_many = (1 + sum(brought >= fresh for brought in later.values())) / deltas
    flood = fresh > _FLOOD * known and fresh > max(later.values(), default=1)
    return _at_least(fresh, expected) * _ONCE_IN < 1 and (flood or as_many * _ONCE_IN < 1)


def _is_panel(known: Mapping[str, Seen], count: int) -> bool:
    """Whether the same values have come with nearly each delta from the first one on: every state, every store."""
    regular = all(seen.rows >= _EACH_TIME * count and seen.first <= 1 for seen in known.values())
    return count >= LEAST_DELTAS_OF_DELTAS and regular


def misplaced(found: Mapping[str, int], known: Mapping[str, Seen], others: Iterable[Mapping[str, Seen]]) -> set[str]:
    """The new values of a delta that another column often had, while the two columns share few values.

    Args:
        found: the delta's values with their numbers of rows.
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
    """The probability that the next row has an unknown value."""
    rows = sum(seen.rows for seen in known.values())
    return (1 + sum(seen.rows == 1 for seen in known.values())) / (1 + rows)


def _at_least(events: int, expected: float) -> float:
    """The probability of ``events`` events or more, if ``expected`` are expected (Poisson)."""
    return max(0.0, 1 - sum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(events)))
