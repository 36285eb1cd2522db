"""The room of every kind of constraint that is checked between rows."""

from collections.abc import Mapping

from profiling_core.model.constraint import Constraint, Kind
from profiling_core.spark.kinds import denial, functional, unique
from profiling_core.spark.kinds.room import Room

ROOMS: Mapping[Kind, Room] = {Kind.DC: denial.ROOM, Kind.FD: functional.ROOM, Kind.UCC: unique.ROOM}


def room_of(constraint: Constraint) -> Room:
    """The room of a constraint's familiar form."""
    return ROOMS[constraint.familiar.kind]
