"""Dates and moments that are computed from others, and their parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from profiling_core.model.expressions.expression import Expression
from profiling_core.model.stored import Sparse


@dataclass(frozen=True)
class Shifted(Expression):
    """A date or moment, ``amount`` units later (or, below zero, before)."""

    column: str
    amount: int
    unit: str = "days"
    form = "shifted"
    naming = ("column",)

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


@dataclass(frozen=True)
class OnDay(Expression):
    """The day that is ``days`` days after that of a moment (below zero: before)."""

    column: str
    days: int
    form = "on_day"
    naming = ("column",)

    @property
    def text(self) -> str:
        """``date(ordered) + 14 days``."""
        return f"date({self.column}) {'−' if self.days < 0 else '+'} {_of_days(self.days)}"

    @property
    def words(self) -> str:
        """``14 days after the day of ordered``."""
        return f"{_of_days(self.days)} {'before' if self.days < 0 else 'after'} the day of {self.column}"


def _of_days(days: int) -> str:
    return f"{abs(days)} {'day' if abs(days) == 1 else 'days'}"


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
"""The names of weekdays and months; a short one is the first three letters."""


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
    naming = ("column",)

    @property
    def text(self) -> str:
        """``year(ordered)``."""
        return f"{self.part}({self.column})"

    @property
    def words(self) -> str:
        """``the year of ordered``."""
        return f"the {self.part} of {self.column}"


@dataclass(frozen=True)
class Stamped(Expression):
    """A code into which a date is written: the ``code`` with the date's writing where it stands.

    ``pattern`` is :func:`time.strftime`'s, of ``%Y``, ``%y``, ``%m``, ``%d``, ``%j``, ``%G`` and ``%V``, with ``%q``
    for the quarter and ``%N`` for the next year's last two digits. ``start`` is how many characters stand before it or,
    below zero, how many there are from its first one to the code's end. The written date is ``months`` months later:
    years that begin in July are those of six months on, or back.
    """

    code: str
    date: str
    pattern: str
    start: int
    months: Sparse[int] = 0
    form = "stamped"
    naming = ("code", "date")

    @property
    def size(self) -> int:
        """How many characters the date takes."""
        return sum(STAMPS.get(one, len(one)) for one in written_pieces(self.pattern))

    @property
    def text(self) -> str:
        """``4 characters + YYYYMM(issued) + …``."""
        before = self.start if self.start >= 0 else None
        behind = -self.start - self.size if self.start < 0 else None
        later = f" {'−' if self.months < 0 else '+'} {_so_long(self.months)}" if self.months else ""
        parts = [_so_many(before), f"{self._shown}({self.date}{later})", _so_many(behind)]
        return " + ".join(part for part in parts if part)

    @property
    def _shown(self) -> str:
        return "".join(_SHOWN.get(one, one) for one in written_pieces(self.pattern))

    @property
    def words(self) -> str:
        """``a code with the date issued in it, as YYYYMM after 4 characters``."""
        place = f"after {self.start}" if self.start > 0 else f"before the last {-self.start - self.size}"
        one = self.start == 1 or -self.start - self.size == 1
        where = f" {place} character{'' if one else 's'}" if self.start > 0 or -self.start > self.size else ""
        end = "" if where else " in front" if not self.start else " at its end"
        later = f"{_so_long(self.months)} {'before' if self.months < 0 else 'after'} " if self.months else ""
        return f"a code with {later}{self.date} in it, as {self._shown}{where}{end}"


STAMPS: Mapping[str, int] = MappingProxyType(
    {"%Y": 4, "%y": 2, "%m": 2, "%d": 2, "%j": 3, "%G": 4, "%V": 2, "%q": 1, "%N": 2}
)
"""How many digits each part of a date takes in a code."""
_SHOWN = MappingProxyType(
    {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%j": "DDD", "%G": "IYYY", "%V": "IW", "%q": "q", "%N": "NN"}
)


def written_pieces(pattern: str) -> list[str]:
    """A pattern's parts: ``%Y``, ``-``, ``%m``."""
    pieces, rest = [], pattern
    while rest:
        size = 2 if rest.startswith("%") else 1
        pieces.append(rest[:size])
        rest = rest[size:]
    return pieces


def _so_long(months: int) -> str:
    return f"{abs(months)} {'month' if abs(months) == 1 else 'months'}"


def _so_many(characters: int | None) -> str:
    """The characters before or behind a date; empty where there are none."""
    if characters is None:
        return "…"
    return f"{characters} character{'s' if characters > 1 else ''}" if characters else ""
