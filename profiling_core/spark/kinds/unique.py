"""Unique column combinations: one of the rows with the same values stays, and the others are wrong."""

from pyroaring import BitMap64

from profiling_core.model.constraint import UniqueColumnCombination
from profiling_core.model.delta import ROW_ID
from profiling_core.model.diagnosis import Repair
from profiling_core.spark.agreeing_groups import groups_around, not_as_usual
from profiling_core.spark.kinds.room import InViolation, NewRows, Room, Violating


def standing_out(new: NewRows, ucc: UniqueColumnCombination, found: InViolation) -> BitMap64:
    """All rows of a group but the one that is there already, or came first."""
    return not_as_usual(new.delta, ucc.lhs.columns, ROW_ID, found.all, new.space.nulls)


def repair(violating: Violating, ucc: UniqueColumnCombination) -> Repair:
    """In each group all rows but one go."""
    columns = ucc.lhs.columns
    groups = groups_around(violating.delta, violating.read(columns), columns, ROW_ID, violating.nulls)
    return Repair(sum(len(rows) - 1 for rows in groups.values()))


ROOM = Room(standing_out, repair)
