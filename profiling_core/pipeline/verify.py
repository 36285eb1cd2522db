"""Maintained state against discovery from scratch on the same rows: the equality that everything stands on."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from profiling_core.algorithms.denial import inversion
from profiling_core.algorithms.evidence.multiset import ordered_masks
from profiling_core.maintain.table import read_cover, read_evidence, read_results
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.version import RunPlan, Version
from profiling_core.pipeline.whole import whole_table
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.evidence import RowDelta, evidence_difference
from profiling_core.spark.snapshot import read_snapshot

RUN = "verification"


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one part of the state equals what discovery from scratch gives, and how large it is."""

    subject: str
    equal: bool
    detail: str

    def to_json(self) -> dict[str, Any]:
        """The finding as plain JSON data."""
        return asdict(self)


def verify(work: Workspace) -> list[Finding]:
    """Compares evidence multisets, covers and inclusions of the current version with discovery from scratch."""
    version = work.catalog.current(work.dataset)
    if version is None:
        return []
    try:
        findings = [finding for table in version.tables for finding in _table(work, version, table)]
        if work.config.inclusions == "on":
            findings.append(_inclusions(work, version))
    finally:
        work.store.discard(RUN)
    return findings


def _table(work: Workspace, version: Version, table: str) -> Iterator[Finding]:
    space = version.tables[table].space
    rows = read_snapshot(work.spark("verify"), work.store, version, table)
    delta = RowDelta(None, rows, rows.limit(0), rows.count(), 0)
    fresh = evidence_difference(work.spark("verify"), delta, space)
    kept = read_evidence(work.store, version, table)
    pairs = f"{int(fresh.counts.sum()):,} pairs, {len(fresh):,} distinct evidences"
    yield Finding(f"{table}: evidence", _same(fresh, kept), pairs)
    bound = work.config.tables[table].max_predicates or None
    cover = inversion.minimal_cover(ordered_masks(fresh, space)[0], space, max_predicates=bound)
    equal = sorted(cover) == sorted(read_cover(work.store, version, table))
    yield Finding(f"{table}: cover", equal, f"{len(cover):,} set-minimal denial constraints")


def _same(a: EvidenceSet, b: EvidenceSet) -> bool:
    return np.array_equal(a.keys, b.keys) and np.array_equal(a.counts, b.counts)


def _inclusions(work: Workspace, version: Version) -> Finding:
    from profiling_core.maintain.inclusions import maintain_inclusions

    deltas = {table: whole_table(work, version, table, RUN) for table in version.tables}
    plan = RunPlan(work.dataset, RUN, version.label, 0, dict.fromkeys(version.tables, ()))
    kept = {m.constraint.fingerprint: m for m in read_results(work.store, version, "").tracked}
    fresh = maintain_inclusions(work.spark("verify"), work.store, None, deltas, work.config, plan, ())
    known = read_results(work.store, version, "")
    found = {m.constraint.fingerprint: m for m in fresh.results}
    ranked = {r.measured.constraint.fingerprint: r.measured for r in known.ranked}
    differing = [f for f, m in ranked.items() if found.get(f) != m]
    missing = len(found) != known.counts["ind"] or bool(differing)
    return Finding("inclusions", not missing, f"{len(found):,} inclusion dependencies, {len(kept):,} followed")
