"""Dates and moments that are computed from others, and their parts."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from profiling_core.model.expressions.expression import Expression, Names


@dataclass(frozen=True)
class Shifted(Expression):
    """A date or moment, ``amount`` units later (or, below zero, before)."""

    column: str
    amount: int
    unit: str = "days"
    form = "shifted"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def text(self) -> str:
        """``ordered + 14 days``."""
        return f"{self.column} {'−' if self.amount < 0 else '+'} {self._distance}"

    @property
    def words(self) -> str:
        """``14 days after ordered``."""
        return f"{self._distance} {'before' if self.amount < 0 else 'after'} {self.column}"

    @property
    def _distance(self) -> str:
        size = abs(self.amount)
        return f"{size} {self.unit[:-1] if size == 1 else self.unit}"

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, column=names.get(self.column, self.column))


@dataclass(frozen=True)
class OnDay(Expression):
    """The day so many ``days`` after that of a moment (below zero, before)."""

    column: str
    days: int
    form = "on_day"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def text(self) -> str:
        """``date(ordered) + 14 days``."""
        return f"date({self.column}) {'−' if self.days < 0 else '+'} {_of_days(self.days)}"

    @property
    def words(self) -> str:
        """``14 days after the day of ordered``."""
        return f"{_of_days(self.days)} {'before' if self.days < 0 else 'after'} the day of {self.column}"

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, column=names.get(self.column, self.column))


def _of_days(days: int) -> str:
    return f"{abs(days)} {'day' if abs(days) == 1 else 'days'}"


class DatePart(StrEnum):
    """A part of a date or moment: a number, or (those with ``text`` in their name, and ``date``) something else."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    DAY = "day"
    DAY_OF_YEAR = "day of year"
    WEEK = "week"
    WEEKDAY = "weekday"
    WEEKDAY_FROM_ZERO = "weekday from 0"
    WEEKDAY_FROM_SUNDAY = "weekday from Sunday"
    HOUR = "hour"
    MINUTE = "minute"
    DATE = "date"
    YEAR_MONTH = "year and month"
    WEEKDAY_NAME = "name of the weekday"
    MONTH_NAME = "name of the month"
    WEEKDAY_SHORT = "short name of the weekday"
    MONTH_SHORT = "short name of the month"


@dataclass(frozen=True)
class Part(Expression):
    """A part of a date or moment, as a :class:`DatePart` says."""

    part: str
    column: str
    form = "part"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def text(self) -> str:
        """``year(ordered)``."""
        return f"{self.part}({self.column})"

    @property
    def words(self) -> str:
        """``the year of ordered``."""
        return f"the {self.part} of {self.column}"

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, column=names.get(self.column, self.column))
