"""What is odd about each load of a table, computed anew from all rows of all loads: docs/loads.md, "Loads".

For tables of texts, numbers and truth values in daily loads of at most 63 different rows, of which the sample has all.
Slow and obvious: nothing is kept from one load to the next but the rows.
"""

from calendar import monthrange
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from statistics import median

from oracle import load_forms, load_values
from oracle.load_case import Case, Found, Row

_JUDGES = (
    load_values.categories,
    load_values.stuck,
    load_values.scale,
    load_forms.joint,
    load_forms.nulls,
    load_forms.form,
)


def odd_loads(ids: Sequence[date], loads: Sequence[Sequence[Row]], kinds: Mapping[str, str]) -> list[set[Found]]:
    """Per load what is odd about it."""
    told: list[set[Found]] = []
    odd: list[bool] = []
    bonds = load_forms.bonds(loads, kinds)

    def case(at: int, by: Sequence[int], again: Collection[int] = (), weekday: int | None = None) -> Case:
        before, days = [loads[i] for i in by], [ids[i] for i in by]
        ever = [row for load in loads[:at] for row in load]
        places = [place for place, i in enumerate(by) if i in again]
        own = ids[at] if weekday is None else ids[at] + timedelta(days=weekday - ids[at].weekday())
        return Case(own, loads[at], before, days, ever, kinds, [bonds[i] for i in (*by, at)], places)

    for at in range(len(loads)):
        start = max(0, at - 56)
        every, again = case(at, range(start, at)), _recurring(ids, odd, start)
        by = _settled(odd, start, again)
        found = _odd(case(at, by, again), every)
        ever = _settled(odd, start, set(range(start, at)))
        alike = (case(at, ever, again, weekday) for weekday in _other_weekdays([ids[i] for i in by], ids[at]))
        own = case(at, ever, again)
        as_another = found and loads[at] and not load_values.has_mix_of(own, ids[at].weekday())
        as_usual = as_another and any(_is_of(own, c.day.weekday()) and not _odd(c, every) for c in alike)
        told.append(set() if as_usual else found)
        odd.append(bool(found or (again and _odd(case(at, _settled(odd, start, set())), every))))
    return told


def _is_of(case: Case, weekday: int) -> bool:
    """Whether its number of rows is among those of the loads of a weekday, and its mixes are those of some of them."""
    rows = [len(load) for load, day in zip(case.before, case.days, strict=True) if day.weekday() == weekday]
    return min(rows) <= len(case.rows) <= max(rows) and load_values.has_mix_of(case, weekday)


def _other_weekdays(days: Sequence[date], own: date) -> list[int]:
    """The weekdays but its own that three loads at least were of."""
    known = [day.weekday() for day in days]
    return [weekday for weekday in range(7) if known.count(weekday) >= 3 and weekday != own.weekday()]


def _settled(odd: Sequence[bool], start: int, again: set[int]) -> Sequence[int]:
    """The loads that the next one is judged by."""
    end = len(odd)
    while end > start and odd[end - 1]:
        end -= 1
    by = range(start, end if len(odd) - end <= 6 and end - start >= 7 else len(odd))
    starts = [i for i in by if _all_odd(odd, i, by[-1])]
    lasting = {i for first in starts for i in range(first, first + 7)}
    usual = [i for i in by if not odd[i] or i in lasting or i in again]
    return usual if len(usual) >= max(7, 0.8 * len(by)) else by


def _all_odd(odd: Sequence[bool], first: int, last: int) -> bool:
    """Whether seven loads in a row are odd from this one on."""
    return first + 6 <= last and all(odd[first : first + 7])


def _recurring(ids: Sequence[date], odd: Sequence[bool], start: int) -> set[int]:
    """The odd ones of daily loads that the next one follows by two weeks to four, by weeks, or by 1, 2 or 12 months."""
    now = ids[len(odd)]
    known = {ids[i]: i for i in range(start, len(odd)) if odd[i]}
    weeks = [now - timedelta(days=7), now - timedelta(days=14)]
    found = set(weeks) if all(day in known for day in weeks) else set()
    found |= {now - timedelta(weeks=turn) for turn in (2, 3, 4)} & set(known)
    for months in (1, 2, 12):
        for day in known:
            place = _later(day, months)
            if abs((place - now).days) <= 3 and not any(abs((place - other).days) <= 3 for other in known):
                found.add(day)
    return {known[day] for day in found}


def _later(day: date, months: int) -> date:
    year, month = day.year + (day.month - 1 + months) // 12, (day.month - 1 + months) % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _odd(case: Case, every: Case) -> set[Found]:
    found = set(load_values.volume(case))
    if case.rows:
        found |= {f for judge in _JUDGES for f in judge(case)} | set(load_forms.repetition(every))
    return _told_once(case, found)


def _told_once(case: Case, found: set[Found]) -> set[Found]:
    def of(*kinds: str) -> set[str]:
        return {name for kind, columns, _ in found if kind in kinds for name in columns}

    usual = median([len(rows) for rows in case.before] or [0])
    cause, follows = ("completeness", "stuck") if len(case.rows) < 0.75 * usual else ("stuck", "completeness")
    without = {follows: of(cause), "mix": of(cause), "scale": of("exchange"), "precision": of("scale", "exchange")}
    again = any(kind == "repeated rows" for kind, _, _ in found)
    return {
        (kind, columns, rows)
        for kind, columns, rows in found
        if not (without.get(kind, set()) & columns) and not (kind in ("row count", "mix") and again)
    }
