"""What a column is for: its role, which says how discovery may speak of it.

The logical type says which values compare at all; the role says which comparisons a person would make. A department's
number and its budget are both integers, but only of the budget is it worth saying that it is above another number.
What each role means for discovery stands in docs/roles.md.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from profiling_core.model.stored import Stored

_COMMON_UNITS = ("money", "count", "score")


class Role(StrEnum):
    """The role of a column's values for the people who use the table."""

    IDENTIFIER = "identifier"
    REFERENCE = "reference"
    CODE = "code"
    CATEGORY = "category"
    QUANTITY = "quantity"
    MOMENT = "moment"
    DATE = "date"
    FLAG = "flag"
    TEXT = "text"
    CONSTANT = "constant"

    @property
    def is_ordered(self) -> bool:
        """Whether its values are more or less, earlier or later; the rest take equality alone."""
        return self in (Role.QUANTITY, Role.MOMENT, Role.DATE)

    @property
    def is_temporal(self) -> bool:
        """Whether its values are points in time."""
        return self in (Role.MOMENT, Role.DATE)

    @property
    def names_rows(self) -> bool:
        """Whether its values may tell rows apart, alone or with others: measured numbers and truth values do not."""
        return self not in (Role.QUANTITY, Role.FLAG, Role.CONSTANT)

    @property
    def makes_conditions(self) -> bool:
        """Whether single values of it may be the condition of a rule."""
        return self in (Role.CATEGORY, Role.FLAG, Role.CODE, Role.REFERENCE)


@dataclass(frozen=True, slots=True)
class ColumnRole(Stored):
    """A column's role, and why it is thought to be.

    ``unit`` is set for quantities where names tell it (``money``, ``%``, ``km``, …); None: unknown. ``scale`` is the
    most digits after the decimal point of a quantity's values; None: not a decimal number, or too many to be one.
    ``declared`` says whether a person gave the role. Two more are not kept with it: ``is_key`` says whether the column
    is its table's key; ``upkeep`` how far the column seems to say when or by what a row was written, from 0 to 1.
    """

    column: str
    role: Role
    reason: str
    unit: str | None = None
    scale: int | None = None
    declared: bool = False
    is_key: Annotated[bool, Field(exclude=True)] = field(default=False, compare=False)
    upkeep: Annotated[float, Field(exclude=True)] = field(default=0.0, compare=False)

    def compares_by_order(self, other: "ColumnRole") -> bool:
        """Whether ``self ≤ other`` is worth asking: two points in time, or two quantities of one unit.

        Where one of the units is unknown, the quantity may be of any that things are counted or paid in.
        """
        if self.role.is_temporal or other.role.is_temporal:
            return self.role.is_temporal and other.role.is_temporal
        units = {self.unit, other.unit}
        alike = len(units) == 1 or (None in units and units <= {None, *_COMMON_UNITS})
        return self.role is Role.QUANTITY and other.role is Role.QUANTITY and alike
