"""Whether values of a column are known ones, written otherwise: names in capitals, codes without zeros, UK for Britain.

Undone, such a load is as usual, so that one sentence says what would else be values that are missing, a mix that is
another one, and new values.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Values, listed
from profiling_core.algorithms.batch_anomalies.history import LoadSummary
from profiling_core.algorithms.batch_anomalies.scale import tells_of_loads
from profiling_core.algorithms.batch_anomalies.sources import named
from profiling_core.model.lesson import LEAST_LOADS

Known = Mapping[str, float]
# The values of so many loads, the same in each, are all that there are; so it is with sources.
_LEAST_PANEL = 14
# A value that usually has so many rows, e^-10 for none by chance, and one new one with about as many.
_MANY, _ABOUT = 10.0, 2.0
_PLACE_OF_ALL = 0.8


@dataclass(frozen=True, slots=True)
class Writing:
    """A way of writing: what two values have in common that differ in it alone, and what is said of it."""

    same: Callable[[str], str]
    said: str


def _without_marks(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


# The likelier first: a value may be another one in several ways.
_WRITINGS = (
    Writing(lambda text: " ".join(text.split()), "other blanks"),
    Writing(str.casefold, "capitals"),
    Writing(lambda text: text.lstrip("0"), "leading zeros"),
    Writing(_without_marks, "other accents"),
    Writing(lambda text: re.sub(r"[\W_]+", "", _without_marks(text).casefold()), "other signs"),
)


def judge(case: Case) -> Iterator[Anomaly]:
    """The columns of few values in which new ones came."""
    if len(case.history.loads) < LEAST_LOADS:
        return
    for name in _of_rows(case):
        now, before = case.found.columns[name].values, _values(case.usual, name)
        if not now or not before or len(before) < len(case.usual):
            continue
        lasting = _values(case.latest, name) or [{}]
        ever = _values(case.history.loads, name)
        known = {value for load in ever for value in load} | set.intersection(*map(set, lasting))
        usual = {value: _mean(before, value) for value in set.intersection(*map(set, before))}
        gone = {value: mean for value, mean in usual.items() if value not in now}
        if new := sorted(now.keys() - known):
            yield from _written_otherwise(case, name, new, gone) or _another(case, name, new, gone)


def _of_rows(case: Case) -> list[str]:
    """The columns that tell of rows, not of which load they came with: a new month is no other name of the old one."""
    return [name for name in case.found.columns if not tells_of_loads(case, name)]


def _values(loads: Sequence[LoadSummary], name: str) -> list[Mapping[str, int]]:
    """Rows by value in loads that had some, where these were not too many."""
    return [values for load in loads if name in load.columns and (values := load.columns[name].values)]


def _mean(loads: Sequence[Mapping[str, int]], value: str) -> float:
    return sum(load[value] for load in loads) / len(loads)


def _written_otherwise(case: Case, name: str, new: list[str], gone: Known) -> list[Anomaly]:
    """Most new values are those that are missing, but for how they are written."""
    for writing in _WRITINGS:
        right = {writing.same(value): value for value in gone}
        pairs = {value: right[same] for value in new if (same := writing.same(value)) in right}
        if pairs and len(pairs) >= _PLACE_OF_ALL * len(new):
            return [_written(case, name, pairs, writing.said)]
    return _cut(case, name, new, gone)


def _cut(case: Case, name: str, new: list[str], gone: Known) -> list[Anomaly]:
    """New values are the beginnings of those that are missing, all of one length."""
    longest = max(map(len, new))
    pairs = {v: whole[0] for v in new if len(whole := [w for w in gone if w.startswith(v) and len(w) > len(v)]) == 1}
    if not pairs or len(pairs) < _PLACE_OF_ALL * len(new) or any(len(value) < longest for value in pairs):
        return []
    return [_written(case, name, pairs, f"cut at {longest} characters")]


def _written(case: Case, name: str, pairs: Mapping[str, str], said: str) -> Anomaly:
    shown = [f"{case.shown(name, value)} for {case.shown(name, right)}" for value, right in sorted(pairs.items())]
    if said == "capitals":
        said = "in capitals" if all(value.isupper() for value in pairs) else "with other capitals"
    elif not said.startswith("cut"):
        said = f"with {said}"
    values = "1 value" if len(pairs) == 1 else f"{len(pairs)} values"
    return _anomaly(case, name, f"{values} of {name} came {said}: {listed(shown, 3)}", pairs)


def _another(case: Case, name: str, new: list[str], gone: Known) -> list[Anomaly]:
    """One value in the place of another one, or new ones where all had been known."""
    now = case.found.columns[name].values or {}
    panel, last = _is_panel(case, name), _values(case.latest[-1:], name)
    gone = {value: rows for value, rows in gone.items() if last and value in last[0]}
    shown = [case.shown(name, value) for value in new]
    if len(new) == len(gone) == 1:
        (old, usual), rows = next(iter(gone.items())), now[new[0]]
        if (panel or usual >= _MANY) and usual / _ABOUT <= rows <= usual * _ABOUT:
            what = f"{name} {shown[0]} is new, and {case.shown(name, old)}, usual in {usual:,.0f} rows, is gone"
            return [_anomaly(case, name, what.replace("in 1 rows", "in 1 row"), {new[0]: old}, is_known=False)]
    if not panel or 2 * len(gone) > len(_values(case.usual, name)[-1]):
        return []
    values = f"{name} {shown[0]} is new" if len(new) == 1 else f"{len(new)} new values of {name}: {listed(shown, 8)}"
    return [_anomaly(case, name, values, dict.fromkeys(new, ""), is_known=False)]


def _is_panel(case: Case, name: str) -> bool:
    """Whether the loads that nothing was odd about have all had the same values."""
    before = _values(case.usual, name)
    return len(before) >= _LEAST_PANEL and len(set(map(frozenset, before))) == 1


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
