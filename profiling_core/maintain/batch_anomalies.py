"""A table's loads: each delta judged as a whole beside those before it, whatever the engine is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Audience, DeltaPart
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import as_one_delta, judged
from profiling_core.algorithms.batch_anomalies.profile import Profile, profile
from profiling_core.algorithms.batch_anomalies.value_counts import ValueCounts
from profiling_core.algorithms.columns.arrivals import Arrived, Batches, Before, parted_by_age
from profiling_core.algorithms.columns.changed_cells import CellChange
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.maintain.run import FINDINGS, TableRun
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.finding import SHRUNK, Evidence, Finding, row_identity
from profiling_core.model.lesson import Lesson
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import LOADS, FileRef
from profiling_core.spark.witnesses import witness_alone

# The form in which a history is kept; one of another form cannot be gone on from.
_FORMAT = 1
_SHOWN = 10
# Of a table fewer rows than this share are removed by hand now and then, which is nobody's error.
_MANY_REMOVED = 0.05
# What an odd load of the other part took, or brought, the next one of this part brings back, or takes again.
_TAKEN_BY = {DeltaPart.NEW: DeltaPart.REMOVED, DeltaPart.CHANGED: DeltaPart.CHANGED, DeltaPart.REMOVED: DeltaPart.NEW}
Loads = dict[DeltaPart, Profile]
# The changes of a cell that take its value away.
_TAKING = (CellChange.OTHER, CellChange.EMPTIED)
_OF_EARLIER = (DeltaPart.CHANGED, DeltaPart.REMOVED)
_THAT_COME = (DeltaPart.NEW, DeltaPart.CHANGED)


def maintain_loads(run: TableRun, arrived: Arrived) -> tuple[FileRef, ...]:
    """The histories with the run's deltas, and what is odd about them, as files of the next version.

    The deltas that a table begins with only teach. Rows that come back from where they were set aside, and those of a
    rebuild, are no load.

    Args:
        run: the table's part in the run.
        arrived: what the run brings.
    """
    histories: Histories = _read(run)
    accepted = {part: _accepted(run.people.lessons, history) for part, history in histories.items()}
    histories = _flagged(histories, accepted, odd=False)
    counted = _counts_before(run), _counts_after(run, arrived)
    findings: list[Mapping[str, Any]] = []
    for delta_id, loads in ({} if run.rebuild or arrived.late else _profiles(run, arrived, counted)).items():
        odd, histories = _judged(run, delta_id, loads, histories, counted[1])
        findings += [
            _finding(run.table, arrived, delta_id, loads, one, part).to_json()
            for part in odd
            for one in odd[part]
            if part is not DeltaPart.REMOVED or one.columns or _are_many(loads[part].rows, run.size_before)
        ]
    bodies = {part: history.to_json() for part, history in _flagged(histories, accepted, odd=True).items()}
    others = {part.value: body for part, body in bodies.items() if part is not DeltaPart.NEW}
    state = {"format": _FORMAT, **bodies[DeltaPart.NEW], **others, "counts": counted[1].columns}
    file = run.files.publish_json(LOADS, state)
    return (file, run.files.publish_json(FINDINGS, findings)) if findings else (file,)


Histories = Mapping[DeltaPart, LoadHistory]


def _flagged(histories: Histories, loads: Mapping[DeltaPart, Sequence[str]], *, odd: bool) -> Histories:
    return {part: history.flagged(dict.fromkeys(loads[part], odd)) for part, history in histories.items()}


def _are_many(removed: int, size: int) -> bool:
    return removed >= _MANY_REMOVED * size


def _judged(
    run: TableRun, delta_id: str, loads: Loads, histories: Histories, table: ValueCounts
) -> tuple[dict[DeltaPart, list[Anomaly]], Histories]:
    """What is odd about the parts of a delta and is news, and their histories with it."""
    follows = run.files.state_before is not None
    hidden = frozenset(run.config.redacted(run.table))
    # rows that change are compared with the last load that was applied, however long ago
    late = any(histories[part].has_rows for part in _OF_EARLIER) and histories[DeltaPart.NEW].is_late(delta_id)
    loads, histories = _without_the_table(loads, histories)
    there = [part for part in loads if loads[part].rows or histories[part].has_rows]
    news: dict[DeltaPart, list[Anomaly]] = {}
    after = dict(histories)
    for part in loads:
        history = histories[part].begun(delta_id) if follows else histories[part]
        shared = replace(run.config.budget, tables=len(run.config.tables) * max(1, len(there)))
        broken = _broken_before(part, histories, run.people.broken)
        taken = max(_taken_before(part, histories), *broken.values(), 0)
        audience = Audience(shared, hidden, listens=follows, part=part, taken=taken, late=late, broken=broken)
        odd, after[part] = judged(delta_id, loads[part], history, run.schema, audience, table)
        news[part] = [
            o
            for o in odd
            if follows and not _is_known(run.people.lessons, o, delta_id) and not _were_rejected(run.delta, o)
        ]
    shrunk = any(finding["kind"] == SHRUNK for finding in run.delta.findings)
    return news, {**after, **as_one_delta({part: after[part] for part in loads}, shrunk=shrunk)}


def _without_the_table(loads: Loads, histories: Histories) -> tuple[Loads, Histories]:
    """The loads and histories without those that a table begins with: none of its rows could change or go.

    Once rows change or go, these were no load of new ones either.
    """
    new = histories[DeltaPart.NEW]
    if not new.loads:
        return {DeltaPart.NEW: loads[DeltaPart.NEW]}, histories
    changed = any(loads[part].rows for part in _OF_EARLIER if part in loads)
    return loads, {**histories, DeltaPart.NEW: new.without_the_table() if changed else new}


def _taken_before(part: DeltaPart, before: Histories) -> int:
    """How many rows the load before was odd in removing, changing or bringing, or, of new ones, in lacking."""
    other = before[_TAKEN_BY[part]].loads[-1:]
    taken = [load.rows for load in other if load.odd]
    return max([0, *taken, before[part].lacking if part is DeltaPart.NEW else 0])


def _broken_before(part: DeltaPart, before: Histories, broken: Mapping[str, Mapping[str, int]]) -> Mapping[str, int]:
    """By column the rows that broke rules in the load before, as far as changes and removals may mend them."""
    last = before[part].loads[-1:] if part in _OF_EARLIER else ()
    return broken.get(last[0].id, {}) if last else {}


def _is_known(lessons: Sequence[Lesson], odd: Anomaly, delta_id: str) -> bool:
    """Whether people have said of the like of it that it is no news."""
    return any(lesson.covers(odd, delta_id) for lesson in lessons)


def _accepted(lessons: Sequence[Lesson], history: LoadHistory) -> list[str]:
    """The odd loads that people have accepted, which are usual as long as that stands."""
    return [load.id for load in history.loads if load.odd and any(ls.makes_usual(load.id) for ls in lessons)]


def _were_rejected(delta: NormalizedDelta, odd: Anomaly) -> bool:
    """Whether all rows that an anomaly misses came and were rejected, which is told by itself."""
    return 0 < round(odd.missing) <= delta.rejects


def _read(run: TableRun) -> dict[DeltaPart, LoadHistory]:
    """The histories in the base version, under the names that columns have now."""
    kept = run.files.json_before(LOADS)
    if kept.get("format") != _FORMAT:
        return {part: LoadHistory() for part in DeltaPart}
    same = {now: was for now, was in _names_before(run).items() if was is not None}
    known = {part: LoadHistory.from_json(kept[part]) if part in kept else LoadHistory() for part in DeltaPart}
    known[DeltaPart.NEW] = LoadHistory.from_json(kept)  # earlier releases judged no other part
    return {part: history.under(same) for part, history in known.items()}


def _names_before(run: TableRun) -> dict[str, str | None]:
    """Of each column that was there before the name that it had then; None: it has another type now."""
    before = run.files.state_before
    types = {column.name: column.type for column in run.schema.profiled}
    present = {run.renames.get(c.name, c.name): c for c in (before.schema.columns if before else ())}
    return {name: c.name if types[name] is c.type else None for name, c in present.items() if name in types}


def _counts_before(run: TableRun) -> ValueCounts:
    """The table's rows by value; unknown if an earlier release has not counted them."""
    if run.rebuild or run.files.state_before is None:
        return ValueCounts({})
    known = run.files.json_before(LOADS).get("counts", {})
    return ValueCounts({now: known.get(was) if was else None for now, was in _names_before(run).items()})


def _counts_after(run: TableRun, arrived: Arrived) -> ValueCounts:
    counts = _counts_before(run)
    for part in arrived.run(_Counting(run.schema), arrived.parts):
        counts = counts.plus(part)
    return counts.plus(ValueCounts.of(arrived.gone, run.schema), -1)


@dataclass(frozen=True)
class _Counting:
    """A piece: a part of the rows that come by value."""

    schema: TableSchema

    def __call__(self, part: Batches) -> ValueCounts:
        return ValueCounts.of((rows for _, rows in part()), self.schema)


def _profiles(run: TableRun, arrived: Arrived, counted: tuple[ValueCounts, ValueCounts]) -> dict[str, Loads]:
    """Per delta the profiles of its new rows, of those that it changed, and how many it removed; each may be none.

    If several deltas have removed rows, nothing says which one did: then their number is unknown, and left out.
    """
    types = {column.name: arrow_type(column) for column in run.schema.columns}
    nothing = profile(pa.schema(types).empty_table(), run.schema)
    known = DeltaPart if len(arrived.ids) == 1 or not run.delta.deletes else _THAT_COME
    found: dict[str, Loads] = {delta_id: dict.fromkeys(known, nothing) for delta_id in arrived.ids}
    for part in arrived.run(_Profiling(run.schema, arrived.before), arrived.brought):
        for delta_id, later in part.items():
            _add(found.setdefault(delta_id, dict.fromkeys(known, nothing)), later)
    if len(arrived.ids) == 1:
        cells = found[arrived.ids[0]][DeltaPart.CHANGED].columns
        changed = {name: sum((column.cells or {}).get(kind, 0) for kind in _TAKING) for name, column in cells.items()}
        ended = counted[0].ended(counted[1], changed, run.size_before) if run.delta.deletes else nothing.ended
        found[arrived.ids[0]][DeltaPart.REMOVED] = replace(nothing, rows=run.delta.deletes, ended=ended)
    return found


@dataclass(frozen=True)
class _Profiling:
    """A piece: the profiles of a part of what comes."""

    schema: TableSchema
    before: Before | None

    def __call__(self, part: Batches) -> dict[str, Loads]:
        found: dict[str, Loads] = {}
        for delta_id, rows in part():
            own = zip(_THAT_COME, parted_by_age(rows, self.before), strict=True)
            loads = {age: profile(some, self.schema) for age, some in own if len(some)}
            _add(found.setdefault(delta_id, {}), loads)
        return found


def _add(known: Loads, more: Mapping[DeltaPart, Profile]) -> None:
    for part, later in more.items():
        before = known.get(part)
        known[part] = before.merged(later) if before and before.rows else later


def _finding(table: str, arrived: Arrived, delta_id: str, loads: Loads, odd: Anomaly, part: DeltaPart) -> Finding:
    suspect_rows = _suspect_rows(arrived, delta_id, odd, part)
    seen = [witness_alone(rows, i) for rows in suspect_rows for i in range(min(len(rows), _SHOWN))]
    shown = [
        Evidence(
            row.broken_by,
            odd.columns,
            odd.mended(row.broken_by) if odd.mended else {},
            identity=row_identity(table, row.broken_by),  # as of a rule that the row breaks
            id=row.ids[0] if row.ids else None,
        )
        for row in seen
    ]
    return Finding(
        odd.kind,
        table,
        delta_id,
        odd.headline,
        odd.columns,
        odd.cause,
        odd.details,
        tuple(shown[:_SHOWN]),
        sum(map(len, suspect_rows)),
        loads[part].rows,
        round(odd.magnitude, 1),
        odd.subject,
        odd.whole_load,
        size=round(odd.size, 4),
        room=round(odd.room, 4),
        values=odd.values,
        explains=odd.explains,
        again=odd.again,
    )


def _suspect_rows(arrived: Arrived, delta_id: str, odd: Anomaly, part: DeltaPart) -> Sequence[pa.Table]:
    """The rows that show an anomaly, taken from the delta as one table: some stand out only beside the rest."""
    if odd.suspect_rows is None:
        return ()
    new, changed = arrived.of(delta_id)
    rows = new if part is DeltaPart.NEW else changed
    return (rows.filter(pa.array(odd.suspect_rows(rows))).select(new.column_names),)
