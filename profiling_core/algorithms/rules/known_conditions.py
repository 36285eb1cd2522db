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

# A set of rows: those in which a column has one of some values, has a value (True), or has none (False).
_Rows = tuple[str, tuple[str, ...] | bool]


class KnownConditions:
    """Conditional rules of one table that hold.

    ``flags``: the columns that have two values.
    """

    def __init__(self, flags: Collection[str] = ()) -> None:
        self._flags = flags
        self._known: list[Conditional] = []
        self._same: dict[_Rows, _Rows] = {}

    def add(self, rule: Conditional) -> None:
        """Adds a rule that holds; one that goes both ways makes two sets of rows the same."""
        self._known.append(rule)
        if rule.both_ways and (asked := _asked(rule.then)):
            self._same[self._class(_rows(rule))] = self._class(asked)

    def imply(self, rule: Conditional) -> bool:
        """Whether a rule follows from the known ones."""
        if self._are_the_same(rule) or self._parts(rule):
            return True
        same = (rows for rows in self._members(self._class(_rows(rule))) if rows[0] not in rule.then.columns)
        said = [rule, *(replace(rule, column=c, values=v) for c, v in same if isinstance(v, tuple))]
        return any(_follows(one, known) for known in self._known for one in said)

    def _parts(self, rule: Conditional) -> bool:
        """Whether it sets a flag's other value, while known rules tie both of the flag's values to one column."""
        told = _asked(rule.then)
        if rule.both_ways or not told or told[0] not in self._flags:
            return False
        picked = self._members(self._class(_rows(rule)))
        values = [rows for rows in self._same if rows[0] == told[0] and rows != told]
        others = [one for rows in values for one in self._members(self._class(rows))]
        return any(_are_apart(one, other) for one in picked for other in others)

    def _are_the_same(self, rule: Conditional) -> bool:
        """Whether known rules tie both sides to the same rows, or one way to values of one column.

        Both ways: A and B are there where s has one value. One way: A is there for some of the values of s that B is
        there for, or for none of these if B is to be missing.
        """
        own, then = self._class(_rows(rule)), rule.then
        if (asked := _asked(then)) and own == self._class(asked):
            return True
        if not isinstance(then, Present):
            return False
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
        return [class_, *(rows for rows in self._same if self._class(rows) == class_ and rows != class_)]

    def _class(self, rows: _Rows) -> _Rows:
        while rows in self._same and self._same[rows] != rows:
            rows = self._same[rows]
        return rows


def _asked(then: Consequent) -> _Rows | None:
    """The rows that obey a consequent, if they are a set that a condition may name."""
    if isinstance(then, Present):
        return (then.column, then.there)
    if isinstance(then, OneOf):
        return (then.column, then.values)
    return (then.column, (then.low,)) if isinstance(then, Bounded) and then.low and then.low == then.high else None


def _are_apart(one: _Rows, other: _Rows) -> bool:
    """Whether two sets are values of one column, and have none in common."""
    (column, some), (other_column, others) = one, other
    if column != other_column or isinstance(some, bool) or isinstance(others, bool):
        return False
    return {*some}.isdisjoint(others)


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
