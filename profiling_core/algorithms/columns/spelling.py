"""How the values of a column are written, and how rarely they are close to each other: evidence for misspelt values.

Closeness to a known value is evidence if it is rare among the known ones, for the same kind of change and a value at
least as frequent: digits distinguish types, letters are mistyped, and common values are mistyped most often. The
strangeness of characters follows from those of the other values (pairs, backed by single characters, backed by their
class). The rarity of a value stranger than all known follows from the gaps between the strangest of these.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import log2

from profiling_core.algorithms.columns.history import Seen

# Names are rarely one character apart: if no two known values are, this many more would not be either.
_APART = 20
# The same for values longer than _LONG characters and without digits; digits distinguish codes.
_FAR_APART, _LONG = 500, 7
# Characters that two values share beside the one in which they differ, at least.
_LEAST_COMMON = 2
# Observations that the backing estimate counts as.
_BACKING = 2.0
# The share of the known values, and their least number, that the tail of strangeness is fitted to.
_STRANGEST, _LEAST_STRANGEST = 0.2, 2
_SIZES = {"digit": 10, "lower": 26, "upper": 26, "sign": 32, "end": 1, "none": 1}

Change = tuple[str, str]


class Spelling:
    """The spelling of known values, and how often each has come."""

    def __init__(self, known: Mapping[str, Seen]) -> None:
        self._known = known
        self._cuts: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for value in known:
            for cut, lost in _cuts(value):
                self._cuts[cut].append((value, lost))
        self._changes = [set(self._neighbours(value)) for value in known]
        self._forms = Counter(form(value) for value in known)
        self._characters = _Characters(known)
        self._strange = sorted((self._characters.strangeness(value, own=True) for value in known), reverse=True)

    def rarity(self, value: str) -> float:
        """The share of values, this one included, that are as close to another one, or written as strangely."""
        size = len(self._known)
        strange = self._as_strange(value)
        near = [
            (1 + self._alike(change, rows)) / (1 + size + (0 if self._alike(change, 0) else _apart(value, change)))
            for change, rows in self._neighbours(value)
        ]
        return min([strange, self.as_written(value), *near])

    def as_written(self, value: str) -> float:
        """The share of values that equal another one but for blanks and capitals; 1: this one does not."""
        if form(value) not in self._forms:
            return 1.0
        alike = sum(count for count in self._forms.values() if count > 1)
        return (1 + alike) / (1 + len(self._known) + (0 if alike else _APART))

    def _neighbours(self, value: str) -> Iterator[tuple[Change, int]]:
        """The known values that differ from this one in one character: the kind of change, and their rows."""
        found = {(other, _change(lost, its)) for cut, lost in _cuts(value) for other, its in self._cuts.get(cut, ())}
        return ((change, self._known[other].rows) for other, change in found if other != value)

    def _alike(self, change: Change, rows: int) -> int:
        """How many known values are as close, by this kind of change, to one that is as frequent."""
        return sum(any(kind == change and beside >= rows for kind, beside in changes) for changes in self._changes)

    def _as_strange(self, value: str) -> float:
        """The share of values that are as strange; beyond the strangest by an exponential tail."""
        strangeness, size = self._characters.strangeness(value, own=False), len(self._known)
        stranger = sum(other >= strangeness for other in self._strange)
        most = max(_LEAST_STRANGEST, int(_STRANGEST * size))
        if stranger or size <= most:
            return (1 + stranger) / (1 + size)
        start = self._strange[most]
        apart = sum(other - start for other in self._strange[:most])
        return (1 + most) / (1 + size) * (1 + (strangeness - start) / apart) ** -most if apart else 1 / (1 + size)


def _apart(value: str, change: Change) -> int:
    """How many more known values without a pair one change apart may be assumed."""
    numbers = sum(character.isdigit() for character in value)
    mistyped = "digit" in change and change != ("digit", "none")
    return _FAR_APART if len(value) > _LONG and numbers <= mistyped else _APART


def form(value: str) -> str:
    """A value without blanks and capitals."""
    return "".join(value.split()).casefold()


def _cuts(value: str) -> Iterator[tuple[str, str]]:
    """The value without one of its characters, and that character's kind; and the value itself."""
    yield value, "none"
    for i, character in enumerate(value):
        if len(value) > _LEAST_COMMON:
            yield value[:i] + value[i + 1 :], _kind(character)


def _change(one: str, other: str) -> Change:
    return (min(one, other), max(one, other))


def _kind(character: str) -> str:
    if not character:
        return "end"
    if character.isdigit():
        return "digit"
    if not character.isalpha():
        return "sign"
    return "upper" if character.isupper() else "lower"


class _Characters:
    """Counts of pairs of neighbouring characters in some values, each value once, ends included."""

    def __init__(self, values: Mapping[str, Seen]) -> None:
        self._pairs = Counter(pair for value in values for pair in _pairs(value))
        self._before = Counter[str]()
        self._single = Counter[str]()
        self._kinds = Counter[str]()
        for (before, character), count in self._pairs.items():
            self._before[before] += count
            self._single[character] += count
            self._kinds[_kind(character)] += count

    def strangeness(self, value: str, *, own: bool) -> float:
        """Bits per character, ends included; ``own``: the value is among the counted ones, and is left out."""
        pairs = _pairs(value)
        of_it = Counter(pairs) if own else Counter[tuple[str, str]]()
        before, single = Counter(a for a, _ in of_it.elements()), Counter(b for _, b in of_it.elements())
        kinds = Counter(_kind(b) for b in single.elements())
        everything = self._single.total() - len(pairs) * own
        bits = 0.0
        for a, b in pairs:
            kind = _kind(b)
            share = (self._kinds[kind] - kinds[kind] + 1 / len(_SIZES)) / (everything + 1) / _SIZES[kind]
            share = (self._single[b] - single[b] + _BACKING * share) / (everything + _BACKING)
            share = (self._pairs[a, b] - of_it[a, b] + _BACKING * share) / (self._before[a] - before[a] + _BACKING)
            bits -= log2(share)
        return bits / len(pairs)


def _pairs(value: str) -> list[tuple[str, str]]:
    """The pairs of neighbouring characters, ends included."""
    return list(zip(("", *value), (*value, ""), strict=True))
