"""The counted engine: the evidence multiset is the state, and everything else follows from it.

Beside it is the cover that the next delta updates: the maximal one. The reduced cover is a part of it, and the
set-minimal one is made from it by strengthening operators (docs/tried/engines.md, 29).

The delta's signed evidence is added to the multiset; denial constraints, FDs, UCCs and exact errors are read off it
(docs/adr/0009; DynASt, section 3, for the multiset under deltas).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.evidence.changes import changed_masks
from profiling_core.algorithms.evidence.multiset import ordered_masks
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.maintain import engine_results
from profiling_core.maintain.covers import (
    MAXIMAL,
    Cover,
    bounds_of,
    cover_of,
    cover_part,
    cover_table,
    most_predicates,
    reduced_constraints,
)
from profiling_core.maintain.engine import EngineResult, EngineStep, StatePart
from profiling_core.maintain.state_files import read_table, write_table
from profiling_core.model.constraint import RowConstraint
from profiling_core.model.dataset import TableConfig
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef, Version
from profiling_core.spark.evidence import empty_evidence, evidence_after, from_arrow, to_arrow
from profiling_core.state.store import Store

ROLE = "evidence"


@dataclass(frozen=True)
class CountedEngine:
    """Counts the evidence of all pairs: exact errors of every constraint at once, at the price of all pairs."""

    role: str = ROLE
    denies: bool = True

    def advance(self, step: EngineStep) -> EngineResult:
        """Adds the delta's signed evidence; the cover is refined or inverted anew, the figures are read off."""
        store = step.files.store
        before = read_evidence(store, step.before, step.files.table) if step.before else empty_evidence(step.space)
        evidence = evidence_after(before, step.rows, step.space, step.size)
        dcs = _cover(step, before, evidence)
        found = discovered(step.options, step.space, evidence, dcs)
        files = (
            *write_table(step.files, ROLE, to_arrow(evidence)),
            *write_table(step.files, MAXIMAL, cover_table(dcs)),
        )
        sizes = {"evidences": len(evidence), "maximal_dcs": len(dcs)}
        return engine_results.by_pairs(step, files, sizes, found, ordered_masks(evidence, step.space))

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The evidence multiset and the cover."""
        evidence = evidence_of(store, files, table, ROLE, space)
        pairs = f"{int(evidence.counts.sum()):,} pairs, {len(evidence):,} distinct evidences"
        yield StatePart("evidence", (evidence.keys.tobytes(), evidence.counts.tobytes()), pairs)
        # What versions from before maximal covers were kept hold is another cover, with the same reduced one.
        yield cover_part(cover.reduced_cover(cover_of(store, files, table), space), "reduced")


def read_evidence(store: Store, version: Version, table: str) -> EvidenceSet:
    """The evidence multiset of a table in a version."""
    return evidence_of(store, version.files, table, ROLE, version.tables[table].space)


def read_cover(store: Store, version: Version, table: str) -> Cover:
    """The cover that a version holds of a table, as predicate indices into its space."""
    return cover_of(store, version.files, table)


def evidence_of(store: Store, files: Sequence[FileRef], table: str, role: str, space: PredicateSpace) -> EvidenceSet:
    """The evidence multiset that these files hold for a table under an engine's role."""
    return from_arrow(read_table(store, [f for f in files if (f.table, f.role) == (table, role)]), space)


def _cover(step: EngineStep, before: EvidenceSet, evidence: EvidenceSet) -> Cover:
    """The cover to keep: updated where little of the evidence came or went, else inverted anew."""
    bound = most_predicates(step.options, step.space)
    came, went, now = changed_masks(before, evidence, step.space)
    # A state from before maximal covers were kept has none.
    if step.before is None or not step.before.files_of(MAXIMAL, step.files.table):
        return inversion.maximal_cover(now.masks, step.space, max_predicates=bound, effort=step.effort)
    known = read_cover(step.files.store, step.before, step.files.table)
    if not updating.updating_pays(known, came, went, now, max_predicates=bound):
        return inversion.maximal_cover(now.masks, step.space, max_predicates=bound)
    return updating.update(known, came, went, now, step.space, max_predicates=bound, maximal=True)


def discovered(
    options: TableConfig,
    space: PredicateSpace,
    evidence: EvidenceSet,
    dcs: Sequence[tuple[int, ...]],
) -> list[RowConstraint]:
    """All constraints of one version: minimal FDs and UCCs, and the reduced DCs that no FD or UCC says."""
    found = from_agree_sets.dependencies(from_agree_sets.agree_sets(evidence, space), bounds_of(options, space))
    others = [dc for dc in reduced_constraints(dcs, space) if dc.familiar is dc]
    return [*(m.constraint for m in found), *others]
