"""Whether new values of a column are known ones in another form: in capitals, without zeros, UK for Britain.

One sentence then explains missing values, another mix, and new values together.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, listed
from profiling_core.algorithms.batch_anomalies.categories import are_names
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.scale import tells_of_loads
from profiling_core.algorithms.batch_anomalies.sources import LEAST_PANEL, named
from profiling_core.algorithms.batch_anomalies.spread import USUAL
from profiling_core.algorithms.batch_anomalies.steps import steps_of
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import LogicalType

Known = Mapping[str, float]
# A value usually has this many rows (none by chance with e^-10), and a new one in its place has about as many.
_MANY, _ABOUT = 10.0, 2.0
# The share of new values that an explanation has to cover.
_PLACE_OF_ALL = 0.8
# Values of another kind make up this share of a column's values; late loads had at most the remaining share new.
_MOST = 0.75
_SEVERAL = 2  # a single one rather replaces another


@dataclass(frozen=True, slots=True)
class Writing:
    """A form of writing: a function that maps two forms of one value to the same text, and its name for people."""

    same: Callable[[str], str]
    said: str


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


# The likelier forms first: a value may be another one in several ways.
WRITINGS = (
    Writing(lambda text: " ".join(text.split()), "other blanks"),
    Writing(str.casefold, "capitals"),
    Writing(lambda text: text.lstrip("0"), "leading zeros"),
    Writing(_without_marks, "other accents"),
    Writing(lambda text: re.sub(r"[\W_]+", "", _without_marks(text).casefold()), "other signs"),
)


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the columns with few values that have new ones."""
    if len(case.history.loads) < LEAST_LOADS:
        return
    for name in _of_rows(case):
        own = case.of(name)
        now, before = _counted(own.summary, name), _values(own.usual, name)
        several = len(before) >= LEAST_LOADS and len(before) == sum(load.rows > 0 for load in own.usual)
        known = _ever(own, name)
        if now and several and are_names(own, name, len(known | now.keys())) and (new := sorted(now.keys() - known)):
            yield from (
                _written_otherwise(own, name, new, _lacking(own, name, new, _gone(now, before)))
                or _another(own, name, new, _gone(now, before))
            )


def _ever(case: Case, name: str) -> set[str]:
    """The values of the loads that this one is judged by."""
    return {value for load in _values(case.history.loads, name) for value in load}


def _gone(now: Mapping[str, int], before: Sequence[Mapping[str, int]]) -> Known:
    """The values that each usual load had and this one lacks, with their mean row count."""
    return {v: _mean(before, v) for v in set.intersection(*map(set, before)) if v not in now}


def _of_rows(case: Case) -> list[str]:
    """The columns that describe rows and not their load: a new month is no other name of the old one."""
    return [name for name in case.found.columns if not tells_of_loads(case, name)]


def _values(loads: Sequence[LoadSummary], name: str) -> list[Mapping[str, int]]:
    """Rows by value in the loads that had values, if these were not too many; a load without rows says nothing."""
    return [values for load in loads if (values := _counted(load, name))]


def _counted(load: LoadSummary, name: str) -> Mapping[str, int]:
    """Rows by value; if there are too many values, but each row has its own, by the panel's names."""
    column, panel = load.columns.get(name), load.panel(name)
    if column is None or column.values or panel is None:
        return (column and column.values) or {}
    return dict(zip(panel.names, panel.rows, strict=True))


def _mean(loads: Sequence[Mapping[str, int]], value: str) -> float:
    return sum(load[value] for load in loads) / len(loads)


def _lacking(case: Case, name: str, new: list[str], gone: Known) -> list[str]:
    """The values that may have come in another form: those that always come, or any, if most texts are new."""
    now = _counted(case.summary, name)
    texts = case.schema.column(name).type is LogicalType.STRING
    if not texts or _share(now, now.keys() - set(new)) < _MOST:
        return sorted(gone)
    return sorted(_ever(case, name).difference(now))


def _written_otherwise(case: Case, name: str, new: list[str], lacking: Sequence[str]) -> list[Anomaly]:
    """New values that are mostly missing known ones in another form."""
    for writing in WRITINGS:
        right = {writing.same(value): value for value in lacking}
        pairs = {value: right[same] for value in new if (same := writing.same(value)) in right}
        if pairs and len(pairs) >= _PLACE_OF_ALL * len(new):
            return [_written(case, name, pairs, writing.said)]
    return _cut(case, name, new, lacking)


def _cut(case: Case, name: str, new: list[str], lacking: Sequence[str]) -> list[Anomaly]:
    """New values that are the beginnings of missing known ones, all of one length."""
    longest = max(map(len, new))
    places = {value: bisect_right(lacking, value) for value in new}  # those that begin with a value are right behind it
    begun = {v: [w for w in lacking[place : place + 2] if w.startswith(v)] for v, place in places.items()}
    pairs = {value: whole[0] for value, whole in begun.items() if len(whole) == 1}
    if not pairs or len(pairs) < _PLACE_OF_ALL * len(new) or any(len(value) < longest for value in pairs):
        return []
    return [_written(case, name, pairs, f"cut at {longest} characters")]


def _written(case: Case, name: str, pairs: Mapping[str, str], said: str) -> Anomaly:
    shown = [f"{case.shown(name, value)} for {case.shown(name, right)}" for value, right in sorted(pairs.items())]
    if said == "capitals":
        said = "in capitals" if all(value.isupper() for value in pairs) else "with other capitals"
    elif not said.startswith("cut"):
        lost = said == "leading zeros" and all(len(value) < len(right) for value, right in pairs.items())
        said = f"{'without' if lost else 'with'} {said}"
    values = "1 value" if len(pairs) == 1 else f"{len(pairs)} values"
    found = _anomaly(case, name, f"{values} of {name} came {said}: {listed(shown, 3)}", pairs)
    return replace(found, subject=f"{name} {said}")


def _another(case: Case, name: str, new: list[str], gone: Known) -> list[Anomaly]:
    """Values that replace others, all of another kind, or parts of one."""
    panel, now = _is_panel(case, name), _counted(case.summary, name)
    pairs = _in_place_of(now, new, {v: rows for v, rows in gone.items() if panel or rows >= _MANY})
    if sum(now[value] for value in pairs) > _PLACE_OF_ALL * sum(now[value] for value in new):
        return [_replaced(case, name, pairs, gone)]
    if another := _of_another_kind(case, name, new):
        return another
    if len(gone) == 1 < len(new) and _is_split(case, name, new, *next(iter(gone.items()))):
        return [_split(case, name, new, next(iter(gone)))]
    return []


def _split(case: Case, name: str, new: list[str], old: str) -> Anomaly:
    parts = listed([case.shown(name, value) for value in new])
    said = f"{name} {case.shown(name, old)} is split into {parts}"
    return replace(_anomaly(case, name, said, dict.fromkeys(new, ""), is_known=False), cause="")


def _in_place_of(now: Mapping[str, int], new: Sequence[str], gone: Known) -> dict[str, str]:
    """Per new value the missing one that had about as many rows, if the match is unique on both sides."""
    near = {v: [old for old, rows in gone.items() if rows / _ABOUT <= now[v] <= rows * _ABOUT] for v in new}
    taken = Counter(old for olds in near.values() for old in olds)
    return {value: olds[0] for value, olds in near.items() if len(olds) == 1 and taken[olds[0]] == 1}


def _replaced(case: Case, name: str, pairs: Mapping[str, str], gone: Known) -> Anomaly:
    """The anomaly of values that replace others, the commonest first."""
    said = []
    for new, old in sorted(pairs.items(), key=lambda pair: -gone[pair[1]]):
        rows = "1 row" if round(gone[old]) == 1 else f"{gone[old]:,.0f} rows"
        said.append(f"{case.shown(name, new)} replaces {case.shown(name, old)} (usually {rows})")
    found = _anomaly(case, name, f"{name} {said[0]}", pairs, is_known=False)
    of_one = _said_before(case, name, *next(iter(pairs.items()))) if len(pairs) == 1 else ()
    return replace(found, details=(*(f"{name} {one}." for one in said[1:]), *of_one))


def _is_split(case: Case, name: str, new: Sequence[str], old: str, usual: float) -> bool:
    """Whether new values are parts of a missing one: as many rows in all, or one row each and numbers that add up."""
    now, before, rows = case.summary.panel(name), case.usual[-1].panel(name), _counted(case.summary, name)
    if now is None or before is None or not now.names_each_row:
        return usual >= _MANY and usual / _ABOUT <= sum(rows[value] for value in new) <= usual * _ABOUT
    for number in now.numbers:
        (was,), parts = before.said([old], number), now.said(new, number)
        moved = steps_of(case, now, number)
        if moved is not None and np.isfinite(was) and np.isfinite(parts).all():
            room = USUAL * float(np.nanmedian(moved.spread))
            whole, most = (abs(float(moved.scaled(x) - moved.scaled(was))) for x in (parts.sum(), parts.max()))
            if whole <= room < most:
                return True
    return False


def _said_before(case: Case, name: str, new: str, old: str) -> Iterator[str]:
    """The numbers of a value and of the one it replaces, if each has a row of its own."""
    now, before = case.summary.panel(name), case.usual[-1].panel(name)
    if now is None or before is None or case.hidden:
        return
    for number in now.numbers:
        (own,), (other,) = now.said([new], number), before.said([old], number)
        if np.isfinite(own) and np.isfinite(other):
            yield f"{number} is {own:,.10g} for {new}, and was {other:,.10g} for {old}."


def _of_another_kind(case: Case, name: str, new: list[str]) -> list[Anomaly]:
    """Values of most rows that never came, though few were new before: other codes, or another column's values."""
    now = _counted(case.summary, name)
    before = [set(load) for load in _values(case.history.loads, name)]
    known = [set().union(*before[:place]) for place in range(len(before) - LEAST_LOADS, len(before))]
    latest = [_share(load, values) for load, values in zip(before[-LEAST_LOADS:], known, strict=True)]
    if len(new) < _SEVERAL or _share(now, now.keys() - set(new)) < _MOST or max(latest) > 1 - _MOST:
        return []
    shown = listed([case.shown(name, value) for value in new], 5)
    other = next((other for other in case.found.columns if other != name and _has(case, other, new)), "")
    what = (
        f"{name} has values of {other}: {shown}"
        if other
        else f"{'all' if len(new) == len(now) else len(new)} values of {name} are new: {shown}"
    )
    cause = f"{other} in place of {name}?" if other else "other codes?"
    return [replace(_anomaly(case, name, what, dict.fromkeys(new, ""), is_known=False), cause=cause)]


def _share(load: Collection[str], known: Collection[str]) -> float:
    """The share of a load's values that is unknown."""
    return len([value for value in load if value not in known]) / max(1, len(load))


def _has(case: Case, name: str, values: Sequence[str]) -> bool:
    """Whether a column of texts has had all of these values."""
    if case.schema.column(name).type is not LogicalType.STRING:
        return False
    known = {value for load in _values(case.history.loads, name) for value in load}
    return known.issuperset(values)


def _is_panel(case: Case, name: str) -> bool:
    """Whether loads have had the same values, and others so seldom that each time may be told."""
    before = [set(load) for load in _values(case.history.loads, name)]
    changes = sum(one != other for one, other in pairwise(before))
    return len(before) >= LEAST_PANEL * (1 + changes)


def _anomaly(case: Case, name: str, headline: str, right: Mapping[str, str], *, is_known: bool = True) -> Anomaly:
    def mended(row: Values) -> Values:
        value = row.get(name) or ""
        return {name: right[value]} if value in right else {}

    return Anomaly(
        "renamed",
        headline,
        (name,),
        cause="written otherwise?" if is_known else "another name, or a new one?",
        suspect_rows=named((name,), list(right)),
        magnitude=8.0,
        subject=f"{name} {listed([case.shown(name, value) for value in sorted(right)])}",
        whole_load=is_known,
        mended=mended if is_known else None,
        size=float(len(right)),
    )
