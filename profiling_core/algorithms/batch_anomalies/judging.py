"""Runs all judges of a load under one budget of false alarms, shared among the dataset's tables and the judges.

Each judge has an equal part of it, and divides that among the columns, values or pairs that it looks at, so that a
table of many columns has no more false alarms than one of few (Bonferroni; Auto-Validate by-History, section 4). If
earlier loads exceeded the bar in the same figure, an anomaly must be further out (``record.py``).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies import (
    categories,
    cells,
    changed_things,
    defaults,
    ended,
    form,
    moments,
    rearranged,
    renamed,
    repetition,
    scale,
    shares,
    steps,
    volume,
)
from profiling_core.algorithms.batch_anomalies.anomaly import EVERYBODY, Anomaly, Audience, Case, DeltaPart
from profiling_core.algorithms.batch_anomalies.explaining import explanations
from profiling_core.algorithms.batch_anomalies.history import LASTING, LoadHistory, Shown, summarised
from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.record import told_by_record
from profiling_core.algorithms.batch_anomalies.sources import JOINED
from profiling_core.algorithms.batch_anomalies.surprise import ERROR_RATE
from profiling_core.algorithms.batch_anomalies.things import counted
from profiling_core.algorithms.batch_anomalies.value_counts import UNCOUNTED, ValueCounts
from profiling_core.algorithms.columns import concentration
from profiling_core.model.diagnosis import Concentration
from profiling_core.model.incident import LASTING as ASKED
from profiling_core.model.schema import TableSchema

# Below this share of the usual rows, rows are missing.
_FEWER = 0.75
# Missing values explain a low row count if they make up 60 % of the shortfall.
_EXPLAINS = 0.6
# What many values together show, whose cause is seen in single cells.
_OF_MANY_ROWS = ("mix", "spread", "source")
_OF_VALUES = (repetition, categories, moments, shares, defaults, scale, form, steps, renamed)
_JUDGES = {
    DeltaPart.NEW: (volume, changed_things, *_OF_VALUES),
    DeltaPart.CHANGED: (volume, cells, *_OF_VALUES),
    DeltaPart.REMOVED: (volume, ended),
}


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # for doubles at the ends of their range
def judged(
    delta_id: str,
    found: Profile,
    history: LoadHistory,
    schema: TableSchema,
    audience: Audience = EVERYBODY,
    table: ValueCounts = UNCOUNTED,
) -> tuple[list[Anomaly], LoadHistory]:
    """The anomalies of a load, worst first, what may explain others, and the history with it.

    If nobody listens, the history is all.

    Args:
        delta_id: the delta's id.
        found: the profile of its new rows.
        history: the loads before it.
        schema: the table's columns.
        audience: who is told, and what.
        table: the rows of the table by value, to say what the rows that it changed have in common.
    """
    case = _case(delta_id, found, history, schema, audience, table)
    every = _every(case)
    # an anomaly that the feed has shown often explains no other
    told = told_by_record(every, history.loads, case.level) if audience.listens else every
    mending = [one for one in every if _mends(one, case)]
    odd = _odd(case, [*told, *(one for one in mending if one not in told)])
    others = list(explanations(case))
    evidence = [one for one in others if not one.explains]
    shown = tuple(dict.fromkeys(map(_as_shown, (*every, *evidence)))) if odd or evidence else ()
    summary = replace(case.summary, odd=bool(odd or evidence), shown=shown)
    after = history.followed_by(summary, case.found, schema).mended({(one.kind, one.columns) for one in mending})
    if not audience.listens:
        return [], after
    news = rearranged.told_as_one([_as_news(one, case) for one in odd], case, _every)
    return [*(_of_one_group(one, case) for one in news), *_going_on(case, odd), *others], after


def _case(
    delta_id: str, found: Profile, history: LoadHistory, schema: TableSchema, audience: Audience, table: ValueCounts
) -> Case:
    found = counted(found, history.things, schema) if audience.part is DeltaPart.NEW else found
    level = audience.budget.of_a_load(history.days) / len(_JUDGES[audience.part])
    summary = summarised(delta_id, found, schema)
    case = Case(delta_id, found, summary, history.settled(), history, schema, level, audience.hidden)
    case = replace(case, latest=history.loads[-LASTING:], part=audience.part, late=audience.late, table=table)
    mends = bool(history.loads) and audience.taken > 0 and volume.may_mend(case, audience.taken)
    return replace(case, mends=mends, broken=audience.broken)


def as_one_delta(after: Mapping[DeltaPart, LoadHistory], *, shrunk: bool = False) -> dict[DeltaPart, LoadHistory]:
    """The histories of a delta's parts; if one part is odd as a whole, all are: other rows came than usual.

    ``shrunk``: too many rows are gone by the source's own limit.
    """
    whole = tuple(
        Shown(one.kind, (), part.value, one.more, one.magnitude)
        for part, history in after.items()
        for one in history.loads[-1].shown
        if not one.columns
    )
    whole += (Shown(volume.KIND, (), DeltaPart.REMOVED.value, more=True),) if shrunk else ()
    return {part: history.also_odd(whole) if whole else history for part, history in after.items()}


def _as_shown(one: Anomaly) -> Shown:
    return Shown(one.kind, one.columns, one.subject, one.size >= 0, round(one.magnitude, 1))


def _as_news(one: Anomaly, case: Case) -> Anomaly:
    """The anomaly, which is no news if it mends the last load, or if three so far showed it, as the feed does at times.

    Rows that were missing come later, rows too many go, and cells that were changed are changed back. A late load has
    the rows of several.
    """
    loads = case.every.loads
    shown = sum(load.odd and any(map(_as_shown(one).is_like, load.shown)) for load in loads)
    counts = case.late and one.kind in (volume.KIND, cells.KIND, ended.KIND)
    return replace(one, again=one.again or shown >= ASKED or _mends(one, case) or counts)


def _mends(one: Anomaly, case: Case) -> bool:
    """Whether an anomaly may be that the load mends the last one; fewer changes than usual mend nothing."""
    if case.part is not DeltaPart.CHANGED:
        return case.mends
    return case.mends and one.size >= 0 and cells.are_changed_back(case, one.columns)


def _of_one_group(one: Anomaly, case: Case) -> Anomaly:
    """The anomaly with what its rows have in common: most errors are those of one source."""
    group = None if len(one.values) == 1 or one.kind == "renamed" else _group_of(one, case)  # it names its value
    # a source is named beside several groups only if all their rows have it
    if group is None or (one.values and group.rows < group.violating):
        return one
    shown = group if group.value is None else replace(group, value=case.shown(group.column, group.value))
    said, usually, usual = one.headline.partition(", usually")
    # hours of one station count as the station, since the next load may show it by the day
    of_all = shown.value and all(shown.value in name.split(JOINED) for name in one.values)
    values = (shown.value,) if one.values and of_all and shown.value else one.values
    return replace(one, headline=f"{said}{shown.words}{usually}{usual}", values=values)


def _group_of(one: Anomaly, case: Case) -> Concentration | None:
    """What the rows at fault have in common; None also where none came."""
    rows = case.found.sample
    if one.suspect_rows is None or not len(rows):
        return None
    suspect = one.suspect_rows(rows)
    there = np.logical_and.reduce([np.ones(len(rows), np.bool_), *(rows[n].is_valid().to_numpy() for n in one.columns)])
    if case.part is DeltaPart.NEW and not (suspect & ~there).any():  # of values, those that the load has are compared
        rows, suspect = rows.filter(pa.array(there)), suspect[there]
    names = case.may_name_sources(one.columns)
    group = concentration.of_some(rows, suspect, names)
    if group is None and case.part is DeltaPart.CHANGED:  # what changed may all be of one group of the table
        group = concentration.of_a_table(rows.filter(pa.array(suspect)), names, case.table.having)
    return group


def _going_on(case: Case, told: Sequence[Anomaly]) -> Iterator[Anomaly]:
    """Findings that continue an incident: after an odd load, a test at the usual error rate suffices for them."""
    if case.latest and case.latest[-1].odd:
        known = {(anomaly.kind, anomaly.columns) for anomaly in told}
        likely = (o for o in _odd(replace(case, level=ERROR_RATE)) if (o.kind, o.columns) not in known)
        yield from (replace(anomaly, again=True) for anomaly in likely)


def _every(case: Case) -> list[Anomaly]:
    """The anomalies that judges find, each by itself."""
    judges = _JUDGES[case.part] if case.found.rows else (volume,)
    every = [anomaly for judge in judges for anomaly in judge.judge(case)]
    if case.part is not DeltaPart.CHANGED:
        return every
    renewed = {name for name in case.found.columns if cells.is_renewed(case, name)}
    return [one for one in every if one.kind in (cells.KIND, volume.KIND) or renewed.issuperset(one.columns)]


def _odd(case: Case, every: Sequence[Anomaly] | None = None) -> list[Anomaly]:
    """The anomalies that do not follow from others, worst first; of those as bad one of the key, which names rows."""
    odd, key = _told_once(_every(case) if every is None else every, case), {*case.schema.key}
    return sorted(_by_what_explains(odd, case), key=lambda one: (-one.magnitude, key.isdisjoint(one.columns)))


def _told_once(odd: Sequence[Anomaly], case: Case) -> list[Anomaly]:
    """Drops anomalies that follow from others: from a column with one value left, another unit, or repeated rows.

    If about as many rows came as usual, a column with one value is stuck; if fewer did, the rows with other values are
    missing.
    """
    usual = float(np.median([load.rows for load in case.of().history.loads] or [0]))
    fewer = case.found.rows < _FEWER * usual
    of_changed_rows = case.part is DeltaPart.CHANGED
    causes = _causes(fewer=fewer, of_changed_rows=of_changed_rows)
    odd = [anomaly for anomaly in odd if not _is_said_by_another(anomaly, odd)]
    kinds = {anomaly.kind for anomaly in odd} - (set() if of_changed_rows else {cells.KIND})
    otherwise = _counted_otherwise(kinds, fewer=fewer)

    def explains(cause: Anomaly, anomaly: Anomaly) -> bool:
        alike = not {*cause.columns}.isdisjoint(anomaly.columns)
        return alike and cause.kind in causes.get(anomaly.kind, ())

    return _without_effects([anomaly for anomaly in odd if anomaly.kind not in otherwise], explains)


def _without_effects(odd: Sequence[Anomaly], explains: Callable[[Anomaly, Anomaly], bool]) -> list[Anomaly]:
    """The anomalies that do not follow from others, if need be through more of them; of a circle the worst."""
    worst = sorted(odd, key=lambda one: -one.magnitude)
    effects = [_effects(cause, worst, explains) for cause in worst]
    kept: list[int] = []
    for place in range(len(worst)):
        causes = {other for other, follow in enumerate(effects) if place in follow}
        if causes <= effects[place] and causes.isdisjoint(kept):
            kept.append(place)
    return [worst[place] for place in kept]


def _effects(cause: Anomaly, every: Sequence[Anomaly], explains: Callable[[Anomaly, Anomaly], bool]) -> set[int]:
    """The places of what follows from an anomaly, by itself or through others."""
    found, left = set[int](), [cause]
    while left:
        cause = left.pop()
        more = [place for place, one in enumerate(every) if place not in found and explains(cause, one)]
        found.update(more)
        left += [every[place] for place in more]
    return found


def _counted_otherwise(told: Collection[str], *, fewer: bool) -> tuple[str, ...]:
    """The kinds that count rows, if another kind explains why there are more."""
    if "repeated rows" in told:
        return "row count", "mix", "repeats"
    return ("row count",) if ended.KIND in told or (not fewer and {"renamed", cells.KIND} & {*told}) else ()


def _causes(*, fewer: bool, of_changed_rows: bool = False) -> dict[str, tuple[str, ...]]:
    """By kind, the kinds that explain it if they concern the same column.

    Rows that change are best told by their cells; new ones by what their values are, if that is known.
    """
    cause, follows = ("completeness", "stuck") if fewer else ("stuck", "completeness")
    texts = ("renamed", "encoding", "truncation")  # other texts are other values
    causes = {
        "completeness": texts,
        "mix": (cause, *texts),
        "precision": ("scale", "spread", "default", "stuck", "source"),
        "scale": ("signs",),
        "nulls": (),
        "signs": ("source",),
        "negative": ("default", "scale", "source"),
        "default": ("scale", "stuck", "source", "exchanged"),
        "moments": ("stuck",),
        "repeats": ("stuck", "scale", "precision", "truncation", "renamed"),
        "spread": ("stuck", "source", "completeness", "mix", "renamed"),
        "truncation": ("renamed",),
        "marks": ("renamed",),
        "renamed": ("encoding", "scale"),
        "source": ("scale", "stuck", "nulls"),
        "order": ("moments", "scale", "stuck", "source", "signs", "negative", "default"),
    }
    causes[follows] = (cause, *causes.get(follows, ()))
    if of_changed_rows:
        others = ("completeness", "stuck", "truncation", "renamed", "source")
        return {kind: known if kind in others else (*known, cells.KIND) for kind, known in causes.items()}
    of_cells = {kind: (*causes[kind], cells.KIND) for kind in _OF_MANY_ROWS}
    plainer = {"stuck", "encoding", "exchanged", *causes}.difference(_OF_MANY_ROWS)
    return {**causes, **of_cells, cells.KIND: tuple(sorted(plainer))}


def _is_said_by_another(anomaly: Anomaly, odd: Sequence[Anomaly]) -> bool:
    """Whether an anomaly of missing sources repeats one of missing values, or one of fewer cells one of fewer rows."""
    if anomaly.kind == cells.KIND and anomaly.size < 0:
        return any(other.kind == volume.KIND and other.size < 0 for other in odd)
    return anomaly.subject == "sources" and any(
        other is not anomaly and (other.kind, other.columns) == (anomaly.kind, anomaly.columns) for other in odd
    )


def _by_what_explains(odd: Sequence[Anomaly], case: Case) -> list[Anomaly]:
    """Puts a low row count first, unless missing values explain most of it: half a file lacks hours, too."""
    counts = [anomaly for anomaly in odd if anomaly.kind == "row count"]
    others = [anomaly for anomaly in odd if anomaly.kind != "row count"]
    if not counts or not others:
        return list(odd)
    place = _place_of_counts(counts, others, case)
    return [*others, *(replace(anomaly, magnitude=place) for anomaly in counts)]


def _place_of_counts(counts: Sequence[Anomaly], others: Sequence[Anomaly], case: Case) -> float:
    """The magnitude of anomalies of row counts: below those that explain them, or above all others."""
    usual = float(np.median([load.rows for load in case.of().history.loads] or [0]))
    gone = usual - case.found.rows
    explaining = [anomaly.magnitude for anomaly in others if anomaly.missing and anomaly.missing >= _EXPLAINS * gone]
    if gone > 0 and not explaining:
        return 1 + max(anomaly.magnitude for anomaly in (*counts, *others))
    return 0.9 * min([*explaining, *(anomaly.magnitude for anomaly in counts)])
