"""Screening: what a table's policy makes of a delta's rows that violate its active constraints, before they count."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.alert.figures import counted
from profiling_core.diff.new_constraints import signed
from profiling_core.diff.step import PROVEN, Step
from profiling_core.maintain.breaking import Arriving, breaks, diagnosis_of
from profiling_core.maintain.delta_rows import batches
from profiling_core.maintain.false_alarms import breaks_by_chance, one_in
from profiling_core.maintain.run import TableRun, row_delta
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.change import Change, LifecycleState, Transition
from profiling_core.model.constraint import Measured
from profiling_core.model.dataset import DatasetConfig, Policy
from profiling_core.model.decision import Decided
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.errors import InputError
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import ASIDE, ROWS, FileRef, RunPlan, Version
from profiling_core.pipeline import lifecycle_step
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.aside import Portions, returning, split
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.snapshot import rows_in, snapshot_rows
from profiling_core.spark.witnesses import Break

Broken = tuple[Tracked, Break]
_GONE = "gone"
_DENIAL = "¬("


def screen(work: Workspace, plan: RunPlan, base: Version | None, delta: NormalizedDelta) -> NormalizedDelta:
    """The delta as it is to be applied: without the rows that the table's policy keeps out.

    Looked at are the constraints whose break would alert and that allow no error, and of those that a person has signed
    also the ones that are violated or have not been followed so far. Inclusion dependencies, which depend
    on other tables' deltas too, and rules on deltas as a whole only alert. Where the delta changes the table's columns,
    those count whose columns stay as they are.

    Raises:
        InputError: the policy is to stop, and a row violates such a constraint.
    """
    policy = work.config.tables[delta.table].policy
    if policy is Policy.ALERT or base is None or delta.table not in base.tables:
        return delta
    decided = lifecycle_step.decisions(work)
    followed = lifecycle_step.followed(work, base.number)
    guarded = _guarded(followed, base, lifecycle_step.screening_step(work, base, plan.label, decided), delta)
    sharing = [t.measured.constraint for t in followed if t.measured.constraint.kept_with == delta.table]
    once_in = one_in(sharing, work.config.budget)
    spared: list[Change] = []
    while guarded:
        files = TableFiles(work.store, plan.run_id, delta.table, base)
        run = TableRun(work.spark("screen"), files, work.config, delta)
        rows = row_delta(run)
        broken = [found for found in _broken(run, rows, guarded, base) if _is_news(rows, found[0], decided, once_in)]
        if not broken:
            break
        if policy is Policy.STOP:
            raise _stopped(work.config, delta, broken)
        spared += [_spared(delta.table, rows, one, run.nulls, by_hand=_is_signed(one[0], decided)) for one in broken]
        delta = _without(files, delta, BitMap64.union(*(found.standing_out for _, found in broken)))
    return replace(delta, spared=tuple(change.to_json() for change in spared))


def _is_signed(known: Tracked, decided: Mapping[str, Decided]) -> bool:
    return known.fingerprint in decided and decided[known.fingerprint].pinned


def _is_news(rows: RowDelta, broken: Tracked, decided: Mapping[str, Decided], once_in: float) -> bool:
    """Whether a person wants the constraint, or something else than chance has kept the rows so far."""
    wanted = broken.fingerprint in decided and decided[broken.fingerprint].wanted
    return wanted or not breaks_by_chance(rows, broken.measured.constraint, once_in)


def _guarded(followed: Sequence[Tracked], base: Version, step: Step, delta: NormalizedDelta) -> list[Tracked]:
    same = _same_columns(base, delta)
    decided = [d.constraint for d in step.decided.values() if d.pinned and d.constraint]
    new = signed(followed, {c.fingerprint: Measured(c, 0, 0) for c in decided}, step)
    return [
        t
        for t in (*followed, *new)
        if t.table == delta.table
        and (t.state in PROVEN or step.decided_on(t.fingerprint).pinned)
        and not t.threshold
        and t.measured.constraint.can_set_aside
        and same.issuperset(t.measured.constraint.columns)
        and step.may_alert(t)
    ]


def _same_columns(base: Version, delta: NormalizedDelta) -> frozenset[str]:
    """The columns that are under the delta what they were in the base version."""
    before = base.tables[delta.table].schema.columns
    return frozenset(c.name for c in TableSchema.from_json(delta.schema).columns if c in before)


def _broken(run: TableRun, rows: RowDelta, guarded: Sequence[Tracked], base: Version) -> list[Broken]:
    same = _same_columns(base, run.delta)
    space = base.tables[run.table].space
    space = replace(space, groups=tuple(g for g in space.groups if same.issuperset((g.left.column, g.right.column))))
    found = breaks(
        Arriving(batches(run.files.store, run.delta.inserted), rows, space), [t.measured.constraint for t in guarded]
    )
    known = {t.fingerprint: t for t in guarded}
    at_fault = ((known[name], broken) for name, broken in found.items() if broken.rows)
    return [(t, broken) for t, broken in at_fault if broken.at_fault or t.state is not LifecycleState.VIOLATED]


def _stopped(config: DatasetConfig, delta: NormalizedDelta, broken: Sequence[Broken]) -> InputError:
    known, found = max(broken, key=lambda one: len(one[1].standing_out))  # the one that most rows would break
    constraint = known.measured.constraint
    more = f"; {counted(len(broken) - 1, 'more constraint')} would break" if len(broken) > 1 else ""
    witness = found.witnesses[0].broken_by if found.witnesses else {}
    hidden = config.redacted(delta.table)
    shown = ", ".join(f"{name}={'•••' if name in hidden else witness.get(name)}" for name in constraint.columns)
    rows = counted(len(found.standing_out), "row")
    rule = constraint.words.rstrip(".") if constraint.text.startswith(_DENIAL) else constraint.text
    held = f", which has held for {counted(known.held_deltas, 'delta')}" if known.held_deltas else ""
    gist = f"{rows} would break {rule}{held}{more}"
    return InputError(
        f"the delta of table {delta.table!r} is stopped, and nothing was applied: {gist}. First: {shown}",
        gist=gist,
        where=f"delta {', '.join(delta.delta_ids)}",
        remedy=f"mend the delta and run again; or let the change in: holdfast mute {constraint.fingerprint} "
        f"--dataset {config.dataset}, or policy: alert for the table",
    )


def _spared(table: str, rows: RowDelta, broken: Broken, nulls: NullSemantics, *, by_hand: bool) -> Change:
    known, found = broken
    reading = diagnosis_of(rows, known.measured.constraint, found.standing_out, nulls)
    return Change(
        Transition.SPARED,
        table,
        known.measured,
        known.measured,
        held_deltas=known.held_deltas,
        since=known.since,
        violating_rows=len(found.standing_out),
        rank=known.rank,
        alerts=True,
        signed=by_hand,
        witnesses=found.witnesses,
        diagnosis=reading,
    )


def _without(files: TableFiles, before: NormalizedDelta, ids: BitMap64) -> NormalizedDelta:
    """The delta without these rows, which join those set aside before."""
    inserted, deleted = (Portions.of(files.verified(part)) for part in (before.inserted, before.deleted))
    parts = split(inserted, deleted, ids, TableSchema.from_json(before.schema).key)
    aside = parts.aside
    if before.set_aside:
        aside = pa.concat_tables([aside, Portions.of(files.verified(before.aside)).whole()])
    after = replace(
        before,
        inserted=_written(files, parts.inserted, ROWS),
        deleted=_written(files, parts.deleted, _GONE),
        aside=_written(files, Portions.once(aside), ASIDE),
        set_aside=before.set_aside + len(ids),
    )
    stayed = rows_in(files.store, before.deleted) - rows_in(files.store, after.deleted)
    return replace(after, inserts=before.inserts - (len(ids) - stayed), updates=before.updates - stayed)


def _written(files: TableFiles, rows: Portions, role: str) -> tuple[FileRef, ...]:
    folder = files.new_dir(role)
    rows.write(folder)
    return files.publish(folder, role)


def released(work: Workspace, plan: RunPlan, version: Version, table: str) -> NormalizedDelta:
    """The rows of a table that were set aside, as a delta that brings them back."""
    state = version.tables[table]
    empty = NormalizedDelta(
        dataset=work.dataset,
        table=table,
        delta_ids=tuple(plan.pending[table]),
        base_version=version.number,
        inserted=(),
        deleted=(),
        quarantine=(),
        inserts=0,
        deletes=0,
        updates=0,
        superseded=0,
        rejects=0,
        next_row_id=state.next_row_id,
        schema=state.schema.to_json(),
        releases=True,
    )
    files = TableFiles(work.store, plan.run_id, table, version)
    aside = Portions.of(work.store.verified(version.files_of(ASIDE, table))).whole()
    parts = returning(aside, snapshot_rows(work.spark("release"), work.store, version, table), state.schema.key)
    delta = replace(
        empty, inserted=_written(files, parts.inserted, ROWS), deleted=_written(files, parts.deleted, _GONE)
    )
    comes, goes = rows_in(work.store, delta.inserted), rows_in(work.store, delta.deleted)
    return replace(delta, inserts=comes - goes, updates=goes, superseded=len(parts.aside))
