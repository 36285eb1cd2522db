"""What is not told, since a person has rejected what it is like."""

from dataclasses import dataclass

from profiling_core.model.constraint import Constraint
from profiling_core.model.stored import Stored


@dataclass(frozen=True, slots=True)
class KeptAway(Stored):
    """A constraint that holds and is not told, and the rejected one that it is like."""

    constraint: Constraint
    because: Constraint
