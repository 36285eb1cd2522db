"""Whether a load comes when odd ones came before: at each month's end, every third Monday, at each midnight.

For periods of weeks and months one odd load is evidence, since few more are kept. For days and weeks, where an error
may
recur by accident, two in a row are needed.
"""

from calendar import monthrange
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

# Periods that need two odd loads in a row; and periods of weeks and months that need one.
_REPEATED = (timedelta(days=1), timedelta(days=7))
_TURNS = tuple(timedelta(weeks=weeks) for weeks in (2, 3, 4))
_MONTHS = (1, 2, 12)
_MONTH = timedelta(days=30)
# The last bank day, the first Monday: how much the date of a monthly event varies.
_ABOUT = timedelta(days=3)
# Loads that a period has, at least.
_LOADS = 4


def recurring(odd: Sequence[datetime], now: datetime, gap: timedelta) -> Collection[datetime]:
    """The moments of odd loads that this moment follows by a day, some weeks, some months or a year.

    Args:
        odd: the moments of the odd loads.
        now: that of the load that came.
        gap: the distance of loads.
    """
    known = set(odd)
    found: set[datetime] = set()
    for period in _REPEATED:
        before = {now - period, now - 2 * period}
        if period >= _LOADS * gap and before <= known:
            found |= before
    found |= {now - turn for turn in _TURNS if turn >= _LOADS * gap and now - turn in known}
    for months in _MONTHS:
        if months * _MONTH >= _LOADS * gap:
            found |= {then for then in known if _is_about(_later(then, months), now, known)}
    return found


def _is_about(place: datetime, now: datetime, odd: Collection[datetime]) -> bool:
    """Whether a moment is near that place, and no odd load has been there already."""
    return abs(place - now) <= _ABOUT and not any(abs(place - then) <= _ABOUT for then in odd)


def _later(then: datetime, months: int) -> datetime:
    years, month = divmod(then.month - 1 + months, 12)
    year = then.year + years
    return then.replace(year=year, month=month + 1, day=min(then.day, monthrange(year, month + 1)[1]))
