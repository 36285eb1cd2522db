"""Maintained state against discovery from scratch on the same rows: the equality that everything stands on."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace

from profiling_core.maintain.choice import ENGINES, stored_engine
from profiling_core.maintain.engine import EngineStep
from profiling_core.maintain.results import read_results
from profiling_core.maintain.row_rules import kept_rules, recounted
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.constraint import DATASET, Kind
from profiling_core.model.errors import StateError
from profiling_core.model.stored import Stored
from profiling_core.model.version import RunPlan, Version
from profiling_core.pipeline.whole import schema_now, whole_table
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.snapshot import snapshot_rows

_PREFIX = "verification"


@dataclass(frozen=True, slots=True)
class Comparison(Stored):
    """Whether one part of the state equals what discovery from scratch gives, and how large it is."""

    subject: str
    equal: bool
    detail: str


def verify(work: Workspace) -> list[Comparison]:
    """Compares every table's state and the inclusions of the current version with discovery from scratch."""
    version = work.catalog.current(work.dataset)
    if version is None:
        return []
    dropped = [table for table in version.tables if table not in work.config.tables]
    if dropped:
        raise StateError(
            f"the state still has table {dropped[0]!r}, which the configuration no longer names",
            where=f"dataset {work.dataset!r}",
            remedy="apply a delta, or rebuild, and the table is dropped",
        )
    run_id = f"{_PREFIX}-{uuid.uuid4().hex}"  # its own, for several may compare at once
    try:
        findings = [finding for table in version.tables for finding in _table(work, version, table, run_id)]
        if work.config.inclusions == "on":
            findings.append(_inclusions(work, version, run_id))
    finally:
        work.store.discard(run_id)
    return findings


def _table(work: Workspace, version: Version, table: str, run_id: str) -> Iterator[Comparison]:
    engine, space = ENGINES[stored_engine(version, table)], version.tables[table].space
    fresh = engine.advance(_from_scratch(work, version, table, run_id))
    kept = {part.name: part.value for part in engine.parts(work.store, version.files, table, space)}
    for part in engine.parts(work.store, fresh.files, table, space):
        yield Comparison(f"{table}: {part.name}", kept.get(part.name) == part.value, part.detail)
    rules = kept_rules(work.store, version, table)
    if rules:
        rows = snapshot_rows(work.spark("verify"), work.store, version, table).read(version.tables[table].schema.names)
        equal = recounted(rules, rows) == rules
        yield Comparison(f"{table}: rules of rows", equal, f"{len(rules):,} equations and conditional rules")


def _from_scratch(work: Workspace, version: Version, table: str, run_id: str) -> EngineStep:
    rows = snapshot_rows(work.spark("verify"), work.store, version, table)
    state = version.tables[table]
    files = TableFiles(work.store, run_id, table, None)
    delta = RowDelta(None, rows, replace(rows, parts=()), state.rows, 0)
    return EngineStep(
        files, work.config.tables[table], schema_now(work, version, table), delta, state.space, None, state.rows, ()
    )


def _inclusions(work: Workspace, version: Version, run_id: str) -> Comparison:
    from profiling_core.maintain.inclusions import InclusionStep, maintain_inclusions

    deltas = {table: whole_table(work, version, table, run_id) for table in version.tables}
    plan = RunPlan(work.dataset, run_id, version.label, 0, dict.fromkeys(version.tables, ()))
    kept = {m.constraint.fingerprint: m for m in read_results(work.store, version, DATASET).tracked}
    fresh = maintain_inclusions(InclusionStep(work.spark("verify"), work.store, None, deltas, work.config, plan))
    known = read_results(work.store, version, DATASET)
    found = {m.constraint.fingerprint: m for m in fresh.results}
    inclusions = (r.measured for r in known.ranked if r.measured.constraint.kind is Kind.IND)
    ranked = {m.constraint.fingerprint: m for m in inclusions}
    differing = [f for f, m in ranked.items() if found.get(f) != m]
    missing = len(found) != known.counts["ind"] or bool(differing)
    return Comparison("inclusions", not missing, f"{len(found):,} inclusion dependencies, {len(kept):,} followed")
