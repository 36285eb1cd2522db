"""Which conditional rules follow from others: by a narrower condition, or a wider consequent.

``status = paid ⇒ amount ≥ 0`` follows from ``status ∈ {paid, sent} ⇒ amount > 0``. Bounds are compared as numbers, sets
as sets of texts. Nulls are ignored, since this only decides what is shown.
"""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from itertools import product

from profiling_core.model.consequent import Bounded, Consequent, OneOf, Present
from profiling_core.model.kinds.conditional import Conditional

_Condition = tuple[str, tuple[str, ...]]
# A set of rows: those in which a column has one of some values, has a value (True), or has none (False).
_Rows = tuple[str, tuple[str, ...] | bool]


class KnownConditions:
    """Conditional rules of one table that hold.

    ``flags``: the columns that have two values.
    """

    def __init__(self, flags: Collection[str] = ()) -> None:
        self._flags = flags
        self._known: list[Conditional] = []
        self._same: list[tuple[_Condition, _Condition]] = []
        self._there: dict[_Rows, _Rows] = {}

    def add(self, rule: Conditional) -> None:
        """Adds a rule that holds."""
        self._known.append(rule)
        if rule.both_ways and isinstance(rule.then, Present):
            here, there_ = _rows(rule), (rule.then.column, rule.then.there)
            self._there[self._class(here)] = self._class(there_)
        if rule.both_ways and (there := _picked(rule.then)):
            here = (rule.column, rule.values)
            self._same += [(here, there), (there, here)]

    def imply(self, rule: Conditional) -> bool:
        """Whether a rule follows from one of the known ones."""
        if isinstance(rule.then, Present) and self._are_there_together(rule, rule.then):
            return True
        if self._parts(rule):
            return True
        same = [there for here, there in self._same if here == (rule.column, rule.values)]
        said = [rule, *(replace(rule, column=c, values=v) for c, v in same if c not in rule.then.columns)]
        return any(_follows(one, known) for known in self._known for one in said)

    def _parts(self, rule: Conditional) -> bool:
        """Whether it sets a flag's other value, while known rules tie both of the flag's values to one column."""
        told = _picked(rule.then)
        if rule.both_ways or not told or told[0] not in self._flags:
            return False
        picked = [there for here, there in self._same if here == (rule.column, rule.values)]
        others = [there for here, there in self._same if here[0] == told[0] and here[1] != told[1]]
        return any(one[0] == other[0] and {*one[1]}.isdisjoint(other[1]) for one in picked for other in others)

    def _are_there_together(self, rule: Conditional, then: Present) -> bool:
        """Whether known rules tie both sides to the same rows, or one way to values of one column.

        Both ways: A and B are there where s has one value. One way: A is there for some of the values of s that B is
        there for, or for none of these if B is to be missing.
        """
        own = self._class(_rows(rule))
        if own == self._class((then.column, then.there)):
            return True
        if not rule.both_ways and self._is_told_by_values(own, then):
            return True
        without = rule.asks_for_any and then.there
        return without and self._class((rule.column, False)) == self._class((then.column, False))

    def _is_told_by_values(self, own: _Rows, then: Present) -> bool:
        filled = self._members(self._class((then.column, True)))
        for (column, some), (other, more) in product(self._members(own), filled):
            if column == other and isinstance(some, tuple) and isinstance(more, tuple):
                return {*some} <= {*more} if then.there else {*some}.isdisjoint(more)
        return False

    def _members(self, class_: _Rows) -> list[_Rows]:
        """The sets of rows that are known to be one."""
        return [class_, *(rows for rows in self._there if self._class(rows) == class_)]

    def _class(self, rows: _Rows) -> _Rows:
        while rows in self._there and self._there[rows] != rows:
            rows = self._there[rows]
        return rows


def _picked(then: Consequent) -> _Condition | None:
    """The column and values that a consequent requires, if it requires some."""
    if isinstance(then, OneOf):
        return (then.column, then.values)
    return (then.column, (then.low,)) if isinstance(then, Bounded) and then.low and then.low == then.high else None


def _rows(rule: Conditional) -> _Rows:
    return (rule.column, True) if rule.asks_for_any else (rule.column, rule.values)


def _follows(rule: Conditional, known: Conditional) -> bool:
    if rule.column != known.column:
        return False
    if rule.both_ways:
        return known.both_ways and rule.values == known.values and rule.then == known.then
    narrower = not known.values or (bool(rule.values) and {*rule.values} <= {*known.values})
    return narrower and _is_within(known.then, rule.then)


def _is_within(narrow: Consequent, wide: Consequent) -> bool:
    """Whether every row that obeys the one also obeys the other."""
    if isinstance(narrow, OneOf) and isinstance(wide, OneOf):
        return narrow.column == wide.column and set(narrow.values) <= set(wide.values)
    if isinstance(narrow, Bounded) and isinstance(wide, Bounded):
        return narrow.column == wide.column and all(_reaches(narrow, wide, side) for side in (1, -1))
    return narrow == wide


def _reaches(narrow: Bounded, wide: Bounded, side: int) -> bool:
    """Whether the wider bounds reach as far as the narrower ones, above (1) or below (−1)."""
    near, far = (b.high if side > 0 else b.low for b in (narrow, wide))
    if far is None:
        return True
    if near is None:
        return False
    room = side * (Fraction(far) - Fraction(near))
    return room > 0 or (room == 0 and (narrow.strict or not wide.strict))
