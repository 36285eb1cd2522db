"""What is odd about each load of a table, computed anew from all rows of all loads: docs/semantics.md, "Loads".

For tables of texts, numbers and truth values in daily loads of at most 63 different rows, of which the sample has all.
Slow and obvious: nothing is kept from one load to the next but the rows.
"""

from collections.abc import Mapping, Sequence
from datetime import date
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
    found = []
    bonds = load_forms.bonds(loads, kinds)
    for at, rows in enumerate(loads):
        start, ever = max(0, at - 56), [row for load in loads[:at] for row in load]
        cases = (
            Case(
                ids[at], rows, [loads[i] for i in by], [ids[i] for i in by], ever, kinds, [bonds[i] for i in (*by, at)]
            )
            for by in (_settled(found, start), range(start, at))
        )
        found.append(_odd(*cases))
    return found


def _settled(found: Sequence[set[Found]], start: int) -> Sequence[int]:
    """The loads that the next one is judged by."""
    end = len(found)
    while end > start and found[end - 1]:
        end -= 1
    by = range(start, end if len(found) - end <= 6 and end - start >= 7 else len(found))
    starts = [i for i in by if _all_odd(found, i, by[-1])]
    lasting = {i for first in starts for i in range(first, first + 7)}
    usual = [i for i in by if not found[i] or i in lasting]
    return usual if len(usual) >= max(7, 0.8 * len(by)) else by


def _all_odd(found: Sequence[set[Found]], first: int, last: int) -> bool:
    """Whether seven loads in a row are odd from this one on."""
    return first + 6 <= last and all(found[first : first + 7])


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
        if not (without.get(kind, set()) & columns) and not (kind == "row count" and again)
    }
