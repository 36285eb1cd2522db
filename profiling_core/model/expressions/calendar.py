"""Dates by the calendar: some months or days later, and the full years or months between two."""

from dataclasses import dataclass

from profiling_core.model.expressions.expression import Expression
from profiling_core.model.stored import Sparse

MOST_MONTHS = 1_200
"""A column takes a date at most a century further; a row that asks for more is not judged."""
MOST_DAYS = 36_525
"""The days of as many months: 100 years of 365.25 days."""
_YEAR = 12


@dataclass(frozen=True)
class MonthsOn(Expression):
    """The day ``months`` months after a column's, or that month's last day; then ``days`` days later.

    ``months`` are multiplied by the column ``by``, if there is one. ``first``: from the first of the column's month on.
    ``days_by``: a column with a number of days, which are added, too.
    """

    column: str
    months: int = 1
    by: str = ""
    days: int = 0
    first: bool = False
    days_by: Sparse[str] = ""
    form = "months_on"
    naming = ("column", "by", "days_by")

    @property
    def is_last_of_month(self) -> bool:
        """Whether it is the last day of the column's month."""
        return (self.months, self.by, self.days, self.first, self.days_by) == (1, "", -1, True, "")

    @property
    def text(self) -> str:
        """``start + 6 months``, ``start + 12·years months − 1 day``."""
        if self.is_last_of_month:
            return f"last of month({self.column})"
        begun = f"first of month({self.column})" if self.first else self.column
        months = _signed(self._amount, negative=self.months < 0 and not self.by)
        return begun + months + (f" + {self.days_by} days" if self.days_by else "") + _more_days(self.days)

    @property
    def _amount(self) -> str:
        if not self.by:
            return _so_many(self.months) if self.months else ""
        unit = "years" if self.months == _YEAR else "months"
        return f"{self.by} {unit}" if self.months in (1, _YEAR) else f"{self.months}·{self.by} months"

    @property
    def words(self) -> str:
        """``6 months after start``."""
        if self.is_last_of_month:
            return f"the last day of the month of {self.column}"
        begun = f"the first of the month of {self.column}" if self.first else self.column
        amount = f"as many months as {self.months} times {self.by} says" if self.by else self._amount
        if self.by and self.months in (1, _YEAR):
            amount = f"as many {'years' if self.months == _YEAR else 'months'} as {self.by} says"
        said = f"{amount} {'before' if self.months < 0 and not self.by else 'after'} {begun}" if amount else begun
        said += f" and as many days as {self.days_by} says" if self.days_by else ""
        more = f", {'less' if self.days < 0 else 'plus'} {_of_days(self.days)}" if self.days else ""
        return said + more


def _so_many(months: int) -> str:
    size = abs(months)
    number, unit = (size // _YEAR, "year") if size % _YEAR == 0 else (size, "month")
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _signed(amount: str, *, negative: bool) -> str:
    return f" {'−' if negative else '+'} {amount}" if amount else ""


def _more_days(days: int) -> str:
    return _signed(_of_days(days) if days else "", negative=days < 0)


def _of_days(days: int) -> str:
    return f"{abs(days)} {'day' if abs(days) == 1 else 'days'}"


@dataclass(frozen=True)
class Completed(Expression):
    """The full years or months from one date to another, as an age is, or the nights between two moments.

    ``unit`` is ``years``, ``months``, ``calendar years`` or ``calendar days``; a calendar year begins each January, a
    calendar day at midnight. One of the dates may be the fixed day ``on`` (ISO), and its column is empty then.
    """

    later: str
    earlier: str
    unit: str = "years"
    on: str = ""
    form = "completed"
    is_numeric = True
    naming = ("later", "earlier")

    @property
    def text(self) -> str:
        """``full years(collected − born)``."""
        shown = self.unit if self.unit.startswith("calendar") else f"full {self.unit}"
        return f"{shown}({self.later or self.on} − {self.earlier or self.on})"

    @property
    def words(self) -> str:
        """``the number of full years from born to collected``."""
        shown = self.unit if self.unit.startswith("calendar") else f"full {self.unit}"
        return f"the number of {shown} from {self.earlier or self.on} to {self.later or self.on}"
