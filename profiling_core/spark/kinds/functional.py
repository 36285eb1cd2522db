"""Functional dependencies: rows that differ from their group are wrong, and the group's value mends them."""

from typing import Any

from pyroaring import BitMap64

from profiling_core.model.constraint import FunctionalDependency
from profiling_core.model.diagnosis import Repair, Replacement
from profiling_core.model.texts import value_text
from profiling_core.spark.agreeing_groups import agreeing_new, groups_around, not_as_usual
from profiling_core.spark.kinds.room import InViolation, NewRows, Room, Violating

EXAMPLES = 3


def standing_out(new: NewRows, fd: FunctionalDependency, found: InViolation) -> BitMap64:
    """The rows that do not have the value that their group on the left side has."""
    return not_as_usual(new.delta, fd.lhs.columns, fd.rhs.columns[0], found.all, new.space.nulls)


def repair(violating: Violating, fd: FunctionalDependency) -> Repair:
    """In each group of rows that agree on the left side, the rows that do not have the value that most have."""
    columns, (target,) = fd.lhs.columns, fd.rhs.columns
    groups = groups_around(violating.delta, violating.read(columns), columns, target, violating.nulls)
    wrong = []
    for key, values in groups.items():
        usual, *others = sorted(values, key=lambda value: (-values[value].rows, _ascending(value)))
        wrong += [(values[value].rows, key, value, usual, values[usual].rows) for value in others]
    wrong.sort(key=lambda one: (-one[0], [_ascending(part) for part in one[1]], _ascending(one[2])))
    return Repair(
        sum(rows for rows, *_ in wrong),
        target,
        tuple(
            Replacement(
                dict(zip(columns, map(value_text, key), strict=True)),
                value_text(before),
                value_text(after),
                rows,
                backed,
            )
            for rows, key, before, after, backed in wrong[:EXAMPLES]
        ),
    )


def alike(violating: Violating, fd: FunctionalDependency) -> int:
    """How many of the rows that came agree with one that stands out on the left side."""
    return agreeing_new(violating.delta, violating.read(fd.lhs.columns), fd.lhs.columns, violating.nulls)


def _ascending(value: Any) -> tuple[bool, Any]:
    return (value is not None, 0 if value is None else value)


ROOM = Room(standing_out, repair, alike)
