"""A table's loads: each delta judged as a whole beside those before it, whatever the engine is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from profiling_core.algorithms.columns.arrivals import Arrived, Batches, Renewed, new_of
from profiling_core.algorithms.loads.history import LoadHistory
from profiling_core.algorithms.loads.judging import judged
from profiling_core.algorithms.loads.oddity import Oddity
from profiling_core.algorithms.loads.profile import Profile, profile
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.maintain.run import FINDINGS, TableRun
from profiling_core.model.finding import Evidence, Finding
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import LOADS, FileRef
from profiling_core.spark.witnesses import row_text

# The form in which a history is kept; one of another form cannot be gone on from.
_FORMAT = 1
_SHOWN = 10


def maintain_loads(run: TableRun, arrived: Arrived) -> tuple[FileRef, ...]:
    """The history with the run's deltas, and what is odd about them, as files of the next version.

    The deltas that a table begins with only teach. Rows that come back from where they were set aside, and those of a
    rebuild, are no load.

    Args:
        run: the table's part in the run.
        arrived: what the run brings.
    """
    history = _read(run)
    findings: list[Mapping[str, Any]] = []
    hidden = frozenset(run.config.redacted(run.table))
    follows = run.base is not None and run.table in run.base.tables
    for delta_id, found in ({} if run.rebuild or arrived.late else _profiles(run, arrived)).items():
        history = history.begun(delta_id) if follows else history
        odd, history = judged(delta_id, found, history, run.schema, hidden, len(run.config.tables))
        if follows:
            news = [oddity for oddity in odd if not _is_known(run, oddity)]
            findings += [_finding(run, arrived, delta_id, found.rows, oddity).to_json() for oddity in news]
    state = run.store.publish_json(run.run_id, run.table, LOADS, {"format": _FORMAT, **history.to_json()})
    return (state, run.store.publish_json(run.run_id, run.table, FINDINGS, findings)) if findings else (state,)


def _is_known(run: TableRun, odd: Oddity) -> bool:
    """Whether people have said of the like of it that it is no news."""
    return any(lesson.covers(odd) for lesson in run.lessons)


def _read(run: TableRun) -> LoadHistory:
    """The history in the base version, under the names that columns have now."""
    refs = run.base.files_of(LOADS, run.table) if run.base else ()
    kept = run.store.read_json(refs[0]) if refs else {}
    if kept.get("format") != _FORMAT:
        return LoadHistory()
    renames = run.config.renames.get(run.table, {})
    types = {column.name: column.type for column in run.schema.profiled}
    before = run.base.tables[run.table].schema.columns if run.base and run.table in run.base.tables else ()
    same = {renames.get(c.name, c.name): c.name for c in before if types.get(renames.get(c.name, c.name)) is c.type}
    return LoadHistory.from_json(kept).under(same)


def _profiles(run: TableRun, arrived: Arrived) -> dict[str, Profile]:
    """Per delta the profile of its new rows, of which there may be none."""
    types = {column.name: arrow_type(column) for column in run.schema.columns}
    found = {delta_id: profile(pa.schema(types).empty_table(), run.schema) for delta_id in arrived.ids}
    for part in arrived.run(_Profiling(run.schema, arrived.renewed), arrived.parts):
        _add(found, part)
    return found


@dataclass(frozen=True)
class _Profiling:
    """A piece: the profiles of a part of what comes."""

    schema: TableSchema
    renewed: Renewed | None

    def __call__(self, part: Batches) -> dict[str, Profile]:
        found: dict[str, Profile] = {}
        for delta_id, rows in part():
            _add(found, {delta_id: profile(new_of(rows, self.renewed), self.schema)})
        return found


def _add(known: dict[str, Profile], more: Mapping[str, Profile]) -> None:
    for delta_id, later in more.items():
        before = known.get(delta_id)
        known[delta_id] = before.merged(later) if before and before.rows else later


def _finding(run: TableRun, arrived: Arrived, delta_id: str, rows: int, odd: Oddity) -> Finding:
    culprits = _culprits(arrived, delta_id, odd)
    texts = [row_text(table, i) for table in culprits for i in range(min(len(table), _SHOWN))]
    shown = [Evidence(text, odd.columns, odd.mended(text) if odd.mended else {}) for text in texts]
    return Finding(
        odd.kind,
        run.table,
        delta_id,
        odd.headline,
        odd.columns,
        odd.cause,
        odd.details,
        tuple(shown[:_SHOWN]),
        sum(map(len, culprits)),
        rows,
        round(odd.magnitude, 1),
        odd.subject,
        odd.whole_load,
        size=round(odd.size, 4),
        room=round(odd.room, 4),
        values=odd.values,
    )


def _culprits(arrived: Arrived, delta_id: str, odd: Oddity) -> Sequence[pa.Table]:
    """The rows that show an oddity, taken from the delta as one table: some stand out only beside the rest."""
    if odd.culprits is None:
        return ()
    rows = pa.concat_tables([arrived.new_of(rows) for other, rows in arrived.batches() if other == delta_id])
    return (rows.filter(pa.array(odd.culprits(rows))),)
