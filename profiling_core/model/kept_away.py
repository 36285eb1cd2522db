"""What is not told, since a person has rejected what it is like."""

from dataclasses import dataclass
from typing import Any, Self

from profiling_core.model.constraint import Constraint, constraint_from_json


@dataclass(frozen=True, slots=True)
class KeptAway:
    """A constraint that holds and is not told, and the rejected one that it is like."""

    constraint: Constraint
    because: Constraint

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        return {"constraint": self.constraint.to_json(), "because": self.because.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(constraint_from_json(data["constraint"]), constraint_from_json(data["because"]))
