"""Which of two columns is the lesser by their names: ``temp_min``, ``temp_max``; ``line_no``, ``lines``."""

from collections.abc import Sequence

from profiling_core.algorithms.roles import names, vocabulary

# Letters that a plural adds to a word, at most: ``children``.
_PLURAL = 3


def is_named_so(lower: str, upper: str, all_names: tuple[str, ...]) -> bool:
    """Whether names are opposites, as ``temp_min`` and ``temp_max``, or one extends the other: ``max_pupils``."""
    told = (extends, are_opposites, names_one_of)
    return any(tells(lower, upper, all_names) for tells in told)


def extends(lower: str, upper: str, all_names: tuple[str, ...]) -> bool:
    """Whether one name is the other plus a word before or behind it."""
    low, high = (names.words(names.bare(name, all_names)) for name in (lower, upper))
    longer, shorter = max(low, high, key=len), min(low, high, key=len)
    return len(longer) == len(shorter) + 1 and shorter in (longer[1:], longer[:-1])


def names_one_of(number: str, count: str, all_names: tuple[str, ...]) -> bool:
    """Whether names are those of a thing's number and of the count of things: ``line_no`` and ``lines``."""
    one, many = (names.words(names.bare(name, all_names)) for name in (number, count))
    if not names.numbers(one) or names.numbers(many) or one[-1] not in vocabulary.NUMBERING:
        return False
    thing = one[-2]
    counted = not vocabulary.COUNTING.isdisjoint(many)
    return any(w.startswith(thing) and len(w) - len(thing) <= _PLURAL and (w != thing or counted) for w in many)


def are_opposites(lower: str, upper: str, all_names: tuple[str, ...]) -> bool:
    """Whether names have two words that are opposites: ``min_age`` and ``max_age``."""
    low, high = (names.words(names.bare(name, all_names)) for name in (lower, upper))
    differ = {_apart(a, b) for a in low for b in high if a not in high and b not in low}
    return not differ.isdisjoint(vocabulary.OPPOSITES) or _is_total(low, high)


def _is_total(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether names differ by one word each, one of them a word for a whole: ``votes_left``, ``votes_all``."""
    own, others = ([w for w in a if w not in b] for a, b in ((part, whole), (whole, part)))
    alike = len(part) == len(whole) > 1 and len(own) == len(others) == 1
    return alike and others[0] in vocabulary.TOTALLING and own[0] not in vocabulary.TOTALLING | vocabulary.COUNTING


def _apart(low: str, high: str) -> tuple[str, str]:
    """Two words without their common beginning: ``tmin`` and ``tmax`` become ``min`` and ``max``."""
    ends = ((a, b) for a, b in vocabulary.OPPOSITES if low.endswith(a) and high.endswith(b))
    same = ((a, b) for a, b in ends if low.removesuffix(a) == high.removesuffix(b))
    return next(same, (low, high))
