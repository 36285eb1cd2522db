"""How many false alarms people accept: one number for a dataset, which all checks of a delta share.

Each check divides its part among all that it looks at (Bonferroni), so that a table of many columns has no more false
alarms than one of few, and a dataset of many tables no more than one of one.
"""

from dataclasses import dataclass

# Days of a month; a delta that comes seldom counts as one of a day.
DAYS_OF_A_MONTH = 30.0
# By default a dataset has three false alarms in four months: one of rules in 50 deltas, one of loads in 200.
USUAL_PER_MONTH = 0.75
# The rules of a table and the figures of its loads share the budget so.
_OF_RULES, _OF_LOADS = 0.8, 0.2


@dataclass(frozen=True, slots=True)
class AlertBudget:
    """False alarms ``per_month`` of a dataset, and the number of ``tables`` that share them."""

    per_month: float
    tables: int = 1

    @property
    def rules_once_in(self) -> float:
        """One delta in this number may break some rule of a table by accident."""
        return DAYS_OF_A_MONTH * max(1, self.tables) / (self.per_month * _OF_RULES)

    def of_a_load(self, days: float = 1.0) -> float:
        """The chance of a false alarm that a load of a table may have.

        Args:
            days: how far loads are apart.
        """
        return min(1.0, self.per_month * _OF_LOADS * min(1.0, days) / DAYS_OF_A_MONTH / max(1, self.tables))
